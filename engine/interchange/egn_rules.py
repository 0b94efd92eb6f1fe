"""The ruleset of Euchre Game Notation and ours, one as the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.errors import RulesError
from engine.interchange.json_tree import Node
from engine.interchange.reports import Loss, bounded
from engine.rules import Rules, make_rules, rules_to_plain

_PLAYERS: Final = 4
_SAYS: Final[tuple[tuple[str, str, object, object], ...]] = (
    ("std", "all_pass", "stick", "redeal"),
    ("allow_no_trump", "no_trump", "round2", "off"),
    ("canadian", "dealer_partner_round1", "alone_or_pass", "free"),
    ("defend_alone", "defend_alone", "vs_lone", "off"),
    ("partners_best", "partner_exchange", "call_for_best", "off"),
    ("joker", "jokers", 1, 0),
)
"""Their yes or no, our option, and its value for yes and for no."""
_NUMBERS: Final = (
    ("min_rank", "low_rank"),
    ("loner_march_score", "lone_march"),
    ("loner_euchred_score", "lone_euchred"),
)
_DEFAULTS: Final[dict[str, bool]] = {"std": True}
_OTHER_GAMES: Final = ("fast_break", "four_trick_tokens")
"""Ways of scoring that ours has not."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Their ruleset read: our rules, and what of theirs we have not."""

    rules: Rules
    losses: tuple[Loss, ...]


def write_ruleset(rules: Rules) -> dict[str, object]:
    """Return *rules* as a ruleset; what it has no name for is not there."""
    plain = rules_to_plain(rules)
    ruleset: dict[str, object] = {theirs: plain[ours] != no for theirs, ours, _, no in _SAYS}
    ruleset |= {theirs: plain[ours] for theirs, ours in _NUMBERS}
    ruleset["loner_lead"] = str(plain["loner_lead"]).upper()
    ruleset["farmers"] = plain["relief"] == "redeal"
    ruleset["go_under"] = plain["relief"] == "swap3"
    limit = "num_deals" if rules.target is None else "winning_score"
    ruleset[limit] = rules.hands if rules.target is None else rules.target
    return ruleset | {"std": plain["all_pass"] == "stick"}


def read_ruleset(node: Node | None) -> Ruleset:
    """Read a ruleset; options not named take their defaults. Raises InterchangeError where ours cannot be like it."""
    fields = {} if node is None else node.fields()
    losses: list[Loss] = []
    plain: dict[str, object] = {}
    for theirs, ours, yes, no in _SAYS:
        says = fields[theirs].flag() if theirs in fields else _DEFAULTS.get(theirs, False)
        plain[ours] = yes if says else no
    for theirs, ours in _NUMBERS:
        if theirs in fields:
            plain[ours] = fields[theirs].whole(0, 99)
    plain |= _read_limits(fields)
    if "loner_lead" in fields:
        plain["loner_lead"] = fields["loner_lead"].words().lower()
    is_under = "go_under" in fields and fields["go_under"].flag()
    is_farm = "farmers" in fields and fields["farmers"].flag()
    plain["relief"] = "swap3" if is_under else "redeal" if is_farm else "off"
    if is_under and is_farm:
        losses.append(Loss("farmers, beside go_under", "ruleset"))
    if "num_players" in fields:
        fields["num_players"].whole(_PLAYERS, _PLAYERS)
    losses += [Loss(name, "ruleset") for name in _OTHER_GAMES if name in fields and fields[name].flag()]
    losses += [Loss(bounded(name), "ruleset") for name in sorted(fields.keys() - _KNOWN)]
    try:
        return Ruleset(make_rules("standard", plain), tuple(losses))
    except RulesError as error:
        assert node is not None
        raise node.fault(f"these rules cannot be played: {error}") from None


def _read_limits(fields: dict[str, Node]) -> dict[str, object]:
    score = fields["winning_score"].whole(0, 99) if "winning_score" in fields else None
    deals = fields["num_deals"].whole(0, 99) if "num_deals" in fields else 0
    if deals and score:
        raise fields["num_deals"].fault("a game ends at a score or after a number of deals, not both")
    if deals:
        return {"target": None, "hands": deals}
    if score == 0:
        raise fields["winning_score"].fault("a game without a winning score needs num_deals")
    return {} if score is None else {"target": score}


_KNOWN: Final = frozenset(
    {theirs for theirs, *_ in _SAYS}
    | {theirs for theirs, _ in _NUMBERS}
    | {"winning_score", "num_deals", "loner_lead", "go_under", "farmers", "num_players", *_OTHER_GAMES}
)
