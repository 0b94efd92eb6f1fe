"""Names and chat: what is shown is what there is (N10)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import NAME_MAX_CHARS, SAY_MAX_CHARS, RefusalCode
from protocol.errors import UnfitTextError
from protocol.names import chat_text, display_name, told_apart


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("Ann", "Ann"),
        ("  Ann \t\n Lee ", "Ann Lee"),
        ("Ann\u00a0\u2003Lee", "Ann Lee"),
        ("\uff21\uff4e\uff4e", "Ann"),  # full-width letters
        ("Jose\u0301", "José"),
        ("❤\ufe0f", "❤"),
        ("\u182d\u180b\u180f", "\u182d"),  # a Mongolian letter in another form
        ("a\u20dd\u20dd\u20dd\u20dd", "a\u20dd\u20dd\u20dd\u20dd"),
        ("李小龍", "李小龍"),
        ("مريم", "مريم"),
        ("<b>Ann</b>", "<b>Ann</b>"),  # text, which clients show as text
        ("x" * NAME_MAX_CHARS, "x" * NAME_MAX_CHARS),
        ("กำ", unicodedata.normalize("NFKC", "กำ")),
    ],
)
def test_a_name_is_made_plain(given_name: str, shown: str) -> None:
    assert display_name(given_name) == shown


@pytest.mark.parametrize("unfit", ["", " ", "\t\n", "\u3000", "\ufe0f"], ids=ascii)
def test_an_empty_name_is_refused(unfit: str) -> None:
    with pytest.raises(UnfitTextError, match="a name must not be empty"):
        display_name(unfit)


@pytest.mark.parametrize(
    "unfit", ["x" * (NAME_MAX_CHARS + 1), "x" * 100_000, "\ufdfa" * 2], ids=lambda text: str(len(text))
)
def test_a_long_name_is_refused_also_when_it_only_becomes_long(unfit: str) -> None:
    with pytest.raises(UnfitTextError, match=f"at most {NAME_MAX_CHARS} characters"):
        display_name(unfit)


@pytest.mark.parametrize(
    "hidden",
    [
        "\x00", "\x07", "\x1b", "\x7f", "\x9f",  # control
        "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad",  # zero width
        "\u202a", "\u202e", "\u2066", "\u2069", "\u200f", "\u061c",  # direction
        "\ue000", "\U000e0041", "\u0378", "\ud800",  # private, tag, unassigned, half a character
        "\u115f", "\u3164", "\uffa0", "\u2800", "\u034f", "\u17b4", "\u17b5",  # look like nothing
    ],
    ids=ascii,
)  # fmt: skip
def test_a_name_with_something_nobody_sees_is_refused_and_chat_loses_it(hidden: str) -> None:
    with pytest.raises(UnfitTextError, match="invisible"):
        display_name(f"An{hidden}n")
    assert chat_text(f"An{hidden}n") == "Ann"
    with pytest.raises(UnfitTextError, match="empty"):
        chat_text(hidden * 3)


@pytest.mark.parametrize("unfit", ["\u0301Ann", "Z" + "\u0335\u0336" * 3, "a" + "\u20dd" * 5])
def test_towers_of_marks_are_refused(unfit: str) -> None:
    for make_fit in (display_name, chat_text):
        with pytest.raises(UnfitTextError, match="marks"):
            make_fit(unfit)


def test_what_is_left_out_does_not_keep_letters_apart() -> None:
    """A letter and its accent become one character whatever invisible thing stood between them."""
    assert display_name("e\ufe0f\u0301") == "é"
    assert chat_text("e\u200b\u0301") == "é"


def test_chat_is_one_line_within_its_limit() -> None:
    assert chat_text("good\ngame \u200b all") == "good game all"
    assert chat_text("x" * SAY_MAX_CHARS) == "x" * SAY_MAX_CHARS
    with pytest.raises(UnfitTextError, match=f"a message has at most {SAY_MAX_CHARS} characters"):
        chat_text("x" * (SAY_MAX_CHARS + 1))


@pytest.mark.parametrize("unfit", ["s3cret\u200b", "s3cret" * 100])
def test_the_reason_does_not_repeat_the_text(unfit: str) -> None:
    with pytest.raises(UnfitTextError) as raised:
        display_name(unfit)
    assert "s3cret" not in raised.value.detail


def test_an_unfit_name_and_an_unfit_line_have_their_own_codes() -> None:
    for make_fit, code in ((display_name, RefusalCode.BAD_NAME), (chat_text, RefusalCode.BAD_MESSAGE)):
        with pytest.raises(UnfitTextError) as raised:
            make_fit(" ")
        assert raised.value.code is code


@given(text=st.text(max_size=120))
def test_a_fit_text_is_visible_bounded_and_stays_as_it_is(text: str) -> None:
    for make_fit, limit in ((display_name, NAME_MAX_CHARS), (chat_text, SAY_MAX_CHARS)):
        try:
            fit = make_fit(text)
        except UnfitTextError:
            continue
        assert 1 <= len(fit) <= limit
        assert fit == fit.strip()
        assert not {unicodedata.category(char) for char in fit} & {"Cc", "Cf", "Cs", "Co", "Cn"}
        assert make_fit(fit) == fit


@pytest.mark.parametrize(
    ("name", "others", "shown"),
    [
        ("Ann", [], "Ann"),
        ("Ann", ["Anne", "Ben"], "Ann"),
        ("Ann", ["ANN"], "Ann 2"),
        ("Ann", ["Ann 2", "ann", "Ann 3"], "Ann 4"),
        ("x" * NAME_MAX_CHARS, ["x" * NAME_MAX_CHARS], "x" * (NAME_MAX_CHARS - 2) + " 2"),
    ],
)
def test_a_name_beside_the_same_gets_a_number(name: str, others: list[str], shown: str) -> None:
    assert told_apart(name, others) == shown
