"""`euchre verify`: honest records, tampered ones, and what is no record."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from clients.cli.main import main
from engine.cards import make_pack
from engine.fair import commitment, first_dealer, seeded_secret, shuffle
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.record import action_line, deal_line, header_line, result_line, reveal_line
from engine.rules import make_rules
from engine.state import Finished

GAME = "g_1"
ENTROPIES = ("a", "", "é", "")


def fair_record(preset: str = "standard", *, seed: int = 3) -> list[str]:
    """Return the record of a whole game of random play, dealt as the fair deal says."""
    rng, rules = Random(seed), make_rules(preset)
    pack, game = make_pack(rules.low_rank, rules.jokers), new_game(rules)
    secrets = [seeded_secret(seed, game=1, hand=hand) for hand in range(1, 200)]
    lines = [header_line(rules, preset=preset, players=[], game=GAME, commit=commitment(secrets[0]))]
    while not isinstance(game.stage, Finished):
        seat, hand = to_act(game), game.standing.hands_dealt
        if seat is None:
            if hand:
                lines.append(reveal_line(len(lines), secret=secrets[hand - 1], entropies=ENTROPIES))
            deck = shuffle(pack, secret=secrets[hand], game=GAME, hand=hand + 1, entropies=ENTROPIES)
            dealer = getattr(game.stage, "dealer", None)
            dealer = first_dealer(secret=secrets[0], game=GAME) if dealer is None else dealer
            commit = commitment(secrets[hand + 1])
            lines.append(deal_line(len(lines), hand=hand + 1, dealer=dealer, deck=deck, commit=commit))
            game, _ = deal(game, deck, dealer=dealer)
        else:
            action = rng.choice(legal_actions(game))
            lines.append(action_line(len(lines), seat, action))
            game, _ = apply(game, seat, action)
    lines.append(reveal_line(len(lines), secret=secrets[game.standing.hands_dealt - 1], entropies=ENTROPIES))
    return [*lines, result_line(len(lines), score=game.standing.score, winner=game.stage.winner)]


RECORD = fair_record()
HANDS = sum('"deal"' in line for line in RECORD)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that verifies lines and returns the exit status, the output's lines and what is on stderr."""

    def verified(lines: list[str], *arguments: str) -> tuple[int, list[str], str]:
        file = tmp_path / "game.jsonl"
        file.write_text("\n".join(lines), encoding="utf-8")
        status = main(["verify", str(file), *arguments])
        shown = capsys.readouterr()
        return status, shown.out.splitlines(), shown.err

    return verified


def tampered(change: Any, *, kind: str, which: int = 0) -> list[str]:
    """Return the record with *change* made to the entry of that *kind*, the first or another."""
    lines = list(RECORD)
    at = [n for n, line in enumerate(lines) if kind in json.loads(line)][which]
    entry = json.loads(lines[at])
    change(entry)
    lines[at] = json.dumps(entry)
    return lines


@pytest.mark.parametrize("preset", ["standard", "ladder", "club"])
def test_an_honest_game_is_fair_hand_by_hand(run: Any, preset: str) -> None:
    record = fair_record(preset)
    hands = sum('"deal"' in line for line in record)
    status, out, err = run(record)
    assert (status, err) == (0, "")
    assert out == [
        *(f"Hand {hand}: fair" for hand in range(1, hands + 1)),
        f"{hands} hands: {hands} fair. Every action is legal.",
    ]


def test_json_prints_one_line_a_hand(run: Any) -> None:
    status, out, err = run(RECORD, "--json")
    assert (status, err) == (0, "")
    lines = [json.loads(line) for line in out]
    assert [line["hand"] for line in lines] == list(range(1, HANDS + 1))
    assert {line["fairness"] for line in lines} == {"fair"}
    assert lines[0] == {
        "n": 1,
        "hand": 1,
        "fairness": "fair",
        "broken": False,
        "detail": "the deck is the one the commitment fixed",
    }


def _other_secret(entry: dict[str, Any]) -> None:
    entry["reveal"]["secret"] = "00" * 32


def _other_entropy(entry: dict[str, Any]) -> None:
    entry["reveal"]["entropy"][0] = "b"


def _other_game(header: dict[str, Any]) -> None:
    header["game"] = "g_2"


def _other_commitment(entry: dict[str, Any]) -> None:
    entry["commit"] = "00" * 32


