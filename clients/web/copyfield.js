// A text to be taken elsewhere: shown, and copied with a button.

import { h, setText } from "./dom.js";

export class CopyField {
  constructor(id, label) {
    this.input = h("input", { id, readonly: true, onfocus: () => this.input.select() });
    this.copied = h("span", { class: "quiet", role: "status" });
    this.root = h("div", { class: "row" },
      h("div", { class: "field grow" }, h("label", { for: id }, label), this.input),
      h("button", { type: "button", onclick: () => this.#copy() }, "Copy link"), this.copied);
  }

  set value(text) {
    this.input.value = text;
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.input.value);
      setText(this.copied, "Copied.");
    } catch {
      this.input.select();
      setText(this.copied, "Select it and copy.");
    }
  }
}
