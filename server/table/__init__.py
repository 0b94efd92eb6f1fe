"""A table, pure: which entry a command becomes, and what the table is after an entry.

``decide(state, command, time) -> entry | refusal`` and ``evolve(state, stored entry) -> state, events``: no I/O, no
clock, no randomness. Times come in as the log's stamps, secrets and ids from the caller. server/actor.py performs it.
"""

from server.table.commands import (
    Act,
    ActFor,
    Asked,
    Close,
    Command,
    Credit,
    DealHand,
    FillSeats,
    GiveTime,
    PassHost,
    Refusal,
    Repeated,
    SetAway,
    SitDown,
    StandUp,
    StartGame,
    Stir,
)
from server.table.deciding import REF_REUSED, decide
from server.table.evolving import Happening, evolve, opened_table
from server.table.state import LEVELS, Chair, Play, Room, TableState, viewer_of

__all__ = [
    "LEVELS",
    "REF_REUSED",
    "Act",
    "ActFor",
    "Asked",
    "Chair",
    "Close",
    "Command",
    "Credit",
    "DealHand",
    "FillSeats",
    "GiveTime",
    "Happening",
    "PassHost",
    "Play",
    "Refusal",
    "Repeated",
    "Room",
    "SetAway",
    "SitDown",
    "StandUp",
    "StartGame",
    "Stir",
    "TableState",
    "decide",
    "evolve",
    "opened_table",
    "viewer_of",
]
