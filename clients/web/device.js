// The same player on another device: a link that says who one is.

import { CopyField } from "./copyfield.js";
import { h } from "./dom.js";

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
  /** *words* are on the button that shows it; *token* gives the player's own. */
  constructor(id, { label, words, token }) {
    this.link = new CopyField(id, label);
    this.show = h("button", { type: "button", onclick: () => this.#show(token()) }, words);
    this.root = h("div", {}, this.show);
  }

  #show(token) {
    this.link.value = `${location.origin}${location.pathname}#me=${token}`;
    this.root.replaceChildren(this.link.root);
    this.link.input.focus();
  }

  hide() {
    this.root.replaceChildren(this.show);
  }
}

/** The part of the settings that takes one to another device. */
export class Device {
  /** *token* gives the player's own. */
  constructor(root, { token }) {
    this.own = new OwnLink("device-link", { label: "Your own link", words: "Show my link", token });
    root.replaceChildren(
      h("p", {}, "Play on as yourself on another device: open your own link there. Whoever has it is you, so show it to nobody."), this.own.root);
  }

  /** Keep the link from view until it is asked for. */
  hide() {
    this.own.hide();
  }
}
