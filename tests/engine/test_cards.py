"""Packs, effective suits, the order of cards, and cards as text (RULES.md §1, §2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import (
    ALL_CARDS,
    BENNY,
    LEFT_OF,
    PARTNER_OF,
    SEATS,
    SUITS,
    TRUMPS,
    Card,
    Suit,
    Trump,
    clockwise_from,
    effective_suit,
    holds_trump,
    is_trump,
    legal_cards,
    make_pack,
    parse_card,
    parse_cards,
    sort_hand,
    strength,
    team_of,
    trick_winner,
)
from engine.errors import CardTextError
from tests.engine.table import cards

suit_trumps = st.sampled_from(SUITS)
any_card = st.sampled_from(ALL_CARDS)


# ── seats ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_partners_sit_across_and_turns_go_clockwise() -> None:
    """Seats 0 and 2 play seats 1 and 3; the seat left of a seat is the next one."""
    assert [team_of(seat) for seat in SEATS] == [0, 1, 0, 1]
    for seat in SEATS:
        assert team_of(PARTNER_OF[seat]) == team_of(seat) != team_of(LEFT_OF[seat])
        assert clockwise_from(seat) == (seat, LEFT_OF[seat], PARTNER_OF[seat], LEFT_OF[PARTNER_OF[seat]])


# ── packs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("low_rank", "size"), [(9, 24), (8, 28), (7, 32)])
def test_a_pack_has_every_rank_from_the_lowest_in_four_suits(low_rank: int, size: int) -> None:
    """R-PACK-1: 24, 28 or 32 different cards, sorted."""
    pack = make_pack(low_rank)
    assert len(set(pack)) == len(pack) == size
    assert pack[0] == f"{low_rank}s"
    assert [card[1] for card in pack] == sorted([card[1] for card in pack], key="shdc".index)


def test_the_joker_joins_the_pack_as_its_last_card() -> None:
    """R-PACK-2: 25, 29 or 33 cards."""
    for low_rank in (9, 8, 7):
        assert make_pack(low_rank, 1) == (*make_pack(low_rank), BENNY)


# ── effective suits ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("trump", "left"), [("s", "Jc"), ("c", "Js"), ("h", "Jd"), ("d", "Jh")])
def test_only_the_left_bower_changes_its_suit(trump: Trump, left: str) -> None:
    """R-CARD-1: the other jack of the colour is a trump, and no other card of the pack moves."""
    for card in make_pack(7):
        assert effective_suit(card, trump) == (trump if card == left else card[1])
        assert is_trump(card, trump) == (card == left or card[1] == trump)


@pytest.mark.parametrize("trump", ["n", "l"])
def test_without_trump_every_jack_stays_in_its_suit(trump: Trump) -> None:
    """R-CARD-3: no bowers, and nothing is a trump."""
    for card in make_pack(7):
        assert effective_suit(card, trump) == card[1]
        assert not is_trump(card, trump)


def test_the_benny_is_a_trump_in_a_suit_and_of_no_suit_in_no_trump() -> None:
    """R-CARD-4."""
    assert [effective_suit(BENNY, trump) for trump in TRUMPS] == ["s", "h", "d", "c", "j", "j"]
    assert [is_trump(BENNY, trump) for trump in TRUMPS] == [True] * 4 + [False] * 2


# ── the order of cards ───────────────────────────────────────────────────────────────────────────────────────────────


def best_first(wanted: str, trump: Trump) -> list[Card]:
    """Return the cards of effective suit *wanted*, strongest first."""
    own = [card for card in ALL_CARDS if effective_suit(card, trump) == wanted]
    return sorted(own, key=lambda card: -strength(card, trump))


def test_trump_runs_from_the_benny_over_the_bowers_to_the_seven() -> None:
    """R-CARD-2."""
    assert best_first("h", "h") == list(cards("Bj Jh Jd Ah Kh Qh Th 9h 8h 7h"))


def test_a_plain_suit_runs_from_the_ace_to_the_seven_with_its_jack_in_place() -> None:
    """R-CARD-2: a suit of the other colour keeps its jack, between queen and ten."""
    assert best_first("s", "h") == list(cards("As Ks Qs Js Ts 9s 8s 7s"))


def test_the_suit_of_the_left_bower_lacks_its_jack() -> None:
    """R-CARD-2."""
    assert best_first("d", "h") == list(cards("Ad Kd Qd Td 9d 8d 7d"))


def test_no_trump_runs_from_ace_to_seven_and_low_from_seven_to_ace() -> None:
    """R-CARD-3."""
    for suit in SUITS:
        assert [card[0] for card in best_first(suit, "n")] == list("AKQJT987")
        assert [card[0] for card in best_first(suit, "l")] == list("789TJQKA")


@given(suit_trumps, st.permutations(ALL_CARDS).map(lambda pack: pack[:4]))
def test_the_highest_trump_wins_else_the_highest_of_the_led_suit(trump: Suit, played: list[Card]) -> None:
    """R-PLAY-3, told by the order of cards as RULES.md writes it."""
    order = [*best_first(trump, trump), *best_first(effective_suit(played[0], trump), trump)]
    assert played[trick_winner(played, trump)] == min((card for card in played if card in order), key=order.index)


@given(st.sampled_from(["n", "l"]), st.permutations(make_pack(7)).map(lambda pack: pack[:4]))
def test_without_trump_the_best_of_the_led_suit_wins(trump: Trump, played: list[Card]) -> None:
    """R-CARD-3, R-PLAY-3: a card of another suit never wins."""
    order = best_first(played[0][1], trump)
    assert played[trick_winner(played, trump)] == min((card for card in played if card in order), key=order.index)


@given(st.sampled_from(["n", "l"]), st.permutations(make_pack(9)).map(lambda pack: pack[:3]), st.integers(0, 3))
def test_without_trump_the_benny_wins_whenever_it_is_played(trump: Trump, others: list[Card], place: int) -> None:
    """R-CARD-4: led or thrown."""
    played = [*others[:place], BENNY, *others[place:]]
    assert trick_winner(played, trump) == place


# ── following ────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.sampled_from(TRUMPS), st.permutations(ALL_CARDS).map(lambda pack: tuple(pack[:6])))
def test_a_seat_follows_the_effective_suit_if_it_can_and_is_free_if_not(trump: Trump, drawn: tuple[Card, ...]) -> None:
    """R-PLAY-2: the legal cards are those of the led suit or all, in the hand's order; leading, all."""
    led, hand = drawn[0], drawn[1:]
    of_suit = tuple(card for card in hand if effective_suit(card, trump) == effective_suit(led, trump))
    assert legal_cards(hand, led, trump) == (of_suit or hand)
    assert legal_cards(hand, None, trump) == hand


