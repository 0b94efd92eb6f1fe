// What to do when the connection closes, by its code. Pure.

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const RATE_LIMIT_WAIT_MS = 5_000;

const REPLACED = 4001;
const TOKEN_REFUSED = 4002;
const TOO_SLOW = 4008;
const RATE_LIMIT = 4009;
const TOKEN_RENEWED = 4010;
const DRAINING = 4011;
// The server ended it, this page sent too much, or the two do not understand each other: trying again would not help.
const FINAL = new Set([1000, 1002, 1003, 1007, 1008, 1009, 1010]);
const OURS_TO_RETRY = new Set([TOKEN_REFUSED, TOO_SLOW, RATE_LIMIT, DRAINING]);

/** Doubling waits, each between half and all of its length so that a crowd does not come back at once. */
export function backOff(attempt, random) {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (1 - random / 2);
}

/**
 * `retry`: connect again after `wait_ms`. `fresh`: the same, without the token. `stop`: only the person may go on, and
 * `why` is `replaced`, `renewed` or `protocol`. *retryMs* is what a drain notice asked for; *random* is in [0, 1).
 */
export function adviceFor(code, { attempt, retryMs = null, random }) {
  if (code === REPLACED) return { what: "stop", why: "replaced" };
  if (code === TOKEN_RENEWED) return { what: "stop", why: "renewed" };
  if (FINAL.has(code) || (code >= 4000 && !OURS_TO_RETRY.has(code))) return { what: "stop", why: "protocol" };
  const least = code === RATE_LIMIT ? RATE_LIMIT_WAIT_MS : (retryMs ?? 0);
  return { what: code === TOKEN_REFUSED ? "fresh" : "retry", wait_ms: least + backOff(attempt, random) };
}
