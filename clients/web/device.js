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

export class DeviceLink {
  /** *token* gives the player's own. */
  constructor(root, { token }) {
    this.link = new CopyField("device-link", "Your own link");
    this.show = h("button", { type: "button", onclick: () => this.#show(token()) }, "Show my link");
    root.replaceChildren(
      h("p", {}, "Play on as yourself on another device: open your own link there. Whoever has it is you, so show it to nobody."), this.show);
  }

  #show(token) {
    this.link.value = `${location.origin}${location.pathname}#me=${token}`;
    this.show.replaceWith(this.link.root);
    this.link.input.focus();
  }

  /** Keep the link from view until it is asked for. */
  hide() {
    this.link.root.replaceWith(this.show);
  }
}
