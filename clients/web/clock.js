// How long the seat to act has, from a prompt and the monotonic time it came. Pure.

const HURRY_MS = 10_000;

/** `{text, hurry, left_s}` for *prompt* at *now*, or null where no clock runs. */
export function readClock(prompt, now) {
  if (!prompt || prompt.left_ms === null || prompt.left_ms === undefined) return null;
  const gone = now - prompt.at;
  const bank = prompt.bank_ms ?? 0;
  const own = Math.max(0, prompt.left_ms - gone);
  const banked = Math.max(0, Math.min(bank, prompt.left_ms + bank - gone));
  const total = own + banked;
  const hurry = total <= HURRY_MS;
  const text = own > 0 ? `${seconds(own)}${banked ? ` · bank ${seconds(banked)}` : ""}` : `bank ${seconds(banked)}`;
  return { text: hurry ? `hurry: ${seconds(total)}` : text, hurry, left_s: Math.ceil(total / 1000) };
}

const seconds = (ms) => `${Math.ceil(ms / 1000)} s`;
