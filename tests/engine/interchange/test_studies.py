"""Games of which something is not known: what follows from the rest is right, and nothing is made up."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.interchange import FORMATS, Study, study_lines
from engine.interchange.from_record import read_record
from engine.interchange.study import UNKNOWN, StudyHand, swaps_of
from engine.rules import make_rules
from tests.engine.interchange.games import plain, random_record, seeds, stacked, told_record
from tests.engine.interchange.test_round_trips import fitting_games


def loaded(name: str, text: str) -> list[str] | Study:
    load = FORMATS[name].load
    assert load is not None
    return load(text)[0]


def hands_of(game: list[str] | Study) -> tuple[StudyHand, ...]:
    return game.hands if isinstance(game, Study) else read_record(game).study.hands


def agrees(told: StudyHand, whole: StudyHand) -> bool:
    """Tell whether all that is told is so: each card with its seat, each move in its place, each trick."""
    for cards, dealt in zip(told.hands, whole.hands, strict=True):
        if not {card for card in cards if card != UNKNOWN} <= set(dealt):
            return False
    for (seat, action), (who, did) in zip(told.moves, whole.moves, strict=False):
        if seat != who or (action != did and action is not None and "?" not in str(action)):
            return False
    return told.tricks == whole.tricks


def without_hands(document: Any, rng: Random) -> Any:
    """Return an EGN document as somebody without a view of the hands writes it, some discards and exchanges missing."""
    for deal in document["deals"]:
        del deal["initialState"]["playerCards"]
        for field in ("discard", "cardExchanges"):
            if rng.random() < 0.5:
                deal["phases"][0].pop(field, None)
    return document


@given(fitting_games("egn"), seeds)
@settings(max_examples=40)
def test_what_follows_from_the_play_is_so(lines: list[str], seed: int) -> None:
    """Cards whose seat is told by the play, discards by what is missing; all else stays unknown."""
    whole = read_record(lines).study.hands
    document = without_hands(json.loads(FORMATS["egn"].export(lines)[0]), Random(seed))
    if any(_goes_under(hand) for hand in whole):
        return  # what was put away cannot be found again, and may be missing whole
    told = hands_of(loaded("egn", json.dumps(document)))
    assert len(told) == len(whole)
    assert all(agrees(one, other) for one, other in zip(told, whole, strict=True))


def _goes_under(hand: StudyHand) -> bool:
    return any(True for _ in swaps_of(hand))


@given(fitting_games("ptn"), st.data())
@settings(max_examples=40)
def test_hands_nobody_showed_are_found_as_far_as_they_were_played(lines: list[str], data: st.DataObject) -> None:
    whole = read_record(lines).study.hands
    text, _ = FORMATS["ptn"].export(lines) if whole else ("", ())
    if not whole or any(_goes_under(hand) for hand in whole):
        return
    rows = text.split("\n")
    for at, row in enumerate(rows):
        if row.startswith("[Deal"):
            dealer, _, hands = row[7:-2].partition(":")
            shown = [hand if data.draw(st.booleans()) else "-" for hand in hands.split(" ")]
            rows[at] = f'[Deal "{dealer}:{" ".join(shown)}"]'
    told = hands_of(loaded("ptn", "\n".join(rows)))
    assert all(agrees(one, other) for one, other in zip(told, whole, strict=True))


def test_a_discard_nobody_saw_is_not_taken_for_a_card_given_later() -> None:
    """A sitting dealer buried something, and then gave a card that was dealt to him."""
    rules = make_rules("standard", {"partner_exchange": "call_for_best"})
    hands = {0: "Ah 9c Tc Qc Kc", 2: "9s Js Qs Ks As"}
    deck = stacked(rules, dealer=0, hands=hands, upcard="Jh")
    lines = told_record(rules, deck, 0, "pass", "order alone", "discard 9c", "give 9s", "give Ah", "…")
    document = json.loads(FORMATS["egn"].export(lines)[0])
    del document["deals"][0]["initialState"]["playerCards"]
    del document["deals"][0]["phases"][0]["discard"]
    study = loaded("egn", json.dumps(document))
    assert isinstance(study, Study)
    assert study.hands[0].hands[0][0] == "Ah"


def without_cards(lines: list[str], **changes: object) -> Any:
    """Return the EGN document of a hand without the cards dealt, its bidding changed."""
    document = json.loads(FORMATS["egn"].export(lines)[0])
    del document["deals"][0]["initialState"]["playerCards"]
    bidding = document["deals"][0]["phases"][0]
    bidding |= changes
    for name in [name for name, value in bidding.items() if value is None]:
        del bidding[name]
    return document


def best_hand(*texts: str) -> list[str]:
    rules = make_rules("standard", {"partner_exchange": "call_for_best"})
    hands = {0: "Ah 9c Tc Qc Kc", 1: "9s Js Qs Ks As", 2: "9h Th Qh Kh 9d", 3: "Td Jd Qd Kd Ad"}
    return told_record(
        rules, stacked(rules, dealer=0, hands=hands, upcard="Jh"), 0, *["pass"] * 4, "call s alone", *texts
    )


def test_a_card_given_back_was_dealt_to_who_gave_it_first() -> None:
    document = without_cards(best_hand("give 9s", "give 9s", "…"))
    study = loaded("egn", json.dumps(document))
    assert isinstance(study, Study)
    assert set(study.hands[0].hands[1]) == {"9s", "Js", "Qs", "Ks", "As"}
    assert set(study.hands[0].hands[3]) == {UNKNOWN}


def test_of_an_exchange_nobody_told_nothing_follows_for_who_got_a_card() -> None:
    document = without_cards(best_hand("give 9s", "give Ad", "…"), cardExchanges=None)
    study = loaded("egn", json.dumps(document))
    assert isinstance(study, Study)
    assert set(study.hands[0].hands[1]) == {UNKNOWN}
    assert set(study.hands[0].hands[2]) == {"9h", "Th", "Qh", "Kh", "9d"}
    assert [str(action) for _, action in study.hands[0].moves[-2:]] == ["give ??", "give ??"]


def test_a_study_is_written_a_line_a_hand() -> None:
    """What nobody told is ?? or null, in JSON that other programs read."""
    lines = random_record(make_rules("standard", {"target": 1}), 5, hands=1, is_cut=False)
    document = json.loads(FORMATS["egn"].export(lines)[0])
    del document["deals"][0]["initialState"]["playerCards"]
    document["deals"][0]["phases"][0] |= {"calls": ["Pass", "x"], "isAlone": False}
    document["deals"][0]["phases"][0].pop("discard", None)
    study = loaded("egn", json.dumps(document))
    assert isinstance(study, Study)
    header, hand = plain(study_lines(study))
    assert header["format"] == "euchre-study/1"
    assert header["score"] == [0, 0]
    assert [call for _, call in hand["moves"]] == ["pass", None]
    assert [trick["leader"] is None for trick in hand["tricks"]] == [False, True, True, True, True]
