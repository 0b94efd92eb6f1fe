// The waiting room: who sits where, how to invite others, and the host's Start.

import { CopyField } from "./copyfield.js";
import { h, reconcile, setText } from "./dom.js";
import { mayTake, partnerOf } from "./fold.js";
import { PLACES, placeOf } from "./seats.js";
import { LEVELS, botWords, isolated, presetName, refusalWords, rulesLine } from "./words.js";

export class WaitingRoom {
  /** *app* as in lobby.js. */
  constructor(root, app) {
    Object.assign(this, { root, app, state: null });
    this.title = h("h1", {});
    this.rules = h("p", { class: "quiet" });
    this.seats = h("ol", { class: "chairs" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.link = new CopyField("link", "Link to this table");
    this.code = h("output", { class: "code" });
    this.invite = h("section", { class: "card-box", "aria-label": "Invite others" },
      h("p", {}, "Code ", this.code), this.link.root);
    this.level = h("select", { id: "level" }, ...LEVELS.map(([value, text]) => h("option", { value }, text)));
    this.start = h("button", { type: "button", class: "primary big", onclick: () => this.#start() }, "Start the game");
    this.host = h("section", { class: "card-box host", "aria-label": "For the host" },
      h("div", { class: "field" }, h("label", { for: "level" }, "Bots"), this.level), this.start,
      h("p", { class: "quiet" }, "Bots take the seats that are still open."));
    this.wait = h("p", { class: "card-box quiet" });
    root.replaceChildren(
      h("header", { class: "row top" },
        h("div", { class: "grow" }, this.title, this.rules),
        h("div", { class: "row" },
          h("button", { type: "button", class: "small", onclick: () => app.openRules(this.state) }, "Rules of this table"),
          h("button", { type: "button", class: "small", onclick: () => app.show(null) }, "Start page"),
          h("button", { type: "button", class: "small", onclick: () => this.#ask({ t: this.#isSeated() ? "leave" : "unwatch" }) }, "Leave"))),
      this.problem, this.seats, this.host, this.wait, this.invite);
  }

  #isSeated() {
    return this.app.client.session.seats.has(this.state.id);
  }

  async #ask(message) {
    setText(this.problem, "");
    const reply = await this.app.client.ask({ table: this.state.id, ...message });
    if (reply.t === "refused") setText(this.problem, refusalWords(reply));
    else if (message.t === "leave" || message.t === "unwatch") this.app.show(null);
  }

  /** Bots of the level on the screen take what is open, then the game begins. */
  #start() {
    const isOpen = this.state.info.seats.some(({ kind }) => kind === "open");
    if (isOpen) this.app.client.ask({ t: "fill", table: this.state.id, level: this.level.value });
    return this.#ask({ t: "start" });
  }

  /** Take *seat*, and give up the one held till now. */
  #sit(seat) {
    const { id } = this.state;
    if (this.#isSeated()) this.app.client.ask({ t: "leave", table: id });
    this.app.join({ table: id, seat });
  }

  update(state) {
    const { info } = state;
    if (this.state?.id !== state.id) this.level.value = info.bots;
    this.state = state;
    const me = this.app.client.session.seats.get(state.id) ?? null;
    const isHost = me !== null && info.host === me;
    setText(this.title, info.name ?? "Your table");
    setText(this.rules, `${presetName(info.preset)} · ${rulesLine(info.rules)}`);
    this.host.hidden = !isHost;
    this.wait.hidden = isHost;
    setText(this.wait, waitLine(info, me));
    this.invite.hidden = info.code === null && info.visibility !== "public";
    setText(this.code, info.code ?? "–");
    this.link.value = this.app.linkTo(info);
    reconcile(this.seats, info.seats, ({ seat }) => seat,
      ({ seat }) => h("li", { class: "chair", "data-seat": seat },
        h("span", { class: "chair-team" }), h("b", { class: "chair-name" }), h("span", { class: "quiet chair-who" }),
        h("button", { type: "button", class: "small put-bot", onclick: () => this.#ask({ t: "fill", seat, level: this.level.value }) }, "Seat a bot"),
        h("button", { type: "button", class: "small sit", onclick: () => this.#sit(seat) }, "Sit here")),
      (item, seat) => this.#showChair(item, seat, { info, me, isHost }));
  }

  #showChair(item, { seat, kind, name, level, version, owner, online }, { info, me, isHost }) {
    item.className = `chair chair-${PLACES[placeOf(seat, me ?? 0)]}${kind === "open" ? "" : " taken"}`;
    setText(item.querySelector(".chair-team"), chairWords(seat, me));
    setText(item.querySelector(".chair-name"), kind === "open" ? "Open seat" : name);
    const marks = [
      seat === me && "you", seat === info.host && "host", kind === "bot" && `${botWords({ version, owner })}${level ? `, ${level}` : ""}`,
      kind === "human" && !online && "not connected",
    ].filter(Boolean);
    setText(item.querySelector(".chair-who"), marks.join(" · "));
    item.querySelector(".put-bot").hidden = !isHost || kind !== "open";
    const across = info.seats[partnerOf(seat)];
    setText(item.querySelector(".sit"), across.kind === "human" && across.seat !== me ? `Sit here, with ${isolated(across.name)}` : "Sit here");
    item.querySelector(".sit").hidden = isHost || !mayTake(info.seats[seat], info); // a host who left would be host no more
  }
}

function chairWords(seat, me) {
  if (me === null) return `Seat ${seat + 1}`;
  if (seat === me) return "Your seat";
  if (seat === partnerOf(me)) return "Your partner";
  return seat === (me + 1) % 4 ? "On your left" : "On your right";
}

function waitLine(info, me) {
  const host = info.host === null ? null : isolated(info.seats[info.host].name);
  if (me === null) return "You are watching. Take an open seat to play.";
  return host ? `Waiting for ${host} to start the game.` : "Waiting for the game to start.";
}
