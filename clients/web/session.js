// The client's half of the conversation, without a socket: what to say, what has been heard, what is still owed an answer.
// Messages go in through `receive`, come out through `takeOutgoing`; what happened is returned as a list of plain objects.

import { advance, advanceTable, freshView, isGameEvent } from "./fold.js";

export const VERSION = 1;

// Answered by what follows the welcome, meant for the lost connection alone, or (chat) in no log where it could be found.
const NOT_SENT_AGAIN = new Set(["sync", "ping", "say"]);

export class Session {
  #hello = null;
  #waiting = []; // tickets asked for before any welcome: they have no number yet
  #outstanding = new Map(); // ref → ticket, sent or to be sent, not yet answered
  #outgoing = [];
  #syncing = new Set();
  #resuming = new Set(); // tables nothing was heard of yet since the welcome
  #watching = new Map(); // table → how we asked to watch it

  constructor({ token = null, name = null, client = "web" } = {}) {
    Object.assign(this, { token, name, client });
    this.player = null;
    this.limits = {};
    this.server = null;
    this.greeted = false;
    this.nextRef = 1;
    this.tables = new Map(); // id → { id, seq, info, game, prompt }
    this.seats = new Map(); // id → the seat we hold there
    this.codes = new Map(); // code → id of the tables we sit at
  }

  // ── the connection ────────────────────────────────────────────────────────────────────────────────────────────────

