// The decisions that are not cards: bids and the alone windows, as buttons with a long and a short label.

import { SUITS, SUIT_SIGNS, isSuit, shortCard, suitOrdered, trumpSign } from "./cards.js";
import { h, reconcile, setAttribute, setRich } from "./dom.js";
import { partnerOf } from "./fold.js";
import { speak } from "./words.js";

/** Not actions of the game: go to choosing three cards to swap, and back. */
export const PICK_SWAP = "pick swap";
export const UNPICK = "unpick";

const CARD_ACTION = /^(play|discard|give) /;
const SWAP_ACTION = /^relief ./;

/** The card of an action text that is a card of one's own to choose, else null. */
export const cardOfAction = (text) => (CARD_ACTION.test(text) ? text.split(" ")[1] : null);

/** The one of *legal* that swaps just the cards *picked*, in whatever order it names them. */
export function swapOf(legal, picked) {
  const wanted = [...picked].sort().join(" ");
  return legal.find((text) => SWAP_ACTION.test(text) && text.split(" ").slice(1).sort().join(" ") === wanted) ?? null;
}

/** The buttons while cards to swap are picked. */
export function swapChoices(legal, picked) {
  const action = swapOf(legal, picked);
  const missing = 3 - picked.length;
  const long = action ? `Show your hand and swap ${picked.map(shortCard).join(", ")}` : `Swap three cards (${missing} more to choose)`;
  return [
    { id: "swap", action, aloneAction: null, always: true, long, short: action ? "Swap these" : `${missing} more`, key: "r", tone: "make" },
    { id: UNPICK, action: UNPICK, aloneAction: null, always: true, long: "Keep these cards", short: "Back", key: "p", tone: "plain" },
  ];
}

/**
 * The buttons for *legal* action texts: `{action, aloneAction, long, short, key, tone}`. Either action may be null where
 * only the other is legal. Cards are not among them. An action this page does not know is offered as it is written.
 */
export function choicesFor(legal, game, names) {
  const has = (text) => (legal.includes(text) ? text : null);
  const choices = [];
  if (has("pass")) choices.push({ action: "pass", aloneAction: null, always: true, long: "Pass", short: "Pass", key: "p", tone: "plain" });
  if (has("order") || has("order alone")) {
    const taker = game.dealer === names.me ? "you pick up" : `${names.of(game.dealer)} picks up`;
    const suit = suitOrdered(game.upcard);
    const sign = SUIT_SIGNS[suit];
    choices.push({
      action: has("order"), aloneAction: has("order alone"), key: "o", tone: "make",
      long: `Make ${trumpSign(suit)} trump; ${taker} ${shortCard(game.upcard)}`,
      short: game.dealer === names.me ? `Pick up ${sign}` : `Order up ${sign}`,
    });
  }
  for (const trump of [...SUITS, "n", "l"]) {
    if (!has(`call ${trump}`) && !has(`call ${trump} alone`)) continue;
    const name = isSuit(trump) ? `Make ${trumpSign(trump)} trump` : trump === "n" ? "Play without trump" : "Play without trump, low cards win";
    const short = isSuit(trump) ? trumpSign(trump) : trump === "n" ? "No trump" : "Low no trump";
    choices.push({ action: has(`call ${trump}`), aloneAction: has(`call ${trump} alone`), long: name, short, key: null, tone: "make" });
  }
  if (game.phase === "name") choices.forEach((choice) => (choice.long += `; you pick up ${shortCard(game.upcard)}`));
  const answer = (action, long, short, key, tone) => has(action) && choices.push({ action, aloneAction: null, always: true, long, short, key, tone });
  const partner = names.me === null ? "your partner" : names.of(partnerOf(names.me));
  answer("together", `Play together with ${partner}`, "Together", "p", "plain");
  answer("alone", `Go alone; ${partner} sits out`, "Go alone", "a", "make");
  answer("defend together", `Defend together with ${partner}`, "Together", "p", "plain");
  answer("defend alone", `Defend alone; ${partner} sits out`, "Defend alone", "a", "make");
  answer("relief", "Show this very bad hand; the cards are dealt again", "Relief", "r", "plain");
  answer("claim", "Claim the rest: no card can beat your hand", "Claim the rest", "c", "make");
  if (legal.some((text) => SWAP_ACTION.test(text))) {
    choices.push({ action: PICK_SWAP, aloneAction: null, always: true, long: "Show this very bad hand and swap three cards…", short: "Swap three…", key: "r", tone: "plain" });
  }
  const known = new Set(choices.flatMap(({ action, aloneAction }) => [action, aloneAction]));
  for (const text of legal) {
    if (!known.has(text) && !CARD_ACTION.test(text) && !SWAP_ACTION.test(text)) {
      choices.push({ action: text, aloneAction: null, always: true, long: text, short: text, key: null, tone: "plain" });
    }
  }
  return choices;
}