def test_the_benny_may_not_be_thrown_on_a_suit_that_can_be_followed() -> None:
    """R-CARD-4: in no trump as in a suit contract."""
    hand = cards("Bj 9s Ah")
    assert legal_cards(hand, Card("As"), "n") == cards("9s")
    assert legal_cards(hand, Card("As"), "d") == cards("9s")


# ── holding trump ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "any_trump", "natural"),
    [
        ("Jd As Ks Qc 9c", True, False),
        ("Bj As Ks Qc 9c", True, False),
        ("9h As Ks Qc 9c", True, True),
        ("Jh As Ks Qc 9c", True, True),
        ("Ad As Ks Qc 9c", False, False),
    ],
)
def test_the_left_bower_and_the_benny_are_trumps_but_no_natural_ones(
    *, hand: str, any_trump: bool, natural: bool
) -> None:
    """R-BID-6, for hearts."""
    assert holds_trump(cards(hand), "h", natural=False) == any_trump
    assert holds_trump(cards(hand), "h", natural=True) == natural


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text", ["Th", "th", "TH", "10h", "10H", "hT", "HT", "h10", "♥10", "10♥", "10♥️", "♡T", " Th ", "ten of hearts"]
)
def test_a_card_is_read_in_every_usual_spelling(text: str) -> None:
    assert parse_card(text) == "Th"


@pytest.mark.parametrize("text", ["Bj", "bj", "joker", "Benny"])
def test_the_benny_is_read_by_its_names(text: str) -> None:
    assert parse_card(text) == BENNY


@given(card=any_card, upper=st.booleans(), turned=st.booleans())
def test_every_card_survives_its_text(*, card: Card, upper: bool, turned: bool) -> None:
    text = card[::-1] if turned else card
    assert parse_card(text.upper() if upper else text.lower()) == card


@pytest.mark.parametrize("text", ["", "9", "s", "1s", "0h", "6s", "9x", "9s9s", "of", "nine of", "T10", "♥", "\uff19s"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(CardTextError) as caught:
        parse_card(text)
    assert caught.value.text == text


@given(st.text())
def test_reading_a_card_from_anything_raises_nothing_else(text: str) -> None:
    try:
        read: str = parse_card(text)
    except CardTextError as error:
        read = error.text
    assert read in ALL_CARDS or read == text[:24]


def test_a_run_of_cards_is_read_two_characters_a_card() -> None:
    assert parse_cards("9sTdjhBJ") == cards("9s Td Jh Bj")
    assert parse_cards("") == ()


@pytest.mark.parametrize(("text", "wrong"), [("9sXd", "Xd"), ("9sT", "T"), ("9s10d", "10"), ("9s Td", " T")])
def test_a_run_of_cards_names_what_is_none(text: str, wrong: str) -> None:
    with pytest.raises(CardTextError) as caught:
        parse_cards(text)
    assert caught.value.text == wrong


# ── sorting ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("trump", "hand", "shown"),
    [
        ("h", "9c Jd Ah Jh As", "Jh Jd Ah As 9c"),
        ("s", "Jc 9s Bj Ah Kd", "Bj Jc 9s Ah Kd"),
        ("c", "As Ad Ah 9c Jc", "Jc 9c Ah As Ad"),
        (None, "9s Jc Ad Bj Ah", "Bj 9s Ah Jc Ad"),
        ("n", "9s As Jh Bj", "Bj As 9s Jh"),
        ("l", "As 9s Kh", "9s As Kh"),
    ],
)
def test_a_hand_is_shown_trump_first_and_colours_alternating(trump: Trump | None, hand: str, shown: str) -> None:
    assert sort_hand(cards(hand), trump) == cards(shown)


@given(st.permutations(ALL_CARDS), st.sampled_from([None, *TRUMPS]))
def test_sorting_keeps_every_card_and_does_not_depend_on_the_order_given(pack: list[Card], trump: Trump | None) -> None:
    assert sorted(sort_hand(pack, trump)) == sorted(ALL_CARDS)
    assert sort_hand(pack, trump) == sort_hand(ALL_CARDS, trump)
