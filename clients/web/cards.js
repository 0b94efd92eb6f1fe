// What a card is: names, order and effective suit. Pure; the server decides what is legal, this only sorts and explains.

export const SUITS = ["s", "h", "d", "c"];
export const SUIT_SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
export const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs", n: "no trump", l: "low no trump" };
const SUIT_NOUNS = { s: "spade", h: "heart", d: "diamond", c: "club" };
const RANK_NAMES = { 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SAME_COLOUR = { s: "c", c: "s", h: "d", d: "h" };
const PLAIN_ORDER = "789TJQKA";
export const BENNY = "Bj";

export const rankOf = (card) => card[0];
export const suitOf = (card) => card[1];
export const isSuit = (trump) => trump !== null && trump in SAME_COLOUR;
export const suitNoun = (suit) => SUIT_NOUNS[suit];

/** The suit that ordering *card* up makes trump; a Benny that may be ordered counts as a spade (R-BID-7). */
export const suitOrdered = (card) => (card === BENNY ? "s" : suitOf(card));

export const isRightBower = (card, trump) => isSuit(trump) && card === `J${trump}`;
export const isLeftBower = (card, trump) => isSuit(trump) && card === `J${SAME_COLOUR[trump]}`;

/** The suit *card* follows: the left bower is a trump (R-CARD-1), the Benny one too, or of no suit in no trump (R-CARD-4). */
export function effectiveSuit(card, trump) {
  if (card === BENNY) return isSuit(trump) ? trump : "j";
  return isLeftBower(card, trump) ? trump : suitOf(card);
}

/** Where *card* stands within its effective suit; higher wins (R-CARD-2, R-CARD-3). */
export function rankWithin(card, trump) {
  if (card === BENNY) return 103;
  if (isRightBower(card, trump)) return 102;
  if (isLeftBower(card, trump)) return 101;
  const place = PLAIN_ORDER.indexOf(rankOf(card));
  return trump === "l" ? -place : place;
}

/** A hand as one holds it: trump first, then suits of alternating colours where the hand allows, high to low. */
export function sortHand(cards, trump) {
  const held = [...new Set(cards.map((card) => effectiveSuit(card, trump)))];
  const order = suitOrder(held, trump);
  return [...cards].sort((one, other) => {
    const [a, b] = [effectiveSuit(one, trump), effectiveSuit(other, trump)];
    return a === b ? rankWithin(other, trump) - rankWithin(one, trump) : order.indexOf(a) - order.indexOf(b);
  });
}

const isRed = (suit) => suit === "h" || suit === "d";

function suitOrder(held, trump) {
  const first = held.filter((suit) => suit === trump || suit === "j");
  const black = ["s", "c"].filter((suit) => held.includes(suit) && suit !== trump);
  const red = ["h", "d"].filter((suit) => held.includes(suit) && suit !== trump);
  // The colour with more suits left starts, unless trump is of that colour and both have as many.
  let redNext = red.length === black.length ? !(isSuit(trump) && held.includes(trump) && isRed(trump)) : red.length > black.length;
  const order = [...first];
  while (red.length || black.length) {
    const from = (redNext && red.length) || !black.length ? red : black;
    order.push(from.shift());
    redNext = from === black;
  }
  return order;
}

/** `J♥`, as sentences write it; `speak` in words.js turns it into "jack of hearts". */
export function shortCard(card) {
  if (card === BENNY) return "the Benny";
  return `${rankSign(card)}${SUIT_SIGNS[suitOf(card)]}`;
}

export const rankSign = (card) => (rankOf(card) === "T" ? "10" : rankOf(card));

export function cardName(card) {
  return card === BENNY ? "the Benny" : `${RANK_NAMES[rankOf(card)]} of ${SUIT_NAMES[suitOf(card)]}`;
}

/** `hearts`, `♥ hearts` in text that shows a sign, `no trump`. */
export const trumpSign = (trump) => (isSuit(trump) ? `${SUIT_SIGNS[trump]} ${SUIT_NAMES[trump]}` : SUIT_NAMES[trump]);
