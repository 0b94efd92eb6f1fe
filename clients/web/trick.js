// The middle of the table: the upcard while trump is open, then the trick; a finished trick stays a moment.

import { cardBack, cardFace } from "./cardface.js";
import { cardName, isLeftBower } from "./cards.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { PLACES, placeOf } from "./seats.js";

const HOLD_MS = 1_200;

export class TrickArea {
  #held = null; // { winner, cards, hand } of the finished trick still on the table
  #timer = null;

  /** *onRelease* is called when a held trick is cleared away. */
  constructor(root, { settings, onRelease }) {
    Object.assign(this, { root, settings, onRelease });
    this.cards = h("div", { class: "trick-cards" });
    this.upcard = h("div", { class: "upcard" });
    root.replaceChildren(this.upcard, this.cards);
    root.addEventListener("click", () => this.release());
  }

  get isHolding() {
    return this.#held !== null;
  }

  hold(trick, trump) {
    clearTimeout(this.#timer);
    this.#held = { ...trick, trump };
    if (!this.settings.get("waitForMe")) this.#timer = setTimeout(() => this.release(), HOLD_MS);
  }

  release() {
    if (!this.#held) return;
    clearTimeout(this.#timer);
    this.#held = null;
    this.onRelease();
  }

  update({ game, names, chair }) {
    const { cards, winner, trump } = this.#held ?? { cards: game.trick, winner: null, trump: game.trump };
    this.root.classList.toggle("held", this.isHolding);
    reconcile(this.cards, cards, ([seat, card]) => `${seat}${card}`, ([seat, card]) => makePlayed(seat, card, chair),
      (item, [seat, card], at) => {
        item.classList.toggle("won", seat === winner);
        item.classList.toggle("lost", winner !== null && seat !== winner);
        setText(item.querySelector(".mark"), seat === winner ? "wins" : at === 0 ? "led" : "");
        setText(item.querySelector(".bower"), isLeftBower(card, trump) ? "Left" : "");
        setAttribute(item, "aria-label", `${names.of(seat)}: ${cardName(card)}${isLeftBower(card, trump) ? ", the left bower" : ""}${at === 0 ? ", led" : ""}${seat === winner ? ", wins" : ""}`);
      });
    this.#showUpcard(game);
  }

  #showUpcard(game) {
    const shown = !this.isHolding && !game.result && game.upcard !== null && game.trump === null;
    this.upcard.hidden = !shown;
    const key = shown ? `${game.upcard} ${game.upcard_fate}` : "";
    if (this.upcard.dataset.key === key) return;
    this.upcard.dataset.key = key;
    if (!shown) {
      this.upcard.replaceChildren();
      return;
    }
    const down = game.upcard_fate === "turned_down";
    const card = h("div", { class: "card", role: "img", "aria-label": `${cardName(game.upcard)}, ${down ? "turned down" : "turned up"}` }, cardFace(game.upcard));
    this.upcard.classList.toggle("down", down);
    this.upcard.replaceChildren(cardBack(), card, h("span", { class: "caption" }, down ? "turned down" : "turned up"));
  }
}

function makePlayed(seat, card, chair) {
  return h("div", { class: `card played from-${PLACES[placeOf(seat, chair)]}`, role: "img" },
    cardFace(card), h("span", { class: "bower", "aria-hidden": "true" }), h("span", { class: "mark", "aria-hidden": "true" }));
}
