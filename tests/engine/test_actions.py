"""Actions as text and as plain objects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import ALL_ACTIONS, Action, action_from_plain, parse_action
from engine.cards import ALL_CARDS, TRUMPS
from engine.errors import Code, IllegalActionError

any_action = st.sampled_from(ALL_ACTIONS)
spaces = st.text(" \t", min_size=1, max_size=3)


def code_of(plain: object) -> Code:
    """Return why *plain* is no action."""
    with pytest.raises(IllegalActionError) as caught:
        action_from_plain(plain)
    return caught.value.code


def outcome(plain: object) -> Action | Code:
    """Return the action *plain* reads as, or why it is none."""
    try:
        return action_from_plain(plain)
    except IllegalActionError as error:
        return error.code


def test_the_actions_are_those_of_the_record_format() -> None:
    """Every action once, but for the many ways to swap three cards."""
    assert sorted(map(str, ALL_ACTIONS)) == sorted(
        ["pass", "order", "order alone", "alone", "together", "defend alone", "defend together"]
        + [f"call {trump}{alone}" for trump in TRUMPS for alone in ("", " alone")]
        + ["relief", "claim"]
        + [f"{do} {card}" for do in ("play", "discard", "give") for card in ALL_CARDS]
    )


@given(any_action)
def test_an_action_survives_its_text(action: Action) -> None:
    assert parse_action(str(action)) == action
    assert action_from_plain(str(action)) == action


@given(action=any_action, upper=st.booleans(), between=spaces, around=spaces)
def test_case_and_spaces_do_not_matter(*, action: Action, upper: bool, between: str, around: str) -> None:
    text = around + between.join(str(action).split()) + around
    assert parse_action(text.upper() if upper else text.lower()) == action


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("play 10h", "play Th"),
        ("play ♥A", "play Ah"),
        ("PLAY HA", "play Ah"),
        ("play ten of hearts", "play Th"),
        ("discard ♠10", "discard Ts"),
        ("discard joker", "discard Bj"),
        ("call spades", "call s"),
        ("call ♦ alone", "call d alone"),
        ("call clubs alone", "call c alone"),
        ("call nt", "call n"),
        ("call notrump alone", "call n alone"),
        ("call low", "call l"),
    ],
)
def test_cards_and_suits_are_read_as_people_write_them(text: str, canonical: str) -> None:
    assert str(parse_action(text)) == canonical


@pytest.mark.parametrize(
    "text",
    ["", " ", "passs", "pass now", "order up", "order together", "call", "call x", "call s s", "call s alone alone",
     "defend", "alone together", "claim 3", "relief 9s", "relief 9s 9s Th", "play" + " " * 60 + "Ah", "\0"],
)  # fmt: skip
def test_what_is_no_action_is_a_bad_action(text: str) -> None:
    assert code_of(text) == Code.BAD_ACTION


@pytest.mark.parametrize("text", ["play 6h", "play 1", "discard xx", "play", "play Ah Kh"])
def test_a_card_that_does_not_exist_is_a_card_not_held(text: str) -> None:
    """Nobody holds it, so the refusal is the one of the table."""
    assert code_of(text) == Code.CARD_NOT_HELD


@given(st.text())
def test_reading_an_action_from_anything_raises_nothing_else(text: str) -> None:
    assert outcome(text) in {*ALL_ACTIONS, Code.BAD_ACTION, Code.CARD_NOT_HELD}


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ({"do": "pass"}, "pass"),
        ({"do": "order"}, "order"),
        ({"do": "order", "alone": True}, "order alone"),
        ({"do": "order", "alone": False}, "order"),
        ({"do": "call", "trump": "s"}, "call s"),
        ({"do": "call", "trump": "n", "alone": True}, "call n alone"),
        ({"do": "call", "trump": "Hearts", "alone": False}, "call h"),
        ({"do": "discard", "card": "9h"}, "discard 9h"),
        ({"do": "alone"}, "alone"),
        ({"do": "together"}, "together"),
        ({"do": "defend", "alone": True}, "defend alone"),
        ({"do": "defend", "alone": False}, "defend together"),
        ({"do": "play", "card": "♦J"}, "play Jd"),
    ],
)
def test_an_action_may_be_an_object(plain: object, text: str) -> None:
    assert str(action_from_plain(plain)) == text


@pytest.mark.parametrize(
    "plain",
    [
        None, 1, True, [], ["play", "Jd"], {}, {"do": None}, {"do": []}, {"do": "deal"}, {"do": "order alone"},
        {"do": "pass", "card": "9h"}, {"do": "pass", "alone": False}, {"do": "order", "alone": 1},
        {"do": "order", "alone": None}, {"do": "call"}, {"do": "call", "trump": None}, {"do": "call", "trump": ["s"]},
        {"do": "call", "trump": "s alone"}, {"do": "call", "trump": "s alone", "alone": False},
        {"do": "play", "card": "Jd", "x": 1}, {"card": "Jd"},
    ],
)  # fmt: skip
def test_an_object_that_is_no_action_is_a_bad_action(plain: object) -> None:
    """No field is guessed, dropped or read as another."""
    assert code_of(plain) == Code.BAD_ACTION


@pytest.mark.parametrize("plain", [{"do": "play"}, {"do": "play", "card": 9}, {"do": "discard", "card": "6h"}])
def test_an_object_without_a_real_card_is_a_card_not_held(plain: object) -> None:
    assert code_of(plain) == Code.CARD_NOT_HELD


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["play", "call", "order", "s", "Jd", "alone"]),
    lambda inner: (
        st.dictionaries(st.sampled_from(["do", "card", "trump", "alone", "x"]), inner, max_size=4)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_like)
def test_reading_an_object_raises_nothing_else(plain: object) -> None:
    assert outcome(plain) in {*ALL_ACTIONS, Code.BAD_ACTION, Code.CARD_NOT_HELD}
