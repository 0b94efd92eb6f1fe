"""The fair shuffle: a deck that anyone can recompute from a secret (DESIGN: fair deal).

The bytes are HMAC-SHA-256(secret, context ‖ counter) for counter 0, 1, 2 … (four bytes, big-endian), where context is
the game, the hand's number and every seat's entropy in seat order, each length-prefixed so that no two inputs read
alike. A number below *n* is one byte, drawn again while it is not below the largest multiple of *n*.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

from engine.cards import Cards

SECRET_BYTES = 32
_BYTE_VALUES = 256


def commitment(secret: bytes) -> str:
    """Return the SHA-256 of *secret* in lower-case hex, published before the deal."""
    return hashlib.sha256(secret).hexdigest()


def shuffle(pack: Cards, *, secret: bytes, game: str, hand: int, entropies: tuple[str, ...] = ()) -> Cards:
    """Return *pack* in the order the fair shuffle gives it: Fisher-Yates from the last place down."""
    stream = _stream(secret, _context(game, hand, entropies))
    deck = list(pack)
    for last in range(len(deck) - 1, 0, -1):
        chosen = _below(last + 1, stream)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return tuple(deck)


def seeded_secret(seed: int, *, game: int, hand: int) -> bytes:
    """Return the secret of a deal that is to come again: for practice, where the seed is public and says so.

    *game* and *hand* count from 1.
    """
    return hashlib.sha256(f"euchre seed {seed} game {game} hand {hand}".encode()).digest()


def first_dealer(*, secret: bytes, game: str) -> int:
    """Return the seat that deals the first hand (R-DEAL-2); it uses hand number 0."""
    return _below(4, _stream(secret, _context(game, 0, ())))


def _context(game: str, hand: int, entropies: tuple[str, ...]) -> bytes:
    parts = [game.encode(), str(hand).encode(), *(entropy.encode() for entropy in entropies)]
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts)


def _stream(secret: bytes, context: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield from hmac.digest(secret, context + counter.to_bytes(4, "big"), "sha256")
        counter += 1


def _below(limit: int, stream: Iterator[int]) -> int:
    usable = _BYTE_VALUES - _BYTE_VALUES % limit
    return next(byte for byte in stream if byte < usable) % limit
