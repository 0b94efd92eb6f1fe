// The start screen: a name, a game at once, a table of one's own, a code, and the public tables.

import { h, reconcile, setAttribute, setText } from "./dom.js";
import { mayTake, partnerOf } from "./fold.js";
import { CHOICES, asTheGameHasIt, reasonWords, rulesOfForm } from "./houserules.js";
import { optionLabel } from "./rules.js";
import { suitIcon } from "./suits.js";
import { LEVELS, Names, PRESET_NAMES, USUAL_LEVEL, botWords, isolated, presetName, refusalWords, scoreWords } from "./words.js";

const REFRESH_MS = 5_000;

export class Lobby {
  #timer = null;
  #invitation = null;
  #isMaking = false; // a table is asked for

  /** *app* has `client`, `storage`, `show(table)`, `watch(place)`, `join(place)`, `rename(name)`, which tells whether the name was taken. */
  constructor(root, app) {
    Object.assign(this, { root, app });
    this.name = h("input", { id: "your-name", name: "name", autocomplete: "nickname", maxlength: 24, placeholder: "Your name" });
    this.name.addEventListener("change", () => this.#rename());
    this.problem = h("p", { class: "problem", role: "alert" });
    this.news = h("p", { class: "news", role: "status" });
    this.yoursTitle = h("h2", { id: "yours-title" });
    this.yourRows = h("div", { class: "rows" });
    this.yours = h("section", { class: "card-box yours", "aria-labelledby": "yours-title" }, this.yoursTitle, this.yourRows);
    this.invitedBy = h("p", { class: "quiet" });
    this.invite = h("div", { class: "invite" }, h("h2", {}, "You are invited to a table"), this.invitedBy);
    this.answers = h("div", { class: "row" },
      h("button", { type: "button", class: "primary big", onclick: () => app.join(this.#invitation) }, "Take a seat"),
      h("button", { type: "button", onclick: () => app.watch(this.#invitation) }, "Watch"),
      h("button", { type: "button", class: "link", onclick: () => app.show(null) }, "No, thanks"));
    this.tables = h("ul", { class: "table-list" });
    this.noTables = h("p", { class: "quiet" }, "No public tables right now. Make one and others can join.");
    root.replaceChildren(
      h("header", { class: "masthead" }, h("h1", {}, suitIcon("c", { silent: true }), "Euchre", suitIcon("s", { silent: true })), h("p", {}, "Four seats, five tricks, two bowers.")),
      this.problem, this.news,
      this.yours,
      this.begin = h("section", { class: "card-box play-now", "aria-label": "Begin" },
        this.invite,
        h("div", { class: "field" }, h("label", { for: "your-name" }, "Your name"), this.name),
        this.levels = h("div", { class: "row levels" }, this.#levelField("partner", "Partner"), this.#levelField("opponents", "Opponents")),
        this.playNow = h("button", { class: "primary big", type: "button", onclick: () => this.#playBots() }, "New game against bots"),
        this.answers),
      this.#joinBox(),
      this.#makeBox(),
      h("section", { class: "card-box", "aria-labelledby": "public-title" },
        h("div", { class: "row" }, h("h2", { id: "public-title" }, "Public tables"),
          h("button", { type: "button", class: "small", onclick: () => this.refresh() }, "Refresh")),
        this.tables, this.noTables),
      h("footer", { class: "foot" },
        h("button", { type: "button", class: "link", onclick: () => app.openHelp() }, "How to play"),
        h("button", { type: "button", class: "link", onclick: () => app.openCheck(null) }, "Check the deals"),
        h("button", { type: "button", class: "link", onclick: () => app.openSettings() }, "Settings")),
    );
  }

  /** How well the bots in *role* play in a game against bots; what was chosen is kept. */
  #levelField(role, label) {
    const kept = this.app.storage.get(`euchre.${role}`) ?? USUAL_LEVEL;
    const choice = h("select", { id: role, onchange: () => this.app.storage.set(`euchre.${role}`, choice.value) },
      ...LEVELS.map(([value, text]) => h("option", { value, selected: value === kept }, text)));
    this[role] = choice;
    return h("div", { class: "field" }, h("label", { for: role }, label), choice);
  }

  #joinBox() {
    this.code = h("input", { id: "code", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 40 });
    const form = h("form", { class: "row" },
      h("div", { class: "field grow" }, h("label", { for: "code" }, "Code of a table"), this.code),
      h("button", { type: "submit" }, "Join"),
      h("button", { type: "button", onclick: () => this.#byCode((place) => this.app.watch(place)) }, "Watch"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#byCode((place) => this.app.join(place));
    });
    return h("section", { class: "card-box", "aria-label": "Join by code" }, form);
  }

  #byCode(go) {
    const code = this.code.value.trim();
    if (code) go({ code });
    else this.code.focus();
  }

  #makeBox() {
    const select = (name, label, options, usual) => h("div", { class: "field" }, h("label", { for: `make-${name}` }, label),
      h("select", { id: `make-${name}`, name }, ...options.map(([value, text]) => h("option", { value: String(value), selected: value === usual }, text))),
      h("small", { class: "why problem", id: `why-${name}` }));
    const ruled = (name, values) => select(name, optionLabel(name), [["", ""], ...values]);
    this.make = h("form", { class: "make" },
      select("preset", "Game", Object.entries(PRESET_NAMES)),
      select("visibility", "Who may join", [["private", "Those with the code"], ["public", "Anybody"]]),
      select("bots", "Bots", LEVELS, USUAL_LEVEL),
      select("clock", "Clock", [
        ["normal", "Normal: 20 s, bank 60 s"], ["slow", "Slow: 45 s, bank 3 min"], ["fast", "Fast: 8 s, bank 20 s"], ["none", "None"],
      ]),
      select("spectators", "Who may watch", [["true", "Whoever finds the table"], ["false", "Nobody"]]),
      select("bots_stay", "Seats of bots", [["false", "People may take them"], ["true", "Bots keep them"]]),
      h("details", {}, h("summary", {}, "House rules"), h("div", { class: "make" },
        ...Object.entries(CHOICES).map(([name, values]) => ruled(name, values)))),
      this.badRules = h("p", { class: "problem", role: "alert" }),
      h("button", { type: "submit", class: "primary" }, "Make the table"));
    const { preset, visibility, clock } = this.make.elements;
    const showPreset = () => {
      for (const name of Object.keys(CHOICES)) setText(this.make.elements[name].options[0], asTheGameHasIt(name, preset.value));
    };
    preset.addEventListener("change", showPreset);
    showPreset();
    this.#showIdle();
    this.make.addEventListener("change", () => this.#showIdle());
    visibility.addEventListener("change", () => {
      // Nobody waits for a stranger without end.
      const isPublic = visibility.value === "public";
      clock.querySelector("[value=none]").disabled = isPublic;
      if (isPublic && clock.value === "none") clock.value = "normal";
    });
    this.make.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#makeTable();
    });
    return h("details", { class: "card-box make-box" }, h("summary", {}, h("h2", {}, "Make a table")), this.make);
  }

  async #makeTable() {
    const chosen = Object.fromEntries(new FormData(this.make));
    const { rules } = this.#formRules();
    const { preset, visibility, bots, clock } = chosen;
    const [spectators, botsStay] = [chosen.spectators === "true", chosen.bots_stay === "true"];
    this.#explain({});
    await this.#create({ preset, visibility, bots, clock, spectators, bots_stay: botsStay, rules }, (fields) => this.#explain(fields));
  }

  #formRules() {
    const { elements } = this.make;
    return rulesOfForm(elements.preset.value, Object.fromEntries(Object.keys(CHOICES).map((option) => [option, elements[option].value])));
  }

  /** Grey out the options that have no effect beside the others, and say why; what was chosen there comes back with them. */
  #showIdle() {
    const { idle } = this.#formRules();
    const gone = [];
    for (const option of Object.keys(CHOICES)) {
      const field = this.make.elements[option];
      const why = this.make.querySelector(`#why-${option}`);
      const isIdle = option in idle;
      if (isIdle && !field.disabled && !this.root.hidden) gone.push(optionLabel(option));
      if (isIdle || field.disabled) {
        setText(why, idle[option] ?? "");
        setAttribute(field, "aria-describedby", isIdle ? why.id : null);
        setAttribute(field, "aria-invalid", null);
      }
      why.classList.toggle("problem", !isIdle);
      field.disabled = isIdle;
    }
    if (gone.length) this.app.announce(`No effect now: ${gone.join(", ")}.`);
  }

  /** Show at each field of the form why it was refused; *fields* has the reasons. */
  #explain(fields) {
    for (const field of this.make.querySelectorAll("select:enabled")) {
      const reason = fields[field.name];
      setText(this.make.querySelector(`#why-${field.name}`), reason ? reasonWords(field.name, reason) : "");
      setAttribute(field, "aria-invalid", reason ? "true" : null);
      setAttribute(field, "aria-describedby", reason ? `why-${field.name}` : null);
    }
    setText(this.badRules, Object.keys(fields).length ? "These rules do not go together; see the marked ones." : "");
    const first = this.make.querySelector("[aria-invalid]");
    if (first?.closest("details details")) first.closest("details").open = true;
    first?.focus();
  }

  async #playBots() {
    const reply = await this.#create({ preset: "standard", visibility: "private", clock: "none", bots: this.opponents.value });
    if (!reply) return;
    const { table, seat } = reply;
    this.app.client.ask({ t: "fill", table, seat: partnerOf(seat), level: this.partner.value });
    await this.app.client.ask({ t: "start", table });
  }

  /**
   * Make a table and go there; returns the `ok`, or null when it was refused or one is asked for already. *onBadRules*
   * gets what is wrong by field.
   */
  async #create(wish, onBadRules = null) {
    if (this.#isMaking) return null; // clicked twice
    this.#isMaking = true;
    const isNamed = await this.#rename();
    const reply = isNamed && await this.app.client.ask({ t: "create", ...wish });
    this.#isMaking = false;
    if (!isNamed) return null;
    if (reply.t === "refused") {
      if (reply.fields && onBadRules) onBadRules(reply.fields);
      else this.say(refusalWords(reply));
      return null;
    }
    this.app.show(reply.table);
    return reply;
  }

  /** Take the name that stands there; resolves with whether the server takes it. Else it is to be changed. */
  async #rename() {
    const isTaken = await this.app.rename(this.name.value.trim());
    if (!isTaken) this.name.focus();
    return isTaken;
  }