export class Choices {
  #turn = null;
  #alone = false;

  constructor(root, { onChoose }) {
    Object.assign(this, { root, onChoose, shown: [] });
    this.buttons = h("div", { class: "buttons" });
    this.alone = h("button", { type: "button", class: "alone-toggle", role: "switch", onclick: () => this.toggleAlone() },
      h("span", { class: "switch", "aria-hidden": "true" }), h("span", { class: "long" }, "Go alone, without your partner"),
      h("span", { class: "short" }, "Alone"), h("kbd", { "aria-hidden": "true" }, "a"));
    root.replaceChildren(this.buttons, this.alone);
  }

  /** *picked* are the cards picked so far to be swapped, or null while none are asked for. */
  update({ turn, legal, game, names, busy, picked = null }) {
    if (turn !== this.#turn) this.#alone = false;
    this.#turn = turn;
    this.shown = picked ? swapChoices(legal, picked) : choicesFor(legal, game, names);
    this.root.hidden = this.shown.length === 0;
    const calls = this.shown.filter(({ always }) => !always);
    this.canAlone = calls.some(({ aloneAction }) => aloneAction);
    this.mustAlone = this.canAlone && calls.every(({ action }) => !action);
    if (this.mustAlone) this.#alone = true;
    setAttribute(this.root, "aria-busy", busy);
    reconcile(this.buttons, this.shown, (choice) => choice.id ?? choice.action ?? choice.aloneAction,
      (choice) => h("button", { type: "button", class: "choice" }, ...this.#labels(choice)),
      (button, choice) => this.#show(button, choice, busy));
    this.#showAlone();
  }

  #labels({ key }) {
    return [h("span", { class: "long" }), h("span", { class: "short" }),
      h("kbd", { "aria-hidden": "true" }, key ?? "")];
  }

  #show(button, choice, busy) {
    button.onclick = () => this.#choose(choice);
    button.classList.toggle("tone-make", choice.tone === "make");
    button.classList.toggle("goes-alone", this.#alone && !choice.always);
    button.disabled = busy || !this.#actionOf(choice);
    setRich(button.querySelector(".long"), choice.long);
    setRich(button.querySelector(".short"), choice.short);
    setAttribute(button, "aria-label", `${speak(choice.long)}${this.#alone && !choice.always ? ", alone" : ""}`);
    if (!choice.key) button.querySelector("kbd").textContent = String(this.shown.indexOf(choice) + 1);
  }

  #showAlone() {
    this.alone.hidden = !this.canAlone;
    this.alone.disabled = this.mustAlone;
    setAttribute(this.alone, "aria-checked", String(this.#alone));
  }

  #actionOf(choice) {
    if (choice.always) return choice.action;
    return this.#alone ? choice.aloneAction : choice.action;
  }

  #choose(choice) {
    const action = this.#actionOf(choice);
    if (action) this.onChoose(action);
  }

  toggleAlone() {
    if (!this.canAlone || this.mustAlone) return;
    this.#alone = !this.#alone;
    [...this.buttons.children].forEach((button, at) => this.#show(button, this.shown[at], false));
    this.#showAlone();
  }

  /** A key that names a choice: its letter, or its place as a digit. Tells whether there was one. */
  press(key) {
    const choice = this.shown.find((at) => at.key === key) ?? this.shown[Number(key) - 1];
    if (choice) this.#choose(choice);
    else if (key === "a" && this.canAlone) this.toggleAlone();
    else return false;
    return true;
  }

  /** Everything here that can take the focus, in order. */
  get stops() {
    return [...this.buttons.children, this.alone].filter((button) => !button.hidden && !button.disabled);
  }
}
