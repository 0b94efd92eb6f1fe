// The same player on another device: a link that says who one is.

import { CopyField } from "./copyfield.js";
import { h, setText } from "./dom.js";

const WHO = /^#me=([\w.~-]+)$/;

export const isLink = () => WHO.test(location.hash);

/** The token of the link the page was opened with, or null; it does not stay in the address. */
export function takeLink() {
  const [, token = null] = WHO.exec(location.hash) ?? [];
  if (token !== null) history.replaceState(null, "", location.pathname);
  return token;
}

/** A player's own link, kept from view until it is asked for. */
export class OwnLink {
  /** *words* are on the button that shows it; *token* gives the player's own; *below* is shown with it. */
  constructor(id, { label, words, token, below = [] }) {
    Object.assign(this, { token, below });
    this.link = new CopyField(id, label);
    this.show = h("button", { type: "button", onclick: () => this.#show() }, words);
    this.root = h("div", { class: "own-link" }, this.show);
  }

  #show() {
    this.renew();
    this.root.replaceChildren(this.link.root, ...this.below);
    this.link.input.focus();
  }

  /** Show the link as it is now. */
  renew() {
    this.link.value = `${location.origin}${location.pathname}#me=${this.token()}`;
  }

  hide() {
    this.link.hideCode();
    this.root.replaceChildren(this.show);
  }
}

/** The part of the settings that takes one to another device. */
export class Device {
  #isRenewing = false;

  /** *token* gives the player's own, *renew* gets another and resolves with what came of it, in words. */
  constructor(root, { token, renew }) {
    this.renewed = h("p", { class: "quiet", role: "status" });
    const another = h("button", { type: "button", onclick: () => this.#renew(renew) }, "Make a new link; the old one stops");
    this.own = new OwnLink("device-link", { label: "Your own link", words: "Show my link", token, below: [another, this.renewed] });
    root.replaceChildren(
      h("p", {}, "Play on as yourself on another device: open your own link there. Whoever has it is you, so show it to nobody."), this.own.root);
  }

  async #renew(renew) {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    setText(this.renewed, await renew());
    this.own.renew();
    this.#isRenewing = false;
  }

  /** Keep the link from view until it is asked for. */
  hide() {
    setText(this.renewed, "");
    this.own.hide();
  }
}
