// Which panel lies over the felt, and until when: a hand's result, the end of the game, the last trick.

import { Panel, handContent, handTitle, hintContent, lastTrickContent, overContent, overTitle, shownContent } from "./panels.js";

const STAYS_MS = 6_000; // a hand's result stays at least this long, unless closed or the person acts

export class Results {
  #due = null; // the kind of panel to open once the finished trick is off the table
  #last = null; // the view at the end of the last hand
  #stays = 0; // when the result on the screen may go, in ms
  #timer = null;
  #show = null; // opens once more what came by itself and nobody asked for

  /** *actionsAfter(game)* makes the buttons of the panel at a game's end. */
  constructor(root, { settings, actionsAfter, onClose }) {
    Object.assign(this, { settings, actionsAfter });
    this.panel = new Panel(root, { onClose });
  }

  /** Begin anew from *game*, a snapshot, or null. */
  restart(game) {
    this.panel.close();
    this.#due = game?.over ? "over" : null;
    if (game?.result) this.#last = game;
  }

  forget() {
    this.#last = null;
  }

  /** A hand is shown to all; it stays a moment. */
  show(title, cards) {
    this.#openUnasked(() => this.panel.open("shown", title, ...shownContent(cards)));
    clearTimeout(this.#timer);
    if (this.settings.get("waitForMe")) return;
    this.#timer = setTimeout(() => this.panel.kind === "shown" && this.panel.close(), STAYS_MS);
  }

  /** What the choices of the open decision are worth; it goes with the decision. */
  showHint(hint) {
    clearTimeout(this.#timer);
    this.panel.open("hint", "What your choices are worth", ...hintContent(hint));
  }

  happened({ e }, { before, after }) {
    if (e === "hand_scored" || e === "hands_revealed" || e === "game_over") this.#last = after.game;
    if (e === "hand_scored") this.#due = "hand";
    if (e === "game_over") this.#due = "over";
    if (e === "hand_dealt") {
      if (before.game.result) this.#last = before.game;
      this.#closeSoon();
    }
    if (e === "game_started") this.restart(null);
  }

  /** Open what is due, unless a finished trick is still looked at; what nobody asked for makes room for a decision. */
  update({ game, names, isHolding, isMyTurn }) {
    if (!isHolding && this.#due !== null) this.#openDue(game, names);
    if (isMyTurn && this.#isUnasked) this.panel.setAside({ onShow: () => this.#showAgain() });
  }

  #openDue(game, names) {
    const over = this.#due === "over";
    const last = this.#last;
    this.#due = null;
    if (over) this.#openOver(game, names);
    else this.#openUnasked(() => this.#openHand(last, names));
    this.#stays = performance.now() + STAYS_MS;
    if (!over && game.hand !== last.hand) this.#closeSoon();
  }

  get #isUnasked() {
    return this.#show !== null && (this.panel.kind === "hand" || this.panel.kind === "shown");
  }

  #openUnasked(open) {
    open();
    this.#show = open;
  }

  /** Show what was set aside, until the person has seen enough of it. */
  #showAgain() {
    clearTimeout(this.#timer);
    this.#show();
    this.#show = null;
    this.panel.focus();
  }

  #openHand(game, names) {
    this.panel.open("hand", handTitle(game, names), ...handContent(game, names));
  }

  #openOver(game, names) {
    this.panel.open("over", overTitle(game, names), ...overContent(game, names, this.actionsAfter(game)));
  }

  /** The next hand has begun: the result goes once it was there long enough. */
  #closeSoon() {
    clearTimeout(this.#timer);
    if (!this.#isUnasked || this.settings.get("waitForMe")) return;
    this.#timer = setTimeout(() => this.panel.kind === "hand" && this.panel.close(), Math.max(0, this.#stays - performance.now()));
  }

  /** The person acted and wants to see the table. */
  clear() {
    if (this.#due === "hand") this.#due = null;
    if (this.panel.kind !== "over") this.panel.close();
  }

  /** Show or hide the last trick on request; returns a sentence where there is none. */
  toggleTrick(game, names) {
    const trick = game.tricks.at(-1) ?? this.#last?.tricks.at(-1);
    if (!trick) return "No trick is finished yet.";
    const isOpen = this.panel.kind === "trick";
    if (isOpen) this.panel.close();
    else this.panel.open("trick", "Last trick", ...lastTrickContent(trick, names));
    if (!isOpen) this.panel.focus();
    return null;
  }

  /** Show or hide the last hand's result, or the game's, on request; returns a sentence where there is none. */
  toggleHand(game, names) {
    if (!this.#last) return "No hand is finished yet.";
    const isOpen = (this.panel.kind === "hand" || this.panel.kind === "over") && !this.panel.isAside;
    clearTimeout(this.#timer);
    this.#show = null;
    if (isOpen) this.panel.close();
    else if (game.over) this.#openOver(game, names);
    else this.#openHand(this.#last, names);
    if (!isOpen) this.panel.focus();
    return null;
  }

  dismiss() {
    const isOpen = this.panel.isOpen;
    this.panel.close();
    return isOpen;
  }
}
