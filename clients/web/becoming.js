// Somebody's own link was opened in a browser that is a player already: the question whether to become that one.

import { OwnLink } from "./device.js";
import { h, setText } from "./dom.js";
import { isolated } from "./words.js";

export class Becoming {
  /** *ask* sends a command and gives its answer, *me* gives `{ name, token }`, *become* makes us the player of a token. */
  constructor(dialog, { ask, me, become }) {
    Object.assign(this, { dialog, ask, me, become });
  }

  /** Ask whether to be the player with *token*; where there is nothing to ask, say so. */
  async offer(token) {
    const { name, token: ours } = this.me();
    const reply = token === ours ? null : await this.ask({ t: "whose", token });
    if (reply?.t === "ok") this.#question(token, reply.player.name);
    else if (reply) this.#show("A link of nobody", [`The link you opened belongs to nobody here. You are still ${isolated(name)}.`]);
    else this.#show(`You are ${isolated(name)} here already`, ["The link you opened is your own."]);
  }

  #question(token, theirName) {
    const [mine, theirs] = [isolated(this.me().name), isolated(theirName)];
    const them = mine === theirs ? `another ${theirs}` : theirs;
    const own = new OwnLink("left-link", { label: `${mine}'s own link`, words: `Show ${mine}'s link`, token: () => this.me().token });
    const problem = h("p", { class: "problem", role: "alert" });
    const go = async () => {
      const reply = await this.ask({ t: "whose", token }); // it may be long since the question was put
      if (reply.t === "refused") setText(problem, "That link is worth nothing any more.");
      else this.become(token, reply.player.name);
    };
    this.#show(`Be ${them} here from now on?`, [
      `You opened ${theirs}'s own link, and this browser is ${mine}. It can be only one of the two.`,
      `${mine}'s tables and games are then to be had by ${mine}'s own link alone. Keep it, if you want to be ${mine} again:`,
    ], {
      stay: `Stay ${mine}`,
      more: [own.root, problem],
      button: h("button", { type: "button", onclick: go }, `Be ${them}`),
    });
  }

  #show(title, paragraphs, { stay = "Close", more = [], button = null } = {}) {
    this.dialog.replaceChildren(
      h("h2", { id: "becoming-title", tabindex: "-1", autofocus: true }, title),
      ...paragraphs.map((words) => h("p", {}, words)), ...more,
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary" }, stay), button));
    if (!this.dialog.open) this.dialog.showModal();
  }
}
