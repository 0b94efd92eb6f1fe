// How a card looks: an SVG face with a big corner index, or a back that says nothing of the card.

import { BENNY, rankOf, rankSign, suitOf } from "./cards.js";
import { EMBLEMS, SUIT_PATHS, svg } from "./suits.js";

const PIPS = {
  7: [[39, 36], [61, 36], [39, 70], [61, 70], [39, 104], [61, 104], [50, 53]],
  8: [[39, 36], [61, 36], [39, 70], [61, 70], [39, 104], [61, 104], [50, 53], [50, 87]],
  9: [[39, 28], [61, 28], [39, 56], [61, 56], [39, 84], [61, 84], [39, 112], [61, 112], [50, 70]],
  T: [[39, 28], [61, 28], [39, 56], [61, 56], [39, 84], [61, 84], [39, 112], [61, 112], [50, 42], [50, 98]],
};

const NARROW = { textLength: 22, lengthAdjust: "spacingAndGlyphs" }; // a ten has two digits, whatever the font

const glyph = (suit, x, y, size, turned = false) =>
  svg("path", {
    class: "glyph", d: SUIT_PATHS[suit],
    transform: `translate(${x - size / 2} ${y - size / 2}) scale(${size / 100})${turned ? " rotate(180 50 50)" : ""}`,
  });

function index(rank, suit, letter) {
  return [
    svg("text", { class: "rank", x: 14.5, y: 28, "text-anchor": "middle", ...(rank.length > 1 ? NARROW : {}) }, rank),
    glyph(suit, 14.5, 42, 17),
    svg("text", { class: "letter", x: 14.5, y: 66, "text-anchor": "middle" }, letter),
  ];
}

function court(rank, suit) {
  const half = () => [
    svg("path", { class: "emblem", d: EMBLEMS[rank], transform: "translate(34.400 19) scale(.65)" }),
  ];
  return [
    svg("rect", { class: "frame", x: 29, y: 13, width: 42, height: 114, rx: 5 }),
    svg("path", { class: "tint", d: "M29 70V18a5 5 0 0 1 5-5h32a5 5 0 0 1 5 5v52Z" }),
    ...half(),
    svg("g", { transform: "rotate(180 50 70)" }, ...half()),
    glyph(suit, 50, 70, 32),
  ];
}

function middle(rank, suit) {
  if (rank === "A") return [svg("circle", { class: "halo", cx: 50, cy: 70, r: 30 }), glyph(suit, 50, 70, 42)];
  if (rank in PIPS) return PIPS[rank].map(([x, y]) => glyph(suit, x, y, 17.5, y > 71));
  return court(rank, suit);
}

/** The face of *card*; what it is called is for whoever holds the drawing to say. */
export function cardFace(card) {
  const suit = card === BENNY ? "j" : suitOf(card);
  const rank = card === BENNY ? "B" : rankSign(card);
  const corner = () => index(rank, suit, card === BENNY ? "" : suit.toUpperCase());
  const inner = card === BENNY ? [glyph("j", 50, 70, 60)] : middle(rankOf(card), suit);
  return svg("svg", { class: `face ink-${suit}`, viewBox: "0 0 100 140", "aria-hidden": "true" },
    ...inner, ...corner(), svg("g", { transform: "rotate(180 50 70)" }, ...corner()));
}

/** A face-down card: the same for every card there is. */
export function cardBack() {
  const back = document.createElement("span");
  back.className = "card back";
  return back;
}
