// The check of a finished game's deals, from its record alone (protocol/PROTOCOL.md, "The fair deal"). Pure but for
// WebCrypto. It deals every hand again; whether each card was legally played is not looked at here.

export const MOST_BYTES = 4_000_000;
const MOST_LINE_CHARS = 16_384;
const SEATS = 4;
const BYTE_VALUES = 256;
const RANKS = "789TJQKA";
const CARD = /^(?:[789TJQKA][shdc]|Bj)+$/;
const SECRET = /^[0-9a-f]{64}$/i;
const KINDS = ["deal", "do", "reveal", "result"];

export const EXPLAINED = {
  fair: "the deck is the one the commitment fixed",
  not_committed: "no commitment was published before the deal",
  not_revealed: "the secret was not revealed",
  wrong_secret: "the secret revealed is not the one committed to",
  wrong_deck: "the secret gives another deck",
  wrong_dealer: "the secret gives another first dealer",
};

/** A record that cannot be followed: *n* is the entry at fault, 0 for the header. */
export class RecordProblem extends Error {
  constructor(n, code, detail) {
    super(n ? `entry ${n}: ${detail}` : `header: ${detail}`);
    Object.assign(this, { n, code });
  }
}

/** May this page use the browser's cryptography? Only over https, or from this computer itself. */
export const canCheck = () => Boolean(globalThis.crypto?.subtle);

// ── the fair shuffle ────────────────────────────────────────────────────────────────────────────────────────────────

const utf8 = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));

export async function commitment(secret) {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", secret)));
}

/** The pack in its order: suits s h d c, each from the lowest rank up, a Benny last. */
export function makePack(lowRank, jokers) {
  const ranks = [...RANKS.slice(RANKS.indexOf(String(lowRank)))];
  return [...[..."shdc"].flatMap((suit) => ranks.map((rank) => rank + suit)), ...(jokers ? ["Bj"] : [])];
}

function contextOf(game, hand, texts) {
  const parts = [game, String(hand), ...texts].map(utf8);
  return parts.flatMap((part) => [part.length >> 8, part.length & 255, ...part]);
}

/** Numbers drawn from *secret* and *context*: each call of the function returned gives one below its argument. */
async function drawer(secret, context) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  let counter = 0;
  let block = [];
  const nextByte = async () => {
    if (block.length === 0) {
      const number = [24, 16, 8, 0].map((bits) => (counter >>> bits) & 255);
      block = [...new Uint8Array(await crypto.subtle.sign("HMAC", key, Uint8Array.from([...context, ...number])))];
      counter += 1;
    }
    return block.shift();
  };
  return async (limit) => {
    const usable = BYTE_VALUES - (BYTE_VALUES % limit);
    let byte = await nextByte();
    while (byte >= usable) byte = await nextByte();
    return byte % limit;
  };
}

export async function shuffle(pack, { secret, game, hand, texts }) {
  const draw = await drawer(secret, contextOf(game, hand, texts));
  const deck = [...pack];
  for (let last = deck.length - 1; last > 0; last -= 1) {
    const chosen = await draw(last + 1);
    [deck[last], deck[chosen]] = [deck[chosen], deck[last]];
  }
  return deck;
}

export async function firstDealer({ secret, game }) {
  return (await drawer(secret, contextOf(game, 0, [])))(SEATS);
}

// ── a record ────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Check each deal of a record, given as its lines: `{ header, checks, problem }`, where a check is `{n, hand, verdict}` and
 * *problem*, a RecordProblem or null, says where the record could not be followed; the checks before it stand.
 */
export async function checkRecord(lines) {
  const [first, ...entries] = lines.filter((line) => line.trim());
  const found = { header: null, checks: [], problem: null };
  try {
    if (first === undefined) throw new RecordProblem(0, "bad_header", "the record is empty");
    found.header = readHeader(readObject(first, 0));
    await checkEntries(found, entries);
  } catch (problem) {
    if (!(problem instanceof RecordProblem)) throw problem;
    found.problem = problem;
  }
  return found;
}