@pytest.mark.parametrize(
    ("lines", "hand", "why"),
    [
        (tampered(_other_secret, kind="reveal", which=1), 2, "the secret revealed is not the one committed to"),
        (tampered(_other_entropy, kind="reveal"), 1, "the secret gives another deck"),
        (tampered(_other_game, kind="format"), 1, "the secret gives another deck"),
        (tampered(_other_commitment, kind="deal"), 2, "the secret revealed is not the one committed to"),
    ],
    ids=["secret", "entropy", "game", "commitment"],
)
def test_a_changed_record_is_not_fair(run: Any, lines: list[str], hand: int, why: str) -> None:
    status, out, err = run(lines)
    assert (status, err) == (1, "")
    assert out[hand - 1].startswith(f"Hand {hand} (entry ")
    assert out[hand - 1].endswith(f"): not fair: {why}")
    assert "not fair" in out[-1]
    status, out, _ = run(lines, "--json")
    assert status == 1
    assert json.loads(out[hand - 1])["broken"] is True


def test_a_swapped_buried_card_is_found(run: Any) -> None:
    """The play does not show it: the last two cards of the deck stay buried."""

    def swap(entry: dict[str, Any]) -> None:
        deck = entry["deal"]["deck"]
        entry["deal"]["deck"] = deck[:-4] + deck[-2:] + deck[-4:-2]

    status, out, _ = run(tampered(swap, kind="deal"))
    assert status == 1
    assert out[0] == "Hand 1 (entry 1): not fair: the secret gives another deck"


def test_deals_without_a_commitment_or_secret_are_told_and_no_failure(run: Any) -> None:
    status, out, _ = run(tampered(lambda header: header.pop("commit"), kind="format"))
    assert status == 0
    assert out[0] == "Hand 1 (entry 1): cannot be checked: no commitment was published before the deal"
    assert out[-1] == (
        f"{HANDS} hands: {HANDS - 1} fair, 1 dealt without a commitment, so not checked. Every action is legal."
    )
    status, out, _ = run(RECORD[:9])
    assert status == 0
    assert out == [
        "Hand 1 (entry 1): cannot be checked: the secret was not revealed",
        "1 hand: 1 without the secret, so not checked. Every action is legal.",
    ]
    assert run(RECORD[:1]) == (0, ["The record holds no hand."], "")


def _not_hexadecimal(entry: dict[str, Any]) -> None:
    entry["reveal"]["secret"] = "nonsense"


def _half_a_character(entry: dict[str, Any]) -> None:
    entry["reveal"]["entropy"][0] = "\ud800"


BROKEN = [
    ([], 0, "bad_header"),
    (["nonsense"], 0, "bad_json"),
    ([RECORD[0], RECORD[2]], 1, "bad_number"),
    ([*RECORD[:2], '{"n":2,"seat":0,"do":"play 9s"}'], 2, None),
    (tampered(_not_hexadecimal, kind="reveal"), None, "bad_entry"),
    (tampered(_half_a_character, kind="reveal"), None, "bad_entry"),
    (tampered(lambda header: header.update(game="\ud800"), kind="format"), 0, "bad_header"),
    ([RECORD[0], json.dumps({"n": 1, "reveal": {"secret": "00" * 32}})], 1, "bad_entry"),
]


@pytest.mark.parametrize(("lines", "n", "code"), BROKEN)
def test_a_record_that_cannot_be_followed(run: Any, lines: list[str], n: int | None, code: str | None) -> None:
    status, out, err = run(lines, "--json")
    assert (status, err) == (1, "")
    error = json.loads(out[-1])["error"]
    assert n in (None, error["n"])
    assert code in (None, error["code"])
    status, out, err = run(lines)
    assert status == 1
    assert err.startswith("euchre: ")
    assert err.count("\n") == 1
    assert "legal" not in "".join(out)


def test_a_file_that_is_not_there_and_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "nowhere.jsonl"]) == 1
    assert capsys.readouterr().err == "euchre: nowhere.jsonl: No such file or directory\n"
    assert main(["verify", str(tmp_path)]) == 1
    assert main(["verify", "--fast"]) == 2


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(RECORD).encode())))
    assert main(["verify", "-"]) == 0
    assert capsys.readouterr().out.endswith("Every action is legal.\n")
