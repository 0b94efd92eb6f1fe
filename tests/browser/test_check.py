"""The check of a game's deals in the browser comes to what `engine.verify` comes to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from clients.cli.main import main
from engine.cards import make_pack
from engine.fair import commitment, first_dealer, seeded_secret, shuffle
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.record import RecordError, action_line, deal_line, header_line, result_line, reveal_line
from engine.rules import Rules, make_rules
from engine.state import AwaitingDeal, Finished
from engine.verify import verify
from tests.browser.person import decide_by_clicks, wait_for_turn
from tests.browser.stage import Stage
from tests.engine.table import table

_CHECK = """async (text) => {
    const { checkRecord } = await import("/check.js");
    const { checks, problem } = await checkRecord(JSON.parse(text));
    const found = checks.map(({ n, hand, verdict }) => [n, hand, verdict]);
    return { checks: found, problem: problem && [problem.n, problem.code] };
}"""


def record_of(rules: Rules, *, hands: int, game: str = "g_check") -> list[str]:
    """Play at most *hands* deals at random, fairly dealt, with texts of some seats; return the record."""
    dice = random.Random(f"{game} {hands}")
    secrets = [seeded_secret(1, game=1, hand=hand) for hand in range(1, hands + 2)]
    lines = [header_line(rules, preset="standard", players=[], game=game, commit=commitment(secrets[0]))]
    state = new_game(rules)
    for hand, secret in enumerate(secrets[:-1], start=1):
        if not isinstance(state.stage, AwaitingDeal):
            break
        texts = ("", "a throw: 4", "♥ ünï", "") if hand % 2 else ("",) * 4
        pack = make_pack(rules.low_rank, rules.jokers)
        deck = shuffle(pack, secret=secret, game=game, hand=hand, entropies=texts)
        dealer = first_dealer(secret=secret, game=game) if state.stage.dealer is None else state.stage.dealer
        lines.append(deal_line(len(lines), hand=hand, dealer=dealer, deck=deck, commit=commitment(secrets[hand])))
        state, _ = deal(state, deck, dealer=dealer)
        while (seat := to_act(state)) is not None:
            action = dice.choice(legal_actions(state))
            lines.append(action_line(len(lines), seat, action))
            state, _ = apply(state, seat, action)
        lines.append(reveal_line(len(lines), secret=secret, entropies=texts))
    if isinstance(state.stage, Finished):
        lines.append(result_line(len(lines), score=state.standing.score, winner=state.stage.winner))
    return lines


def verdicts_of(lines: list[str]) -> dict[str, Any]:
    """Return what the engine finds, in the form the page gives it."""
    checks: list[list[object]] = []
    try:
        for check in verify(lines):
            checks.append([check.n, check.hand, str(check.fairness)])  # noqa: PERF401 - what came before an error stands
    except RecordError as error:
        return {"checks": checks, "problem": [error.n, error.code]}
    return {"checks": checks, "problem": None}


@pytest.mark.parametrize(
    "rules", [make_rules(), make_rules("british"), make_rules("standard", {"low_rank": 7})], ids=["24", "25", "32"]
)
def test_a_fair_game_is_found_fair(page: Page, rules: Rules) -> None:
    lines = record_of(rules, hands=4)
    found = page.evaluate(_CHECK, json.dumps(lines))
    assert found == verdicts_of(lines)
    assert {verdict for _, _, verdict in found["checks"]} == {"fair"}


def edited(lines: list[str], kind: str, at: int, edit: Callable[[dict[str, Any]], object]) -> list[str]:
    """Return *lines* with the entry *at* of those of *kind* changed."""
    wanted = [place for place, line in enumerate(lines) if kind in json.loads(line)][at]
    entry = json.loads(lines[wanted])
    edit(entry)
    return [*lines[:wanted], json.dumps(entry), *lines[wanted + 1 :]]


def swap_buried(entry: dict[str, Any]) -> None:
    """Swap the last two cards of a deck: nobody held them, so the play stays legal."""
    deck = entry["deal"]["deck"]
    entry["deal"]["deck"] = deck[:-4] + deck[-2:] + deck[-4:-2]


TAMPERED: dict[str, tuple[str, int, Callable[[dict[str, Any]], object]]] = {
    "deck": ("deal", 1, swap_buried),
    "secret": ("reveal", 0, lambda entry: entry["reveal"].update(secret="00" * 32)),
    "text": ("reveal", 0, lambda entry: entry["reveal"].update(entropy=["x", "", "", ""])),
    "commit": ("deal", 0, lambda entry: entry.update(commit="0" * 64)),
    "no commit": ("deal", 0, lambda entry: entry.pop("commit")),
    "no first commit": ("format", 0, lambda header: header.pop("commit")),
    "game": ("format", 0, lambda header: header.update(game="other")),
    "number": ("reveal", 1, lambda entry: entry.update(n=1)),
    "short secret": ("reveal", 1, lambda entry: entry["reveal"].update(secret="00")),
    "no hexadecimal": ("reveal", 1, lambda entry: entry["reveal"].update(secret="z" * 64)),
    "three texts": ("reveal", 1, lambda entry: entry["reveal"].update(entropy=["", "", ""])),
    "hand": ("deal", 1, lambda entry: entry["deal"].update(hand=7)),
    "format": ("format", 0, lambda header: header.update(format="euchre/2")),
    "two kinds": ("reveal", 0, lambda entry: entry.update(do="pass")),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_changed_record_is_found_out(page: Page, name: str) -> None:
    """As the engine does, hand by hand."""
    lines = edited(record_of(make_rules(), hands=3), *TAMPERED[name])
    found = page.evaluate(_CHECK, json.dumps(lines))
    assert found == verdicts_of(lines)
    assert found["problem"] or {verdict for _, _, verdict in found["checks"]} != {"fair"}


def test_another_first_dealer_is_found_out(page: Page) -> None:
    """The play would not be legal, so there is none."""
    lines = record_of(make_rules(), hands=1)
    first, dealt, reveal = lines[0], lines[1], json.loads(next(line for line in lines if '"reveal":{' in line))
    changed = json.loads(dealt)
    changed["deal"]["dealer"] = (changed["deal"]["dealer"] + 1) % 4
    short = [first, json.dumps(changed), json.dumps(reveal | {"n": 2})]
    assert page.evaluate(_CHECK, json.dumps(short)) == verdicts_of(short)
    assert verdicts_of(short)["checks"][0][2] == "wrong_dealer"


@pytest.mark.parametrize("lines", [[], ["[]"], ["{"], ["", "{}"], ["x" * 20_000]])
def test_what_is_no_record_is_refused_alike(page: Page, lines: list[str]) -> None:
    assert page.evaluate(_CHECK, json.dumps(lines)) == verdicts_of(lines)


def test_a_hand_that_is_not_revealed_is_not_called_fair(page: Page) -> None:
    lines = record_of(make_rules(), hands=2)
    cut = lines[: next(place for place, line in enumerate(lines) if '"reveal":{' in line)]
    assert page.evaluate(_CHECK, json.dumps(cut)) == verdicts_of(cut)


def test_the_vector_of_the_protocol(page: Page) -> None:
    """The one PROTOCOL.md publishes."""
    found = page.evaluate(
        """async () => {
            const { commitment, firstDealer, makePack, shuffle } = await import("/check.js");
            const secret = Uint8Array.from({ length: 32 }, (_, at) => at);
            const deck = await shuffle(makePack(9, 0), { secret, game: "g", hand: 1, texts: ["a", "", "b", ""] });
            return [await commitment(secret), deck.join(""), `seat ${await firstDealer({ secret, game: "g" })}`];
        }"""
    )
    document = (Path(__file__).parents[2] / "protocol/PROTOCOL.md").read_text(encoding="utf-8")
    vector = document[document.index("A test vector:") :]
    for value in found:
        assert value in vector[:600]


def test_the_sheet_checks_the_game_of_a_table_and_a_file(page: Page, tmp_path: Path) -> None:
    """Hand by hand, with the record to keep."""
    lines = record_of(make_rules(), hands=3)
    stage = Stage(page, table(), 0)
    stage.answers["game"] = {"game": "g_check", "lines": lines}
    page.get_by_role("button", name="Rules", exact=True).click()
    page.get_by_role("button", name="Check the deals").click()
    sheet = page.get_by_role("dialog", name="Check the deals")
    expect(sheet.locator(".verdict")).to_have_text("All 3 deals are fair.")
    expect(sheet.locator(".checked li")).to_have_count(3)
    with page.expect_download() as download:
        sheet.get_by_role("button", name="Save the record").click()
    assert download.value.suggested_filename == "g_check.jsonl"
    assert Path(download.value.path()).read_text(encoding="utf-8") == "".join(f"{line}\n" for line in lines)

    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(edited(lines, *TAMPERED["deck"])), encoding="utf-8")
    sheet.get_by_label("Or a record you kept").set_input_files(changed)
    expect(sheet.locator(".verdict")).to_have_text("One deal is not as it was committed to.")
    expect(sheet.locator(".checked li").nth(1)).to_have_text("Hand 2: ✗ wrong – the secret gives another deck.")


def test_one_adds_to_the_shuffle_of_the_next_deal(page: Page) -> None:
    stage = Stage(page, table(), 0)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Add your own shuffle").last.fill("♥" * 22)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#shuffle")).to_contain_text("too long")
    page.get_by_label("Add your own shuffle").last.fill("4 and 2")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#shuffle")).to_contain_text("Added to the next deal.")
    assert [(message["table"], message["text"]) for message in stage.asked if message["t"] == "entropy"] == [
        ("t1", "4 and 2")
    ]


def finish_a_game(page: Page) -> None:
    """Play a game of four hands against bots, with a text of one's own in the shuffle; a bot finishes it."""
    page.get_by_label("Your name").fill("Maggie")
    page.get_by_text("Make a table").click()
    page.get_by_text("House rules").click()
    page.get_by_label("Hands", exact=True).select_option("4")
    page.get_by_label("Clock").select_option("none")
    page.get_by_role("button", name="Make the table").click()
    page.get_by_role("button", name="Start the game").click()
    wait_for_turn(page)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Add your own shuffle").last.fill("4 and 2")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#shuffle")).to_contain_text("Added to the next deal.")
    page.keyboard.press("Escape")
    decide_by_clicks(page)
    page.get_by_role("button", name="Away").click()
    expect(page.get_by_role("button", name="Play again")).to_be_visible()


