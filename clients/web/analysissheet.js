// The sheet that looks at a finished game decision by decision, hand after hand as the server's bots come to it.

import { shortCard, sortHand } from "./cards.js";
import { h, rich, setText } from "./dom.js";
import { refusalWords } from "./words.js";
import { actionWords, judged, summed, worthWords } from "./worths.js";

export class AnalysisSheet {
  #run = 0; // counts openings, so that what an earlier one asked for is not shown in a later one

  /** *ask* sends a command and gives its answer. */
  constructor(dialog, { ask }) {
    Object.assign(this, { dialog, ask });
    this.state = h("p", { class: "verdict", role: "status" });
    this.bar = h("progress", { "aria-label": "Hands looked at" });
    this.sums = h("div", {});
    this.hands = h("div", { class: "looked" });
    dialog.replaceChildren(
      h("h2", { id: "analysis-title", tabindex: "-1", autofocus: true }, "How it was played"),
      h("p", {}, "A search went over every decision, knowing no more than that player did. What a decision cost is in points; "
        + "where the search is not sure of a difference, nothing is counted."),
      this.state, this.bar, this.sums, this.hands,
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary" }, "Close")));
    dialog.addEventListener("close", () => (this.#run += 1));
  }

  /** Look at the latest finished game of *table*, with *names* for its seats. */
  async open(table, names) {
    const run = (this.#run += 1);
    this.sums.replaceChildren();
    this.hands.replaceChildren();
    this.bar.hidden = false;
    this.bar.removeAttribute("value");
    setText(this.state, "Looking at the first hand…");
    this.dialog.showModal();
    const decisions = [];
    let [luck, hands, game] = [0, 1, undefined];
    for (let hand = 1; hand <= hands; hand += 1) {
      const reply = await this.ask({ t: "analyse", table, game, hand });
      if (run !== this.#run) return;
      if (reply.t === "refused") {
        this.bar.hidden = true;
        setText(this.state, refusalWords(reply));
        return;
      }
      ({ hands, game } = reply);
      luck += reply.luck;
      const looked = reply.decisions.map((decision) => ({ ...judged(decision), hand }));
      decisions.push(...looked);
      this.bar.max = hands;
      this.bar.value = hand;
      setText(this.state, hand < hands ? `${hand} of ${hands} hands…` : `${hands} hands, ${decisions.length} decisions.`);
      this.sums.replaceChildren(...sumsContent(summed(decisions), luck, names));
      this.hands.append(handContent(hand, looked, names));
    }
    this.bar.hidden = true;
  }
}

function sumsContent({ seats, worst }, luck, names) {
  const row = ({ seat, cost, mistakes, decisions }) => h("tr", {}, h("th", { scope: "row" }, names.subject(seat)),
    h("td", {}, cost.toFixed(2)), h("td", {}, `${mistakes} of ${decisions}`));
  const mine = names.me ?? 0;
  const ours = mine % 2 === 0 ? luck : -luck;
  const us = names.me === null ? names.team(0) : "your side";
  return [
    h("table", { class: "costs" }, h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "points lost"),
      h("th", { scope: "col" }, "decisions that cost"))), h("tbody", {}, ...seats.map(row))),
    h("p", {}, luckWords(ours, us)),
    worst.length ? h("h3", {}, "The costliest decisions") : null,
    worst.length ? h("ol", { class: "checked" }, ...worst.map((decision) => decisionLine(decision, names, `Hand ${decision.hand}, `))) : null,
  ].filter(Boolean);
}

function luckWords(points, us) {
  if (points === 0) return `The cards brought ${us} as much as average ones.`;
  const count = Math.abs(points);
  return `The cards brought ${us} ${count} ${count === 1 ? "point" : "points"} ${points < 0 ? "less" : "more"} than average ones.`;
}

function handContent(hand, decisions, names) {
  const cost = decisions.reduce((sum, decision) => sum + decision.cost, 0);
  return h("details", {}, h("summary", {}, `Hand ${hand}: ${cost > 0 ? `${cost.toFixed(2)} points lost` : "nothing lost"}`),
    h("ol", { class: "checked" }, ...decisions.map((decision) => decisionLine(decision, names))));
}

function decisionLine({ seat, cards, played, best, cost }, names, where = "") {
  const did = `${where}${where ? names.object(seat) : names.subject(seat)}: ${actionWords(played)}`;
  if (cost === 0) return h("li", { class: "fair" }, ...rich(did), best ? ` ✓ (${worthWords(best)})` : "");
  return h("li", { class: "doubtful" }, ...rich(did), " ", h("b", {}, `−${cost.toFixed(2)}`),
    ...rich(`; better ${actionWords(best.action)} (${worthWords(best)})`),
    h("small", { class: "held-then" }, ...rich(`holding ${sortHand(cards, null).map(shortCard).join(" ")}`)));
}
