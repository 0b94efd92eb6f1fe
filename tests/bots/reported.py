"""Positions from players' public reports of what a bot at another site did wrong, as views of ours.

Facts only: the cards where a report gives them, else a hand like the one it describes. They come from the issues of
TricksterCards/TricksterBots on GitHub.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.actions import Action, parse_action
from engine.cards import legal_cards
from engine.state import UpcardFate
from engine.view import View
from tests.bots.scenes import bidding, playing

EVERY: Final = ("standard", "hard", "expert")


@dataclass(frozen=True, slots=True)
class Report:
    """A decision players complained of: what they say is right, and what the search finds best (several if equal).

    ``levels`` are ours that do as the players say.
    """

    issue: int
    about: str
    view: View
    legal: tuple[Action, ...]
    players: frozenset[str]
    search: frozenset[str]
    levels: tuple[str, ...] = EVERY

    def __str__(self) -> str:
        return f"{self.issue}: {self.about}"


def _play(
    issue: int, about: str, view: View, players: str, search: str, *, calls: str, levels: tuple[str, ...] = EVERY
) -> Report:
    assert view.trump is not None
    led = view.trick[0][1] if view.trick else None
    legal = tuple(parse_action(f"play {card}") for card in legal_cards(view.cards, led, view.trump))
    called = [(int(text[0]), parse_action(text[2:])) for text in calls.split(", ")]
    return Report(
        issue, about, replace(view, calls=tuple(called)), legal,
        frozenset(f"play {card}" for card in players.split()), frozenset(f"play {card}" for card in search.split()),
        levels,
    )  # fmt: skip


def _bid(
    issue: int, about: str, view: View, legal: str, players: str, *, search: str = "", levels: tuple[str, ...] = EVERY
) -> Report:
    actions = tuple(parse_action(text) for text in legal.split(", "))
    return Report(issue, about, view, actions, frozenset([players]), frozenset([search or players]), levels)


_ROUND_ONE: Final = "pass, order, order alone"
_ROUND_TWO: Final = "pass, call s, call d, call c, call s alone, call d alone, call c alone"
_ALL_PASS: Final = "0 pass, 1 pass, 2 pass, 3 pass"
_TAKEN: Final = UpcardFate.TAKEN

REPORTS: Final = (
    _play(
        278,
        "the partner called: the left is led after the right",
        playing("Jd Td Kc Qs", trump="h", maker=2, upcard="Th", fate=_TAKEN, before=[(0, "Jh Kh 9h Th")]),
        "Jd",
        "Td Kc Qs",
        calls="0 pass, 1 pass, 2 order",
        levels=("standard",),
    ),
    _play(
        334,
        "second hand ducks so that the partner may take the trick that makes a euchre",
        playing(
            "Jc 9d", trump="s", maker=1, seat=2, dealer=0, upcard="9s", fate=_TAKEN, trick="9h", leader=1,
            before=[(1, "Qc Kc 9c Ac"), (0, "9s Js Qs Ts"), (1, "Ad Qd Td Kd")],
        ),
        "9d",
        "9d",
        calls="1 order",
    ),
    _play(
        297,
        "the maker's last two trumps: the higher one is led",
        playing(
            "Jd 9h", trump="h", maker=0, dealer=0, upcard="9d",
            before=[(1, "9s Ts Ks As"), (0, "Ac Tc Qc Kc"), (0, "Ad Qd Td Kd")],
        ),
        "Jd",
        "Jd",
        calls=f"{_ALL_PASS}, 1 pass, 2 pass, 3 pass, 0 call h",
    ),
    _play(
        272,
        "no trump is led to the partner when both defenders are out of it",
        playing("Ts Ah Qs Kd", trump="s", maker=0, seat=2, leader=2, upcard="9d", before=[(0, "9s 9h Js Th")]),
        "Ah Kd",
        "Ah",
        calls=f"{_ALL_PASS}, 0 call s",
    ),
    _play(
        308,
        "of two aces the one less likely to be ruffed",
        playing("Ah Ad Kd 9c Tc", trump="s", maker=2, upcard="Ts", fate=_TAKEN),
        "Ah",
        "Ah Ad Kd",
        calls="0 pass, 1 pass, 2 order",
        levels=("standard", "hard"),
    ),
    _play(
        141,
        "against a lone maker a low card is led for the partner to ruff, not an ace",
        playing(
            "Ac 9d Qh Td 9c", trump="s", maker=1, upcard="Ts", fate=_TAKEN, alone=(1,), sitting=(3,),
        ),
        "9d Td Qh 9c",
        "Ac 9d Td",
        calls="0 pass, 1 order alone",
        levels=(),
    ),
    _play(
        313,
        "the maker without the right leads a high trump to force it out",
        playing("Jc As 9s Kd Qh", trump="s", maker=0, upcard="Ts", fate=_TAKEN),
        "Jc As",
        "Jc As",
        calls="0 order",
    ),
    _play(
        322,
        "no trump is led to a partner who was stuck",
        playing("Qs 9s Ad Qh Tc", trump="s", maker=2, dealer=2, upcard="Td", leader=0),
        "Ad Qh Tc",
        "Ad",
        calls="3 pass, 0 pass, 1 pass, 2 pass, 3 pass, 0 pass, 1 pass, 2 call s",
        levels=("hard", "expert"),
    ),
    _bid(
        271,
        "left of the dealer, right, king and ten of next are called",
        bidding("Jd Kd Td 9s Qc", upcard="9h", round_two=True),
        _ROUND_TWO,
        "call d",
    ),
    _bid(12, "both bowers, ace, and ace and queen outside go alone", bidding("Jh Jd Ah As Qs", upcard="9h"), _ROUND_ONE,
         "order alone"),
    _bid(
        328,
        "a dealer eight to nine behind takes up the queen to right and nine",
        bidding("Jd 9d 9s Tc Qh", upcard="Qd", seat=3, score=(9, 8)),
        _ROUND_ONE,
        "order",
    ),
    _bid(
        219,
        "left of the dealer, two bowers that are better next are passed",
        bidding("Js Jc Ts Tc 9h", upcard="9s"),
        _ROUND_ONE,
        "pass",
        search="pass",
        levels=("hard", "expert"),
    ),
)  # fmt: skip
