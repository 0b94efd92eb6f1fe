"""The rules of a table in plain words, from its actual options (RULES.md). Pure.

The web page has the same words (clients/web/rules.js), which a test holds.
Every value of every option has its sentence here; between them stand the sentences that hold at every table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from engine.errors import RulesError
from engine.rules import (
    AllPass,
    Alone,
    AloneTiming,
    DefendAlone,
    NoTrump,
    OrderRequires,
    Relief,
    Rules,
    changed_rules,
    rules_from_plain,
    rules_to_plain,
)

MARK: Final = "*"
NOT_STANDARD: Final = "(not standard)"

_EXEMPT: Final = "A dealer who must name trump is exempt, and so are calls of no trump."
_SHOWN: Final = "At the first turn in round one, and once a hand, a player with a very bad hand may show it to all"
_BENNY: Final = "A joker turned up: there is no bidding. The dealer"
_TAKES_IT: Final = "names trump (a suit, or no trump where the table has it), takes the joker and discards a card."

WORDS: Final[dict[tuple[str, object], str]] = {
    ("low_rank", 9): "The pack has 24 cards: nine to ace of four suits.",
    ("low_rank", 8): "The pack has 28 cards: eight to ace of four suits.",
    ("low_rank", 7): "The pack has 32 cards: seven to ace of four suits.",
    ("jokers", 0): "The pack has no joker.",
    ("jokers", 1): "One joker, the Benny, joins the pack.",
    ("all_pass", "stick"): "Dealer must call in round two when the other three have passed again.",
    ("all_pass", "redeal"): "When all four pass again the hand is thrown in and scores nothing; "
    "the dealer is not stuck.",
    ("redeal_dealer", "next"): "After a throw-in the player on the dealer's left deals.",
    ("redeal_dealer", "same"): "After a throw-in the same dealer deals again.",
    ("no_trump", "off"): 'One of the suits is always trump: "no trump" may not be called.',
    ("no_trump", "round2"): '"No trump" may be called in round two: no suit is trump then, and there are no bowers.',
    ("no_trump", "stuck_only"): 'Only a dealer who must call may call "no trump": no suit is trump then, and there '
    "are no bowers.",
    ("low_no_trump", False): '"Low no trump" may not be called.',
    ("low_no_trump", True): '"Low no trump" may be called wherever "no trump" may: the lowest card of the suit '
    "led wins the trick.",
    ("dealer_partner_round1", "free"): "The dealer's partner bids in round one as everybody does.",
    ("dealer_partner_round1", "alone_or_pass"): "In round one the dealer's partner may order up only by going alone, "
    "or pass.",
    ("order_requires", "none"): "A suit may be ordered up or called without a card of it.",
    ("order_requires", "any_trump"): "Whoever orders up or calls a suit must hold a card of it; the left bower counts. "
    + _EXEMPT,
    ("order_requires", "natural_trump"): "Whoever orders up or calls a suit must hold a card of it; the left bower "
    "alone, or a joker alone, does not count. " + _EXEMPT,
    ("upcard_counts", True): "For that the upcard counts as a card of the dealer's.",
    ("upcard_counts", False): "For that the upcard does not count as a card of the dealer's.",
    ("benny_turned", "dealer_names"): f"{_BENNY}, having seen the hand, {_TAKES_IT}",
    ("benny_turned", "dealer_names_blind"): f"{_BENNY}, before seeing the hand, {_TAKES_IT}",
    ("benny_turned", "as_spades"): "A joker turned up counts as a spade: spades may be ordered up in round one, and "
    "not called in round two.",
    ("alone", "off"): "Nobody on the makers' side may go alone.",
    ("alone", "maker"): "The maker may go alone: the partner sits the hand out.",
    ("alone", "maker_side"): "The maker may go alone, or if not, the maker's partner: the other of the two sits the "
    "hand out.",
    ("alone_timing", "with_call"): "Going alone is said with the call.",
    ("alone_timing", "before_first_lead"): "Going alone is decided after the dealer's discard, just before the first "
    "lead.",
    ("defend_alone", "off"): "Nobody may defend alone.",
    ("defend_alone", "vs_lone"): "Against a lone hand a defender may play alone too; they are asked before the first "
    "lead, from the dealer's left.",
    ("defend_alone", "any"): "A defender may play alone, whether or not a maker does; they are asked before the first "
    "lead, from the dealer's left.",
    ("sitting_dealer", "picks_up"): "A dealer whose partner orders up alone still takes the upcard and discards.",
    ("sitting_dealer", "skips"): "A dealer whose partner orders up alone does not take the upcard: it stays out of "
    "play.",
    ("partner_exchange", "off"): "No cards are passed between partners.",
    ("partner_exchange", "call_for_best"): "A lone maker passes one card face down to the partner, who then passes one "
    "back.",
    ("upcard_discard", True): "The dealer may discard the very card just taken up.",
    ("upcard_discard", False): "The dealer may not discard the card just taken up.",
    ("loner_lead", "left_of_dealer"): "The player on the dealer's left leads first, or the next one who plays.",
    ("loner_lead", "left_of_loner"): "Against a lone maker the player on the lone maker's left leads first; "
    "otherwise the player on the dealer's left, or the next one who plays.",
    ("claim", "off"): "All tricks are played out: the rest cannot be claimed.",
    ("claim", "validated"): "The player about to lead may show the hand and claim the rest; that is granted only if "
    "it wins every trick however the unseen cards lie.",
    ("lone_must_sweep", False): "A lone maker who takes that many, but not all five, scores 1 too.",
    ("lone_must_sweep", True): "A lone maker who does not take all five tricks is euchred.",
    ("super_euchre", 0): "Taking no trick at all costs the makers nothing more.",
    ("relief", "off"): "There is no relief from a bad hand.",
    ("relief", "redeal"): f"{_SHOWN}: the same dealer deals again, and the hand does not count.",
    ("relief", "swap3"): f"{_SHOWN}, put three of its cards under the deck, and take the three buried cards that lay "
    "first under the upcard.",
    ("relief_hand", "nines_tens"): "A very bad hand has nothing but nines and tens.",
    ("relief_hand", "no_ace_no_face"): "A very bad hand has no ace, no king, no queen, no jack and no joker.",
    ("relief_hand", "ace_no_face"): "A very bad hand has an ace, but no king, no queen, no jack and no joker.",
    ("win_by", 1): "A lead of one point is enough.",
    ("win_by", 2): "The winner must lead by two points, else the game goes on.",
    ("reveal", "all"): "When a hand is over the players see all of its cards.",
    ("reveal", "own_only"): "When a hand is over nobody is shown the others' cards.",
    ("spectator_hands", "never"): "Those who look on are never shown the hands.",
    ("spectator_hands", "after_hand"): "Those who look on see what the players see of a finished hand.",
}
"""The sentence of an option's value."""

