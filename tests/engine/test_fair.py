"""The fair shuffle, recomputed here from its description alone."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Cards, make_pack
from engine.fair import SECRET_BYTES, commitment, first_dealer, shuffle

SECRET = bytes(range(SECRET_BYTES))
secrets = st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES)
entropy = st.text(st.characters(exclude_categories=["Cs"]), max_size=16)


def numbers(secret: bytes, parts: list[str]) -> list[int]:
    """Return many bytes of HMAC-SHA-256(secret, length-prefixed parts then counter)."""
    context = b"".join(len(part.encode()).to_bytes(2, "big") + part.encode() for part in parts)
    blocks = (hmac.new(secret, context + n.to_bytes(4, "big"), hashlib.sha256).digest() for n in count())
    return [byte for _, block in zip(range(20), blocks, strict=False) for byte in block]


def recomputed(pack: Cards, secret: bytes, parts: list[str]) -> list[str]:
    """Shuffle as the description says: Fisher-Yates from the last place down, one byte a draw, some rejected."""
    stream, deck = numbers(secret, parts), list(pack)
    for place in reversed(range(1, len(deck))):
        many = place + 1
        while stream[0] >= 256 // many * many:
            del stream[0]
        other = stream.pop(0) % many
        deck[place], deck[other] = deck[other], deck[place]
    return list(deck)


@given(
    secrets,
    st.sampled_from([make_pack(9), make_pack(8), make_pack(7, 1)]),
    st.integers(1, 99),
    st.lists(entropy, max_size=4),
)
def test_anybody_can_recompute_a_deck(secret: bytes, pack: Cards, hand: int, entropies: list[str]) -> None:
    deck = shuffle(pack, secret=secret, game="table-1", hand=hand, entropies=tuple(entropies))
    assert sorted(deck) == sorted(pack)
    assert list(deck) == recomputed(pack, secret, ["table-1", str(hand), *entropies])


KNOWN_DECK = "ThKhQsKdJhTc9dAd9sKs9hJsQhAcQd9cKcTdAhQcJdJcTsAs"


def test_a_known_secret_gives_a_known_deck() -> None:
    """A change here would make every published deal unverifiable."""
    assert "".join(shuffle(make_pack(9), secret=SECRET, game="g", hand=1, entropies=("a", "", "b", ""))) == KNOWN_DECK
    assert first_dealer(secret=SECRET, game="g") == numbers(SECRET, ["g", "0"])[0] % 4


@pytest.mark.parametrize(
    "changed",
    [{"game": "h"}, {"hand": 2}, {"entropies": ("a", "b")}, {"entropies": ("b",)}, {"secret": SECRET[::-1]}],
    ids=["game", "hand", "more entropy", "other entropy", "secret"],
)
def test_every_input_changes_the_deck(changed: dict[str, object]) -> None:
    inputs: dict[str, object] = {"secret": SECRET, "game": "g", "hand": 1, "entropies": ("a",)}
    one = shuffle(make_pack(9), **inputs)  # type: ignore[arg-type]
    assert shuffle(make_pack(9), **inputs | changed) != one  # type: ignore[arg-type]


def test_no_two_inputs_read_alike() -> None:
    """Entropy cannot be moved from one seat, or from the game's name, to another."""
    pack = make_pack(9)
    decks = {
        shuffle(pack, secret=SECRET, game=game, hand=hand, entropies=entropies)
        for game, hand, entropies in [
            ("g", 1, ("ab", "c")), ("g", 1, ("a", "bc")), ("g", 1, ("abc", "")), ("g", 1, ("", "abc")),
            ("g", 1, ("abc",)), ("g1", 1, ("ab", "c")), ("g", 11, ("ab", "c")),
        ]
    }  # fmt: skip
    assert len(decks) == 7


def test_every_card_comes_to_every_place_about_as_often() -> None:
    pack = make_pack(9)
    seen = Counter(
        (place, card)
        for hand in range(2_400)
        for place, card in enumerate(shuffle(pack, secret=SECRET, game="g", hand=hand))
    )
    assert len(seen) == 24 * 24
    assert all(50 < times < 160 for times in seen.values())


def test_the_commitment_is_the_sha_256_of_the_secret() -> None:
    assert commitment(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
