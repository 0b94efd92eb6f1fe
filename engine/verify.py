"""Checking a finished game: every action legal, every deal equal to its commitment (the fair deal, engine/fair.py).

A record's header has the commitment of the first hand, each deal that of the hand after it, and after a hand its secret
and the seats' entropy are revealed. Whoever has the record can deal every hand again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.cards import SEATS, make_pack
from engine.fair import SECRET_BYTES, commitment, first_dealer, shuffle
from engine.record import Header, RecordError, Step, replay
from engine.rules import Rules


class Fairness(StrEnum):
    """What the check of one deal came to."""

    FAIR = "fair"
    NOT_COMMITTED = "not_committed"
    NOT_REVEALED = "not_revealed"
    WRONG_SECRET = "wrong_secret"
    WRONG_DECK = "wrong_deck"
    WRONG_DEALER = "wrong_dealer"


EXPLAINED: dict[Fairness, str] = {
    Fairness.FAIR: "the deck is the one the commitment fixed",
    Fairness.NOT_COMMITTED: "no commitment was published before the deal",
    Fairness.NOT_REVEALED: "the secret was not revealed",
    Fairness.WRONG_SECRET: "the secret revealed is not the one committed to",
    Fairness.WRONG_DECK: "the secret gives another deck",
    Fairness.WRONG_DEALER: "the secret gives another first dealer",
}
BROKEN = frozenset({Fairness.WRONG_SECRET, Fairness.WRONG_DECK, Fairness.WRONG_DEALER})
"""What only an unfair deal, or a changed record, comes to."""


@dataclass(frozen=True, slots=True)
class DealCheck:
    """One deal, by its entry's number and its hand's, and whether it was fair."""

    n: int
    hand: int
    fairness: Fairness


@dataclass(frozen=True, slots=True)
class _Open:
    """A deal whose secret is not revealed yet."""

    n: int
    hand: int
    dealer: int
    deck: str
    commit: str | None


def verify(lines: Iterable[str]) -> Iterator[DealCheck]:
    """Follow a record and yield the check of each of its deals, in order.

    Raises RecordError where the record cannot be followed; what was yielded before stands.
    """
    header, steps = replay(lines)
    if not _is_text(header.game or ""):
        raise RecordError(0, "bad_header", '"game" is no text')
    commit = header.commit
    open_deal: _Open | None = None
    for step in steps:
        if "deal" in step.entry:
            if open_deal is not None:
                yield _unrevealed(open_deal)
            dealt = step.entry["deal"]
            open_deal = _Open(step.n, dealt["hand"], dealt["dealer"], dealt["deck"], commit)
            commit = _next_commit(step)
        elif "reveal" in step.entry:
            if open_deal is None:
                raise RecordError(step.n, "bad_entry", "a secret is revealed, but no hand was dealt")
            yield _checked(header, open_deal, *_revealed(step.n, step.entry["reveal"]))
            open_deal = None
    if open_deal is not None:
        yield _unrevealed(open_deal)


def _next_commit(step: Step) -> str | None:
    commit = step.entry.get("commit")
    if commit is not None and not isinstance(commit, str):
        raise RecordError(step.n, "bad_entry", '"commit" is text')
    return commit


def _unrevealed(dealt: _Open) -> DealCheck:
    missing = Fairness.NOT_COMMITTED if dealt.commit is None else Fairness.NOT_REVEALED
    return DealCheck(dealt.n, dealt.hand, missing)


def _revealed(n: int, reveal: Mapping[str, Any]) -> tuple[bytes, tuple[str, ...]]:
    try:
        secret = bytes.fromhex(reveal["secret"])
    except ValueError:
        raise RecordError(n, "bad_entry", "a secret is hexadecimal") from None
    entropies = reveal.get("entropy", [""] * len(SEATS))
    if len(secret) != SECRET_BYTES or not isinstance(entropies, list) or len(entropies) != len(SEATS):
        raise RecordError(
            n, "bad_entry", f"a reveal has a secret of {SECRET_BYTES} bytes and the entropy of four seats"
        )
    if not all(isinstance(entropy, str) and _is_text(entropy) for entropy in entropies):
        raise RecordError(n, "bad_entry", "entropy is text")
    return secret, tuple(entropies)


def _is_text(text: str) -> bool:
    """Tell whether *text* has bytes at all: half a character that JSON spells by its number has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _checked(header: Header, dealt: _Open, secret: bytes, entropies: tuple[str, ...]) -> DealCheck:
    return DealCheck(dealt.n, dealt.hand, _fairness(header.rules, header.game or "", dealt, secret, entropies))


def _fairness(rules: Rules, game: str, dealt: _Open, secret: bytes, entropies: tuple[str, ...]) -> Fairness:
    if dealt.commit is None:
        return Fairness.NOT_COMMITTED
    if commitment(secret) != dealt.commit:
        return Fairness.WRONG_SECRET
    pack = make_pack(rules.low_rank, rules.jokers)
    deck = shuffle(pack, secret=secret, game=game, hand=dealt.hand, entropies=entropies)
    if "".join(deck) != dealt.deck:
        return Fairness.WRONG_DECK
    if dealt.hand == 1 and first_dealer(secret=secret, game=game) != dealt.dealer:
        return Fairness.WRONG_DEALER
    return Fairness.FAIR
