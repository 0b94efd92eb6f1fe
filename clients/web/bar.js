// The bar at the top: score, tricks and trump always in sight; what else can be done, behind a menu on narrow screens.

import { trumpSign } from "./cards.js";
import { h, setAttribute, setRich, setText } from "./dom.js";
import { teamOf } from "./fold.js";

export class Bar {
  /** *tools* are `{name, text, key, does}`; *onLeave* is called once leaving was asked for and confirmed. */
  constructor(tools, { onLeave }) {
    this.sides = [makeSide(), makeSide()];
    this.contract = h("div", { class: "contract" }, h("b", {}), h("small", {}));
    this.tools = new Map(tools.map((tool) => [tool.name, this.#makeTool(tool)]));
    this.leave = this.#makeTool({ text: "Leave", does: () => this.askToLeave() });
    this.confirm = h("div", { class: "confirm", role: "group", "aria-label": "Leave the table?", hidden: true },
      h("p", {}, "Leave the table? A bot takes your seat for good."),
      h("button", { type: "button", class: "danger", onclick: onLeave }, "Leave"),
      this.stay = h("button", { type: "button", onclick: () => this.dismiss() }, "Stay"));
    this.nav = h("nav", { class: "tools", id: "tools", "aria-label": "Table" }, ...this.tools.values(), this.leave);
    this.menu = h("button", {
      type: "button", class: "menu", "aria-expanded": "false", "aria-controls": "tools", "aria-label": "Menu",
      onclick: () => this.#openMenu(!this.#isMenuOpen()),
    }, h("span", { class: "bars", "aria-hidden": "true" }));
    this.root = h("header", { class: "bar" }, ...this.sides.map(({ root }) => root), this.contract, this.menu, this.nav, this.confirm);
    this.onLeave = onLeave;
  }

  #makeTool({ text, key, does }) {
    const onclick = () => {
      this.#openMenu(false);
      does();
    };
    return h("button", { type: "button", class: "tool", onclick, title: key && `Key ${key}` }, text);
  }

  #isMenuOpen() {
    return this.menu.getAttribute("aria-expanded") === "true";
  }

  #openMenu(open) {
    setAttribute(this.menu, "aria-expanded", String(open));
    this.nav.classList.toggle("open", open);
  }

  /** Ask before a seat is left; a watcher just goes. */
  askToLeave() {
    if (!this.isSeated) {
      this.onLeave();
      return;
    }
    this.confirm.hidden = false;
    this.stay.focus();
  }

  /** Close the question or the menu; tells whether either was open. */
  dismiss() {
    const asked = !this.confirm.hidden;
    this.confirm.hidden = true;
    if (asked) this.leave.focus();
    else if (this.#isMenuOpen()) this.#openMenu(false);
    else return false;
    return true;
  }

  reset() {
    this.confirm.hidden = true;
    this.#openMenu(false);
  }

  update({ info, game, names, isAway, canPractise }) {
    this.isSeated = names.me !== null;
    const first = this.isSeated ? teamOf(names.me) : 0;
    [first, 1 - first].forEach((team, at) => showSide(this.sides[at], { team, game, names }));
    contractWords(info, game, names).forEach((words, at) => setRich(this.contract.children[at], words));
    const away = this.tools.get("away");
    setText(away, isAway ? "I am back" : "Away");
    setAttribute(away, "title", "A bot plays for me");
    away.hidden = !this.isSeated;
    this.tools.get("hint").hidden = !canPractise;
  }

  showUnread(count) {
    setText(this.tools.get("talk"), count ? `Talk (${count})` : "Talk");
    setAttribute(this.menu, "aria-label", count ? `Menu, ${count} unread in the talk` : "Menu");
    setAttribute(this.menu, "data-unread", count || null);
  }
}

function makeSide() {
  const parts = { name: h("span", { class: "side-name" }), score: h("b", { class: "score" }), pips: h("span", { class: "pips", "aria-hidden": "true" }) };
  return { ...parts, root: h("div", { class: "side", role: "group" }, parts.name, parts.score, parts.pips) };
}

function showSide({ root, name, score, pips }, { team, game, names }) {
  setText(name, names.teamShort(team));
  setText(score, String(game.score[team]));
  setText(pips, "●".repeat(game.won[team]) + "○".repeat(5 - game.won[team]));
  setAttribute(root, "aria-label", `${names.team(team)}: ${game.score[team]} points, ${game.won[team]} tricks`);
  setAttribute(root, "title", `${game.won[team]} tricks of this hand`);
}

/** Trump and who made it, in two lines; before that, which hand it is. */
function contractWords(info, game, names) {
  if (game.trump) {
    const others = game.alone.filter((seat) => seat !== game.maker).map((seat) => names.object(seat));
    const maker = `by ${names.object(game.maker)}${game.alone.includes(game.maker) ? ", alone" : ""}`;
    return [trumpSign(game.trump), others.length ? `${maker}; ${others.join(" and ")} alone` : maker];
  }
  const goal = info.rules.target ? `to ${info.rules.target}` : `${info.rules.hands} hands`;
  return [game.hand ? `Hand ${game.hand}` : "New game", `playing ${goal}`];
}
