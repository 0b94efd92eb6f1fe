// What the form of a new table offers beside the presets, and how its refusals read in the words of the form. Pure.

import { OPTIONS, idleBecause, optionLabel } from "./rules.js";

const NUMBERS = (...values) => values.map((value) => [value, String(value)]);
const POINTS = Array.from({ length: 10 }, (_, at) => [at + 1, at ? `${at + 1} points` : "1 point"]);

/** Every option's values, each with a few words; of long ranges those that are played. */
export const CHOICES = {
  target: NUMBERS(5, 7, 10, 11, 15, 21),
  hands: NUMBERS(1, 4, 8, 12, 16),
  win_by: [[1, "One point"], [2, "Two points"]],
  low_rank: [[9, "24 cards (nines up)"], [8, "28 cards (eights up)"], [7, "32 cards (sevens up)"]],
  jokers: [[0, "No joker"], [1, "One, the Benny"]],
  benny_turned: [["dealer_names", "Dealer names trump"], ["dealer_names_blind", "Dealer names trump unseen"], ["as_spades", "Counts as a spade"]],
  all_pass: [["stick", "Stick the dealer"], ["redeal", "Deal again"]],
  redeal_dealer: [["next", "The next player deals"], ["same", "The same dealer deals"]],
  no_trump: [["off", "Never"], ["round2", "In round two"], ["stuck_only", "Only a dealer who must call"]],
  low_no_trump: [[false, "Never"], [true, "Like no trump"]],
  dealer_partner_round1: [["free", "As anybody"], ["alone_or_pass", "Pass or alone (Canadian loner)"]],
  order_requires: [["none", "Nothing"], ["any_trump", "A trump"], ["natural_trump", "A trump of the suit itself"]],
  upcard_counts: [[true, "Yes"], [false, "No"]],
  upcard_discard: [[true, "Allowed"], [false, "Not allowed"]],
  alone: [["maker", "The maker may"], ["maker_side", "The maker or the partner may"], ["off", "Nobody"]],
  alone_timing: [["with_call", "When making trump"], ["before_first_lead", "Before the first lead"]],
  defend_alone: [["off", "Nobody"], ["vs_lone", "Against a lone maker"], ["any", "In any hand"]],
  sitting_dealer: [["picks_up", "Picks up"], ["skips", "Leaves the card"]],
  partner_exchange: [["off", "No exchange"], ["call_for_best", "Call for best"]],
  loner_lead: [["left_of_dealer", "Left of the dealer"], ["left_of_loner", "Left of the lone maker"]],
  claim: [["off", "Play every trick"], ["validated", "Allowed where certain"]],
  relief: [["off", "None"], ["redeal", "Deal again"], ["swap3", "Swap three (going under)"]],
  relief_hand: [["nines_tens", "Nines and tens"], ["no_ace_no_face", "No ace, no face"], ["ace_no_face", "An ace, no face"]],
  tricks_needed: [[3, "Three"], [4, "Four"]],
  lone_must_sweep: [[false, "As many as two makers"], [true, "All five tricks"]],
  lone_march: POINTS,
  lone_euchred: POINTS,
  super_euchre: [[0, "A euchre like any"], ...POINTS],
  lone_defender: POINTS,
  reveal: [["all", "All cards are shown"], ["own_only", "No cards are shown"]],
  spectator_hands: [["never", "See no hands"], ["after_hand", "See what the players see"]],
};

/** By preset the options that are not as in the standard game, as the engine has them, which a test holds. */
export const PRESETS = {
  standard: {},
  ladder: { all_pass: "redeal", alone: "maker_side", alone_timing: "before_first_lead", defend_alone: "any" },
  practice: {},
  club: {},
  screw: { sitting_dealer: "skips" },
  british: {
    jokers: 1, benny_turned: "dealer_names_blind", dealer_partner_round1: "alone_or_pass", defend_alone: "vs_lone", all_pass: "redeal", target: 11,
  },
  best: { partner_exchange: "call_for_best", no_trump: "round2", relief: "swap3" },
  championship: { target: null, hands: 12 },
};

/** A game ends by points or by hands: what the other of the two says then. */
const NO_LIMIT = { target: "A number of hands", hands: "As many as the points take" };

/** What *option* is in the game called *preset*. */
const usual = (option, preset) => (option in PRESETS[preset] ? PRESETS[preset][option] : OPTIONS[option].standard);

/** What leaving *option* alone means in the game called *preset*. */
export const asTheGameHasIt = (option, preset) => `${saidValue(option, usual(option, preset))} (usual)`;

const saidValue = (option, value) => (value === null ? NO_LIMIT[option] : valueWords(option, value));

/**
 * The rules of the form: those *chosen*, as text by option, where they are not left alone (""). What others make idle is as
 * in the standard game, whatever was chosen, for it is not to get in the way. `idle` says why by option.
 */
export function rulesOfForm(preset, chosen) {
  const rules = {};
  for (const [option, values] of Object.entries(CHOICES)) {
    if (chosen[option]) [rules[option]] = values.find(([value]) => String(value) === chosen[option]);
  }
  // A game ends by points or by hands: to choose one is to drop the other.
  if (rules.target && !rules.hands) rules.hands = null;
  if (rules.hands && !rules.target) rules.target = null;
  const all = Object.fromEntries(Object.keys(CHOICES).map((option) => [option, option in rules ? rules[option] : usual(option, preset)]));
  const idle = {};
  for (const [option, { if: needs, standard }] of Object.entries(OPTIONS)) {
    const cause = idleBecause(needs, all);
    if (cause === null || cause === option) continue;
    idle[option] = `No effect with "${optionLabel(cause)}: ${saidValue(cause, all[cause])}".`;
    if (usual(option, preset) === standard) delete rules[option];
    else rules[option] = standard;
  }
  return { rules, idle };
}

/** The words of *option*'s value, which may be given as text; undefined where the form does not have it. */
const valueWords = (option, value) => CHOICES[option].find(([known]) => String(known) === String(value))?.[1];

const NAMED = new RegExp(`\\b(${Object.keys(OPTIONS).join("|")})\\b(?: (\\w+))?`, "g");

/** Why *option* was refused: the server's *reason*, which has options and values by their raw names, in the words of the form. */
export function reasonWords(option, reason) {
  const quoted = (name, value) => (valueWords(name, value) ? `"${valueWords(name, value)}"` : value);
  return reason
    .replace(NAMED, (_, name, value) => [optionLabel(name), ...(value ? [quoted(name, value)] : [])].join(" "))
    .replace(/^\w+(?= does not go with )/, (value) => quoted(option, value));
}
