// The rules of a table in plain words, from its options: the same words as the terminal's (clients/cli/rulewords.py), which
// a test holds. Every option's every value has its sentence here. Pure.

const points = (count) => (count === 1 ? "1 point" : `${count} points`);
const hands = (count) => (count === 1 ? "1 hand" : `${count} hands`);
const withLoneMakers = { alone: (alone) => alone !== "off" };
const hasJoker = { jokers: (jokers) => jokers !== 0 };

/**
 * By option: what it is called on a form, its value in the standard game, and its sentences by value, or as a function of a
 * number. An option that others make idle has `if`: by option, whether its value lets this one matter.
 */
export const OPTIONS = {
  low_rank: {
    label: "Pack", standard: 9,
    says: {
      9: "The pack has 24 cards: nine to ace of four suits.",
      8: "The pack has 28 cards: eight to ace of four suits.",
      7: "The pack has 32 cards: seven to ace of four suits.",
    },
  },
  jokers: {
    label: "Joker", standard: 0,
    says: {
      0: "The pack has no joker.",
      1: "One joker, the Benny, joins the pack.",
    },
  },
  all_pass: {
    label: "When all pass twice", standard: "stick",
    says: {
      stick: "Dealer must call in round two when the other three have passed again.",
      redeal: "When all four pass again the hand is thrown in and scores nothing; the dealer is not stuck.",
    },
  },
  redeal_dealer: {
    label: "After a throw-in", standard: "next", if: { all_pass: (allPass) => allPass === "redeal" },
    says: {
      next: "After a throw-in the player on the dealer's left deals.",
      same: "After a throw-in the same dealer deals again.",
    },
  },
  no_trump: {
    label: "No trump", standard: "off",
    says: {
      off: "One of the suits is always trump: \"no trump\" may not be called.",
      round2: "\"No trump\" may be called in round two: no suit is trump then, and there are no bowers.",
      stuck_only: "Only a dealer who must call may call \"no trump\": no suit is trump then, and there are no bowers.",
    },
  },
  low_no_trump: {
    label: "Low no trump", standard: false, if: { no_trump: (noTrump) => noTrump !== "off" },
    says: {
      false: "\"Low no trump\" may not be called.",
      true: "\"Low no trump\" may be called wherever \"no trump\" may: the lowest card of the suit led wins the trick.",
    },
  },
  dealer_partner_round1: {
    label: "Dealer's partner in round one", standard: "free",
    says: {
      free: "The dealer's partner bids in round one as everybody does.",
      alone_or_pass: "In round one the dealer's partner may order up only by going alone, or pass.",
    },
  },
  order_requires: {
    label: "To make trump one needs", standard: "none",
    says: {
      none: "A suit may be ordered up or called without a card of it.",
      any_trump:
        "Whoever orders up or calls a suit must hold a card of it; the left bower counts. A dealer who must "
        + "name trump is exempt, and so are calls of no trump.",
      natural_trump:
        "Whoever orders up or calls a suit must hold a card of it; the left bower alone, or a joker alone, "
        + "does not count. A dealer who must name trump is exempt, and so are calls of no trump.",
    },
  },
  upcard_counts: {
    label: "Upcard counts for the dealer", standard: true, if: { order_requires: (needs) => needs !== "none" },
    says: {
      true: "For that the upcard counts as a card of the dealer's.",
      false: "For that the upcard does not count as a card of the dealer's.",
    },
  },
  benny_turned: {
    label: "Joker turned up", standard: "dealer_names", if: hasJoker,
    says: {
      dealer_names:
        "A joker turned up: there is no bidding. The dealer, having seen the hand, names trump (a suit, or no "
        + "trump where the table has it), takes the joker and discards a card.",
      dealer_names_blind:
        "A joker turned up: there is no bidding. The dealer, before seeing the hand, names trump (a suit, or "
        + "no trump where the table has it), takes the joker and discards a card.",
      as_spades:
        "A joker turned up counts as a spade: spades may be ordered up in round one, and not called in round "
        + "two.",
    },
  },
  alone: {
    label: "Going alone", standard: "maker",
    says: {
      off: "Nobody on the makers' side may go alone.",
      maker: "The maker may go alone: the partner sits the hand out.",
      maker_side: "The maker may go alone, or if not, the maker's partner: the other of the two sits the hand out.",
    },
  },
  alone_timing: {
    label: "Alone is said", standard: "with_call", if: withLoneMakers,
    says: {
      with_call: "Going alone is said with the call.",
      before_first_lead: "Going alone is decided after the dealer's discard, just before the first lead.",
    },
  },
  defend_alone: {
    label: "Defending alone", standard: "off",
    says: {
      off: "Nobody may defend alone.",
      vs_lone:
        "Against a lone hand a defender may play alone too; they are asked before the first lead, from the "
        + "dealer's left.",
      any:
        "A defender may play alone, whether or not a maker does; they are asked before the first lead, from "
        + "the dealer's left.",
    },
  },
  sitting_dealer: {
    label: "Dealer whose partner orders alone", standard: "picks_up", if: { ...withLoneMakers, alone_timing: (timing) => timing === "with_call" },
    says: {
      picks_up: "A dealer whose partner orders up alone still takes the upcard and discards.",
      skips: "A dealer whose partner orders up alone does not take the upcard: it stays out of play.",
    },
  },
  partner_exchange: {
    label: "Lone maker and partner", standard: "off", if: withLoneMakers,
    says: {
      off: "No cards are passed between partners.",
      call_for_best: "A lone maker passes one card face down to the partner, who then passes one back.",
    },
  },
  upcard_discard: {
    label: "Discarding the upcard", standard: true,
    says: {
      true: "The dealer may discard the very card just taken up.",
      false: "The dealer may not discard the card just taken up.",
    },
  },
  loner_lead: {
    label: "First lead", standard: "left_of_dealer",
    says: {
      left_of_dealer: "The player on the dealer's left leads first, or the next one who plays.",
      left_of_loner:
        "Against a lone maker the player on the lone maker's left leads first; otherwise the player on the "
        + "dealer's left, or the next one who plays.",
    },
  },
  claim: {
    label: "Claiming the rest", standard: "off",
    says: {
      off: "All tricks are played out: the rest cannot be claimed.",
      validated:
        "The player about to lead may show the hand and claim the rest; that is granted only if it wins every "
        + "trick however the unseen cards lie.",
    },
  },
  lone_march: {
    label: "All five alone", standard: 4, if: withLoneMakers,
    says: (count) => `All five tricks by a lone maker score ${points(count)}.`,
  },
  lone_euchred: {
    label: "A lone maker euchred", standard: 2, if: withLoneMakers,
    says: (count) => `A lone maker who is euchred gives the defenders ${points(count)}.`,
  },
  lone_defender: {
    label: "A lone defender", standard: 4, if: { defend_alone: (defend) => defend !== "off" },
    says: (count) =>
      `A lone defender who euchres the makers with three tricks or more scores ${points(count)}; failing `
      + "costs nothing extra.",
  },
  super_euchre: {
    label: "Makers without a trick", standard: 0,
    says: (count) => (count === 0
      ? "Taking no trick at all costs the makers nothing more."
      : `Makers who take no trick give the defenders ${points(count)} instead. Of several such amounts the largest counts.`),
  },
  tricks_needed: {
    label: "Tricks the makers need", standard: 3,
    says: (count) =>
      `The makers need ${count} of the five tricks and then score 1, or 2 for all five; with fewer they `
      + "are euchred, and the defenders score 2.",
  },
  lone_must_sweep: {
    label: "A lone maker needs", standard: false, if: withLoneMakers,
    says: {
      false: "A lone maker who takes that many, but not all five, scores 1 too.",
      true: "A lone maker who does not take all five tricks is euchred.",
    },
  },
  relief: {
    label: "Relief from a very bad hand", standard: "off",
    says: {
      off: "There is no relief from a bad hand.",
      redeal:
        "At the first turn in round one, and once a hand, a player with a very bad hand may show it to all: "
        + "the same dealer deals again, and the hand does not count.",
      swap3:
        "At the first turn in round one, and once a hand, a player with a very bad hand may show it to all, "
        + "put three of its cards under the deck, and take the three buried cards that lay first under the "
        + "upcard.",
    },
  },
  relief_hand: {
    label: "A very bad hand is", standard: "nines_tens", if: { relief: (relief) => relief !== "off" },
    says: {
      nines_tens: "A very bad hand has nothing but nines and tens.",
      no_ace_no_face: "A very bad hand has no ace, no king, no queen, no jack and no joker.",
      ace_no_face: "A very bad hand has an ace, but no king, no queen, no jack and no joker.",
    },
  },
  target: {
    label: "Play to", standard: 10, if: { target: (target) => target !== null },
    says: (count) => `The first team with ${points(count)} or more after a hand wins.`,
  },
  hands: {
    label: "Hands", standard: null, if: { hands: (hands) => hands !== null },
    says: (count) => `The game is ${hands(count)}; the team with more points wins, and equal points are a draw.`,
  },
  win_by: {
    label: "Lead needed", standard: 1, if: { target: (target) => target !== null },
    says: {
      1: "A lead of one point is enough.",
      2: "The winner must lead by two points, else the game goes on.",
    },
  },
  reveal: {
    label: "After a hand", standard: "all",
    says: {
      all: "When a hand is over the players see all of its cards.",
      own_only: "When a hand is over nobody is shown the others' cards.",
    },
  },
  spectator_hands: {
    label: "Watchers after a hand", standard: "never",
    says: {
      never: "Those who look on are never shown the hands.",
      after_hand: "Those who look on see what the players see of a finished hand.",
    },
  },
};

