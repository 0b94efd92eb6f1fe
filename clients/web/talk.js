// The drawer at the side: what was said and what happened, presets to tap, a line to type.

import { h, setRich, setText } from "./dom.js";
import { SAYINGS } from "./words.js";

const MOST_LINES = 200;
const GLIMPSE_MS = 5_000;

const makeSmall = (text, label, onclick) => h("button", { type: "button", class: "link mute", "aria-label": label, onclick }, text);

export class Talk {
  #unread = 0;
  #timer = null; // of the glimpse
  #muted = new Set(); // names whose chat is not shown, until the page is loaded again

  /** *onSay* gets `{text}` or `{preset}`; *onUnread* the number of unread lines of chat. */
  constructor(root, { onSay, onUnread, onClose }) {
    Object.assign(this, { root, onUnread });
    this.glimpse = h("button", { type: "button", class: "glimpse", tabindex: "-1", "aria-hidden": "true", hidden: true, onclick: () => this.toggle(true) });
    this.lines = h("ol", {});
    this.text = h("input", { id: "say-text", name: "say", autocomplete: "off", maxlength: 200, placeholder: "Say something" });
    this.problem = h("p", { class: "problem", role: "alert" });
    const form = h("form", { class: "row" }, h("label", { for: "say-text", class: "visually-hidden" }, "Say something"), this.text,
      h("button", { type: "submit" }, "Say"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.text.value.trim();
      if (text) onSay({ text });
      this.text.value = "";
    });
    root.replaceChildren(
      h("header", { class: "row" }, h("h2", { class: "grow" }, "Table talk"),
        h("button", { type: "button", class: "close", "aria-label": "Close table talk", onclick: onClose }, "✕")),
      h("div", { class: "lines", tabindex: "0", role: "group", "aria-label": "Table talk" }, this.lines), this.problem,
      h("div", { class: "sayings" }, ...Object.entries(SAYINGS).map(([preset, words]) =>
        h("button", { type: "button", class: "small", onclick: () => onSay({ preset }) }, words))),
      form);
  }

  get isOpen() {
    return !this.root.hidden;
  }

  toggle(open = !this.isOpen) {
    this.root.hidden = !open;
    this.glimpse.hidden = true;
    if (open) this.#count(0);
  }

  /** Open it with the line to type in at hand. */
  enter() {
    this.toggle(true);
    this.text.focus();
  }

  clear() {
    this.lines.replaceChildren();
    this.#count(0);
  }

  say(problem) {
    setText(this.problem, problem);
  }

  /** A line of chat, unless *name* is muted; tells whether. Both are strangers' text and are shown as text. */
  addChat(name, words, { isMine }) {
    if (this.#muted.has(name)) return false;
    const mute = isMine ? null : makeSmall("Mute", `Mute ${name}`, () => this.#mute(name));
    this.#add(h("li", { class: "chat" }, h("bdi", {}, name), " ", h("bdi", {}, words), mute));
    if (!this.isOpen) this.#count(this.#unread + 1);
    this.#glimpse(h("b", {}, h("bdi", {}, name)), " ", h("bdi", {}, words));
    return true;
  }

  /** While the drawer is shut a line is seen for a moment all the same; it is said elsewhere to those who listen. */
  #glimpse(...line) {
    if (this.isOpen) return;
    clearTimeout(this.#timer);
    this.glimpse.replaceChildren(h("span", {}, ...line));
    this.glimpse.hidden = false;
    this.#timer = setTimeout(() => (this.glimpse.hidden = true), GLIMPSE_MS);
  }

  /** Show no more of *name*'s chat; what happens in the game is still told. */
  #mute(name) {
    this.#muted.add(name);
    const line = h("li", { class: "muted" }, h("bdi", {}, name), " is muted.", makeSmall("Undo", `Hear ${name} again`, () => {
      this.#muted.delete(name);
      line.remove();
    }));
    this.#add(line);
    line.querySelector("button").focus();
  }

  /** A line of what happened; of *people* who come, go or do not act, rather than of cards. */
  addEvent(sentence, { people }) {
    const line = h("li", { class: "event" });
    setRich(line, sentence);
    this.#add(line);
    if (people) this.#glimpse(sentence);
  }

  #add(line) {
    this.lines.append(line);
    if (this.lines.childElementCount > MOST_LINES) this.lines.firstChild.remove();
  }

  #count(unread) {
    this.#unread = unread;
    this.onUnread(unread);
  }
}
