// The four places around the table: who sits there, what they said, whether it is their turn, and cards face down.

import { cardBack } from "./cardface.js";
import { isSuit, shortCard, trumpSign } from "./cards.js";
import { h, rich, setAttribute, setRich, setText } from "./dom.js";
import { partnerOf, teamOf } from "./fold.js";
import { botWords, callWords } from "./words.js";

export const PLACES = ["bottom", "left", "top", "right"];

/** Where *seat* is on the screen for somebody in *chair*: 0 bottom, 1 left, 2 top, 3 right; clockwise as they sit. */
export const placeOf = (seat, chair) => (seat - chair + 4) % 4;

export class Seats {
  /** *onGive* is called when the one who thinks is given more time. */
  constructor(roots, { onGive }) {
    this.parts = roots.map((root) => makeSeat(root, onGive));
  }

  update({ info, game, names, chair, prompt }) {
    for (const { seat, ...at } of info.seats) {
      const place = placeOf(seat, chair);
      const turn = prompt?.seat === seat;
      showSeat(this.parts[place], { seat, at, info, game, names, turn, place });
      showGift(this.parts[place].gift, turn && names.me !== null && seat !== names.me ? prompt.gift_ms : undefined, names.of(seat));
    }
  }

  /** The clock of the seat to act; null clears all. */
  showClock(seat, chair, reading) {
    this.parts.forEach((parts, place) => {
      const clock = seat !== null && placeOf(seat, chair) === place ? reading : null;
      setText(parts.clock, clock?.text ?? "");
      setText(parts.bank, clock?.bank ?? "");
      parts.root.classList.toggle("hurry", clock?.hurry ?? false);
    });
  }
}

function makeSeat(root, onGive) {
  const parts = {
    root, name: h("b", { class: "name" }), badges: h("span", { class: "badges" }), fan: h("span", { class: "fan" }),
    turn: h("span", { class: "turn" }), clock: h("span", { class: "clock" }), bank: h("span", { class: "bank" }), bubble: h("p", { class: "bubble" }),
    gift: h("button", { type: "button", class: "gift", hidden: true, onclick: onGive }),
  };
  root.replaceChildren(
    h("div", { class: "plate" }, h("span", { class: "who" }, parts.name, parts.badges), h("span", { class: "state" }, parts.turn, parts.clock, parts.bank, parts.gift)),
    parts.fan, parts.bubble);
  return parts;
}

function showSeat(parts, { seat, at, info, game, names, turn, place }) {
  const sits = game?.sitting.includes(seat) ?? false;
  const { root } = parts;
  root.classList.toggle("turn-here", turn);
  root.classList.toggle("sits-out", sits);
  root.dataset.seat = seat;
  root.dataset.team = teamOf(seat);
  setAttribute(root, "aria-label", label({ seat, names, place }));
  setText(parts.name, at.kind === "open" ? "Open seat" : names.of(seat));
  showBadges(parts.badges, badgesOf({ seat, at, info, game, sits, names }));
  setText(parts.turn, stateWords({ seat, names, turn, sits, isOpen: at.kind === "open" }));
  showFan(parts.fan, { count: game?.counts[seat] ?? 0, hidden: seat === names.me });
  const said = game && bubbleOf(game, seat);
  parts.bubble.hidden = !said;
  parts.bubble.classList.toggle("old", said?.old ?? false);
  setRich(parts.bubble, said ? callWords(said.text) : "");
}

/** The button that gives *name* more time, where there is some to give. */
function showGift(button, ms, name) {
  button.hidden = ms === undefined;
  if (button.hidden) return;
  const seconds = Math.round(ms / 1000);
  setText(button, `Give ${seconds} s`);
  setAttribute(button, "aria-label", `Give ${seconds} s to ${name}`);
}

function stateWords({ seat, names, turn, sits, isOpen }) {
  if (turn) return seat === names.me ? "▶ your turn" : "▶ to act";
  if (sits) return "sits out";
  if (seat === names.me) return "you";
  if (isOpen || names.me === null) return "";
  return seat === partnerOf(names.me) ? "your partner" : "opponent";
}

function label({ seat, names, place }) {
  if (seat === names.me) return "You";
  const where = names.me === null ? `seat ${seat + 1}` : seat === partnerOf(names.me) ? "your partner" : `on your ${PLACES[place]}`;
  return `${names.of(seat)}, ${where}`;
}

/** Small marks beside a name: `[short, long, class, title]`; the title, the long form by default, is a tooltip. */
function badgesOf({ seat, at, game, sits, names }) {
  const lone = game?.alone.includes(seat) ?? false;
  return [
    game && game.dealer === seat && ["D", "Dealer", "dealer"],
    game && game.maker === seat && [isSuit(game.trump) ? trumpSign(game.trump)[0] : "NT", `made ${trumpSign(game.trump)}`, "maker"],
    lone && ["alone", "alone", "lone"],
    game && seat === names.me && putAway(game).length > 0 && [putAway(game).join(", "), `you ${putAway(game).join(", ")}`, "gone"],
    at.kind === "bot" && ["bot", "bot", "bot", botWords(at)],
    at.kind === "human" && at.away && ["away", "away, a bot plays", "away"],
    at.kind === "human" && !at.online && seat !== names.me && ["offline", "not connected", "offline"],
  ].filter(Boolean);
}

/** What the viewer did with cards of its hand that it has no more and did not play. */
function putAway({ put_away: under, given, discard }) {
  const cards = (list) => list.map(shortCard).join(" ");
  return [
    under.length > 0 && `put away ${cards(under)}`, given && `passed ${shortCard(given)}`, discard && `buried ${shortCard(discard)}`,
  ].filter(Boolean);
}

function showBadges(root, badges) {
  const key = badges.map(([, long, , title = long]) => title).join("|");
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  root.replaceChildren(...badges.map(([short, long, kind, title = long]) => h("span", { class: `badge ${kind}`, title },
    h("span", { class: "short", "aria-hidden": "true" }, ...rich(short)), h("span", { class: "long" }, ...rich(long)))));
}

function showFan(root, { count, hidden }) {
  root.hidden = hidden;
  if (root.childElementCount !== count) root.replaceChildren(...Array.from({ length: count }, cardBack));
  setAttribute(root, "role", "img");
  setAttribute(root, "aria-label", `${count} cards, face down`);
}

/**
 * What *seat* said last, or null: passes until trump is made, calls until the first trick is over. A pass of the first
 * round is `old` once the second has begun.
 */
export function bubbleOf(game, seat) {
  if (game.tricks.length > 0 || game.result) return null;
  const at = game.calls.findLastIndex(([caller]) => caller === seat);
  if (at < 0) return null;
  const text = game.calls[at][1];
  if (text === "pass" && game.trump) return null;
  const secondRound = game.upcard_fate === "turned_down";
  const passes = game.calls.slice(0, at + 1).filter(([, said]) => said === "pass").length;
  return { text, old: secondRound && passes <= 4 };
}
