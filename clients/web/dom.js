// Making and updating elements. Text always goes in as text, never as markup.

import { suitIcon } from "./suits.js";

/** `h("button", {class: "x", onclick: f, "aria-label": "y"}, "text", child)`; null and false children are left out. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set or, for null, remove an attribute. */
export function setAttribute(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Show *text* with the suit signs in it drawn, so that they look alike whatever the fonts. */
export function setRich(element, text) {
  if (element.dataset.rich === text) return;
  element.dataset.rich = text;
  element.replaceChildren(...rich(text));
}

const SIGN_SUITS = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };

export function rich(text) {
  const parts = text.split(/([♠♥♦♣])/);
  const named = (after) => /^ (spades|hearts|diamonds|clubs)/.test(after); // then the sign need not be read out too
  return parts.map((part, at) => (part in SIGN_SUITS ? suitIcon(SIGN_SUITS[part], { silent: named(parts[at + 1]) }) : part)).filter(Boolean);
}

/**
 * Make *parent*'s children those of *items*, in order, keeping the element of a key that stays: focus and running
 * animations survive an update.
 */
export function reconcile(parent, items, keyOf, create, update = () => {}) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const children = items.map((item, at) => {
    const key = String(keyOf(item));
    const child = old.get(key) ?? create(item);
    child.dataset.key = key;
    update(child, item, at);
    old.delete(key);
    return child;
  });
  for (const child of old.values()) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}
