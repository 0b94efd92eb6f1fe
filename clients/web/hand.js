// One's own cards: buttons in hand order, dimmed with a reason where they may not be played.

import { cardName, isLeftBower, isRightBower, isSuit, shortCard, sortHand } from "./cards.js";
import { cardFace } from "./cardface.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { speak, whyNot } from "./words.js";

const VERBS = { discard: "discard", exchange: "pass" };

export class Hand {
  #raised = null;

  /** *onPlay* gets a card that may be played or discarded, *onRefuse* a sentence about one that may not. */
  constructor(root, { onPlay, onRefuse, settings }) {
    Object.assign(this, { root, onPlay, onRefuse, settings });
    this.cards = [];
    this.playable = new Set();
  }

  /**
   * *legal* is null when it is not this seat's turn to choose a card; *idle* says why nothing can be played. *picked* are
   * the cards picked so far where several are asked for, else null.
   */
  update({ game, legal, idle, busy, picked = null }) {
    const hadFocus = [...this.root.children].indexOf(document.activeElement);
    this.game = game;
    this.idle = idle;
    this.choosing = legal !== null;
    this.playable = new Set(legal ?? []);
    this.picked = picked;
    this.cards = sortHand(game.cards, game.trump);
    if (!this.playable.has(this.#raised)) this.#raised = null;
    setAttribute(this.root, "aria-busy", busy);
    this.root.classList.toggle("choosing", this.choosing);
    this.root.style.setProperty("--held", Math.max(5, this.cards.length));
    reconcile(this.root, this.cards, (card) => card, (card) => this.#make(card), (item, card, at) => this.#show(item, card, at));
    if (hadFocus >= 0 && !this.root.contains(document.activeElement)) this.focus(Math.min(hadFocus, this.cards.length - 1));
  }

  #make(card) {
    return h("button", { type: "button", class: "card own", onclick: () => this.take(card) },
      cardFace(card), h("span", { class: "bower", "aria-hidden": "true" }), h("kbd", { "aria-hidden": "true" }));
  }

  #show(item, card, at) {
    const may = this.playable.has(card);
    const { trump } = this.game;
    const bower = isLeftBower(card, trump) ? "left bower" : isRightBower(card, trump) ? "right bower" : null;
    const fresh = this.#isFresh(card) ? (this.game.phase === "discard" ? "just picked up" : "from your partner") : null;
    const why = this.choosing && !may ? whyNot(card, this.game) : null;
    item.classList.toggle("dimmed", this.choosing && !may);
    item.classList.toggle("may", may);
    item.classList.toggle("raised", card === this.#raised || (this.picked?.includes(card) ?? false));
    setAttribute(item, "aria-pressed", this.picked && String(this.picked.includes(card)));
    item.classList.toggle("fresh", fresh !== null);
    setAttribute(item, "aria-disabled", may ? null : "true");
    setAttribute(item, "aria-label", [cardName(card), bower, fresh, why && `cannot be played. ${speak(why)}`].filter(Boolean).join(", "));
    setAttribute(item, "title", why);
    setText(item.querySelector(".bower"), bower && isSuit(trump) ? (bower === "left bower" ? "Left" : "Right") : "");
    setText(item.querySelector("kbd"), String(at + 1));
  }

  /** Did *card* come just now: the upcard, or what a lone partner passed? */
  #isFresh(card) {
    const { phase, upcard, cards } = this.game;
    return (phase === "discard" && card === upcard) || (phase === "exchange" && cards.length === 6 && card === cards.at(-1));
  }

  /** Play or discard *card*, or say why not. */
  take(card) {
    if (!this.choosing) {
      this.onRefuse(this.idle);
    } else if (!this.playable.has(card)) {
      this.onRefuse(whyNot(card, this.game));
    } else if (!this.picked && this.settings.get("confirmPlay") && this.#raised !== card) {
      this.#raised = card;
      this.#mark();
      this.onRefuse(`Tap ${shortCard(card)} again to ${VERBS[this.game.phase] ?? "play"} it.`);
    } else {
      this.#raised = null;
      this.onPlay(card);
    }
  }

  #mark() {
    for (const item of this.root.children) item.classList.toggle("raised", item.dataset.key === this.#raised);
  }

  takeNth(at) {
    if (at < this.cards.length) this.take(this.cards[at]);
  }

  focus(at = 0) {
    const target = this.root.children[at];
    target?.focus();
    return Boolean(target);
  }
}
