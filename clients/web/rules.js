// The rules of a table in plain words, from its options. Every option's every value has its sentence here. Pure.

const points = (count) => (count === 1 ? "1 point" : `${count} points`);

/**
 * By topic and option: what it is called on a form, its value in the standard game, and its sentences by value, or as a
 * function of a number. A sentence that says nothing where another option makes it idle has `if`, told the rules.
 */
export const TOPICS = {
  "The pack": {
    low_rank: {
      label: "Pack", standard: 9,
      says: { 9: "24 cards: nine to ace.", 8: "28 cards: eight to ace.", 7: "32 cards: seven to ace." },
    },
    jokers: {
      label: "Joker", standard: 0,
      says: { 0: "There is no joker.", 1: "The joker, called the Benny, is in the pack: it is the highest trump." },
    },
  },
  "Making trump": {
    all_pass: {
      label: "When all pass twice", standard: "stick",
      says: {
        stick: "Dealer must call in round two when all others have passed (stick the dealer).",
        redeal: "When all pass in both rounds the hand is thrown in and the cards are dealt again.",
      },
    },
    redeal_dealer: {
      label: "After a throw-in", standard: "next", if: ({ all_pass: allPass }) => allPass === "redeal",
      says: { next: "After a throw-in the next player deals.", same: "After a throw-in the same player deals again." },
    },
    no_trump: {
      label: "No trump", standard: "off",
      says: {
        off: "A suit must be trump; no trump may not be called.", round2: "No trump may be called in round two.",
        stuck_only: "Only a dealer who must call may call no trump.",
      },
    },
    low_no_trump: {
      label: "Low no trump", standard: false, if: ({ no_trump: noTrump }) => noTrump !== "off",
      says: { false: "No trump is always played high.", true: "Wherever no trump may be called, low no trump may be too: the lowest card wins." },
    },
    dealer_partner_round1: {
      label: "Dealer's partner in round one", standard: "free",
      says: {
        free: "Dealer's partner may order up like anybody else.",
        alone_or_pass: "In round one dealer's partner may only pass or order up alone (Canadian loner).",
      },
    },
    order_requires: {
      label: "To make trump one needs", standard: "none",
      says: {
        none: "Nobody needs a card of a suit to make it trump.",
        any_trump: "To make a suit trump one must hold a card of it; the left bower counts. A dealer who must call need not.",
        natural_trump: "To make a suit trump one must hold a card of it other than the left bower or the joker. A dealer who must call need not.",
      },
    },
    upcard_counts: {
      label: "Upcard counts for the dealer", standard: true, if: ({ order_requires: needs }) => needs !== "none",
      says: {
        true: "The card turned up counts as a card the dealer holds.",
        false: "The card turned up does not count as a card the dealer holds.",
      },
    },
    benny_turned: {
      label: "Joker turned up", standard: "dealer_names", if: ({ jokers }) => jokers === 1,
      says: {
        dealer_names: "When the joker is turned up the dealer looks at the cards, names trump and takes it.",
        dealer_names_blind: "When the joker is turned up the dealer names trump before looking at the cards, and takes it.",
        as_spades: "When the joker is turned up it counts as a spade.",
      },
    },
    upcard_discard: {
      label: "Discarding the upcard", standard: true,
      says: { true: "Dealer may discard the card just picked up.", false: "Dealer may not discard the card just picked up." },
    },
  },
  "Going alone": {
    alone: {
      label: "Going alone", standard: "maker",
      says: {
        off: "Nobody on the makers' side may go alone.", maker: "Whoever makes trump may go alone.",
        maker_side: "Whoever makes trump may go alone, and if not, the partner may.",
      },
    },
    alone_timing: {
      label: "Alone is said", standard: "with_call", if: ({ alone }) => alone !== "off",
      says: { with_call: "Alone is said when making trump.", before_first_lead: "Alone is said after the dealer's discard, before the first lead." },
    },
    defend_alone: {
      label: "Defending alone", standard: "off",
      says: {
        off: "Nobody may defend alone.", vs_lone: "A defender may defend alone against a maker who goes alone.",
        any: "A defender may defend alone in any hand.",
      },
    },
    sitting_dealer: {
      label: "Dealer whose partner orders alone", standard: "picks_up", if: ({ alone, alone_timing: timing }) => alone !== "off" && timing === "with_call",
      says: {
        picks_up: "A dealer whose partner orders up alone still takes the card and discards.",
        skips: "A dealer whose partner orders up alone leaves the card on the table.",
      },
    },
    partner_exchange: {
      label: "Lone maker and partner", standard: "off", if: ({ alone }) => alone !== "off",
      says: {
        off: "A lone maker plays the cards as they are.",
        call_for_best: "A lone maker passes the partner a card, and the partner passes the best one back (call for best).",
      },
    },
  },
  "The play": {
    loner_lead: {
      label: "First lead", standard: "left_of_dealer",
      says: {
        left_of_dealer: "The player left of the dealer leads first, or the next one who is playing.",
        left_of_loner: "When a maker goes alone the player on that maker's left leads first; else the one left of the dealer.",
      },
    },
    claim: {
      label: "Claiming the rest", standard: "off",
      says: {
        off: "Every trick is played out.",
        validated: "Whoever is to lead may claim the rest of the tricks when no cards could take one of them.",
      },
    },
    relief: {
      label: "Relief from a very bad hand", standard: "off",
      says: {
        off: "A bad hand is played as it is.", redeal: "A player with a very bad hand may show it in round one, and the same dealer deals again.",
        swap3: "A player with a very bad hand may show it in round one and swap three cards for unseen ones (going under).",
      },
    },
    relief_hand: {
      label: "A very bad hand is", standard: "nines_tens", if: ({ relief }) => relief !== "off",
      says: {
        nines_tens: "A very bad hand is one of nines and tens only.", no_ace_no_face: "A very bad hand is one without an ace, king, queen or jack.",
        ace_no_face: "A very bad hand is one with an ace but no king, queen or jack.",
      },
    },
  },
  "Points": {
    tricks_needed: {
      label: "Tricks the makers need", standard: 3,
      says: {
        3: "The makers need three tricks: 1 point, or 2 for all five. With fewer they are euchred: 2 points for the defenders.",
        4: "The makers need four tricks: 1 point, or 2 for all five. With fewer they are euchred: 2 points for the defenders.",
      },
    },
    lone_must_sweep: {
      label: "A lone maker needs", standard: false, if: ({ alone }) => alone !== "off",
      says: { false: "A lone maker needs no more tricks than two makers would.", true: "A lone maker needs all five tricks." },
    },
    lone_march: {
      label: "All five alone", standard: 4, if: ({ alone }) => alone !== "off",
      says: (count) => `A lone maker who takes all five tricks gets ${points(count)}.`,
    },
    lone_euchred: {
      label: "A lone maker euchred", standard: 2, if: ({ alone }) => alone !== "off",
      says: (count) => `A lone maker who is euchred gives the defenders ${points(count)}.`,
    },
    lone_defender: {
      label: "A lone defender", standard: 4, if: ({ defend_alone: defend }) => defend !== "off",
      says: (count) => `A lone defender who euchres the makers gets ${points(count)}.`,
    },
    super_euchre: {
      label: "Makers without a trick", standard: 0,
      says: (count) => (count ? `Makers who take no trick at all give the defenders ${points(count)}, if no other euchre counts more.` : "Makers who take no trick are euchred like any others."),
    },
  },
  "The game": {
    target: { label: "Play to", standard: 10, if: ({ target }) => target !== null, says: (count) => (count === null ? "No number of points ends the game." : `The first side with ${points(count)} wins.`) },
    hands: { label: "Hands", standard: null, if: ({ hands }) => hands !== null, says: (count) => (count === null ? "No number of hands ends the game." : `The game is over after ${count === 1 ? "one hand" : `${count} hands`}; the side with more points wins.`) },
    win_by: {
      label: "Lead needed", standard: 1,
      says: { 1: "A lead of one point is enough to win.", 2: "To win a side must be two points ahead." },
    },
    reveal: {
      label: "After a hand", standard: "all",
      says: { all: "After a hand all its cards are shown to the players.", own_only: "After a hand nobody's cards are shown." },
    },
    spectator_hands: {
      label: "Watchers after a hand", standard: "never",
      says: { never: "Watchers are never shown the hands.", after_hand: "Watchers are shown the hands when they are over, where the players are." },
    },
  },
};

export const OPTIONS = Object.assign({}, ...Object.values(TOPICS));

/** The sentence of *option* with *value*; null for one this page does not know. */
export function ruleSentence(option, value) {
  const says = OPTIONS[option]?.says;
  return (typeof says === "function" ? says(value) : says?.[value]) ?? null;
}

/** `[topic, [{option, text, differs}]]` for the table's *rules*; what other rules make idle is left out. */
export function rulesByTopic(rules) {
  return Object.entries(TOPICS).map(([topic, options]) => [topic, Object.entries(options)
    .filter(([option, { if: matters }]) => option in rules && (!matters || matters(rules)))
    .map(([option, { label, standard }]) => ({
      option, differs: rules[option] !== standard,
      text: ruleSentence(option, rules[option]) ?? `${label}: ${String(rules[option]).replaceAll("_", " ")}.`,
    }))]);
}
