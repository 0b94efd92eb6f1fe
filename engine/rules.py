"""The options of a table (RULES.md), their presets, and which combinations are refused (§10, §12).

Every option is one field of Rules and is read in one function of the engine. A preset is a name for values: nothing
branches on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final, cast

from engine.errors import RulesError


class AllPass(StrEnum):
    """What happens after seven passes (R-BID-3)."""

    STICK = "stick"
    REDEAL = "redeal"


class RedealDealer(StrEnum):
    """Who deals after a throw-in (R-DEAL-3)."""

    NEXT = "next"
    SAME = "same"


class NoTrump(StrEnum):
    """Where no trump may be called (R-BID-4)."""

    OFF = "off"
    ROUND2 = "round2"
    STUCK_ONLY = "stuck_only"


class PartnerRound1(StrEnum):
    """What the dealer's partner may do in round one; ALONE_OR_PASS is the Canadian loner (R-BID-5)."""

    FREE = "free"
    ALONE_OR_PASS = "alone_or_pass"


class OrderRequires(StrEnum):
    """What a caller must hold of the suit he makes trump (R-BID-6)."""

    NONE = "none"
    ANY_TRUMP = "any_trump"
    NATURAL_TRUMP = "natural_trump"


class BennyTurned(StrEnum):
    """What a Benny turned up means (R-BID-7)."""

    DEALER_NAMES = "dealer_names"
    DEALER_NAMES_BLIND = "dealer_names_blind"
    AS_SPADES = "as_spades"


class Alone(StrEnum):
    """Who of the maker's side may go alone (R-ALONE-1)."""

    OFF = "off"
    MAKER = "maker"
    MAKER_SIDE = "maker_side"


class AloneTiming(StrEnum):
    """When alone is said (R-ALONE-2)."""

    WITH_CALL = "with_call"
    BEFORE_FIRST_LEAD = "before_first_lead"


class DefendAlone(StrEnum):
    """When a defender may play alone (R-ALONE-3)."""

    OFF = "off"
    VS_LONE = "vs_lone"
    ANY = "any"


class SittingDealer(StrEnum):
    """Whether a dealer whose partner ordered alone still takes up the upcard (R-ALONE-4)."""

    PICKS_UP = "picks_up"
    SKIPS = "skips"


class PartnerExchange(StrEnum):
    """Whether a lone maker swaps a card with the sitting partner (R-ALONE-5)."""

    OFF = "off"
    CALL_FOR_BEST = "call_for_best"


class LonerLead(StrEnum):
    """Who leads first (R-PLAY-1)."""

    LEFT_OF_DEALER = "left_of_dealer"
    LEFT_OF_LONER = "left_of_loner"


class Claim(StrEnum):
    """Whether the rest of the tricks may be claimed (R-PLAY-5)."""

    OFF = "off"
    VALIDATED = "validated"


class Relief(StrEnum):
    """What a very bad hand may ask for (R-RELIEF-1)."""

    OFF = "off"
    REDEAL = "redeal"
    SWAP3 = "swap3"


class ReliefHand(StrEnum):
    """Which hands are very bad (R-RELIEF-1)."""

    NINES_TENS = "nines_tens"
    NO_ACE_NO_FACE = "no_ace_no_face"
    ACE_NO_FACE = "ace_no_face"


class Reveal(StrEnum):
    """What the four players see when a hand is over (R-VIEW-3)."""

    OWN_ONLY = "own_only"
    ALL = "all"


class SpectatorHands(StrEnum):
    """Whether watchers see the hands of a finished hand (R-VIEW-2)."""

    NEVER = "never"
    AFTER_HAND = "after_hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The complete options of a game, validated when made.

    Raises RulesError naming every bad field.
    """

    low_rank: int = 9
    jokers: int = 0
    all_pass: AllPass = AllPass.STICK
    redeal_dealer: RedealDealer = RedealDealer.NEXT
    no_trump: NoTrump = NoTrump.OFF
    low_no_trump: bool = False
    dealer_partner_round1: PartnerRound1 = PartnerRound1.FREE
    order_requires: OrderRequires = OrderRequires.NONE
    upcard_counts: bool = True
    benny_turned: BennyTurned = BennyTurned.DEALER_NAMES
    alone: Alone = Alone.MAKER
    alone_timing: AloneTiming = AloneTiming.WITH_CALL
    defend_alone: DefendAlone = DefendAlone.OFF
    sitting_dealer: SittingDealer = SittingDealer.PICKS_UP
    partner_exchange: PartnerExchange = PartnerExchange.OFF
    upcard_discard: bool = True
    loner_lead: LonerLead = LonerLead.LEFT_OF_DEALER
    claim: Claim = Claim.OFF
    lone_march: int = 4
    lone_euchred: int = 2
    lone_defender: int = 4
    super_euchre: int = 0
    tricks_needed: int = 3
    lone_must_sweep: bool = False
    relief: Relief = Relief.OFF
    relief_hand: ReliefHand = ReliefHand.NINES_TENS
    target: int | None = 10
    hands: int | None = None
    win_by: int = 1
    reveal: Reveal = Reveal.ALL
    spectator_hands: SpectatorHands = SpectatorHands.NEVER

    def __post_init__(self) -> None:
        problems = _problems({field.name: getattr(self, field.name) for field in fields(self)})
        if problems:
            raise RulesError(problems)


RANGES: Final[dict[str, range]] = {
    "low_rank": range(7, 10),
    "jokers": range(2),
    "lone_march": range(1, 11),
    "lone_euchred": range(1, 11),
    "lone_defender": range(1, 11),
    "super_euchre": range(11),
    "tricks_needed": range(3, 5),
    "target": range(1, 100),
    "hands": range(1, 100),
    "win_by": range(1, 3),
}


_CLASHES: Final[tuple[tuple[tuple[str, object], tuple[str, object]], ...]] = (
    (("alone", Alone.OFF), ("dealer_partner_round1", PartnerRound1.ALONE_OR_PASS)),
    (("alone", Alone.OFF), ("partner_exchange", PartnerExchange.CALL_FOR_BEST)),
    (("alone", Alone.OFF), ("defend_alone", DefendAlone.VS_LONE)),
    (("alone", Alone.OFF), ("lone_must_sweep", True)),
    (("alone", Alone.MAKER_SIDE), ("alone_timing", AloneTiming.WITH_CALL)),
    (("alone_timing", AloneTiming.BEFORE_FIRST_LEAD), ("sitting_dealer", SittingDealer.SKIPS)),
    (("alone_timing", AloneTiming.BEFORE_FIRST_LEAD), ("dealer_partner_round1", PartnerRound1.ALONE_OR_PASS)),
    (("no_trump", NoTrump.STUCK_ONLY), ("all_pass", AllPass.REDEAL)),
    (("no_trump", NoTrump.OFF), ("low_no_trump", True)),
    (("jokers", 0), ("benny_turned", BennyTurned.DEALER_NAMES_BLIND)),
    (("jokers", 0), ("benny_turned", BennyTurned.AS_SPADES)),
)
"""Values of two options that cannot go together (RULES.md §10).

