// A restart that the server announced: when it comes, and in words that change seldom enough to be read out. Pure.

const MINUTE_MS = 60_000;

/** What a person is told *leftMs* before a restart at *clock*, a time of day. */
export function restartWords(clock, leftMs) {
  const tens = Math.ceil(leftMs / 10_000) * 10;
  const left = leftMs > MINUTE_MS ? `in ${Math.ceil(leftMs / MINUTE_MS)} min` : leftMs > 0 ? `in ${tens} s` : "any moment now";
  return `The server restarts at ${clock} (${left}); your game goes on afterwards.`;
}

/** How near it is: who put the notice away sees it once more when the last minute begins. */
export const nearness = (leftMs) => (leftMs > MINUTE_MS ? 1 : 2);
