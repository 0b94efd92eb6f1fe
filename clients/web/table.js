// The table from one's own chair: puts its parts together and lets a person act.

import { trumpSign } from "./cards.js";
import { Choices } from "./choices.js";
import { readClock } from "./clock.js";
import { h, setAttribute, setRich, setText } from "./dom.js";
import { teamOf } from "./fold.js";
import { Hand } from "./hand.js";
import { Panel, handContent, handTitle, lastTrickContent, overContent, overTitle } from "./panels.js";
import { PLACES, Seats } from "./seats.js";
import { TrickArea } from "./trick.js";
import { Names, askWords, refusalWords, waitWords } from "./words.js";

const RESULT_MS = 6_000; // a hand's result stays at least this long, unless closed or the person acts
const TICK_MS = 250;

export class TableScreen {
  #acting = null; // the turn an action was sent for and is not answered yet
  #hint = null;
  #due = []; // panels to open once the finished trick is off the table: "hand", "over"
  #lastHand = null;
  #closeTimer = null;
  #warned = null;

  /** *app* as in lobby.js, with `announce(sentence)`, `talk`, `settings`. */
  constructor(root, app) {
    Object.assign(this, { root, app, state: null });
    this.#build();
    setInterval(() => this.#tick(), TICK_MS);
  }

  // ── making ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #build() {
    const seats = PLACES.map((place) => h("section", { class: `seat ${place}` }));
    const felt = h("div", { class: "trick" });
    const hand = h("section", { class: "hand", role: "group", "aria-label": "Your cards" });
    const choices = h("div", { class: "choices", role: "group", "aria-label": "Your choices" });
    const panel = h("section", { class: "panel", role: "region", hidden: true });
    this.ask = h("p", { class: "ask" });
    this.extra = h("div", { class: "buttons extra" });
    this.root.replaceChildren(
      this.#buildBar(),
      h("div", { class: "felt" }, seats[2], seats[1], felt, seats[3], panel),
      seats[0], hand,
      h("section", { class: "acts", "aria-label": "What to do" }, this.ask, choices, this.extra),
      this.app.talkRoot);
    this.seats = new Seats(seats);
    this.trick = new TrickArea(felt, { settings: this.app.settings, onRelease: () => this.#released() });
    this.hand = new Hand(hand, {
      settings: this.app.settings,
      onPlay: (card) => this.act(`${this.state.game.phase === "discard" ? "discard" : "play"} ${card}`),
      onRefuse: (why) => this.#say(why),
    });
    this.choices = new Choices(choices, { onChoose: (action) => this.act(action) });
    this.panel = new Panel(panel, { onClose: ({ hadFocus }) => hadFocus && this.#focusWork() });
  }

  #buildBar() {
    const tool = (text, key, onclick) => h("button", { type: "button", class: "tool", onclick: () => { this.#menu(false); onclick(); }, title: key ? `Key ${key}` : null }, text);
    this.sides = [0, 1].map(() => {
      const parts = { name: h("span", { class: "side-name" }), score: h("b", { class: "score" }), pips: h("span", { class: "pips", role: "img" }) };
      parts.root = h("div", { class: "side" }, parts.name, parts.score, parts.pips);
      return parts;
    });
    this.contract = h("div", { class: "contract" }, h("b", {}), h("small", {}));
    this.talkTool = tool("Talk", "t", () => this.app.talk.toggle());
    this.awayTool = tool("Away", null, () => this.away(!this.#isAway()));
    this.leaveTool = tool("Leave", null, () => this.#confirmLeave());
    this.confirm = h("div", { class: "confirm", role: "group", "aria-label": "Leave the table?", hidden: true });
    this.tools = h("nav", { class: "tools", id: "tools", "aria-label": "Table" }, this.talkTool,
      tool("Last trick", "l", () => this.showLastTrick()), tool("Last hand", "h", () => this.showLastHand()), this.awayTool,
      tool("Help", "?", () => this.app.openHelp()), tool("Settings", null, () => this.app.openSettings()),
      tool("Start page", null, () => this.app.show(null)), this.leaveTool);
    this.menu = h("button", { type: "button", class: "menu", "aria-expanded": "false", "aria-controls": "tools", "aria-label": "Menu", onclick: () => this.#menu() },
      h("span", { class: "bars", "aria-hidden": "true" }));
    return h("header", { class: "bar" }, ...this.sides.map(({ root }) => root), this.contract, this.menu, this.tools, this.confirm);
  }

  #menu(open = this.menu.getAttribute("aria-expanded") !== "true") {
    setAttribute(this.menu, "aria-expanded", String(open));
    this.tools.classList.toggle("open", open);
  }

  // ── what happened ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Take in one happening of this table, before `update` draws what it led to. */
  happened({ kind, event, before, after }) {
    if (kind === "view") this.#restart();
    if (kind === "prompt" || kind === "view") this.#hint = null;
    if (kind === "prompt" && this.#acting !== null && this.#acting !== this.app.stateOf(this.id).prompt?.turn) this.#acting = null;
    if (kind !== "event") return;
    if (event.e === "trick_won") this.trick.hold(after.game.tricks.at(-1), after.game.trump);
    if (event.e === "hand_scored") this.#due = ["hand"];
    if (event.e === "hand_scored" || event.e === "hands_revealed" || event.e === "game_over") this.#lastHand = after.game;
    if (event.e === "game_over") this.#due = ["over"];
    if (event.e === "hand_dealt") this.#closeResultSoon();
    if (event.e === "game_started") {
      this.#due = [];
      if (this.panel.kind === "over") this.panel.close();
    }
    if (before.game?.result && event.e === "hand_dealt") this.#lastHand = before.game;
  }

  /** Another table, or this one anew from a snapshot. */
  #restart() {
    this.#due = [];
    this.#acting = null;
    this.trick.release();
    const { game } = this.app.stateOf(this.id);
    if (this.panel.isOpen && this.panel.kind !== "hand") this.panel.close();
    if (game?.result) this.#lastHand = game;
    if (game?.over) this.#due = ["over"];
  }

  open(id) {
    this.id = id;
    this.root.hidden = false;
    this.#lastHand = null;
    this.#hint = null;
    this.#leaveAsked(false);
    this.panel.close();
    this.#restart();
  }

  close() {
    this.root.hidden = true;
    this.state = null;
    this.app.talk.toggle(false);
  }

  #released() {
    if (this.state) this.update();
  }

  #openDue() {
    if (this.trick.isHolding || this.#due.length === 0) return;
    const kind = this.#due.shift();
    const game = this.#lastHand ?? this.state.game;
    if (kind === "over") this.#openOver();
    else this.panel.open("hand", handTitle(game, this.names), ...handContent(game, this.names));
    this.shownAt = performance.now();
    if (kind === "hand" && this.state.game.hand !== game.hand) this.#closeResultSoon();
  }

  #openOver() {
    const { info, game } = this.state;
    const isHost = this.me !== null && info.host === this.me;
    const again = isHost
      ? h("button", { type: "button", class: "primary", onclick: () => this.#command({ t: "start" }) }, "Play again")
      : h("p", { class: "quiet" }, info.host === null ? "" : `${this.names.of(info.host)} can start another game.`);
    const leave = h("button", { type: "button", onclick: () => this.#leave() }, "Leave");
    this.panel.open("over", overTitle(game, this.names), ...overContent(game, this.names, [again, leave]));
  }

  #closeResultSoon() {
    clearTimeout(this.#closeTimer);
    if (this.panel.kind !== "hand" || this.app.settings.get("waitForMe")) return;
    const left = RESULT_MS - (performance.now() - this.shownAt);
    this.#closeTimer = setTimeout(() => this.panel.kind === "hand" && this.panel.close(), Math.max(0, left));
  }

  // ── drawing ───────────────────────────────────────────────────────────────────────────────────────────────────────

  update() {
    const state = this.app.stateOf(this.id);
    if (!state?.game) return;
    this.state = state;
    const { info, game, prompt } = state;
    this.me = this.app.client.session.seats.get(this.id) ?? null;
    this.names = new Names(info, this.me);
    this.chair = this.me ?? 0;
    this.root.classList.toggle("watching", this.me === null);
    this.#updateBar(info, game);
    this.seats.update({ info, game, names: this.names, chair: this.chair, prompt });
    this.trick.update({ game, names: this.names, chair: this.chair });
    this.#updateWork(info, game, prompt);
    this.#openDue();
    this.#tick();
    document.title = this.isMyTurn ? "Your turn · Euchre" : `${info.name ?? "Table"} · Euchre`;
  }

  #updateBar(info, game) {
    const first = this.me === null ? 0 : teamOf(this.me);
    [first, 1 - first].forEach((team, at) => {
      const { root, name, score, pips } = this.sides[at];
      setText(name, this.names.teamShort(team));
      setText(score, String(game.score[team]));
      setAttribute(root, "aria-label", `${this.names.team(team)}: ${game.score[team]} points, ${game.won[team]} tricks`);
      setAttribute(root, "role", "group");
      setAttribute(pips, "aria-label", `${game.won[team]} tricks`);
      setText(pips, "●".repeat(game.won[team]) + "○".repeat(5 - game.won[team]));
      root.classList.toggle("makers", game.maker !== null && teamOf(game.maker) === team);
    });
    contractWords(info, game, this.names).forEach((words, at) => setRich(this.contract.children[at], words));
    setText(this.awayTool, this.#isAway() ? "I am back" : "Away");
    setAttribute(this.awayTool, "title", "A bot plays for me");
    this.awayTool.hidden = this.me === null;
  }

  #isAway() {
    return this.me !== null && this.app.stateOf(this.id).info.seats[this.me].away;
  }

  #updateWork(info, game, prompt) {
    this.isMyTurn = prompt !== null && prompt.seat === this.me && this.me !== null && !this.#isAway();
    const legal = this.isMyTurn ? (prompt.legal ?? []) : [];
    const cards = legal.filter((text) => /^(play|discard) /.test(text)).map((text) => text.split(" ")[1]);
    const busy = this.isMyTurn && this.#acting === prompt.turn;
    this.hand.update({ game, busy, legal: cards.length && !busy ? cards : null, idle: this.#idleWords(game, prompt, busy) });
    this.choices.update({ turn: prompt?.turn ?? null, legal: cards.length ? [] : legal, game, names: this.names, busy });
    this.root.classList.toggle("my-turn", this.isMyTurn);
    setAttribute(this.root, "data-turn", this.isMyTurn && !busy ? prompt.turn : null);
    setRich(this.ask, this.#hint ?? (this.isMyTurn ? askWords(game, cards.length) : this.#idleWords(game, prompt, false)));
    this.ask.classList.toggle("hint", this.#hint !== null);
    this.#updateExtra(info);
  }

  #idleWords(game, prompt, busy) {
    if (busy) return "One moment…";
    if (game.over) return "The game is over.";
    if (this.#isAway()) return "A bot is playing for you.";
    if (prompt) return waitWords(game, prompt.seat, this.names);
    if (this.me !== null && game.sitting.includes(this.me) && !game.result) return "You sit this hand out.";
    return game.result ? "The next hand is on its way." : "One moment…";
  }

  #updateExtra(info) {
    const wanted = this.#isAway() ? "back" : this.me === null && info.seats.some(({ kind }) => kind !== "human") ? "sit" : "";
    if (this.extra.dataset.wanted === wanted) return;
    this.extra.dataset.wanted = wanted;
    const buttons = {
      back: () => h("button", { type: "button", class: "primary", onclick: () => this.away(false) }, "I am back"),
      sit: () => h("button", { type: "button", onclick: () => this.app.join({ table: this.id }) }, "Take a seat"),
    };
    this.extra.replaceChildren(...(wanted ? [buttons[wanted]()] : []));
  }

  #tick() {
    if (!this.state || this.root.hidden) return;
    const { prompt } = this.state;
    const reading = readClock(prompt, performance.now());
    this.seats.showClock(reading ? prompt.seat : null, this.chair, reading);
    if (reading?.hurry && this.isMyTurn && this.#warned !== prompt.turn) {
      this.#warned = prompt.turn;
      this.#say(`Hurry: ${reading.left_s} seconds left, then a bot decides.`);
    }
  }

  #say(hint) {
    this.#hint = hint;
    this.app.announce(hint);
    setRich(this.ask, hint);
    this.ask.classList.add("hint");
  }

  // ── acting ────────────────────────────────────────────────────────────────────────────────────────────────────────

  async act(action) {
    const { prompt } = this.state;
    if (!this.isMyTurn || this.#acting === prompt.turn) return;
    this.#acting = prompt.turn;
    this.#hint = null;
    this.#due = this.#due.filter((kind) => kind !== "hand");
    if (this.panel.kind === "hand" || this.panel.kind === "last") this.panel.close();
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

  #confirmLeave() {
    if (this.me === null) this.#leave();
    else this.#leaveAsked(true);
  }

  #leaveAsked(asked) {
    this.confirm.hidden = !asked;
    if (!asked) {
      this.confirm.replaceChildren();
      return;
    }
    const stay = h("button", { type: "button", onclick: () => { this.#leaveAsked(false); this.leaveTool.focus(); } }, "Stay");
    this.confirm.replaceChildren(h("p", {}, "Leave the table? A bot takes your seat for good."),
      h("button", { type: "button", class: "danger", onclick: () => this.#leave() }, "Leave"), stay);
    stay.focus();
  }

  async #leave() {
    const reply = await this.#command({ t: this.me === null ? "unwatch" : "leave" });
    if (reply.t === "ok") this.app.show(null);
    else this.#leaveAsked(false);
  }

  // ── looking ───────────────────────────────────────────────────────────────────────────────────────────────────────

  showLastTrick() {
    const trick = this.state.game.tricks.at(-1) ?? this.#lastHand?.tricks.at(-1);
    if (this.panel.kind === "last") this.panel.close();
    else if (trick) this.panel.open("last", "Last trick", ...lastTrickContent(trick, this.names));
    else this.#say("No trick is finished yet.");
  }

  showLastHand() {
    const game = this.state.game.result ? this.state.game : this.#lastHand;
    if (this.panel.kind === "hand") this.panel.close();
    else if (game?.result) this.panel.open("hand", handTitle(game, this.names), ...handContent(game, this.names));
    else this.#say("No hand is finished yet.");
    this.shownAt = Infinity; // opened by hand: stays until closed by hand
  }

  /** Close whatever is on top; tells whether there was something. */
  dismiss() {
    if (!this.confirm.hidden) this.#leaveAsked(false);
    else if (this.tools.classList.contains("open")) this.#menu(false);
    else if (this.panel.isOpen && this.panel.kind !== "over") this.panel.close();
    else if (this.app.talk.isOpen) this.app.talk.toggle(false);
    else return false;
    return true;
  }

  #focusWork() {
    if (this.choices.stops[0]) this.choices.stops[0].focus();
    else this.hand.focus();
  }

  /** Everything arrow keys move between: the choices if there are any, else the cards. */
  get stops() {
    return this.choices.stops.length ? this.choices.stops : [...this.hand.root.children];
  }
}

/** Trump and who made it, in two lines; before that, which hand it is. */
function contractWords(info, game, names) {
  if (game.trump) {
    const alone = game.alone.length ? `; ${game.alone.map((seat) => names.object(seat)).join(" and ")} alone` : "";
    return [trumpSign(game.trump), `by ${names.object(game.maker)}${alone}`];
  }
  const goal = info.rules.target ? `to ${info.rules.target}` : `${info.rules.hands} hands`;
  return [game.hand ? `Hand ${game.hand}` : "New game", `playing ${goal}`];
}