NUMBERS: Final[dict[str, str]] = {
    "lone_march": "All five tricks by a lone maker score {points}.",
    "lone_euchred": "A lone maker who is euchred gives the defenders {points}.",
    "lone_defender": "A lone defender who euchres the makers with three tricks or more scores {points}; "
    "failing costs nothing extra.",
    "super_euchre": "Makers who take no trick give the defenders {points} instead. Of several such amounts the "
    "largest counts.",
    "tricks_needed": "The makers need {number} of the five tricks and then score 1, or 2 for all five; with fewer "
    "they are euchred, and the defenders score 2.",
    "target": "The first team with {points} or more after a hand wins.",
    "hands": "The game is {hands}; the team with more points wins, and equal points are a draw.",
}
"""The sentence of an option whose value is a number, where WORDS has none for that number."""


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One sentence; ``is_changed``: its option differs from the standard game."""

    text: str
    is_changed: bool = False

    def __str__(self) -> str:
        """Return the sentence behind its mark."""
        return f"{MARK} {self.text} {NOT_STANDARD}" if self.is_changed else f"- {self.text}"


Section = tuple[str, tuple[RuleLine, ...]]
"""A heading and its sentences."""

_ORDER_OF_TRUMPS: Final = "trump jack (right bower), the other jack of its colour (left bower), then ace, king, queen"
_PLAN: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "The deal",
        (
            "low_rank",
            "jokers",
            (
                "=Two teams of two, partners opposite. Each player is dealt five cards, the next card is turned up, "
                "the rest is buried."
            ),
            "=The first dealer is drawn by lot; after each scored hand the deal moves to the left.",
        ),
    ),
    (
        "Making trump",
        (
            "relief",
            "relief_hand",
            "benny_turned",
            "=Round one, from the dealer's left: each player passes or orders up the upcard, whose suit becomes trump.",
            "dealer_partner_round1",
            (
                "=Round two, when all four have passed: the upcard is turned down, and each player passes or calls "
                "another suit."
            ),
            "all_pass",
            "redeal_dealer",
            "no_trump",
            "low_no_trump",
            "order_requires",
            "upcard_counts",
            (
                "=When the upcard is ordered up the dealer takes it and discards a card face down; nobody picks up "
                "after round two."
            ),
            "upcard_discard",
        ),
    ),
    ("Alone", ("alone", "alone_timing", "sitting_dealer", "partner_exchange", "defend_alone")),
    (
        "The play",
        (
            "loner_lead",
            f"=Trumps from the top: {_ORDER_OF_TRUMPS} and so on down. The left bower is a trump for every purpose.",
            "benny",
            (
                "=Follow the suit led if you can; else play any card. The highest trump wins, else the highest card "
                "of the suit led. The winner leads next."
            ),
            "claim",
        ),
    ),
    (
        "The score",
        ("tricks_needed", "lone_must_sweep", "lone_march", "lone_euchred", "super_euchre", "lone_defender"),
    ),
    ("The game", ("target", "hands", "win_by", "reveal", "spectator_hands")),
)
"""The sentences in order: an option's name for its own, "=" before one that always holds."""

