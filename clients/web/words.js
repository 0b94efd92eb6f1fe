// Sentences: what happened, what may be done, why not. Pure. Cards are written `J♥`; `speak` reads that out in words.

import {
  BENNY, SUITS, SUIT_NAMES, SUIT_SIGNS, cardName, effectiveSuit, isLeftBower, isSuit, shortCard, sortHand, suitNoun, suitOrdered, trumpSign,
} from "./cards.js";
import { partnerOf, teamOf } from "./fold.js";

const SIGNED_CARD = /(10|[789JQKA])([♠♥♦♣])/g;
const SIGN_THEN_NAME = /[♠♥♦♣] (?=spades|hearts|diamonds|clubs)/g;

/** *text* for a voice: "J♥" becomes "jack of hearts", "♥ hearts" becomes "hearts". */
export function speak(text) {
  return text
    .replace(SIGN_THEN_NAME, "")
    .replace(SIGNED_CARD, (_, rank, sign) => cardName(`${rank === "10" ? "T" : rank}${SUITS.find((suit) => SUIT_SIGNS[suit] === sign)}`))
    .replace(/[♠♥♦♣]/g, (sign) => SUIT_NAMES[SUITS.find((suit) => SUIT_SIGNS[suit] === sign)]);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** *name*, kept apart from the words around it where it runs from right to left. */
export const isolated = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

/** What a bot is called: a bot, its version and whose it is, as far as it has them. */
export const botWords = ({ version, owner }) => `bot${version ? ` ${version}` : ""}${owner ? ` by ${owner}` : ""}`;

/** The people of one table as one chair sees them; *me* is null for a watcher. */
export class Names {
  constructor(info, me) {
    Object.assign(this, { info, me });
  }

  of(seat) {
    const name = this.info.seats[seat]?.name;
    return name ? isolated(name) : `Seat ${seat + 1}`;
  }

  /** `You`, or the name, to begin a sentence. */
  subject(seat) {
    return seat === this.me ? "You" : this.of(seat);
  }

  object(seat) {
    return seat === this.me ? "you" : this.of(seat);
  }

  /** "You pass", "East passes". */
  does(seat, verb) {
    return `${this.subject(seat)} ${seat === this.me ? verb : thirdPerson(verb)}`;
  }

  team(team) {
    if (this.me !== null && teamOf(this.me) === team) return `You and ${this.of(partnerOf(this.me))}`;
    return `${this.of(team)} and ${this.of(team + 2)}`;
  }

  teamShort(team) {
    if (this.me === null) return this.team(team);
    return teamOf(this.me) === team ? "Us" : "Them";
  }
}

function thirdPerson(verb) {
  const [first, ...rest] = verb.split(" ");
  const forms = { go: "goes", pass: "passes", march: "marches", are: "is", have: "has" };
  return [forms[first] ?? `${first}s`, ...rest].join(" ");
}

const points = (count) => (count === 1 ? "1 point" : `${count} points`);
const tricks = (count) => (count === 1 ? "1 trick" : count === 0 ? "no trick" : `${count} tricks`);
const aloneToo = (alone) => (alone ? ", alone" : "");

const TOOK = {
  march: () => "took all five tricks", lone_march: () => "took all five tricks alone", made: (count) => `took ${tricks(count)}`,
};
const FELL_SHORT = {
  euchred: "a euchre", lone_euchred: "a lone hand euchred", lone_defender: "euchred by a lone defender", super_euchre: "a super euchre",
};

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const shownCards = (cards) => sortHand(cards, null).map(shortCard).join(", ");

export const SENTENCES = {
  hand_dealt: ({ hand, dealer, upcard }, names) => `Hand ${hand}: ${names.does(dealer, "deal")}, ${shortCard(upcard)} is turned up.`,
  cards_dealt: ({ cards }) => `Your cards: ${sortHand(cards, null).map(shortCard).join(", ")}.`,
  passed: ({ seat }, names) => `${names.does(seat, "pass")}.`,
  ordered_up: ({ seat, trump, alone }, names, { game }) =>
    `${seat === game?.dealer ? names.does(seat, "take it up") : names.does(seat, "order it up")}${aloneToo(alone)}: ${trumpSign(trump)} are trump.`,
  upcard_turned_down: ({ card }) => `${capital(shortCard(card))} is turned down.`,
  trump_called: ({ seat, trump, alone }, names) =>
    isSuit(trump) ? `${names.does(seat, "make")} ${trumpSign(trump)} trump${aloneToo(alone)}.` : `${names.does(seat, "call")} ${trumpSign(trump)}${aloneToo(alone)}.`,
  upcard_taken: ({ seat, card }, names) => `${names.does(seat, "pick up")} ${shortCard(card)}.`,
  upcard_left: ({ card }) => `${card ? capital(shortCard(card)) : "The upcard"} stays on the table; nobody picks it up.`,
  discarded: ({ seat, card }, names) => `${names.does(seat, "discard")}${card ? ` ${shortCard(card)}` : ""}.`,
  alone_decided: ({ seat, alone }, names) =>
    alone ? `${names.does(seat, "go")} alone.` : `${names.does(seat, "play")} with ${names.object(partnerOf(seat))}.`,
  defence_decided: ({ seat, alone }, names) =>
    alone ? `${names.does(seat, "defend")} alone.` : `${names.does(seat, "defend")} with ${names.object(partnerOf(seat))}.`,
  card_given: ({ seat, to, card }, names) =>
    `${names.does(seat, "pass")} ${names.object(to)} ${card ? shortCard(card) : "a card"}.`,
  relief_asked: ({ seat, cards }, names) =>
    `${names.does(seat, "show")} a very bad hand and ${seat === names.me ? "ask" : "asks"} for relief: ${shownCards(cards)}.`,
  cards_swapped: ({ seat, given, taken }, names) =>
    given.length ? `You put ${shownCards(given)} away and take ${shownCards(taken)}.` : `${names.does(seat, "swap")} three cards, face down.`,
  rest_claimed: ({ seat, cards, tricks: claimed }, names) =>
    `${names.does(seat, "claim")} the rest, ${tricks(claimed)}, with ${shownCards(cards)}.`,
  play_started: ({ sitting }, names) => sitting.map((seat) => `${names.does(seat, "sit")} out.`).join(" ") || null,
  card_played: ({ seat, card }, names, { game }) =>
    `${names.does(seat, game?.trick.length ? "play" : "lead")} ${shortCard(card)}${isLeftBower(card, game?.trump ?? null) ? ", the left bower" : ""}.`,
  trick_won: ({ seat, trick }, names) => `${names.does(seat, "win")} trick ${trick}.`,
  hand_thrown_in: ({ next_dealer: dealer }, names, { game }) =>
    `${game?.calls.at(-1)?.[1] === "relief" ? "The" : "All pass: the"} hand is thrown in. ${names.does(dealer, "deal")} next.`,
  hand_scored: (result, names) => `${resultSentence(result, names)} ${scoreSentence(result.score, names)}`,
  game_over: ({ winner, score }, names) => `${overSentence(winner, score, names)}`,
  seated: ({ seat, kind, name, version, owner }, names) =>
    seat === names.me && kind === "human" ? "You take a seat."
      : `${isolated(name)}${kind === "bot" ? `, a ${botWords({ version, owner })},` : ""} takes seat ${seat + 1}.`,
  unseated: ({ seat }, names, { info }) => `${names.me === seat ? "You leave" : `${isolated(info.seats[seat].name ?? "Somebody")} leaves`} seat ${seat + 1}.`,
  entropy_added: ({ seat, text }, names) =>
    text ? `${names.does(seat, "add")} to the shuffle of the next deal.` : `${names.does(seat, "take back")} ${seat === names.me ? "your" : "the"} words for the shuffle.`,
  host_changed: ({ seat }, names) => (seat === null ? null : `${names.does(seat, "are")} the host now.`),
  game_started: () => "A new game begins.",
  went_away: ({ seat }, names) => `${names.does(seat, "are")} away; a bot plays.`,
  came_back: ({ seat }, names) => `${names.does(seat, "are")} back.`,
  stood_in: ({ seat, why }, names) => `A bot decides for ${names.object(seat)}${why === "clock" ? ": the time ran out" : ""}.`,
  time_credited: ({ seat, ms }, names) => `${names.does(seat, "get")} ${Math.round(ms / 1000)} more seconds.`,
  time_given: ({ seat, by, ms }, names) => `${names.does(by, "give")} ${names.object(seat)} ${Math.round(ms / 1000)} s more.`,
  table_closed: () => "The table is closed.",
};

/** One sentence on *event*, or null when there is nothing to say. *before* is `{game, info}` ahead of it. */
export function eventSentence(event, names, before) {
  return SENTENCES[event.e]?.(event, names, before) ?? null;
}

/** "You and North made trump and took 4 tricks: 1 point." */
export function resultSentence({ maker, tricks: taken, team, points: gained, reason }, names) {
  const makers = teamOf(maker);
  const count = taken[makers];
  if (team === makers) return `${names.team(makers)} made trump and ${(TOOK[reason] ?? TOOK.made)(count)}: ${points(gained)}.`;
  const short = FELL_SHORT[reason] ?? "euchred";
  return `${names.team(makers)} made trump but took ${count ? "only " : ""}${tricks(count)}, ${short}: ${points(gained)} for ${lowerYou(names.team(team))}.`;
}

const lowerYou = (text) => text.replace(/^You\b/, "you");

export function resultHeadline(result, names) {
  const makers = teamOf(result.maker);
  const mine = names.me === null ? null : teamOf(names.me) === result.team;
  const euchre = `euchre ${mine === false ? "you" : "them"}`;
  const what = {
    made: "make it", march: "march", lone_march: "march alone", euchred: euchre, lone_euchred: "euchre the loner",
    lone_defender: "win on a lone defence", super_euchre: "take every trick",
  }[result.reason] ?? (result.team === makers ? "make it" : euchre);
  const who = mine === null ? `${names.team(result.team)} ${what}` : `${mine ? "Your" : "The other"} side ${thirdPerson(what)}`;
  return `${who}: +${result.points}`;
}

export const scoreSentence = (score, names) => `Score: ${scoreWords(score, names)}.`;

/** "you 4, they 6" */
export function scoreWords(score, names) {
  if (names.me === null) return `${names.team(0)} ${score[0]}, ${names.team(1)} ${score[1]}`;
  const us = teamOf(names.me);
  return `you ${score[us]}, they ${score[1 - us]}`;
}

export function overSentence(winner, score, names) {
  if (winner === null) return `The game is a draw, ${score[0]} to ${score[1]}.`;
  return `${names.team(winner)} win the game, ${score[winner]} to ${score[1 - winner]}.`;
}

/** A bid or answer as it is said across the table. */
export function callWords(text) {
  if (text === "pass") return "Pass";
  if (text === "together") return "With partner";
  if (text === "defend together") return "Defending together";
  if (text === "alone") return "Alone!";
  if (text === "defend alone") return "I defend alone!";
  if (text.startsWith("relief")) return "Relief!";
  if (text.startsWith("order")) return text.endsWith("alone") ? "Order up, alone!" : "Order up";
  const [, trump, alone] = text.split(" ");
  const named = isSuit(trump) ? trumpSign(trump) : "No trump";
  return `${trump === "l" ? "Low no trump" : named}${alone ? ", alone!" : ""}`;
}

/** Why *card* of one's own may not be played or discarded, in words for somebody new to the game. */
export function whyNot(card, game) {
  if (game.phase === "discard") return `${capital(shortCard(card))} is the card you picked up; here it has to stay.`;
  const led = effectiveSuit(game.trick[0][1], game.trump);
  const reasons = [`You must follow ${SUIT_NAMES[led]}.`];
  if (card === BENNY) reasons.push("Without trump the Benny belongs to no suit.");
  if (isLeftBower(card, game.trump)) {
    reasons.push(`${shortCard(card)} is the left bower: it counts as a ${suitNoun(game.trump)}.`);
  }
  const bower = game.cards.find((held) => isLeftBower(held, game.trump));
  if (bower && led === game.trump && bower !== card && game.cards.filter((held) => effectiveSuit(held, game.trump) === led).length === 1) {
    reasons.push(`Your ${shortCard(bower)} is the left bower and counts as a ${suitNoun(game.trump)}.`);
  }
  const ledCard = game.trick[0][1];
  if (ledCard === BENNY) reasons.push(`The Benny was led: it counts as a ${suitNoun(game.trump)}.`);
  if (isLeftBower(ledCard, game.trump)) reasons.push(`${shortCard(ledCard)} was led, the left bower: it counts as a ${suitNoun(game.trump)}.`);
  return reasons.join(" ");
}

/** What the seat to act is asked, for its own player, who may do *legal*. */
export function askWords(game, legal) {
  switch (game.phase) {
    case "name":
      return `Your turn: the Benny is turned up. Name trump${game.cards.length ? "" : ", before you see your cards"}.`;
    case "bid1": return `Your turn: shall ${trumpSign(suitOrdered(game.upcard))} be trump?`;
    case "bid2":
      return legal.includes("pass") ? "Your turn: name trump, or pass." : "Your turn: the others have passed, so you must name trump.";
    case "discard": return "Your turn: choose a card to discard, face down.";
    case "exchange":
      return game.sitting.includes(game.viewer)
        ? "Your turn: pass a card back, your best one. The maker's card is among yours."
        : "Your turn: choose a card to pass to your partner, who passes one back.";
    case "alone": return "Your turn: play this hand alone, without your partner?";
    case "defend": return "Your turn: defend alone, without your partner?";
    case "play": {
      if (game.trick.length === 0) return "Your turn: lead any card.";
      const led = effectiveSuit(game.trick[0][1], game.trump);
      if (legal.filter((text) => text.startsWith("play ")).length === game.cards.length && !game.cards.some((card) => effectiveSuit(card, game.trump) === led)) {
        return "Your turn: play any card.";
      }
      return `Your turn: follow ${trumpSign(led)}.`;
    }
    default: return "Your turn.";
  }
}

export function waitWords(game, seat, names) {
  const doing = { name: "to name trump", bid1: "to bid", bid2: "to bid", exchange: "to pass a card", discard: "to discard", alone: "to decide on alone", defend: "to decide on alone", play: "to play" };
  return `Waiting for ${names.of(seat)} ${doing[game.phase] ?? ""}`.trimEnd() + ".";
}

export const REFUSALS = {
  bad_message: "The server did not understand that.",
  unknown_message: "The server does not know that command.",
  bad_version: "This page is too old for the server; reload it.",
  bad_token: "Your link is worth nothing any more (did you make a new one elsewhere?); you are a new guest.",
  bot_needs_token: "A bot needs a token.",
  too_many_bots: "You have as many bots as one may have.",
  no_such_bot: "You have no bot of that name.",
  not_for_bots: "That is for people.",
  rate_limited: "Too much at once; trying again in a moment.",
  bad_name: "That name cannot be used; choose another.",
  no_such_table: "There is no such table. Check the code.",
  table_full: "That table is full.",
  seat_taken: "That seat is taken.",
  bots_stay: "At that table bots keep their seats.",
  already_seated: "You already sit there.",
  not_seated: "You do not sit at that table.",
  not_host: "Only the host may do that.",
  not_playing: "No game is running at that table.",
  already_playing: "The game is already running.",
  bad_rules: "Those rules do not go together.",
  no_spectators: "That table does not take watchers.",
  too_many_tables: "You are at too many tables; leave one first.",
  table_closed: "That table is closed.",
  draining: "The server is about to restart; try again in a moment.",
  degraded: "The server cannot write right now; try again in a moment.",
  unknown_level: "There is no bot of that level.",
  own_clock: "Only the others can give you time.",
  no_clock: "No clock runs for that decision.",
  enough_time: "That is as much time as one decision may get.",
  nothing_to_do: "There is nothing to do.",
  no_hints: "Hints are for practice: a private table without a clock, with bots only.",
  no_worker: "No bot has time to look at that now; ask again in a moment.",
  stale: "That was decided already.",
  not_your_turn: "It is not your turn.",
  sitting_out: "You sit this hand out.",
  game_over: "The game is over.",
  wrong_phase: "That cannot be done now.",
  card_not_held: "You do not hold that card.",
  must_follow_suit: "You must follow suit.",
  dealer_must_call: "The dealer has to name trump.",
  suit_turned_down: "That suit was turned down.",
  no_trump_not_allowed: "No trump cannot be called here.",
  alone_not_allowed: "Going alone is not allowed here.",
  must_go_alone: "Here you may only order alone.",
  needs_trump: "You need a card of that suit to name it.",
  hand_too_good: "Your hand is too good for relief.",
  claim_not_certain: "The rest is not certain to be yours; play a card.",
  not_finished: "No game has been finished at this table yet.",
  hands_hidden: "This table keeps finished hands hidden from you.",
  upcard_must_stay: "The card you picked up has to stay.",
  lost: "The connection was lost; say it again.",
  ref_reused: "That did not get through; try again.",
};

export const refusalWords = ({ code, detail }) => REFUSALS[code] ?? detail ?? "That was refused.";

export const SAYINGS = {
  hello: "Hello!", good_game: "Good game!", nice: "Nice!", well_played: "Well played!", thanks: "Thanks!", sorry: "Sorry!",
  oops: "Oops!", one_moment: "One moment, please.",
};

const RULE_WORDS = {
  target: (value) => value && `to ${value}`,
  hands: (value) => value && `${value} hands`,
  low_rank: (value) => ({ 7: "32 cards", 8: "28 cards" })[value],
  all_pass: (value) => (value === "redeal" ? "all pass: redeal" : "stick the dealer"),
  jokers: (value) => value && "Benny",
  no_trump: (value) => value !== "off" && "no trump",
  alone: (value) => ({ off: "nobody alone", maker_side: "maker or partner alone" })[value],
  dealer_partner_round1: (value) => value === "alone_or_pass" && "Canadian loner",
  defend_alone: (value) => value !== "off" && "lone defence",
  sitting_dealer: (value) => value === "skips" && "sitting dealer does not pick up",
  partner_exchange: (value) => value !== "off" && "call for best",
  loner_lead: (value) => value === "left_of_loner" && "left of the loner leads",
  relief: (value) => ({ redeal: "relief: deal again", swap3: "going under" })[value],
};

/** A line of house rules: "to 10 · stick the dealer". */
export function rulesLine(rules) {
  return Object.entries(RULE_WORDS).map(([field, words]) => words(rules[field])).filter(Boolean).join(" · ");
}

export const PRESET_NAMES = {
  standard: "Standard", ladder: "Ladder", practice: "Practice", club: "Club", screw: "Screw", british: "British", best: "Call for best",
  championship: "Championship",
};
/** The levels bots play at, and the usual one. */
export const LEVELS = [["easy", "Easy"], ["standard", "Standard"], ["hard", "Hard"], ["expert", "Expert"]];
export const USUAL_LEVEL = "standard";

export const presetName = (preset) => PRESET_NAMES[preset] ?? preset;