Every pack leaves at least three buried cards, so swap3 never wants for them.
"""


def _problems(values: Mapping[str, object]) -> dict[str, str]:
    """Return every field of *values* that is out of range or in a contradiction, with why (RULES.md §10).

    A contradiction names both its fields. Fields not in *values* contradict nothing.
    """
    clashes: dict[str, list[str]] = {}
    for one, other in _CLASHES:
        if all(name in values and values[name] == value for name, value in (one, other)):
            clashes.setdefault(one[0], []).append(_worded(*other))
            clashes.setdefault(other[0], []).append(_worded(*one))
    problems = {name: f"{_plain(values[name])} does not go with {', '.join(with_)}" for name, with_ in clashes.items()}
    if {"target", "hands"} <= values.keys() and (values["target"] is None) is (values["hands"] is None):
        problems |= dict.fromkeys(("target", "hands"), "either target or hands must be set, not both")
    for name, allowed in RANGES.items():
        if (value := values.get(name)) is not None and value not in allowed:
            problems[name] = f"must be from {allowed[0]} to {allowed[-1]}"
    return problems


def _worded(name: str, value: object) -> str:
    return f"{name} {_plain(value)}"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


PRESETS: Final[dict[str, dict[str, object]]] = {
    "standard": {},
    "ladder": {
        "all_pass": "redeal",
        "alone": "maker_side",
        "alone_timing": "before_first_lead",
        "defend_alone": "any",
    },
    "practice": {},
    "club": {},
    "screw": {"sitting_dealer": "skips"},
    "british": {
        "jokers": 1,
        "benny_turned": "dealer_names_blind",
        "dealer_partner_round1": "alone_or_pass",
        "defend_alone": "vs_lone",
        "all_pass": "redeal",
        "target": 11,
    },
    "best": {"partner_exchange": "call_for_best", "no_trump": "round2", "relief": "swap3"},
    "championship": {"target": None, "hands": 12},
}
"""Preset name to the options that differ from the defaults (RULES.md §12), in plain values."""

_DEFAULTS: Final[dict[str, object]] = {field.name: field.default for field in fields(Rules)}


def make_rules(preset: str = "standard", overrides: dict[str, object] | None = None) -> Rules:
    """Return the rules of *preset* with *overrides* (field name to plain value) on top.

    Raises RulesError naming every unknown field, value of the wrong type or out of range, and combination refused.
    """
    if preset not in PRESETS:
        raise RulesError({"preset": f"unknown; choose one of {', '.join(PRESETS)}"})
    values = dict(_DEFAULTS)
    problems: dict[str, str] = {}
    for name, value in (PRESETS[preset] | (overrides or {})).items():
        if name not in _DEFAULTS:
            problems[name[:40]] = "no such rule"
            continue
        try:
            values[name] = _typed(name, value)
        except ValueError as problem:
            del values[name]
            problems[name] = str(problem)
    problems |= _problems(values)
    if problems:
        raise RulesError(problems)
    return Rules(**cast("dict[str, Any]", values))


def _typed(name: str, value: object) -> object:
    default = _DEFAULTS[name]
    if isinstance(default, StrEnum):
        kind = type(default)
        if isinstance(value, str) and value in {str(member) for member in kind}:
            return kind(value)
        raise ValueError(f"must be one of {', '.join(kind)}")
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError("must be true or false")
        return value
    if value is None and name in {"target", "hands"}:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")
    return value


def rules_to_plain(rules: Rules) -> dict[str, object]:
    """Return every option by name, in plain values that `rules_from_plain` reads back."""
    return {name: str(value) if isinstance(value := getattr(rules, name), StrEnum) else value for name in _DEFAULTS}


def rules_from_plain(plain: dict[str, object]) -> Rules:
    """Read complete rules as `rules_to_plain` writes them; options not named take their defaults.

    Raises RulesError as `make_rules` does.
    """
    return make_rules("standard", plain)


def changed_rules(rules: Rules) -> dict[str, object]:
    """Return the options that differ from the standard game, in plain values."""
    return {name: value for name, value in rules_to_plain(rules).items() if value != _DEFAULTS[name]}
