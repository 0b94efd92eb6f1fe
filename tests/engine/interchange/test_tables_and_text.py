"""A game as CSV, a row a hand or a row a decision, and as plain sentences."""

from __future__ import annotations

import csv
import json
from typing import Final

import pytest
from hypothesis import given, settings

from engine.interchange import FORMATS
from engine.rules import Rules, make_rules
from tests.engine.interchange.games import plain, playable_rules, random_record, seeds, stacked, told_record

HANDS: Final = {1: "9s Ts As Kd Ad", 2: "Js Qh Kh Ah Th", 3: "9c Tc Qc Kc Ac", 0: "9h Jd Td Qd 9d"}


def one_hand(*texts: str, name: str = "Ann", **options: object) -> list[str]:
    rules = make_rules("standard", options)
    lines = told_record(rules, stacked(rules, dealer=0, hands=HANDS, upcard="Jh"), 0, *texts)
    header = json.loads(lines[0]) | {"players": [{"seat": 1, "name": name}]}
    return [json.dumps(header), *lines[1:]]


def rows_of(name: str, lines: list[str]) -> list[dict[str, str]]:
    text, losses = FORMATS[name].export(lines)
    assert losses == ()
    return list(csv.DictReader(text.splitlines(keepends=True)))


def test_a_row_a_hand_tells_the_deal_the_contract_and_the_score() -> None:
    (row,) = rows_of("csv", one_hand("order", "discard 9h", "…"))
    assert (
        row.items()
        >= {
            "hand": "1",
            "dealer": "0",
            "upcard": "Jh",
            "hand1": "9sTsAsKdAd",
            "maker": "1",
            "trump": "h",
            "ordered": "true",
            "alone": "",
            "discard": "9h",
        }.items()
    )
    assert int(row["tricks0"]) + int(row["tricks1"]) == 5
    assert row["points"] in {"1", "2"}


def test_lone_players_are_told_by_side() -> None:
    (row,) = rows_of("csv", one_hand("order alone", "discard 9h", "defend alone", "…", defend_alone="vs_lone"))
    assert (row["alone"], row["alone_defender"]) == ("1", "2")


def test_what_a_hand_did_not_reach_is_blank() -> None:
    (row,) = rows_of("csv", one_hand("pass"))
    assert {row[name] for name in ("maker", "trump", "discard", "tricks0", "points", "score1")} == {""}


def test_a_row_a_decision_tells_who_did_what_among_how_many_choices() -> None:
    lines = one_hand("pass", "order", "discard 9h")
    lines[2] = json.dumps(json.loads(lines[2]) | {"ms": 1830})
    first, second, third = rows_of("csv-decisions", lines)
    assert (first["n"], first["phase"], first["name"], first["action"], first["ms"]) == (
        "2",
        "bid1",
        "Ann",
        "pass",
        "1830",
    )
    assert (first["choices"], second["choices"], third["choices"]) == ("3", "3", "6")
    assert (third["seat"], third["phase"], third["ms"]) == ("0", "discard", "")


@pytest.mark.parametrize("name", ["=1+1", "@x", "-2", "+3", "\tx"])
def test_a_name_is_no_formula(name: str) -> None:
    rows = rows_of("csv-decisions", one_hand("pass", name=name))
    assert rows[0]["name"] == f"'{name}"


def test_commas_quotes_and_lines_stay_in_their_cell() -> None:
    name = 'A, "b"\nc'
    assert rows_of("csv-decisions", one_hand("pass", name=name))[0]["name"] == name


@given(playable_rules(), seeds)
@settings(max_examples=30)
def test_any_game_has_a_row_for_every_hand_and_every_decision(rules: Rules, seed: int) -> None:
    lines = random_record(rules, seed)
    entries = plain(lines)[1:]
    assert len(rows_of("csv", lines)) == sum("deal" in entry for entry in entries)
    decisions = rows_of("csv-decisions", lines)
    assert [row["action"] for row in decisions] == [entry["do"] for entry in entries if "do" in entry]
    assert all(int(row["choices"]) > 0 for row in decisions)


def test_a_game_in_sentences() -> None:
    plays = ("play 9s", "play Js", "play 9c", "play Ah")
    text, losses = FORMATS["text"].export(one_hand("pass", "order alone", "discard 9h", *plays))
    assert losses == ()
    assert text.splitlines() == [
        "Game",
        "Seat 0 and Seat 2 against Ann and Seat 3",
        "Rules: standard",
        "",
        "Hand 1: Seat 0 deals, Jh is turned up",
        "  Ann holds As Ts 9s Ad Kd",
        "  Seat 2 holds Js Ah Kh Qh Th",
        "  Seat 3 holds Ac Kc Qc Tc 9c",
        "  Seat 0 holds 9h Qd Jd Td 9d",
        "  Ann passes",
        "  Seat 2 orders up hearts and goes alone",
        "  Seat 0 takes up Jh",
        "  Seat 0 buries 9h",
        "  1. Ann 9s, Seat 2 Js, Seat 3 9c; Seat 2 wins",
        "  Seat 2 Ah",
    ]


@given(playable_rules(), seeds)
@settings(max_examples=30)
def test_any_game_can_be_told(rules: Rules, seed: int) -> None:
    """Every event of every rule, every card played, and no sign that a terminal would obey."""
    lines = random_record(rules, seed)
    text, _ = FORMATS["text"].export(lines)
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    for entry in plain(lines):
        if str(entry.get("do", "")).startswith("play "):
            assert entry["do"].removeprefix("play ") in text
