// Single keys at the table. Keys typed into a field, or with a modifier, are left alone.

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Listen for keys on *target*; *table* is a TableScreen, *app* tells which screen is up. */
export function listenForKeys(target, table, app) {
  target.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || app.isDialogOpen() || !app.isAtTable()) return;
    if (event.key === "Escape") {
      if (table.dismiss()) event.preventDefault();
      return;
    }
    if (isTyping(event.target)) return;
    if (press(event, table, app)) event.preventDefault();
  });
}

const isTyping = (element) => element.matches("input, select, textarea") || element.isContentEditable;

/** Do what the key says; tells whether it said anything. */
function press({ key, target }, table, app) {
  if (key in STEPS) return step(table, STEPS[key]);
  if (key === " " && target === document.body && table.trick.isHolding) {
    table.trick.release();
    return true;
  }
  if (key === "?") {
    app.openHelp();
    return true;
  }
  if (!app.settings.get("keys")) return false;
  const letter = key.toLowerCase();
  const isForCards = table.hand.choosing || table.choices.shown.length === 0;
  if (/^[1-6]$/.test(key) && isForCards) {
    table.hand.takeNth(Number(key) - 1);
    return true;
  }
  if (table.choices.shown.length > 0 && table.choices.press(letter)) return true;
  const looks = { l: () => table.showLastTrick(), h: () => table.showLastHand(), t: () => app.talk.enter(), i: () => table.showHint() };
  looks[letter]?.();
  return letter in looks;
}

function step(table, by) {
  const { stops } = table;
  if (stops.length === 0) return false;
  const at = stops.indexOf(document.activeElement);
  stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : (at + by + stops.length) % stops.length].focus();
  return true;
}
