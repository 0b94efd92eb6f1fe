"""A match: every deal twice with the pairs swapped, by any number of processes, with the same result."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.util import Finalize
from typing import Final, TypeAlias

from bots.arena.contenders import Contender, contender
from bots.arena.hands import Player, Seats, make_deal, play_game, play_hand, record_of
from bots.arena.tally import DealPlayed, Sheet, Tally
from bots.sdk.hosting import LIMIT_S
from engine.rules import Rules

_DEALS_A_PIECE: Final = 5
_PIECES_AHEAD: Final = 8


Piece: TypeAlias = tuple[range, range]
"""The numbers of the deals and of the games in one piece of a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What is to be played: *deals* hands, each at 0-0 and twice; and *games* whole games, each twice.

    *first* and *second* are names that `bots.arena.contenders` knows; who is not one of ours may think for *limit_s*.
    """

    first: str
    second: str
    rules: Rules
    preset: str
    deals: int
    games: int
    seed: int
    limit_s: float = LIMIT_S

    def contenders(self) -> tuple[Contender, Contender]:
        """Return both bots, made anew. Raises UnknownContenderError."""
        return contender(self.first, limit_s=self.limit_s), contender(self.second, limit_s=self.limit_s)


def play_match(match: Match, *, jobs: int) -> Iterator[Tally]:
    """Play *match* in *jobs* processes and yield the tally of each piece, in order.

    Who stops early has a shorter match. Raises UnknownContenderError, or LoadError where a bot cannot be made.
    """
    both = match.contenders()
    try:
        for one in both:  # to know at once that they exist and can be made
            one.sit_down()
            one.stand_up()
        if jobs == 1:
            yield from map(partial(play_piece, match, *both), _pieces(match))
            return
    finally:
        _close(both)
    with ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_Process.begin, initargs=(match,)
    ) as pool:
        try:
            yield from _in_order(pool, _pieces(match), ahead=_PIECES_AHEAD * jobs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _pieces(match: Match) -> Iterator[Piece]:
    for at in range(0, match.deals, _DEALS_A_PIECE):
        yield range(at, min(at + _DEALS_A_PIECE, match.deals)), range(0)
    for number in range(match.games):
        yield range(0), range(number, number + 1)


def _in_order(pool: ProcessPoolExecutor, pieces: Iterator[Piece], *, ahead: int) -> Iterator[Tally]:
    """Yield the tallies of *pieces*, of which no more than *ahead* are given out at a time."""
    waiting = deque(pool.submit(_Process.play, piece) for piece in islice(pieces, ahead))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(pool.submit(_Process.play, piece) for piece in islice(pieces, 1))


def _close(both: tuple[Contender, Contender]) -> None:
    for one in both:
        one.close()


class _Process:
    """What a process of a match plays pieces of."""

    match: Match
    both: tuple[Contender, Contender]

    @classmethod
    def begin(cls, match: Match) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells us
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that a bot's own process is ended, too
        cls.match, cls.both = match, match.contenders()
        Finalize(None, _close, args=(cls.both,), exitpriority=1)

    @classmethod
    def play(cls, piece: Piece) -> Tally:
        try:
            return play_piece(cls.match, *cls.both, piece)
        except SystemExit:  # which the pool would take for the answer, and ask for the next piece
            _close(cls.both)
            os._exit(0)


def play_piece(match: Match, first: Contender, second: Contender, piece: Piece) -> Tally:
    """Play one piece: every random number in it comes from the match's seed and its own number."""
    deals, games = piece
    tally = Tally()
    for number in deals:
        _play_deal(match, first, second, number, tally)
        _stand_up(first, second, tally)
    for number in games:
        _play_game(match, first, second, number, tally)
        _stand_up(first, second, tally)
    return tally


def _seatings(first: Contender, second: Contender, tally: Tally) -> tuple[tuple[int, Seats], ...]:
    """Return the team of the first bot and who sits where, both ways round."""
    one = partial(_sit_down, first, tally.first)
    other = partial(_sit_down, second, tally.second)
    return (0, (one(), other(), one(), other())), (1, (other(), one(), other(), one()))


def _sit_down(who: Contender, sheet: Sheet) -> Player:
    return Player(who.sit_down(), sheet)


def _stand_up(first: Contender, second: Contender, tally: Tally) -> None:
    for who, sheet in ((first, tally.first), (second, tally.second)):
        for fault in who.stand_up():
            sheet.note_fault(fault)


def _play_deal(match: Match, first: Contender, second: Contender, number: int, tally: Tally) -> None:
    cards = make_deal(match.rules, random.Random(f"{match.seed}/deal/{number}"))
    difference = 0
    records = []
    for team, seats in _seatings(first, second, tally):
        played = play_hand(seats, match.rules, cards)
        records.append(record_of(played, seats, match.rules, preset=match.preset, game=f"deal-{number}-{team}"))
        if (result := played.result) is None:
            tally.thrown_in += 1
            continue
        difference += result.points if result.team == team else -result.points
        seats[result.maker].sheet.note_call(result)
    tally.note_deal(DealPlayed(difference, number, tuple(records)))


def _play_game(match: Match, first: Contender, second: Contender, number: int, tally: Tally) -> None:
    for team, seats in _seatings(first, second, tally):
        winner = play_game(seats, match.rules, random.Random(f"{match.seed}/game/{number}"))
        won, lost = tally.games_won
        if winner is None:
            tally.games_drawn += 1
        else:
            tally.games_won = (won + (winner == team), lost + (winner != team))
