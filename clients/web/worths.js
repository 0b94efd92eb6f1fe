// What actions are worth, as a search sees it: words for a hint, and sums over the decisions of a game.

import { shortCard } from "./cards.js";
import { cardOfAction } from "./choices.js";
import { callWords } from "./words.js";

const ERRORS_THAT_COUNT = 2;
const LEAST_COST = 0.005;
const WORST_TOLD = 3;

/** *text*, an action's, as people read it. */
export function actionWords(text) {
  const card = cardOfAction(text);
  if (card) return shortCard(card);
  return text === "claim" ? "Claim the rest" : callWords(text);
}

const signed = (points) => `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(2)}`;

export const worthWords = ({ points, error }) => `${signed(points)} ± ${error.toFixed(2)}`;

export const bestFirst = (worths) => [...worths].sort((a, b) => b.points - a.points);

/** A decision with what it cost, in points: 0 where the difference is within its error or was not judged. */
export function judged(decision) {
  const played = decision.worths.find(({ action }) => action === decision.played);
  const [first] = bestFirst(decision.worths);
  const best = played && first && played.points >= first.points ? played : first ?? null;
  if (!played) return { ...decision, best, cost: 0 };
  const lost = best.points - played.points;
  const counts = lost > Math.max(LEAST_COST, ERRORS_THAT_COUNT * Math.hypot(best.error, played.error));
  return { ...decision, best, cost: counts ? lost : 0 };
}

/** What all *decisions*, judged, come to: by seat what they cost and how many did, and the dearest three. */
export function summed(decisions) {
  const seats = [0, 1, 2, 3].map((seat) => {
    const mine = decisions.filter((decision) => decision.seat === seat);
    const mistakes = mine.filter(({ cost }) => cost > 0);
    return { seat, cost: mistakes.reduce((sum, { cost }) => sum + cost, 0), mistakes: mistakes.length, decisions: mine.length };
  });
  const worst = decisions.filter(({ cost }) => cost > 0).sort((a, b) => b.cost - a.cost || a.n - b.n).slice(0, WORST_TOLD);
  return { seats, worst };
}
