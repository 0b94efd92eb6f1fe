"""Who is who, as one viewer says it: you, your partner, left and right; for a watcher the points of the compass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import SEATS, Seat, team_of
from engine.view import WATCHER, Viewer
from protocol.outgoing import TableInfo

_PLACES: Final = ("you", "left", "partner", "right")
"""By how many seats clockwise from the viewer's own."""
_COMPASS: Final = ("South", "West", "North", "East")
_THIRD_PERSON: Final = {"are": "is", "have": "has", "do": "does", "go": "goes", "pass": "passes"}
_WITHOUT_NAME: Final = {
    "left": "the player on your left",
    "partner": "your partner",
    "right": "the player on your right",
}


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of the four seats; None where a seat is open or its name is not known."""

    viewer: Viewer
    names: tuple[str | None, str | None, str | None, str | None] = (None, None, None, None)

    def is_you(self, seat: Seat) -> bool:
        """Tell whether *seat* is the viewer's own."""
        return seat == self.viewer

    def place(self, seat: Seat) -> str:
        """Return "you", "left", "partner" or "right"; for a watcher "South" and so on."""
        return _COMPASS[seat] if self.viewer == WATCHER else _PLACES[(seat - self.viewer) % 4]

    def who(self, seat: Seat) -> str:
        """Return the seat as the object of a sentence: "you", "Ann (left)", "Ann (North)"."""
        place, name = self.place(seat), self.names[seat]
        if place == "you":
            return place
        if name is None:
            return _WITHOUT_NAME.get(place, place)
        return name if name == place else f"{name} ({place})"

    def verb(self, seat: Seat, verb: str) -> str:
        """Return *verb*, given as it goes with "you", as it goes with the seat: "pass" or "passes"."""
        return verb if self.is_you(seat) else third_person(verb)

    def clause(self, seat: Seat, verb: str) -> str:
        """Return seat and verb in mid-sentence: "you pick up", "your partner picks up", "Ann (left) picks up"."""
        return f"{self.who(seat)} {self.verb(seat, verb)}"

    def subject(self, seat: Seat, verb: str) -> str:
        """Return seat and verb at the start of a sentence."""
        return f"{self.opening(seat)} {self.verb(seat, verb)}"

    def opening(self, seat: Seat) -> str:
        """Return the seat as the start of a line. A name keeps the letters its owner chose."""
        who = self.who(seat)
        is_named = self.names[seat] is not None and not self.is_you(seat)
        return who if is_named else who[0].upper() + who[1:]

    def team(self, team: int) -> str:
        """Return "you and Ann", or both names where the viewer is not of *team*: "Bob and Cay"."""
        first, second = (seat for seat in SEATS if team_of(seat) == team)
        if self.is_you(second):
            first, second = second, first
        return f"{self._bare(first)} and {self._bare(second)}"

    def side(self, team: int) -> str:
        """Return "us" or "them"; for a watcher the team's names."""
        if self.viewer == WATCHER:
            return self.team(team)
        return "us" if team == team_of(self.viewer) else "them"

    def tally(self, numbers: Sequence[int]) -> str:
        """Return numbers by team, the viewer's own first: "us 3, them 4"."""
        first = 0 if self.viewer == WATCHER else team_of(self.viewer)
        return ", ".join(f"{self.side(team)} {numbers[team]}" for team in (first, 1 - first))

    def _bare(self, seat: Seat) -> str:
        if self.is_you(seat):
            return "you"
        return self.names[seat] or _WITHOUT_NAME.get(self.place(seat), self.place(seat))


def third_person(verb: str) -> str:
    """Return the first word of *verb* as it goes with "she": "order up" becomes "orders up"."""
    first, space, rest = verb.partition(" ")
    return f"{_THIRD_PERSON.get(first, f'{first}s')}{space}{rest}"


def naming_at(info: TableInfo | None, seat: Seat | None) -> Naming:
    """Return the naming at a table for who sits at *seat*, or for a watcher."""
    viewer = WATCHER if seat is None else seat
    if info is None:
        return Naming(viewer)
    first, second, third, fourth = (place["name"] for place in info["seats"])
    return Naming(viewer, (first, second, third, fourth))


def naming_of_record(players: Sequence[Mapping[str, object]], viewer: Viewer) -> Naming:
    """Return the naming a record gives: players are objects with a seat and a name."""
    names: list[str | None] = [None, None, None, None]
    for player in players:
        seat, name = player.get("seat"), player.get("name")
        if isinstance(seat, int) and seat in SEATS and isinstance(name, str):
            names[seat] = name
    return Naming(viewer, (names[0], names[1], names[2], names[3]))
