"""The rules as Trickster's options, a JSON object in a tag."""

from __future__ import annotations

import json
from typing import Final

from engine.errors import RulesError
from engine.interchange.ptn_tags import Tag
from engine.interchange.reports import InterchangeError, Loss, bounded, shown
from engine.interchange.source import parse_json
from engine.rules import Rules, make_rules, rules_to_plain

_SAYS: Final[tuple[tuple[str, str, object, object], ...]] = (
    ("stickTheDealer", "all_pass", "stick", "redeal"),
    ("allowNotrump", "no_trump", "round2", "off"),
    ("allowLowNotrump", "low_no_trump", True, False),
    ("callForBest", "partner_exchange", "call_for_best", "off"),
    ("defendAlone", "defend_alone", "vs_lone", "off"),
    ("withJoker", "jokers", 1, 0),
    ("take4for1", "tricks_needed", 4, 3),
    ("aloneTake5", "lone_must_sweep", True, False),
)
"""Their yes or no, our option, and its value for yes and for no."""
_OTHER_GAMES: Final[dict[str, int]] = {"variation": 0, "numDecks": 1, "players": 4}
"""Options with the one value that is this game."""
_LOW_RANKS: Final = {24: 9, 28: 8, 32: 7}
"""Their number of cards, the joker apart, and our lowest rank."""


def write_options(rules: Rules) -> str:
    """Return the options as JSON; what they have no name for is not there."""
    plain = rules_to_plain(rules)
    options: dict[str, object] = {theirs: plain[ours] == yes for theirs, ours, yes, _ in _SAYS}
    options["allowNotrump"] = plain["no_trump"] != "off"
    options["defendAlone"] = plain["defend_alone"] != "off"
    options["goUnder"] = plain["relief"] == "swap3"
    options["allowMisdeal"] = plain["relief"] == "redeal"
    options["deckSize"] = next(size for size, rank in _LOW_RANKS.items() if rank == rules.low_rank)
    if rules.target is not None:
        options["gameOverScore"] = rules.target
    return json.dumps(options, separators=(",", ":"))


def read_options(tag: Tag | None) -> tuple[Rules, tuple[Loss, ...]]:
    """Read the options, an option not there being false, and what of them ours have not."""
    options = {} if tag is None else _object(tag)
    plain: dict[str, object] = {}
    for theirs, ours, yes, no in _SAYS:
        plain[ours] = yes if _flag(tag, options, theirs) else no
    is_under, is_misdeal = _flag(tag, options, "goUnder"), _flag(tag, options, "allowMisdeal")
    plain["relief"] = "swap3" if is_under else "redeal" if is_misdeal else "off"
    losses = [Loss("allowMisdeal, beside goUnder", "options")] if is_under and is_misdeal else []
    size = options.pop("decksize", 24)
    if not isinstance(size, int) or size not in _LOW_RANKS:
        assert tag is not None
        raise tag.fault(f"deckSize must be 24, 28 or 32, not {shown(size)}")
    plain["low_rank"] = _LOW_RANKS[size]
    if "gameoverscore" in options:
        plain["target"] = options.pop("gameoverscore")
    for name, value in _OTHER_GAMES.items():
        if options.pop(name.lower(), value) != value:
            assert tag is not None
            raise tag.fault(f"{name} other than {value} is another game")
    losses += [Loss(bounded(name), "options") for name, value in sorted(options.items()) if value]
    try:
        return make_rules("standard", plain), tuple(losses)
    except RulesError as error:
        assert tag is not None
        raise tag.fault(f"these rules cannot be played: {error}") from None


def _object(tag: Tag) -> dict[str, object]:
    """Return the options by name in lower case, for either case is in use."""
    try:
        value = parse_json(tag.value)
    except InterchangeError as error:
        raise tag.fault(error.detail) from None
    if not isinstance(value, dict):
        raise tag.fault("the options must be an object")
    return {str(name).lower(): option for name, option in value.items()}


def _flag(tag: Tag | None, options: dict[str, object], name: str) -> bool:
    value = options.pop(name.lower(), False)
    if not isinstance(value, bool):
        assert tag is not None
        raise tag.fault(f"{name} must be true or false")
    return value
