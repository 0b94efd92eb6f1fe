"""Records of games: the format ``euchre/1``, JSON lines, the truth of a game.

The first line is the header: format, complete rules, preset, players, game. Every further line is one entry, numbered
from 1 without gaps: a deal, a seat's action, the reveal of a deal's secret, or the result. A record may stop anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from engine.actions import Action, parse_action
from engine.cards import SEATS, Cards, Seat, parse_cards
from engine.errors import CardTextError, Code, EngineError, IllegalActionError, RulesError
from engine.events import Events
from engine.game import apply, deal, new_game
from engine.rules import Rules, rules_from_plain, rules_to_plain
from engine.state import Finished, Game

FORMAT: Final = "euchre/1"
MAX_LINE_CHARS: Final = 16_384


class RecordError(EngineError):
    """A record that cannot be followed: ``n`` is the entry at fault (0 for the header), with a code and a detail."""

    def __init__(self, n: int, code: str, detail: str) -> None:
        self.n, self.code, self.detail = n, code, detail
        super().__init__(f"entry {n}: {detail}" if n else f"header: {detail}")


@dataclass(frozen=True, slots=True)
class Header:
    """What a record says before its first entry. ``players`` are plain objects, by the record's own account."""

    rules: Rules
    preset: str | None
    players: tuple[Mapping[str, object], ...]
    game: str | None
    commit: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One entry followed: its number, what happened, the game after it, and the entry as it was read."""

    n: int
    events: Events
    game: Game
    entry: Mapping[str, Any]


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def replay(lines: Iterable[str]) -> tuple[Header, Iterator[Step]]:
    """Follow a record: its header, and one Step an entry, lazily. Blank lines are passed over.

    Raises RecordError at the header at once, and from the iterator at the first entry that is malformed, out of order
    or illegal; nothing after it is applied.
    """
    rest = (line for line in lines if line.strip())
    first = next(rest, None)
    if first is None:
        raise RecordError(0, "bad_header", "the record is empty")
    header = _read_header(_object(first, 0))
    return header, _steps(header.rules, rest)


def _steps(rules: Rules, lines: Iterator[str]) -> Iterator[Step]:
    game = new_game(rules)
    for expected, line in enumerate(lines, start=1):
        entry = _object(line, expected)
        if entry.get("n") != expected or not _are_whole(entry["n"]):
            another = "another record begins here; a file holds one"
            wrong = another if "format" in entry else f"the entry after {expected - 1} must have n {expected}"
            raise RecordError(expected, "bad_number", wrong)
        try:
            game, events = follow(game, entry)
        except IllegalActionError as error:
            raise RecordError(expected, str(error.code), error.detail) from None
        except CardTextError as error:
            raise RecordError(expected, "bad_card", str(error)) from None
        except _MalformedError as error:
            raise RecordError(expected, "bad_entry", str(error)) from None
        yield Step(expected, events, game, entry)


class _MalformedError(EngineError):
    """An entry that does not read as one."""


def follow(game: Game, entry: Mapping[str, Any]) -> tuple[Game, Events]:
    """Apply one entry of a record to *game*. Raises an EngineError where it does not fit."""
    if len(_KINDS & entry.keys()) != 1:
        raise _MalformedError(_WHAT_AN_ENTRY_IS)
    match entry:
        case {"deal": {"hand": hand, "dealer": dealer, "deck": str(deck)}} if _are_whole(hand, dealer):
            if hand != game.standing.hands_dealt + 1:
                raise IllegalActionError(Code.BAD_DEAL, f"the next hand is {game.standing.hands_dealt + 1}, not {hand}")
            return deal(game, parse_cards(deck), dealer=dealer)
        case {"seat": seat, "do": str(text)} if _are_whole(seat):
            if seat not in SEATS:
                raise _MalformedError("a seat is a number from 0 to 3")
            return apply(game, seat, parse_action(text))
        case {"reveal": {"secret": str()}}:
            return game, ()
        case {"result": {"score": [ours, theirs], "winner": winner}} if _are_whole(
            ours, theirs, 0 if winner is None else winner
        ):
            stage = game.stage
            if not isinstance(stage, Finished) or (ours, theirs) != game.standing.score or winner != stage.winner:
                raise _MalformedError("the result is not what the entries before it come to")
            return game, ()
        case _:
            raise _MalformedError(_WHAT_AN_ENTRY_IS)


_KINDS: Final = frozenset({"deal", "do", "reveal", "result"})
_WHAT_AN_ENTRY_IS: Final = 'an entry is a "deal", a "seat" with what it "do", a "reveal" or a "result"'


def _are_whole(*values: object) -> bool:
    """Tell whether all *values* are whole numbers; true and false, which Python counts among them, are not."""
    return all(type(value) is int for value in values)


def _object(line: str, n: int) -> dict[str, Any]:
    if len(line) > MAX_LINE_CHARS:
        raise RecordError(n, "too_long", f"a line may have {MAX_LINE_CHARS} characters")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(n, "bad_json", "the line is no JSON object") from None
    if not isinstance(value, dict):
        raise RecordError(n, "bad_json", "the line is no JSON object")
    return cast("dict[str, Any]", value)


def _read_header(plain: dict[str, Any]) -> Header:
    if plain.get("format") != FORMAT:
        raise RecordError(0, "bad_header", f'the first line must have "format": "{FORMAT}"')
    rules, players = plain.get("rules"), plain.get("players", [])
    if not isinstance(rules, dict):
        raise RecordError(0, "bad_header", 'the first line must have the complete "rules"')
    if not isinstance(players, list) or not all(isinstance(player, dict) for player in players):
        raise RecordError(0, "bad_header", '"players" is a list of objects')
    try:
        complete = rules_from_plain(rules)
    except RulesError as error:
        raise RecordError(0, "bad_rules", str(error)) from None
    return Header(
        complete,
        _text_or_none(plain, "preset"),
        tuple(players),
        _text_or_none(plain, "game"),
        _text_or_none(plain, "commit"),
    )


def _text_or_none(plain: dict[str, Any], name: str) -> str | None:
    value = plain.get(name)
    if value is not None and not isinstance(value, str):
        raise RecordError(0, "bad_header", f'"{name}" is text')
    return value


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def header_line(
    rules: Rules, *, preset: str, players: Sequence[Mapping[str, object]], game: str, commit: str | None = None
) -> str:
    """Return the first line of a record, without a line end."""
    header: dict[str, object] = {
        "format": FORMAT,
        "rules": rules_to_plain(rules),
        "preset": preset,
        "players": list(players),
        "game": game,
    }
    return _line(header if commit is None else header | {"commit": commit})


def deal_line(n: int, *, hand: int, dealer: Seat, deck: Cards, commit: str | None = None) -> str:
    """Return the entry of a deal; *commit* is the commitment of the hand after it."""
    entry: dict[str, object] = {"n": n, "deal": {"hand": hand, "dealer": dealer, "deck": "".join(deck)}}
    return _line(entry if commit is None else entry | {"commit": commit})


def action_line(n: int, seat: Seat, action: Action, *, ms: int | None = None) -> str:
    """Return the entry of an action; *ms* is how long the seat took."""
    # Most of a record, and written while the table waits: no text of an action has anything to escape.
    took = "" if ms is None else f',"ms":{ms}'
    return f'{{"n":{n},"seat":{seat},"do":"{action}"{took}}}'


def reveal_line(n: int, *, secret: bytes, entropies: Sequence[str]) -> str:
    """Return the entry that reveals a finished hand's secret, with the four seats' entropy."""
    return _line({"n": n, "reveal": {"secret": secret.hex(), "entropy": list(entropies)}})


def result_line(n: int, *, score: tuple[int, int], winner: int | None) -> str:
    """Return the entry of a finished game's result."""
    return _line({"n": n, "result": {"score": score, "winner": winner}})


def _line(entry: dict[str, object]) -> str:
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
