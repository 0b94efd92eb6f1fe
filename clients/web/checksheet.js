// The sheet that checks a finished game's deals: the record of a table's last game, or of a file.

import { EXPLAINED, MOST_BYTES, canCheck, checkRecord } from "./check.js";
import { h, setText } from "./dom.js";
import { refusalWords } from "./words.js";

const MARKS = { fair: "✓ fair", not_committed: "? unknown", not_revealed: "? unknown" };

export class CheckSheet {
  #table = null;
  #file = null; // { name, url } of the record on the sheet, to be saved

  /** *ask* sends a command and gives its answer. */
  constructor(dialog, { ask }) {
    Object.assign(this, { dialog, ask });
    this.load = h("button", { type: "button", class: "primary", onclick: () => this.#loadGame() }, "The last game of this table");
    this.file = h("input", { id: "check-file", type: "file", accept: ".jsonl,.json,.txt" });
    this.file.addEventListener("change", () => this.file.files[0] && this.#loadFile(this.file.files[0]));
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.hands = h("ol", { class: "checked" });
    this.save = h("button", { type: "button", hidden: true, onclick: () => this.#save() }, "Save the record");
    dialog.replaceChildren(
      h("h2", { id: "check-title", tabindex: "-1", autofocus: true }, "Check the deals"),
      h("p", {}, "Before each deal the server fixed a secret and showed its fingerprint; after the hand it showed the secret. "
        + "Here your browser deals every hand again and compares."),
      h("div", { class: "row record" }, this.load,
        h("div", { class: "field grow" }, h("label", { for: "check-file" }, "Or a record you kept"), this.file)),
      this.verdict, this.hands,
      h("form", { method: "dialog", class: "row" }, h("button", { class: "primary" }, "Close"), this.save));
  }

  /** Open it for the latest finished game of *table*, or with null for a file. */
  open(table) {
    this.#table = table;
    this.load.hidden = table === null;
    this.file.value = "";
    this.#clear(canCheck() ? "" : "This browser checks only on a page loaded over https, or from the same computer.");
    this.dialog.showModal();
    if (table !== null && canCheck()) this.#loadGame();
  }

  #clear(words) {
    if (this.#file) URL.revokeObjectURL(this.#file.url);
    this.#file = null;
    this.save.hidden = true;
    this.hands.replaceChildren();
    setText(this.verdict, words);
  }

  async #loadGame() {
    this.#clear("Loading the record…");
    const reply = await this.ask({ t: "game", table: this.#table });
    if (reply.t === "refused") this.#clear(refusalWords(reply));
    else await this.#check(reply.lines, `${reply.game}.jsonl`);
  }

  async #loadFile(file) {
    if (file.size > MOST_BYTES) {
      this.#clear("That file is too long for a record.");
      return;
    }
    this.#clear("Reading the file…");
    await this.#check((await file.text()).split(/\r?\n/), file.name);
  }

  async #check(lines, name) {
    if (!canCheck()) return;
    setText(this.verdict, "Dealing every hand again…");
    const found = await checkRecord(lines);
    this.#clear(verdictWords(found));
    this.hands.replaceChildren(...found.checks.map(({ hand, verdict }) => h("li", { class: verdict === "fair" ? "fair" : "doubtful" },
      `Hand ${hand}: `, h("b", {}, MARKS[verdict] ?? "✗ wrong"), ` – ${EXPLAINED[verdict]}.`)));
    this.#file = { name, url: URL.createObjectURL(new Blob([`${lines.filter(Boolean).join("\n")}\n`], { type: "application/x-ndjson" })) };
    this.save.hidden = false;
  }

  #save() {
    h("a", { href: this.#file.url, download: this.#file.name }).click();
  }
}

/** What the whole check came to, in a sentence. */
export function verdictWords({ checks, problem }) {
  if (problem) return `The record cannot be followed at ${problem.message}.`;
  if (checks.length === 0) return "The record has no deal.";
  const wrong = checks.filter(({ verdict }) => verdict.startsWith("wrong")).length;
  if (wrong) return wrong === 1 ? "One deal is not as it was committed to." : `${wrong} deals are not as they were committed to.`;
  const unknown = checks.filter(({ verdict }) => verdict !== "fair").length;
  if (unknown) return unknown === 1 ? "One deal cannot be checked." : `${unknown} deals cannot be checked.`;
  return checks.length === 1 ? "The one deal is fair." : `All ${checks.length} deals are fair.`;
}
