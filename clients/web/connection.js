// One session over one WebSocket at a time: connects, comes back by itself, keeps the peer honest with a ping.

import { adviceFor } from "./closecodes.js";

const QUIET_MS = 20_000; // nothing heard for this long: ask whether anybody is there
const PONG_MS = 10_000; // and give up on the connection after this much more

export class Connection {
  #socket = null;
  #attempt = 0;
  #retryTimer = null;
  #quietTimer = null;
  #drainRetryMs = null;
  #answers = new WeakMap(); // ticket → what to call with its reply

  /**
   * *onHappenings* gets what each frame brought (see session.js). *onStatus* gets `{state}`: `open`, `connecting`,
   * `waiting`, `stopped` (with `why`: replaced, renewed or protocol).
   */
  constructor({ url, session, onHappenings, onStatus }) {
    Object.assign(this, { url, session, onHappenings, onStatus });
    this.status = { state: "connecting" };
    window.addEventListener("online", () => this.#hurry());
    window.addEventListener("offline", () => this.#abandon());
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  /** Connect now, whatever happened before. */
  connect() {
    clearTimeout(this.#retryTimer);
    this.#abandon({ quietly: true });
    const socket = new WebSocket(this.url, "euchre.v1.json");
    this.#socket = socket;
    if (this.status.state !== "waiting") this.#tell({ state: "connecting" });
    socket.onopen = () => {
      this.session.open();
      this.#flush();
      this.#listenForQuiet();
    };
    socket.onmessage = ({ data }) => this.#hear(data);
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
  }

  /** Send a command; resolves with its `ok` or `refused`, which may come after a reconnection. */
  ask(message) {
    const ticket = this.session.request(message);
    this.#flush();
    return new Promise((resolve) => this.#answers.set(ticket, resolve));
  }

  /** Greet again, for a new name: the seat and everything owed are kept. */
  reconnect() {
    this.#attempt = 0;
    this.connect();
  }

  #hear(data) {
    this.#listenForQuiet();
    const happenings = this.session.receive(JSON.parse(data), performance.now());
    for (const happened of happenings) this.#heed(happened);
    this.#flush();
    this.onHappenings(happenings);
  }

  #heed(happened) {
    if (happened.kind === "welcome") {
      this.#attempt = 0;
      this.#drainRetryMs = null;
      this.#tell({ state: "open" });
    } else if (happened.kind === "answer") {
      this.#answers.get(happened.ticket)?.(happened.reply);
    } else if (happened.kind === "hello_refused") {
      this.#greetedBadly(happened.reply.code);
    } else if (happened.kind === "put_off") {
      setTimeout(() => {
        this.session.again(happened.ticket);
        this.#flush();
      }, happened.wait_ms);
    } else if (happened.kind === "notice" && happened.notice.kind === "drain") {
      this.#drainRetryMs = happened.notice.retry_ms ?? null;
    }
  }

  /** The greeting was refused: without what was wrong with it, or later, or not at all. */
  #greetedBadly(code) {
    if (code === "bad_token") return; // the server closes with 4002
    if (code === "bad_name" && this.session.name) {
      this.session.name = null;
      this.session.open();
    } else if (code === "draining" || code === "degraded" || code === "rate_limited") {
      this.#abandon();
    } else {
      this.#stop("protocol");
    }
  }

  #stop(why) {
    this.#abandon({ quietly: true });
    this.#tell({ state: "stopped", why });
  }

  #flush() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (const message of this.session.takeOutgoing()) this.#socket.send(JSON.stringify(message));
  }

  #closed(code) {
    this.#socket = null;
    this.#letGo();
    const advice = adviceFor(code, { attempt: this.#attempt, retryMs: this.#drainRetryMs, random: Math.random() });
    if (advice.what === "stop") {
      this.#tell({ state: "stopped", why: advice.why });
      return;
    }
    if (advice.what === "fresh") this.session.token = null;
    this.#attempt += 1;
    this.#tell({ state: "waiting" });
    this.#retryTimer = setTimeout(() => this.connect(), advice.wait_ms);
  }

  /** Let go of the socket at once; its own close may come minutes later when the network is gone. */
  #abandon({ quietly = false } = {}) {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = null;
    this.#letGo();
    socket.close();
    if (!quietly) this.#closed(1006);
  }

  #letGo() {
    clearTimeout(this.#quietTimer);
    for (const happened of this.session.close()) this.#heed(happened);
  }

  #hurry() {
    if (this.#socket === null && this.status.state === "waiting") this.connect();
  }

  #listenForQuiet() {
    clearTimeout(this.#quietTimer);
    this.#quietTimer = setTimeout(() => {
      this.session.request({ t: "ping" });
      this.#flush();
      this.#quietTimer = setTimeout(() => this.#abandon(), PONG_MS);
    }, QUIET_MS);
  }

  #tell(status) {
    this.status = status;
    this.onStatus(status);
  }
}
