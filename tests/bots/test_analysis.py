"""What a decision cost, by what its seat knew; and the luck of the deal."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from bots.analysis import Analysis, Decision, HandLooked, analyse
from bots.search import Worth
from clients.cli.main import main
from engine.actions import ORDER, PASS, PLAYS, Action, parse_action
from engine.cards import Card, make_pack
from engine.record import action_line, deal_line, header_line
from engine.rules import Rules
from engine.state import Phase

SURE = "JhJdAhKhQh"
"""Seat 0's hand: the five highest hearts."""
DECK = f"{SURE}9sTs9dTd9cJsQsAsTcQcKsKdAdKcAc9hThQdJc"
PLAYED = (
    "order", "discard Kd",
    "play Jh", "play 9s", "play Js", "play 9h",
    "play Jd", "play Ts", "play Qs", "play Ks",
    "play Ah", "play 9d", "play As", "play Ad",
    "play Kh", "play Td", "play Tc", "play Kc",
    "play Qh", "play 9c", "play Qc", "play Ac",
)  # fmt: skip
SEATS = (0, 3, *(0, 1, 2, 3) * 5)
FIRST_ROUND = (0, 1, 2, 3)


def record(*actions: str) -> list[str]:
    """Return the record of one hand that seat 3 deals, as far as *actions* go."""
    cards = tuple(Card(DECK[at : at + 2]) for at in range(0, len(DECK), 2))
    lines = [header_line(Rules(), preset="standard", players=[], game="g"), deal_line(1, hand=1, dealer=3, deck=cards)]
    played = zip(FIRST_ROUND if actions[0] == "pass" else SEATS, actions, strict=False)
    return lines + [action_line(n, seat, parse_action(text)) for n, (seat, text) in enumerate(played, start=2)]


def decision(played: Action, *worths: Worth) -> Decision:
    return Decision(2, 1, 0, Phase.PLAY, played, worths)


def test_a_decision_costs_what_the_best_is_worth_more() -> None:
    better, worse = Worth(PLAYS[Card("Ah")], 0.8, 0.1), Worth(PLAYS[Card("9h")], -0.2, 0.1)
    assert decision(worse.action, worse, better).cost == pytest.approx(1.0)
    assert decision(worse.action, worse, better).best == better
    assert decision(better.action, worse, better).cost == 0


def test_a_difference_within_the_error_costs_nothing() -> None:
    """And of actions worth the same, the one played is the best."""
    one, other = Worth(ORDER, 0.5, 0.2), Worth(PASS, 0.3, 0.0)
    assert decision(PASS, one, other).cost == 0
    assert decision(PASS, one, Worth(PASS, 0.5, 0.0)).best == Worth(PASS, 0.5, 0.0)


def test_less_than_can_be_told_costs_nothing() -> None:
    """Where every layout was looked at there is no error, and a mean may be off by what a float is."""
    assert decision(PASS, Worth(PASS, 0.3, 0.0), Worth(ORDER, 0.1 + 0.2, 0.0)).cost == 0
    assert decision(PASS, Worth(PASS, 0.0, 0.0), Worth(ORDER, 0.01, 0.0)).cost == 0.01


def test_what_the_search_does_not_judge_costs_nothing() -> None:
    assert decision(PASS).best is None
    assert decision(PASS).cost == 0
    assert decision(PASS, Worth(ORDER, 3.0, 0.0)).cost == 0


def test_passing_the_best_hand_there_is_costs_and_playing_it_out_does_not() -> None:
    good = analyse(record(*PLAYED), seats=(0,), layouts=20)
    assert [one.cost for one in good.decisions if one.phase is Phase.PLAY] == [0] * 4
    assert good.cost_of(0) == good.decisions[0].cost == pytest.approx(2), "alone it would have been four points"
    assert {one.seat for one in good.decisions} == {0}
    bad = analyse(record("pass"), seats=(0,), layouts=20)
    assert bad.cost_of(0) > 1
    best = bad.worst()[0].best
    assert best is not None
    assert str(best.action).startswith("order")


def test_the_luck_of_a_deal_is_half_of_what_it_is_better_than_with_the_hands_passed_on() -> None:
    """By rules of thumb, whatever was made of it; a hand that was not finished scored nothing."""
    looked = analyse(record(*PLAYED[:2]), layouts=10)
    assert looked.hands[0].result is None
    assert looked.hands[0].points == 0
    whole = analyse(record(*PLAYED), layouts=10)
    assert whole.hands[0].points == 2
    assert whole.hands[0].par == 4
    assert whole.hands[0].par_passed_on == -4
    assert (whole.luck(0), whole.luck(1)) == (4, -4)


def test_luck_comes_to_nothing_though_the_dealer_has_the_better_of_it() -> None:
    """A deal and the three that come of passing its hands on: each is as likely as the others."""
    rng = Random(1)
    total, dealers = 0.0, 0
    for _ in range(40):
        deck = tuple(rng.sample(make_pack(9), 24))
        looked: list[HandLooked] = []
        for _ in range(4):
            looked += analyse([header_line(Rules(), preset="standard", players=[], game="g"),
                               deal_line(1, hand=1, dealer=0, deck=deck)], layouts=1).hands  # fmt: skip
            deck = (*deck[15:20], *deck[:15], *deck[20:])
        assert sum(hand.luck for hand in looked) == 0
        total += sum(abs(hand.luck) for hand in looked)
        dealers += sum(hand.par for hand in looked)
    assert total > 40
    assert dealers > 40


def test_the_same_seed_looks_at_the_same_layouts() -> None:
    def look(seed: int) -> Analysis:
        return analyse(record(*PLAYED), layouts=10, seed=seed)

    assert look(1).decisions == look(1).decisions
    assert look(1).decisions != look(2).decisions


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(f"{line}\n" for line in record("pass", "pass", "pass", "pass")))
    return str(path)


def test_the_command_tells_decisions_costs_the_dearest_and_luck(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", file, "--layouts", "40"]) == 0
    shown = capsys.readouterr().out
    for words in ("Hand 1: ", "pass  cost ", "better order", "What the decisions cost, in points:", "The costliest:",
                  "points more than average ones"):  # fmt: skip
        assert words in shown


def test_one_seats_decisions_as_json(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", file, "--seat", "0", "--json", "--layouts", "40"]) == 0
    decision, hand, whole = map(json.loads, capsys.readouterr().out.splitlines())
    assert (decision["n"], decision["seat"], decision["played"]) == (2, 0, "pass")
    assert decision["cost"] == pytest.approx(whole["cost"]["0"])
    assert (hand["hand"], whole["worst"], len(whole["luck"])) == (1, [2], 2)


def test_what_cannot_be_analysed_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{}\n")
    assert main(["analyse", str(broken)]) == 1
    assert main(["analyse", str(broken), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "bad_header"
    assert main(["analyse", "-", "--seat", "4"]) == 2
    assert main(["analyse", "-", "--layouts", "0"]) == 2