  /** A connection is open: greet, and say how far we have heard each table we sit at. */
  open() {
    this.close();
    const seated = [...this.tables.values()].filter(({ id }) => this.seats.has(id));
    this.#hello = this.nextRef++;
    this.#outgoing.push({
      t: "hello", ref: this.#hello, version: VERSION, client: this.client, token: this.token, name: this.name,
      resume: Object.fromEntries(seated.map(({ id, seq }) => [id, seq])),
    });
  }

  /** The connection is gone. Returns the answers that will never come now. */
  close() {
    this.greeted = false;
    this.#outgoing = [];
    this.#syncing.clear();
    const lost = [...this.#outstanding.values()].filter(({ message }) => NOT_SENT_AGAIN.has(message.t));
    return lost.map((ticket) => this.#settle(ticket, { t: "refused", ref: ticket.ref, code: "lost" }));
  }

  takeOutgoing() {
    const messages = this.#outgoing;
    this.#outgoing = [];
    return messages;
  }

  // ── commands ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Ask for *message* to be sent, now or once greeted, and again after each reconnection until it is answered. */
  request(message) {
    const ticket = { message, ref: null };
    if (this.player) this.#number(ticket);
    else this.#waiting.push(ticket);
    if (this.greeted) this.#outgoing.push(ticket.message);
    return ticket;
  }

  /** Send a command that was put off once more, under the number it has. */
  again(ticket) {
    if (this.greeted && this.#outstanding.has(ticket.ref)) this.#outgoing.push(ticket.message);
  }

  #number(ticket) {
    ticket.ref = this.nextRef++;
    ticket.message = { ...ticket.message, ref: ticket.ref };
    this.#outstanding.set(ticket.ref, ticket);
  }

  #settle(ticket, reply) {
    this.#outstanding.delete(ticket.ref);
    return { kind: "answer", ticket, reply };
  }

  // ── what arrives ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Take in one frame's messages. *now* is a monotonic time in ms; prompts count from it. */
  receive(messages, now) {
    return messages.flatMap((message) => this.#receive(message, now));
  }

  #receive(message, now) {
    switch (message.t) {
      case "welcome": return this.#welcomed(message);
      case "ok": case "pong": return this.#done(message);
      case "refused": return this.#refused(message);
      case "event": return this.#told(message);
      case "view": return this.#shown(message);
      case "prompt": return this.#prompted(message, now);
      case "presence": return this.#presence(message);
      case "chat": return [{ kind: "chat", table: message.table, message }];
      case "notice": return this.#noticed(message);
      default: return []; // from a newer server
    }
  }

  #welcomed({ player, token, limits, server, tables, next_ref: nextRef }) {
    Object.assign(this, { player, token, limits, server, greeted: true });
    this.nextRef = Math.max(this.nextRef, nextRef);
    const gone = [...this.seats.keys()].filter((id) => !tables.some(({ table }) => table === id));
    gone.forEach((id) => this.#forget(id));
    this.seats = new Map(tables.map(({ table, seat }) => [table, seat]));
    this.codes = new Map(tables.map(({ table, code }) => [code, table]));
    for (const id of this.seats.keys()) {
      if (this.tables.has(id)) this.tables.get(id).prompt = null;
    }
    this.#resuming = new Set(this.tables.keys());
    this.#waiting.splice(0).forEach((ticket) => this.#number(ticket));
    const owed = [...this.#outstanding.values()].map(({ message }) => message);
    this.#outgoing.push(...owed);
    for (const place of this.#watching.values()) {
      if (!owed.some(({ t, table, code }) => t === "watch" && table === place.table && code === place.code)) this.request({ t: "watch", ...place });
    }
    return [{ kind: "welcome" }, ...gone.map((table) => ({ kind: "gone", table, why: null }))];
  }

  #done(reply) {
    const ticket = this.#outstanding.get(reply.ref);
    if (!ticket) return [];
    const answer = this.#settle(ticket, reply);
    const request = ticket.message;
    if (request.t === "create" || request.t === "join") {
      this.seats.set(reply.table, reply.seat);
      this.#watching.delete(reply.table);
      if (reply.code) this.codes.set(reply.code, reply.table);
    } else if (request.t === "watch") {
      this.#watching.set(reply.table, request.code ? { code: request.code } : { table: request.table });
    } else if (request.t === "leave" || request.t === "unwatch") {
      return [answer, ...this.#lose(request.table, null)];
    } else if (request.t === "sync") {
      this.#syncing.delete(request.table);
    } else if (request.t === "renew_token") {
      this.token = reply.token; // of use from the next greeting on
    }
    return [answer];
  }

  #refused(reply) {
    if (reply.ref === this.#hello && !this.greeted) return [{ kind: "hello_refused", reply }];
    const ticket = this.#outstanding.get(reply.ref);
    if (!ticket) return [];
    if (reply.retry_ms) return [{ kind: "put_off", ticket, wait_ms: reply.retry_ms }];
    const answer = this.#settle(ticket, reply);
    const { t, table, code } = ticket.message;
    if (t === "sync") this.#syncing.delete(table);
    if (t !== "watch") return [answer];
    const lost = [...this.#watching].filter(([, place]) => place.table === table && place.code === code).map(([id]) => id);
    return [answer, ...lost.flatMap((id) => this.#lose(id, null))];
  }

  #shown({ table, seq, view }) {
    const before = this.tables.get(table);
    // The first after a welcome counts anyhow: whoever runs the server had to put the table back.
    if (!this.#resuming.delete(table) && before && seq < before.seq) return [];
    const prompt = before?.seq === seq ? before.prompt : null;
    this.tables.set(table, { id: table, seq, info: view.table, game: view.game, prompt });
    if (view.game && view.game.viewer !== "watcher") this.seats.set(table, view.game.viewer);
    return [{ kind: "view", table }];
  }

  #told(message) {
    const state = this.tables.get(message.table);
    this.#resuming.delete(message.table);
    if (!state || message.seq <= state.seq) return [];
    if (message.seq !== state.seq + 1) return this.#catchUp(state);
    state.seq = message.seq;
    if (message.events.some((event) => isGameEvent(event) || event.e === "game_started")) state.prompt = null;
    return message.events.flatMap((event) => this.#happen(state, event));
  }

  /** Something was missed: ask for it once; what comes meanwhile passes by, for the answer brings it again. */
  #catchUp(state) {
    if (!this.#syncing.has(state.id)) this.request({ t: "sync", table: state.id, seq: state.seq });
    this.#syncing.add(state.id);
    return [];
  }

  #happen(state, event) {
    const before = { game: state.game, info: state.info };
    state.info = advanceTable(state.info, event);
    if (event.e === "game_started") state.game = freshView(this.seats.get(state.id) ?? "watcher");
    else if (state.game) state.game = advance(state.game, event);
    const happened = { kind: "event", table: state.id, event, before, after: { game: state.game, info: state.info } };
    if (event.e === "table_closed") return [happened, ...this.#lose(state.id, event.why)];
    const ours = event.e === "unseated" && this.seats.get(state.id) === event.seat;
    return ours ? [happened, ...this.#lose(state.id, null)] : [happened];
  }

  #prompted(message, now) {
    const state = this.tables.get(message.table);
    if (!state || message.seq < state.seq) return [];
    if (message.seq > state.seq) return this.#catchUp(state);
    state.prompt = { ...message, at: now };
    if (state.game) state.game = { ...state.game, phase: message.phase, to_act: message.seat };
    return [{ kind: "prompt", table: message.table }];
  }

  #presence({ table, seat, online }) {
    const state = this.tables.get(table);
    if (!state) return [];
    state.info = { ...state.info, seats: state.info.seats.map((at) => (at.seat === seat ? { ...at, online } : at)) };
    return [{ kind: "presence", table, seat, online }];
  }

  #noticed(notice) {
    const closed = notice.kind === "table_closed" && notice.table;
    return [{ kind: "notice", notice }, ...(closed ? this.#lose(notice.table, notice.detail) : [])];
  }

  // ── tables ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #lose(table, why) {
    const known = this.tables.has(table);
    this.#forget(table);
    return known ? [{ kind: "gone", table, why }] : [];
  }

  #forget(table) {
    this.tables.delete(table);
    this.seats.delete(table);
    this.#watching.delete(table);
    this.#syncing.delete(table);
  }
}
