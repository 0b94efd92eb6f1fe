// A link to be taken elsewhere: shown, copied with a button, and as a picture for a telephone's camera.

import { h, setText } from "./dom.js";
import { qrCode } from "./qrcode.js";

export class CopyField {
  constructor(id, label) {
    this.label = label;
    this.input = h("input", { id, readonly: true, onfocus: () => this.input.select() });
    this.copied = h("span", { class: "quiet", role: "status" });
    this.picture = h("div", { id: `${id}-code`, class: "picture", hidden: true });
    this.code = h("button", { type: "button", "aria-expanded": "false", "aria-controls": `${id}-code`, onclick: () => this.#toggle() }, "QR code");
    this.root = h("div", { class: "row" },
      h("div", { class: "field grow" }, h("label", { for: id }, label), this.input),
      h("button", { type: "button", onclick: () => this.#copy() }, "Copy link"), this.code, this.copied, this.picture);
  }

  set value(text) {
    if (text === this.input.value) return;
    this.input.value = text;
    this.hideCode();
  }

  hideCode() {
    this.picture.hidden = true;
    this.picture.replaceChildren();
    this.code.setAttribute("aria-expanded", "false");
  }

  async #toggle() {
    if (!this.picture.hidden) {
      this.hideCode();
      return;
    }
    const text = this.input.value;
    try {
      const picture = await qrCode(text, `QR code: ${this.label}`);
      if (text !== this.input.value) return;
      this.picture.replaceChildren(picture);
      this.picture.hidden = false;
      this.code.setAttribute("aria-expanded", "true");
    } catch {
      setText(this.copied, "It could not be loaded.");
    }
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
