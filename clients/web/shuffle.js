// "Add your own shuffle": a text that goes into the next deal, so that nobody alone decides the cards.

import { h, setText } from "./dom.js";
import { refusalWords } from "./words.js";

const MOST_BYTES = 64;

export class Shuffle {
  #table = null;

  /** *ask* sends a command and gives its answer. */
  constructor(root, { ask }) {
    Object.assign(this, { root, ask });
    this.text = h("input", { id: "shuffle-text", autocomplete: "off", maxlength: MOST_BYTES });
    this.answer = h("p", { class: "quiet", role: "status" });
    const form = h("form", { class: "row" },
      h("div", { class: "field grow" }, h("label", { for: "shuffle-text" }, "Add your own shuffle"), this.text),
      h("button", { type: "submit" }, "Add"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    root.replaceChildren(form,
      h("p", { class: "quiet" }, "Any text, as a throw of dice. The next deal is made from it, too. Everybody sees it."), this.answer);
  }

  /** Offer it for the table with this id; null for none. */
  show(table) {
    this.#table = table;
    this.root.hidden = table === null;
    setText(this.answer, "");
  }

  async #add() {
    const text = this.text.value;
    if (new TextEncoder().encode(text).length > MOST_BYTES) {
      setText(this.answer, "That text is too long.");
      return;
    }
    const reply = await this.ask({ t: "entropy", table: this.#table, text });
    if (reply.t === "refused") setText(this.answer, refusalWords(reply));
    else setText(this.answer, text ? "Added to the next deal." : "Your text is taken back.");
  }
}
