// The table from one's own chair: puts its parts together and lets a person act.

import { Bar } from "./bar.js";
import { Choices, PICK_SWAP, UNPICK, cardOfAction } from "./choices.js";
import { readClock } from "./clock.js";
import { h, setAttribute, setRich, setText } from "./dom.js";
import { mayTake } from "./fold.js";
import { Hand } from "./hand.js";
import { Results } from "./results.js";
import { PLACES, Seats } from "./seats.js";
import { TrickArea } from "./trick.js";
import { Names, askWords, refusalWords, waitWords } from "./words.js";

const TICK_MS = 250;
const CARD_VERBS = { discard: "discard", exchange: "give" };

export class TableScreen {
  #acting = null; // the turn an action was sent for and is not answered yet
  #picked = null; // cards picked so far to be swapped; null while none are asked for
  #hint = null; // a sentence that stands in place of what is asked, until the next prompt
  #warned = null; // the turn whose clock was warned of
  #asked = null; // the turn that is on the screen as a question

  /**
   * *app* as in lobby.js, with `announce(sentence)`, `ring()`, `isPaused()`, `talk`, `talkRoot`, `settings`, `openHelp`, `openRules`,
   * `openCheck`, `openAnalysis`, `openSettings`.
   */
  constructor(root, app) {
    Object.assign(this, { root, app, id: null, state: null });
    const { settings } = app;
    const places = PLACES.map((place) => h("section", { class: `seat ${place}` }));
    const [own, left, top, right] = places;
    const trick = h("div", { class: "trick" });
    const hand = h("section", { class: "hand", role: "group", "aria-label": "Your cards" });
    const choices = h("div", { class: "choices", role: "group", "aria-label": "Your choices" });
    const panel = h("section", { class: "panel", role: "region", hidden: true });
    this.bar = new Bar([
      { name: "talk", text: "Talk", key: "t", does: () => app.talk.toggle() },
      { name: "trick", text: "Last trick", key: "l", does: () => this.showLastTrick() },
      { name: "hand", text: "Last hand", key: "h", does: () => this.showLastHand() },
      { name: "hint", text: "Hint", key: "i", does: () => this.showHint() },
      { name: "away", text: "Away", does: () => this.away(!this.isAway) },
      { name: "rules", text: "Rules", does: () => app.openRules(this.state) },
      { name: "help", text: "Help", key: "?", does: () => app.openHelp() },
      { name: "settings", text: "Settings", does: () => app.openSettings() },
      { name: "start", text: "Start page", does: () => app.show(null) },
    ], { onLeave: () => this.#leave() });
    this.ask = h("p", { class: "ask" });
    this.extra = h("div", { class: "buttons extra" });
    this.seats = new Seats(places, { onGive: () => this.#command({ t: "more_time", turn: this.state.prompt.turn }) });
    this.trick = new TrickArea(trick, { settings, onRelease: () => this.update() });
    this.hand = new Hand(hand, { settings, onPlay: (card) => this.#playCard(card), onRefuse: (why) => this.#say(why) });
    this.choices = new Choices(choices, { onChoose: (action) => this.#choose(action) });
    this.results = new Results(panel, {
      settings, actionsAfter: () => this.#actionsAfterGame(), onClose: ({ hadFocus }) => hadFocus && this.#focusWork(),
    });
    this.title = h("h1", { class: "visually-hidden" });
    root.replaceChildren(this.title, this.bar.root, h("div", { class: "felt" }, top, left, trick, right, panel), own, hand,
      h("section", { class: "acts", "aria-label": "What to do" }, this.ask, choices, this.extra), app.talk.glimpse, app.talkRoot);
    setInterval(() => this.#tick(), TICK_MS);
  }

  // ── what happened ─────────────────────────────────────────────────────────────────────────────────────────────────

  open(id) {
    this.id = id;
    this.root.hidden = false;
    this.#hint = null;
    this.bar.reset();
    this.results.forget();
    this.#restart();
  }

  close() {
    this.root.hidden = true;
    this.state = null;
    this.app.talk.toggle(false);
  }

  /** Take in one happening of this table, before `update` draws what it led to. */
  happened({ kind, event, before, after }) {
    if (kind === "view") this.#restart();
    if (kind === "prompt") {
      const { turn } = this.app.stateOf(this.id).prompt;
      if (turn !== this.#acting) this.#acting = null;
      if (!this.isAsking(turn)) this.#picked = null;
      this.#hint = null;
    }
    if (kind !== "event") return;
    if (event.e === "trick_won") this.trick.hold(after.game.tricks.at(-1), after.game.trump);
    this.results.happened(event, { before, after });
    if (event.e === "relief_asked" && event.seat !== this.me) this.results.show(`${this.names.of(event.seat)} asks for relief with this hand`, event.cards);
  }

  /** Whether the person sees the decision *turn* as a question already: then its prompt only has another time. */
  isAsking = (turn) => this.#asked === turn;

  /** This table anew, from a snapshot. */
  #restart() {
    this.state = null;
    this.#asked = null;
    this.#acting = null;
    this.#picked = null;
    this.#hint = null;
    this.trick.release();
    this.results.restart(this.app.stateOf(this.id).game);
  }

  // ── drawing ───────────────────────────────────────────────────────────────────────────────────────────────────────

  update() {
    const state = this.app.stateOf(this.id);
    if (this.root.hidden || !state?.game) return;
    this.state = state;
    const { info, game, prompt } = state;
    this.me = this.app.client.session.seats.get(this.id) ?? null;
    this.chair = this.me ?? 0;
    this.names = new Names(info, this.me);
    this.isAway = this.me !== null && info.seats[this.me].away;
    this.isWaiting = this.me !== null && game.viewer === "watcher"; // sat down in mid-hand
    this.isMyTurn = prompt !== null && prompt.seat === this.me && !this.isAway && !this.isWaiting;
    this.#asked = this.isMyTurn ? prompt.turn : null;
    const { names, chair, isAway } = this;
    this.root.classList.toggle("watching", this.me === null);
    this.root.classList.toggle("over", game.over);
    const isAlone = info.seats.every(({ seat, kind, level }) => seat === this.me || kind === "open" || (kind === "bot" && level !== null));
    const canPractise = this.me !== null && isAlone && info.visibility === "private" && info.clock.turn_ms === null;
    this.bar.update({ info, game, names, isAway, canPractise });
    this.seats.update({ info, game, names, chair, prompt });
    this.trick.update({ game, names, chair });
    this.#updateWork(game, prompt);
    this.#updateExtra(info, game);
    this.results.update({ game, names, isHolding: this.trick.isHolding, isMyTurn: this.isMyTurn });
    this.#tick();
    setText(this.title, info.name);
    document.title = this.isMyTurn ? "Your turn · Euchre" : `${info.name} · Euchre`;
  }

  /** The cards, the choices, and the line that says what is asked. */
  #updateWork(game, prompt) {
    const hadFocus = this.choices.root.contains(document.activeElement);
    const busy = this.isMyTurn && this.#acting === prompt.turn;
    const legal = this.isMyTurn ? (prompt.legal ?? []) : [];
    const cards = this.#picked ? game.cards : legal.map(cardOfAction).filter(Boolean);
    const idle = this.#idleWords(game, prompt, busy);
    this.hand.update({ game, busy, legal: cards.length && !busy ? cards : null, idle, picked: this.#picked });
    this.choices.update({ turn: prompt?.turn ?? null, legal, game, names: this.names, busy, picked: this.#picked });
    this.root.classList.toggle("my-turn", this.isMyTurn);
    setAttribute(this.root, "data-turn", this.isMyTurn && !busy ? prompt.turn : null);
    setRich(this.ask, this.#hint ?? (this.isMyTurn ? this.#askWords(game, legal) : idle));
    this.ask.classList.toggle("hint", this.#hint !== null);
    if (hadFocus && this.choices.root.hidden) this.hand.focus();
  }

  #askWords(game, legal) {
    if (this.#picked) return "Choose three cards to put away; you take three unseen ones.";
    return askWords(game, legal);
  }

  #idleWords(game, prompt, busy) {
    if (busy) return "One moment…";
    if (game.over) return "The game is over.";
    if (this.isAway) return "A bot is playing for you.";
    if (this.isWaiting) return "You play from the next hand; a bot plays this one for you.";
    if (prompt) return waitWords(game, prompt.seat, this.names);
    if (game.result) return "The next hand is on its way.";
    return game.sitting.includes(this.me) ? "You sit this hand out." : "One moment…";
  }

  /** The one button there may be below: come back, play again, or take a seat. */
  #updateExtra(info, game) {
    const isHost = this.me !== null && info.host === this.me;
    const canSit = this.me === null && info.seats.some((at) => mayTake(at, info));
    const wanted = this.isAway ? "back" : game.over && isHost ? "again" : canSit ? "sit" : "";
    if (this.extra.dataset.wanted === wanted) return;
    this.extra.dataset.wanted = wanted;
    const make = {
      back: () => h("button", { type: "button", class: "primary", onclick: () => this.away(false) }, "I am back"),
      again: () => h("button", { type: "button", class: "primary", onclick: () => this.#command({ t: "start" }) }, "Play again"),
      sit: () => h("button", { type: "button", onclick: () => this.app.join({ table: this.id }) }, "Take a seat"),
    }[wanted];
    this.extra.replaceChildren(...(make ? [make()] : []));
  }

  #actionsAfterGame() {
    const { info } = this.state;
    const again = this.me !== null && info.host === this.me
      ? h("button", { type: "button", class: "primary", onclick: () => this.#command({ t: "start" }) }, "Play again")
      : h("p", { class: "quiet" }, info.host === null ? "" : `${this.names.of(info.host)} can start another game.`);
    const check = h("button", { type: "button", onclick: () => this.app.openCheck(this.id) }, "Check the deals");
    const look = h("button", { type: "button", onclick: () => this.app.openAnalysis(this.id, this.names) }, "How it was played");
    return [again, look, check, h("button", { type: "button", onclick: () => this.#leave() }, "Leave")];
  }

  #tick() {
    if (!this.state || this.root.hidden) return;
    const { prompt } = this.state;
    const reading = this.app.isPaused() ? null : readClock(prompt, performance.now());
    this.seats.showClock(reading ? prompt.seat : null, this.chair, reading);
    if (!reading?.hurry) this.#warned = null;
    if (reading?.hurry && this.isMyTurn && this.#warned !== prompt.turn) {
      this.#warned = prompt.turn;
      this.#say(`Hurry: ${reading.left_s} seconds left, then a bot decides.`);
      this.app.ring();
    }
  }

  #say(hint) {
    this.#hint = hint;
    this.app.announce(hint);
    setRich(this.ask, hint);
    this.ask.classList.add("hint");
  }

  // ── acting ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #playCard(card) {
    if (this.#picked) return this.#pick(card);
    return this.act(`${CARD_VERBS[this.state.game.phase] ?? "play"} ${card}`);
  }

  /** Pick *card* to be swapped, or no more. */
  #pick(card) {
    const picked = this.#picked;
    if (picked.includes(card)) this.#picked = picked.filter((at) => at !== card);
    else if (picked.length < 3) this.#picked = [...picked, card];
    this.#hint = null;
    this.update();
  }

  #choose(action) {
    if (action !== PICK_SWAP && action !== UNPICK) return this.act(action);
    this.#picked = action === PICK_SWAP ? [] : null;
    this.#hint = null;
    this.update();
    return null;
  }

  /** Take the open decision, once. Whatever lay over the table goes, for the person has seen enough of it. */
  async act(action) {
    const { prompt } = this.state;
    if (!this.isMyTurn || this.#acting === prompt.turn) return;
    this.#acting = prompt.turn;
    this.#picked = null;
    this.#hint = null;
    this.results.clear();
    this.trick.release();
    this.update();
    const reply = await this.app.client.ask({ t: "act", table: this.id, turn: prompt.turn, action });
    if (reply.t !== "refused") return;
    this.#acting = null;
    this.update();
    this.#say(refusalWords(reply));
  }

  away(on) {
    return this.#command({ t: "away", on });
  }

  async #command(message) {
    const reply = await this.app.client.ask({ table: this.id, ...message });
    if (reply.t === "refused") this.#say(refusalWords(reply));
    return reply;
  }

  async #leave() {
    const reply = await this.#command({ t: this.me === null ? "unwatch" : "leave" });
    if (reply.t === "ok") this.app.show(null);
    else this.bar.reset();
  }

  // ── looking ───────────────────────────────────────────────────────────────────────────────────────────────────────

  showLastTrick() {
    const nothing = this.results.toggleTrick(this.state.game, this.names);
    if (nothing) this.#say(nothing);
  }

  showLastHand() {
    const nothing = this.results.toggleHand(this.state.game, this.names);
    if (nothing) this.#say(nothing);
  }

  /** Ask what each choice is worth, and lay the answer over the felt until the next action. */
  async showHint() {
    const { prompt } = this.state;
    if (!this.isMyTurn) {
      this.#say("A hint is for a decision of yours.");
      return;
    }
    const reply = await this.#command({ t: "hint" });
    if (reply.t === "refused" || this.state?.prompt?.turn !== prompt.turn) return;
    this.results.showHint(reply);
  }

  /** Close whatever is on top; tells whether there was something. */
  dismiss() {
    if (this.bar.dismiss() || this.results.dismiss()) return true;
    const { isOpen } = this.app.talk;
    this.app.talk.toggle(false);
    return isOpen;
  }

  #focusWork() {
    if (this.choices.stops[0] && !this.hand.choosing) this.choices.stops[0].focus();
    else this.hand.focus();
  }

  /** Everything arrow keys move between: the cards where one is asked for, and the choices if there are any. */
  get stops() {
    const { stops } = this.choices;
    return this.hand.choosing || !stops.length ? [...this.hand.root.children, ...stops] : stops;
  }
}
