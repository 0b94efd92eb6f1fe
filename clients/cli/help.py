"""What "?" shows."""

from __future__ import annotations

from typing import Final

from clients.cli.screen import Screen

AT_A_TABLE: Final = (
    ("1, 2, 3 …", "choose by number; before a game another seat, too"),
    ("jd, 10h, ♥A", "play or discard that card; also: jack of diamonds"),
    ("pass, order, spades …", "bid in words; add 'alone' to go alone"),
    ("Enter", "the question again"),
    ("table", "how the game stands, and your hand"),
    ("hand", "your cards"),
    ("score", "the score, and what ends the game"),
    ("last", "the last trick"),
    ("deal", "all cards of the finished hand"),
    ("who", "who sits where"),
    ("rules", "the rules of this table, and what is not standard"),
    ("hint", "what each choice is worth, at a private table without a clock, with bots only"),
    ("say TEXT", "talk to the table"),
    ("shuffle TEXT", "add a text of yours to what the next deal is made from; alone, take it back"),
    ("more", "give the one who thinks more time"),
    ("link", "your own link, to go on as yourself on another device"),
    ("link new", "another one; the old one stops"),
    ("record", "save the record of the finished game in this folder"),
    ("away, back", "let a bot play for you; play yourself again"),
    ("leave", "give up your seat for good"),
    ("quit", "end the program; a bot plays until you come back (so does Ctrl-C)"),
)

WATCHING: Final = (
    ("table", "how the game stands"),
    ("score", "the score, and what ends the game"),
    ("last", "the last trick"),
    ("deal", "all cards of the finished hand, where the table shows them"),
    ("who", "who sits where"),
    ("rules", "the rules of this table, and what is not standard"),
    ("say TEXT", "talk to the table"),
    ("quit", "look on no longer (so does Ctrl-C)"),
)


_ROOM: Final = 60
"""The columns that two columns take."""


def show_help(screen: Screen, commands: tuple[tuple[str, str], ...]) -> None:
    """Print one line a command, what it does in a column of its own where there is room for it."""
    width = max(len(command) for command, _ in commands)
    for command, does in commands:
        if screen.width < _ROOM:
            screen.line(f"  {command}: {does}", indent=4)
        else:
            screen.line(f"  {command:{width}}  {does}", indent=width + 4)