def test_a_real_game_is_checked_from_its_table_and_a_changed_record_of_it_is_found_out(
    page: Page, tmp_path: Path
) -> None:
    """The page fetches the record, all deals agree, and `euchre verify` says so too; then one deal is another."""
    finish_a_game(page)
    page.locator(".panel").get_by_role("button", name="Check the deals").click()
    sheet = page.get_by_role("dialog", name="Check the deals")
    expect(sheet.locator(".verdict")).to_have_text("All 4 deals are fair.")
    expect(sheet.locator(".checked li.fair")).to_have_count(4)
    with page.expect_download() as download:
        sheet.get_by_role("button", name="Save the record").click()
    saved = Path(download.value.path())
    lines = saved.read_text(encoding="utf-8").splitlines()
    assert "4 and 2" in "".join(line for line in lines if '"reveal":{' in line)
    assert main(["verify", str(saved)]) == 0

    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(edited(lines, "deal", 2, swap_buried)), encoding="utf-8")
    sheet.get_by_label("Or a record you kept").set_input_files(changed)
    expect(sheet.locator(".verdict")).to_have_text("One deal is not as it was committed to.")
    expect(sheet.locator(".checked li.fair")).to_have_count(3)
    expect(sheet.locator(".checked li").nth(2)).to_have_text("Hand 3: ✗ wrong – the secret gives another deck.")
    assert main(["verify", str(changed)]) == 1
