// How long the seat to act has, from a prompt and the monotonic time it came. Pure.

const HURRY_MS = 10_000;

/** `{text, bank, hurry, left_s}` for *prompt* at *now*, or null where no clock runs; `bank` is what comes after `text`. */
export function readClock(prompt, now) {
  if (!prompt || prompt.left_ms === null || prompt.left_ms === undefined) return null;
  const gone = now - prompt.at;
  const bank = prompt.bank_ms ?? 0;
  const own = Math.max(0, prompt.left_ms - gone);
  const banked = Math.max(0, Math.min(bank, prompt.left_ms + bank - gone));
  const total = own + banked;
  const hurry = total <= HURRY_MS;
  const text = hurry ? `hurry: ${seconds(total)}` : own > 0 ? seconds(own) : `bank ${seconds(banked)}`;
  const later = !hurry && own > 0 && banked > 0;
  return { text, bank: later ? `bank ${seconds(banked)}` : "", hurry, left_s: Math.ceil(total / 1000) };
}

const seconds = (ms) => `${Math.ceil(ms / 1000)} s`;
