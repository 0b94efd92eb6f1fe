// The rules of a table on a sheet of their own, with a word where they differ from the standard game.

import { h } from "./dom.js";
import { rulesByTopic } from "./rules.js";
import { presetName } from "./words.js";

/** Fill and open *dialog* with the rules of the table of *info*; *onCheck* checks a finished game's deals, or is null. */
export function showRules(dialog, info, { onCheck }) {
  const topics = rulesByTopic(info.rules);
  const differ = topics.flatMap(([, rules]) => rules).filter(({ differs }) => differs).length;
  dialog.replaceChildren(
    h("h2", { id: "rules-title", tabindex: "-1", autofocus: true }, "Rules of this table"),
    h("p", { class: "quiet" }, `${presetName(info.preset)}: ${differenceWords(differ)}`),
    ...topics.filter(([, rules]) => rules.length).flatMap(([topic, rules]) => [
      h("h3", {}, topic), h("ul", { class: "rule-list" }, ...rules.map(ruleItem)),
    ]),
    h("form", { method: "dialog", class: "row" },
      h("button", { class: "primary" }, "Close"),
      onCheck && h("button", { type: "button", onclick: () => { dialog.close(); onCheck(); } }, "Check the deals")));
  dialog.showModal();
}

function differenceWords(count) {
  if (count === 0) return "all as in the standard game.";
  return `${count === 1 ? "one rule differs" : `${count} rules differ`} from the standard game, marked ≠.`;
}

function ruleItem({ text, differs }) {
  if (!differs) return h("li", {}, text);
  return h("li", { class: "differs" }, h("span", { class: "sign", "aria-hidden": "true" }, "≠"), text, " ", h("small", {}, "(not standard)"));
}