/** The sentences in order, by topic: the names of options for theirs, and between them those that hold at every table. */
const PLAN = [
  ["The deal", [
    "low_rank", "jokers",
    { text:
      "Two teams of two, partners opposite. Each player is dealt five cards, the next card is turned up, the "
      + "rest is buried." },
    { text: "The first dealer is drawn by lot; after each scored hand the deal moves to the left." },
  ]],
  ["Making trump", [
    "relief", "relief_hand", "benny_turned",
    { text:
      "Round one, from the dealer's left: each player passes or orders up the upcard, whose suit becomes "
      + "trump." },
    "dealer_partner_round1",
    { text:
      "Round two, when all four have passed: the upcard is turned down, and each player passes or calls "
      + "another suit." },
    "all_pass", "redeal_dealer", "no_trump", "low_no_trump", "order_requires", "upcard_counts",
    { text:
      "When the upcard is ordered up the dealer takes it and discards a card face down; nobody picks up after "
      + "round two." },
    "upcard_discard",
  ]],
  ["Alone", [
    "alone", "alone_timing", "sitting_dealer", "partner_exchange", "defend_alone",
  ]],
  ["The play", [
    "loner_lead",
    { text:
      "Trumps from the top: trump jack (right bower), the other jack of its colour (left bower), then ace, "
      + "king, queen and so on down. The left bower is a trump for every purpose." },
    { if: hasJoker, text:
      "The joker is the highest trump. In no trump it has no suit: a hand that can follow may not play it; it "
      + "wins the trick it is played to, and when it is led any card may be played." },
    { text:
      "Follow the suit led if you can; else play any card. The highest trump wins, else the highest card of "
      + "the suit led. The winner leads next." },
    "claim",
  ]],
  ["The score", [
    "tricks_needed", "lone_must_sweep", "lone_march", "lone_euchred", "super_euchre", "lone_defender",
  ]],
  ["The game", [
    "target", "hands", "win_by", "reveal", "spectator_hands",
  ]],
];