async function checkEntries({ header, checks }, lines) {
  let { commit } = header;
  let open = null;
  let hands = 0;
  for (const [at, line] of lines.entries()) {
    const n = at + 1;
    const entry = readObject(line, n);
    if (entry.n !== n) throw new RecordProblem(n, "bad_number", `the entry after ${at} must have n ${n}`);
    if (KINDS.filter((kind) => kind in entry).length !== 1) throw new RecordProblem(n, "bad_entry", "that is no entry of a record");
    if ("deal" in entry) {
      if (open) checks.push(unrevealed(open));
      hands += 1;
      open = { n, ...readDeal(entry.deal, n, hands), commit };
      commit = textOrNull(entry, "commit", n, "bad_entry");
    } else if ("reveal" in entry) {
      if (!open) throw new RecordProblem(n, "bad_entry", "a secret is revealed, but no hand was dealt");
      checks.push({ n: open.n, hand: open.hand, verdict: await verdictOf(header, open, readReveal(entry.reveal, n)) });
      open = null;
    }
  }
  if (open) checks.push(unrevealed(open));
}

const unrevealed = ({ n, hand, commit }) => ({ n, hand, verdict: commit === null ? "not_committed" : "not_revealed" });

async function verdictOf({ game, pack }, { hand, dealer, deck, commit }, { secret, texts }) {
  if (commit === null) return "not_committed";
  if ((await commitment(secret)) !== commit) return "wrong_secret";
  if ((await shuffle(pack, { secret, game, hand, texts })).join("") !== deck) return "wrong_deck";
  return hand === 1 && (await firstDealer({ secret, game })) !== dealer ? "wrong_dealer" : "fair";
}

function readObject(line, n) {
  if (line.length > MOST_LINE_CHARS) throw new RecordProblem(n, "too_long", `a line may have ${MOST_LINE_CHARS} characters`);
  let value = null;
  try {
    value = JSON.parse(line);
  } catch {
    // No JSON: no object either.
  }
  if (!isObject(value)) throw new RecordProblem(n, "bad_json", "the line is no JSON object");
  return value;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function readHeader(plain) {
  if (plain.format !== "euchre/1") throw new RecordProblem(0, "bad_header", 'the first line must have "format": "euchre/1"');
  if (!isObject(plain.rules)) throw new RecordProblem(0, "bad_header", 'the first line must have the complete "rules"');
  const { low_rank: lowRank = 9, jokers = 0 } = plain.rules;
  if (![7, 8, 9].includes(lowRank) || ![0, 1].includes(jokers)) throw new RecordProblem(0, "bad_rules", "there is no such pack");
  return {
    game: textOrNull(plain, "game", 0, "bad_header") ?? "", commit: textOrNull(plain, "commit", 0, "bad_header"),
    pack: makePack(lowRank, jokers), players: Array.isArray(plain.players) ? plain.players : [],
  };
}

function textOrNull(plain, name, n, code) {
  const value = plain[name] ?? null;
  if (value !== null && typeof value !== "string") throw new RecordProblem(n, code, `"${name}" is text`);
  return value;
}

function readDeal(deal, n, expected) {
  const { hand, dealer, deck } = isObject(deal) ? deal : {};
  if (!Number.isInteger(hand) || !Number.isInteger(dealer) || typeof deck !== "string") {
    throw new RecordProblem(n, "bad_entry", "a deal has a hand, a dealer and a deck");
  }
  if (hand !== expected) throw new RecordProblem(n, "bad_deal", `the next hand is ${expected}, not ${hand}`);
  if (!CARD.test(deck)) throw new RecordProblem(n, "bad_card", "the deck is not written in cards");
  return { hand, dealer, deck };
}

function readReveal(reveal, n) {
  const { secret, entropy = ["", "", "", ""] } = isObject(reveal) ? reveal : {};
  const areTexts = Array.isArray(entropy) && entropy.length === SEATS && entropy.every((text) => typeof text === "string");
  if (typeof secret !== "string" || !SECRET.test(secret) || !areTexts) {
    throw new RecordProblem(n, "bad_entry", "a reveal has a secret of 32 bytes and the entropy of four seats");
  }
  return { secret: bytesOf(secret), texts: entropy };
}