  say(problem) {
    setText(this.problem, problem ?? "");
    setText(this.news, "");
  }

  tell(news) {
    setText(this.news, news);
  }

  open() {
    this.root.hidden = false;
    this.update();
    this.refresh();
  }

  close() {
    this.root.hidden = true;
    clearTimeout(this.#timer);
    this.#invitation = null;
    this.say(null);
  }

  /** Somebody followed a link to *place*, `{table}` or `{code}`: ask before a seat is taken. */
  inviteTo(place) {
    this.#invitation = place;
    this.update();
  }

  update() {
    const { session } = this.app.client;
    const name = this.app.storage.get("euchre.name");
    if (name !== null && document.activeElement !== this.name) this.name.value = name;
    this.name.maxLength = session.limits.name_chars ?? 24;
    this.#showYours(session);
    this.#showInvitation();
  }

  #showYours(session) {
    const isWaiting = ({ info }) => info.state !== "playing";
    const here = [...session.tables.values()].sort((one, other) => isWaiting(one) - isWaiting(other));
    this.yours.hidden = here.length === 0;
    setText(this.yoursTitle, here.length === 1 ? "You are at a table" : "You are at these tables");
    reconcile(this.yourRows, here, ({ id }) => id, ({ id }) => h("div", { class: "row" },
      h("span", { class: "grow" }, h("b", {}), h("small", { class: "quiet" })),
      h("button", { type: "button", class: "primary", onclick: () => this.app.show(id) })), (row, { id, info, game }) => {
      setText(row.querySelector("b"), info.name ?? "Table");
      setText(row.querySelector("small"), yourWords(info, game, session.seats.get(id) ?? null));
      setText(row.querySelector("button"), session.seats.has(id) ? "Back to the table" : "Go on watching");
    });
  }