/** What *option* is called on a form. */
export const optionLabel = (option) => OPTIONS[option]?.label ?? option.replaceAll("_", " ");

/** The sentence of *option* with *value*; null for one this page does not know. */
export function ruleSentence(option, value) {
  const says = OPTIONS[option]?.says;
  return (typeof says === "function" ? says(value) : says?.[value]) ?? null;
}

/** The first option of *needs* whose value at a table of *rules* does not let one matter; null where it matters. */
export const idleBecause = (needs, rules) => Object.entries(needs ?? {}).find(([other, lets]) => !lets(rules[other]))?.[0] ?? null;

/** `[topic, [{text, differs}]]` for the table's *rules*; what other rules make idle is left out. */
export function rulesByTopic(rules) {
  return PLAN.map(([topic, items]) => [topic, items
    .map((item) => (typeof item === "string" ? optionLine(item, rules) : { differs: false, ...item }))
    .filter(({ if: needs }) => idleBecause(needs, rules) === null)]);
}

function optionLine(option, rules) {
  const { standard, if: needs } = OPTIONS[option];
  const value = rules[option];
  return {
    if: needs, differs: value !== standard,
    text: ruleSentence(option, value) ?? `${optionLabel(option)}: ${String(value).replaceAll("_", " ")}.`,
  };
}
