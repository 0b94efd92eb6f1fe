"""The options of a table in words, for "rules"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import RulesError
from engine.rules import changed_rules, rules_from_plain

_WORDS: Final[dict[tuple[str, object], str]] = {
    ("all_pass", "redeal"): "When all pass twice the hand is thrown in; the dealer is not stuck.",
    ("redeal_dealer", "same"): "After a throw-in the same dealer deals again.",
    ("no_trump", "round2"): "No trump may be called in round two.",
    ("no_trump", "stuck_only"): "A stuck dealer may call no trump.",
    ("low_no_trump", True): "Low no trump, where the lowest card wins, may be called too.",
    ("dealer_partner_round1", "alone_or_pass"): "The dealer's partner may order up only alone.",
    ("order_requires", "any_trump"): "Whoever makes trump must hold a card of it.",
    (
        "order_requires",
        "natural_trump",
    ): "Whoever makes trump must hold a card of it; the left bower alone does not count.",
    ("upcard_counts", False): "The upcard does not count as the dealer's when he must hold a trump.",
    ("alone", "off"): "Nobody may go alone.",
    ("alone", "maker_side"): "The maker or the maker's partner may go alone.",
    ("alone_timing", "before_first_lead"): "Going alone is decided just before the first lead.",
    ("defend_alone", "vs_lone"): "A defender may play alone against a lone maker.",
    ("defend_alone", "any"): "A defender may play alone.",
    ("sitting_dealer", "skips"): "A dealer whose partner orders up alone does not pick up.",
    ("partner_exchange", "call_for_best"): "A lone maker swaps a card with the partner.",
    ("upcard_discard", False): "The dealer may not discard the card just picked up.",
    ("loner_lead", "left_of_loner"): "Against a lone hand the player on the lone maker's left leads.",
    ("claim", "validated"): "The player about to lead may claim the rest of the tricks.",
    ("lone_must_sweep", True): "A lone maker must take all five tricks.",
    ("relief", "redeal"): "A very bad hand may ask for a new deal.",
    ("relief", "swap3"): "A very bad hand may swap three cards with the pack.",
    ("reveal", "own_only"): "Hands are not shown after a hand.",
    ("spectator_hands", "after_hand"): "Those who look on see the hands after each hand.",
}

_NUMBERS: Final[dict[str, str]] = {
    "low_rank": "The pack begins at the {}s.",
    "jokers": "The pack holds {} joker.",
    "lone_march": "All five tricks alone score {}.",
    "lone_euchred": "A euchred lone maker gives the defenders {}.",
    "lone_defender": "A lone defender who euchres the makers scores {}.",
    "super_euchre": "Makers without a trick give the defenders {}.",
    "tricks_needed": "The makers need {} tricks.",
    "target": "The game is to {}.",
    "hands": "The game is {} hands.",
    "win_by": "The game must be won by {}.",
}


def rule_lines(plain: Mapping[str, object]) -> list[str]:
    """Return one line for each option that differs from the standard game; *plain* are a table's complete rules."""
    try:
        changed = changed_rules(rules_from_plain(dict(plain)))
    except RulesError:  # a newer server's options
        changed = dict(plain)
    return [_line(name, value) for name, value in changed.items() if value is not None]


def _line(name: str, value: object) -> str:
    words = _WORDS.get((name, value))
    if words is not None:
        return words
    if name in _NUMBERS:
        return _NUMBERS[name].format(value)
    return f"{name.replace('_', ' ')}: {value}."


def aim(plain: Mapping[str, object]) -> str:
    """Return what ends a game: "to 10" or "12 hands"."""
    target = plain.get("target")
    return f"to {target}" if target is not None else f"{plain.get('hands')} hands"