  #showInvitation() {
    const place = this.#invitation;
    this.begin.classList.toggle("invited", place !== null);
    this.invite.hidden = this.answers.hidden = place === null;
    this.playNow.hidden = this.levels.hidden = place !== null;
    setText(this.invitedBy, place?.code ? `Code ${place.code}` : "From a link");
  }

  async refresh() {
    clearTimeout(this.#timer);
    if (document.hidden || !this.app.client.session.greeted) {
      this.#timer = setTimeout(() => this.refresh(), REFRESH_MS);
      return;
    }
    const reply = await this.app.client.ask({ t: "tables", filter: "all" });
    if (this.root.hidden) return;
    if (reply.t === "ok") this.#showTables(reply.tables);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), REFRESH_MS);
  }

  #showTables(tables) {
    this.noTables.hidden = tables.length > 0;
    reconcile(this.tables, tables, ({ table }) => table, ({ table }) => {
      const place = { table };
      return h("li", { class: "row" },
        h("span", { class: "grow" }, h("b", {}), h("small", { class: "quiet" })),
        h("button", { type: "button", class: "join", onclick: () => this.app.join(place) }, "Join"),
        h("button", { type: "button", onclick: () => this.app.watch(place) }, "Watch"));
    }, (item, row) => {
      const { name, preset, changed, state, seats, watchers } = row;
      setText(item.querySelector("b"), name ?? "Table");
      const rules = changed?.length ? ` (not standard: ${changed.map(optionWords).join(", ")})` : "";
      const eyes = watchers ? ` · ${watchers} watching` : "";
      setText(item.querySelector("small"), `${presetName(preset)}${rules} · ${state} · ${seatNames(seats)}${eyes}`);
      item.querySelector(".join").disabled = !seats.some((at) => mayTake(at, row));
    });
  }
}

/** What tells a table of one's own from another of the same name. */
function yourWords(info, game, seat) {
  const score = game ? `, ${scoreWords(game.score, new Names(info, seat))}` : "";
  return [presetName(info.preset), seatNames(info.seats), `${info.state}${score}`, ...(info.code ? [`code ${info.code}`] : [])].join(" · ");
}

/** What *option* is called in the middle of a sentence. */
function optionWords(option) {
  const label = optionLabel(option);
  return label[0].toLowerCase() + label.slice(1);
}

function seatNames(seats) {
  const names = seats.filter(({ kind }) => kind !== "open")
    .map((at) => (at.kind === "bot" ? `${isolated(at.name)} (${botWords(at)})` : isolated(at.name)));
  const open = seats.length - names.length;
  return [...names, ...(open ? [`${open} open`] : [])].join(", ");
}
