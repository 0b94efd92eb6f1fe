// The suit signs and court emblems, drawn by us so that fonts don't matter.

const SVG = "http://www.w3.org/2000/svg";

export const SUIT_PATHS = {
  h: "M50 92C18 66 5 50 5 31 5 17 16 7 28 7c9 0 17 5 22 14C55 12 63 7 72 7c12 0 23 10 23 24 0 19-13 35-45 61Z",
  d: "M50 3Q67 30 88 50 67 70 50 97 33 70 12 50 33 30 50 3Z",
  s: "M50 5c9 18 43 34 43 57 0 13-9 21-20 21-8 0-15-4-19-11 1 10 4 18 11 23H35c7-5 10-13 11-23-4 7-11 11-19 11C16 83 7 75 7 62 7 39 41 23 50 5Z",
  c: "M50 5a21 21 0 0 1 16 34.600A21 21 0 1 1 54 71c1 11 4 19 11 24H35c7-5 10-13 11-24A21 21 0 1 1 34 39.600 21 21 0 0 1 50 5Z",
  j: "M50 4l13 30 33 3-25 22 8 33-29-18-29 18 8-33L4 37l33-3Z",
};

export const EMBLEMS = {
  K: "M6 40 2 14l12 10L24 4l10 20 12-10-4 26ZM6 44h36v6H6ZM24 0v8M20 4h8",
  Q: "M8 40C8 30 4 24 2 16c6 2 9 5 12 9 1-7 5-12 10-17 5 5 9 10 10 17 3-4 6-7 12-9-2 8-6 14-6 24ZM8 44h32v6H8Z",
  J: "M24 2l5 3h15v19c0 13-10 21-20 26C14 45 4 37 4 24V5h15ZM4 18l20 12 20-12v8L24 38 4 26Z",
};

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A small suit sign for running text; *silent* where the words beside it name the suit. */
export function suitIcon(suit, { silent = false } = {}) {
  const label = silent ? { "aria-hidden": "true" } : { role: "img", "aria-label": SUIT_LABELS[suit] };
  return svg("svg", { class: `suit suit-${suit}`, viewBox: "0 0 100 100", ...label }, svg("path", { d: SUIT_PATHS[suit] }));
}

const SUIT_LABELS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs", j: "Benny" };