_JOKER_PLAYED: Final = (
    "The joker is the highest trump. In no trump it has no suit: a hand that can follow may not play it; it wins the "
    "trick it is played to, and when it is led any card may be played."
)


def _with_lone_makers(rules: Rules) -> bool:
    return rules.alone is not Alone.OFF


MATTERS: Final[dict[str, Callable[[Rules], bool]]] = {
    "benny": lambda rules: bool(rules.jokers),
    "benny_turned": lambda rules: bool(rules.jokers),
    "redeal_dealer": lambda rules: rules.all_pass is AllPass.REDEAL,
    "low_no_trump": lambda rules: rules.no_trump is not NoTrump.OFF,
    "upcard_counts": lambda rules: rules.order_requires is not OrderRequires.NONE,
    "alone_timing": _with_lone_makers,
    "sitting_dealer": lambda rules: _with_lone_makers(rules) and rules.alone_timing is AloneTiming.WITH_CALL,
    "partner_exchange": _with_lone_makers,
    "lone_march": _with_lone_makers,
    "lone_euchred": _with_lone_makers,
    "lone_must_sweep": _with_lone_makers,
    "lone_defender": lambda rules: rules.defend_alone is not DefendAlone.OFF,
    "relief_hand": lambda rules: rules.relief is not Relief.OFF,
    "win_by": lambda rules: rules.target is not None,
}
"""Where an option matters at all; those not named do at every table."""


def sections(rules: Rules) -> tuple[Section, ...]:
    """Return the complete rules of a table, leaving out the options that do not matter there."""
    plain, changed = rules_to_plain(rules), changed_rules(rules)
    return tuple((heading, tuple(_lines(rules, names, plain, changed))) for heading, names in _PLAN)


def _lines(
    rules: Rules, names: tuple[str, ...], plain: Mapping[str, object], changed: Mapping[str, object]
) -> Iterator[RuleLine]:
    for name in names:
        if name.startswith("="):
            yield RuleLine(name[1:])
        elif name in MATTERS and not MATTERS[name](rules):
            continue
        elif name == "benny":
            yield RuleLine(_JOKER_PLAYED)
        elif plain[name] is not None:
            yield RuleLine(sentence(name, plain[name]), name in changed)


def sentence(name: str, value: object) -> str:
    """Return the sentence of an option's *value*; KeyError where it has none."""
    if (name, value) in WORDS:
        return WORDS[name, value]
    return NUMBERS[name].format(number=value, points=_count(value, "point"), hands=_count(value, "hand"))


def _count(number: object, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def rule_lines(preset: str, plain: Mapping[str, object]) -> list[str]:
    """Return the rules of a table, line by line, under a headline; *plain* are its complete options.

    Options that a newer server may have, and we know nothing of, come last by their names.
    """
    rules, unknown = _known(plain)
    told = sections(rules)
    lines = [f"{preset.capitalize()} rules{_difference(not_standard(plain))}"]
    for heading, sentences in told:
        lines += [f"{heading}:", *map(str, sentences)]
    if unknown:
        others = (RuleLine(f"{name.replace('_', ' ')}: {value}", is_changed=True) for name, value in unknown.items())
        lines += ["Beside that:", *map(str, others)]
    return lines


def not_standard(plain: Mapping[str, object]) -> int:
    """Return how many rules of a table are not standard."""
    rules, unknown = _known(plain)
    return sum(line.is_changed for _, lines in sections(rules) for line in lines) + len(unknown)


def _difference(many: int) -> str:
    match many:
        case 0:
            return ", the standard game."
        case 1:
            return f": one rule is not standard; it is marked {MARK}."
        case _:
            return f": {many} rules are not standard; they are marked {MARK}."


def _known(plain: Mapping[str, object]) -> tuple[Rules, dict[str, object]]:
    """Return the options we know as Rules, and the others."""
    try:
        return rules_from_plain(dict(plain)), {}
    except RulesError as error:
        known = {name: value for name, value in plain.items() if name not in error.problems}
    unknown = {name: value for name, value in plain.items() if name not in known}
    try:
        return rules_from_plain(known), unknown
    except RulesError:
        return Rules(), _differing(plain)


def _differing(plain: Mapping[str, object]) -> dict[str, object]:
    """Return the options that are not the standard game's."""
    standard = rules_to_plain(Rules())
    return {name: value for name, value in plain.items() if name not in standard or value != standard[name]}


def aim(plain: Mapping[str, object]) -> str:
    """Return what ends a game: "to 10" or "12 hands"."""
    target = plain.get("target")
    return f"to {target}" if target is not None else f"{plain.get('hands')} hands"
