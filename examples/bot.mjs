// A bot in JavaScript: plays the first card that wins, else the lowest it may; calls with three trumps or more.
// One JSON object a line comes in, one element of its "legal" goes out. Run it with: euchre bot run --stdio 'node bot.mjs'
import { createInterface } from "node:readline";

const RANKS = "789TJQKA";
const SAME_COLOUR = { s: "c", c: "s", h: "d", d: "h" };

const isLeft = (card, trump) => card[0] === "J" && SAME_COLOUR[trump] === card[1];
const isBenny = (card) => card === "Bj";
const suitOf = (card, trump) => (isLeft(card, trump) || isBenny(card) ? trump : card[1]);

function strength(card, trump, led) {
  if (isBenny(card)) return 300;
  if (card[0] === "J" && card[1] === trump) return 299;
  if (isLeft(card, trump)) return 298;
  const rank = trump === "l" ? -RANKS.indexOf(card[0]) : RANKS.indexOf(card[0]);
  if (card[1] === trump) return 200 + rank;
  return (card[1] === led ? 100 : 0) + rank;
}

const card = (action) => action.split(" ")[1];

function bid({ hand, upcard, legal }) {
  const trumps = (trump) => hand.filter((held) => suitOf(held, trump) === trump).length;
  for (const action of legal) {
    const trump = action === "order" ? upcard[1] : /^call [shdc]$/.test(action) ? action[5] : null;
    if (trump !== null && trumps(trump) >= 3) return action;
  }
  return legal.find((action) => action === "pass") ?? legal.find((action) => !action.includes("alone"));
}

function play({ legal, plays, trump }) {
  const trick = plays.at(-1);
  const led = trick.length ? suitOf(trick[0][1], trump) : null;
  const worth = (action) => strength(card(action), trump, led);
  const lowestFirst = legal.filter((action) => action.startsWith("play ")).sort((a, b) => worth(a) - worth(b));
  if (led === null) return lowestFirst.at(-1);
  const toBeat = Math.max(...trick.map(([, played]) => strength(played, trump, led)));
  return lowestFirst.find((action) => worth(action) > toBeat) ?? lowestFirst[0];
}

function decide(seen) {
  switch (seen.phase) {
    case "bid1":
    case "bid2":
      return bid(seen);
    case "play":
      return play(seen);
    default: // a discard, a card to give, a window: the last one legal is as good as any
      return seen.legal.at(-1);
  }
}

createInterface({ input: process.stdin }).on("line", (line) => console.log(decide(JSON.parse(line))));
