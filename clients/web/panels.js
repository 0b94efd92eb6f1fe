// What is laid over the felt on request or after a hand: the last trick, a hand's result, the end of a game.

import { cardFace } from "./cardface.js";
import { cardName, sortHand } from "./cards.js";
import { h, rich } from "./dom.js";
import { teamOf } from "./fold.js";
import { actionWords, bestFirst, worthWords } from "./worths.js";
import { overSentence, resultHeadline, resultSentence, scoreSentence } from "./words.js";

/** One panel at a time over the table; it never covers the hand or the choices. */
export class Panel {
  constructor(root, { onClose }) {
    Object.assign(this, { root, onClose, kind: null });
  }

  get isOpen() {
    return this.kind !== null;
  }

  open(kind, title, ...content) {
    this.kind = kind;
    const close = h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.close() }, "✕");
    const body = h("div", { class: "panel-body", tabindex: "-1" }, ...content);
    this.root.replaceChildren(h("header", { class: "row" }, h("h2", { class: "grow" }, ...rich(title)), close), body);
    this.root.setAttribute("aria-label", title);
    this.root.hidden = false;
    this.root.classList.remove("aside");
    if (body.scrollHeight > body.clientHeight) body.tabIndex = 0; // so that keys reach what is below
  }

  get isAside() {
    return this.root.classList.contains("aside");
  }

  /** Leave only the title on the screen, and a button to see the rest. */
  setAside({ onShow }) {
    if (this.isAside) return;
    const had = this.root.contains(document.activeElement);
    const show = h("button", { type: "button", class: "small", onclick: onShow }, "Show");
    this.root.querySelector(".close").before(show);
    this.root.classList.add("aside");
    if (had) show.focus();
  }

  close() {
    if (!this.isOpen) return;
    const had = this.root.contains(document.activeElement);
    this.kind = null;
    this.root.hidden = true;
    this.root.replaceChildren();
    this.onClose({ hadFocus: had });
  }

  focus() {
    this.root.querySelector("button")?.focus();
  }
}

const faceUp = (card, extra = "") => h("span", { class: `card mini ${extra}`, role: "img", "aria-label": cardName(card) }, cardFace(card));

export function lastTrickContent(trick, names) {
  return [h("ol", { class: "last-trick" }, ...trick.cards.map(([seat, card]) => h("li", { class: seat === trick.winner ? "won" : "" },
    faceUp(card), h("span", {}, names.subject(seat)), seat === trick.winner ? h("b", {}, "wins") : "")))];
}

/** What each choice is worth, the best first. */
export function hintContent({ worths, layouts }) {
  if (!worths.length) return [h("p", {}, "The search has no opinion on this one.")];
  const row = (worth) => h("tr", {}, h("th", { scope: "row" }, ...rich(actionWords(worth.action))), h("td", {}, worthWords(worth)));
  return [
    h("table", { class: "costs" }, h("tbody", {}, ...bestFirst(worths).map(row))),
    h("p", { class: "quiet" }, `Points your side may expect, best first: over ${layouts} ways the unseen cards may lie, near the end of a hand over all.`),
  ];
}

/** A hand somebody showed to all. */
export const shownContent = (cards) => [h("p", { class: "mini-cards" }, ...sortHand(cards, null).map((card) => faceUp(card)))];

/** The result of the hand *game* stands at the end of, with all cards where they were shown. */
export function handContent(game, names) {
  const { result, revealed } = game;
  return [
    h("p", { class: "result-line" }, ...rich(`${resultSentence(result, names)} ${scoreSentence(result.score, names)}`)),
    revealed && revealedCards(game, names),
  ].filter(Boolean);
}

export const handTitle = (game, names) => resultHeadline(game.result, names);

/** All cards as dealt; the upcard, marked, and what was buried come last. */
function revealedCards({ revealed, trump }, names) {
  const row = (title, cards) => h("li", {}, h("span", {}, title),
    h("span", { class: "mini-cards" }, ...cards.map((card) => faceUp(card, card === revealed.upcard ? "up" : ""))));
  const first = names.me ?? 0;
  const order = [0, 2, 1, 3].map((step) => (first + step) % 4);
  return h("ul", { class: "revealed", "aria-label": "All cards, as they were dealt" },
    ...order.map((seat) => row(names.subject(seat), sortHand(revealed.hands[seat], trump))),
    row("Turned up, not dealt", [revealed.upcard, ...revealed.buried]));
}

export function overTitle(game, names) {
  if (game.winner === null) return "The game is a draw";
  if (names.me === null) return "Game over";
  return teamOf(names.me) === game.winner ? "Your side wins the game!" : "The other side wins the game";
}

export function overContent(game, names, actions) {
  return [
    h("p", { class: "result-line" }, overSentence(game.winner, game.score, names)),
    h("div", { class: "buttons over-buttons" }, ...actions),
    ...(game.result ? [h("h3", {}, ...rich(`Last hand: ${handTitle(game, names)}`)), ...handContent(game, names)] : []),
  ];
}
