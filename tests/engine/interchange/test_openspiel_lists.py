"""OpenSpiel's action lists: legal in its own game, read back as the same hands, and what cannot be said in them."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import pytest
from hypothesis import given, reject, settings

from engine.interchange import FORMATS, InterchangeError, Loss, Study
from engine.rules import Rules, make_rules
from tests.engine.interchange.games import fitting, plain, playable_rules, random_record, seeds, stacked, told_record

HANDS: Final = {1: "9s Ts As Kd Ad", 2: "Js Qh Kh Ah Th", 3: "9c Tc Qc Kc Ac", 0: "9h Jd Td Qd 9d"}
ALIKE: Final[dict[str, object]] = {
    "alone_timing": "before_first_lead",
    "upcard_discard": False,
    "target": None,
    "hands": 1,
}


def one_hand(*texts: str, **options: object) -> list[str]:
    rules = make_rules("standard", ALIKE | options)
    return told_record(rules, stacked(rules, dealer=0, hands=HANDS, upcard="Jh"), 0, *texts)


def write(lines: list[str]) -> tuple[list[Any], list[str]]:
    text, losses = FORMATS["openspiel"].export(lines)
    return [json.loads(line) for line in text.splitlines()], [str(loss) for loss in losses]


def read(text: str) -> tuple[list[str] | Study, tuple[Loss, ...]]:
    load = FORMATS["openspiel"].load
    assert load is not None
    return load(text)


def actions_of(*texts: str, **options: object) -> list[int]:
    (entry,) = write(one_hand(*texts, **options))[0]
    actions = entry["actions"]
    assert isinstance(actions, list)
    return actions


def fault_of(text: str) -> InterchangeError:
    with pytest.raises(InterchangeError) as caught:
        read(text)
    return caught.value


# ── their game accepts what we write ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def pyspiel() -> Any:
    if sys.platform == "win32" or sys.implementation.name != "cpython":
        pytest.skip("OpenSpiel has no wheel for this platform")
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; it is the extra named oracle")


@given(rules=playable_rules(), seed=seeds)
@settings(max_examples=60)
def test_every_list_is_legal_in_their_game(pyspiel: Any, rules: Rules, seed: int) -> None:
    """Number by number, whatever the rules; a finished hand is finished there, with the same winners of tricks."""
    rules = fitting({name: value for name, value in _plain(rules).items() if name not in {"low_rank", "jokers"}})
    lines = random_record(rules, seed)
    try:
        entries, _ = write(lines)
    except InterchangeError:
        reject()
    for entry in entries:
        state = pyspiel.load_game(entry["game"]).new_initial_state()
        for action in entry["actions"]:
            assert action in state.legal_actions()
            state.apply_action(action)


def _plain(rules: Rules) -> dict[str, object]:
    header = json.loads(random_record(rules, 0, hands=0)[0])
    told = header["rules"]
    assert isinstance(told, dict)
    return told


# ── what is written ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_hand_begins_with_the_dealer_and_the_cards_one_at_a_time() -> None:
    """The dealer's first card first, though ours deals five at a time from his left."""
    actions = actions_of()
    ranks, suits = "9TJQKA", "cdhs"
    dealt = [ranks[number // 4] + suits[number % 4] for number in actions[1:]]
    assert actions[0] == 0
    assert dealt[:8] == ["9h", "9s", "Js", "9c", "Jd", "Ts", "Qh", "Tc"]
    assert (len(dealt), dealt[20]) == (21, "Jh")


def test_ordering_is_naming_the_suit_and_alone_comes_after_the_discard() -> None:
    hearts, alone, together, nine_of_hearts = 27, 29, 30, 2
    assert actions_of("order", "discard 9h", "alone")[22:] == [hearts, nine_of_hearts, alone]
    called = actions_of("order alone", "discard 9h", alone_timing="with_call")
    assert called[22:] == [hearts, nine_of_hearts, alone]
    assert actions_of("order", "discard 9h", alone_timing="with_call")[22:] == [hearts, nine_of_hearts, together]


def test_the_game_is_named_with_its_settings() -> None:
    (entry,) = write(one_hand("pass", all_pass="redeal", defend_alone="any"))[0]
    assert entry["game"] == "euchre(allow_lone_defender=True,stick_the_dealer=False)"


def test_defenders_who_were_not_asked_decline_where_their_game_asks() -> None:
    played = actions_of("order", "discard 9h", "…", defend_alone="vs_lone", alone_timing="with_call")
    assert played[22:27] == [27, 2, 30, 30, 30]


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (("order", "discard Jh"), {"upcard_discard": True}),
        (("pass", "pass", "pass", "pass", "call n"), {"no_trump": "round2"}),
        (("order", "discard 9h", "alone", "give 9s"), {"partner_exchange": "call_for_best"}),
        (("order", "discard 9h", "together", "alone"), {"alone": "maker_side"}),
        (("pass", "order alone", "…"), {"sitting_dealer": "skips", "alone_timing": "with_call"}),
        (("order", "discard 9h", "alone", "…"), {"loner_lead": "left_of_loner"}),
    ],
)
def test_a_hand_their_game_cannot_come_to_is_refused(texts: tuple[str, ...], options: dict[str, object]) -> None:
    with pytest.raises(InterchangeError, match="OpenSpiel's game can come to no hand of this one"):
        write(one_hand(*texts, **options))


def test_a_hand_left_out_among_others_is_told() -> None:
    rules = make_rules("standard", ALIKE | {"hands": 4, "no_trump": "round2"})
    for seed in range(100):
        lines = random_record(rules, seed, is_in_order=True, is_cut=False)
        calls = [hand for hand, entry in _with_hands(lines) if str(entry.get("do", "")).startswith("call n")]
        if 0 < len(calls) < 4:
            entries, losses = write(lines)
            assert [entry["hand"] for entry in entries] == [hand for hand in (1, 2, 3, 4) if hand not in calls]
            assert any(loss.endswith(": the whole hand") for loss in losses)
            return
    raise AssertionError("no such game")


def _with_hands(lines: list[str]) -> list[tuple[int, Any]]:
    hand, found = 0, []
    for entry in plain(lines)[1:]:
        hand += "deal" in entry
        found.append((hand, entry))
    return found


@pytest.mark.parametrize("options", [{"low_rank": 8}, {"jokers": 1}])
def test_another_pack_is_refused(options: dict[str, object]) -> None:
    rules = make_rules("standard", options)
    with pytest.raises(InterchangeError, match="has the 24 cards from the nines up, and no joker"):
        write(told_record(rules, stacked(rules, dealer=0, hands={}, upcard="Jh"), 0))


def test_their_rules_are_told_where_ours_differ() -> None:
    _, losses = write(one_hand("pass", alone_timing="with_call", upcard_discard=True, hands=None, target=10, win_by=2))
    assert {loss for loss in losses if loss.startswith("rules")} == {
        "rules: alone_timing with_call",
        "rules: upcard_discard true",
        "rules: target 10",
        "rules: win_by 2",
    }


# ── what is read ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("written", ["{actions}", "{spaced}", '{{"actions": {actions}}}', "{lines}"])
def test_lists_are_read_in_any_shape(written: str) -> None:
    """A JSON object, a JSON list, or bare numbers apart by spaces, commas or lines."""
    lines = one_hand("pass", "pass", "order", "discard 9h", "together", "…")
    actions = actions_of("pass", "pass", "order", "discard 9h", "together", "…")
    spaced, column = (apart.join(map(str, actions)) for apart in (" ", "\n"))
    record, losses = read(written.format(actions=json.dumps(actions), spaced=spaced, lines=column))
    assert isinstance(record, list)
    assert losses == ()
    assert plain(record)[1:] == plain(lines)[1:] + plain(record)[len(lines) :]
    assert "result" in record[-1]


def test_bare_numbers_may_be_several_hands() -> None:
    hand = actions_of("pass", "pass", "order", "discard 9h", "together", "…")
    after = [1, *hand[1:22]]
    record, _ = read(" ".join(map(str, hand + after)))
    assert isinstance(record, list)
    assert [entry["deal"]["dealer"] for entry in plain(record) if "deal" in entry] == [0, 1]


def test_hands_that_do_not_follow_each_other_are_a_study() -> None:
    """As random deals of their game are."""
    hand = json.dumps(actions_of("pass", "pass", "order", "discard 9h", "together", "…"))
    study, losses = read(f"{hand}\n{hand}\n")
    assert isinstance(study, Study)
    assert not study.is_game
    assert [str(loss) for loss in losses] == ["game: the hands stand each for itself, so the game stays a study"]


def test_settings_that_are_not_told_are_those_that_fit() -> None:
    for options in ({"defend_alone": "any"}, {"all_pass": "redeal"}):
        texts = ["pass"] * 8 if "all_pass" in options else ["order", "discard 9h", "alone", "defend alone"]
        actions = actions_of(*texts, **options)
        record, _ = read(json.dumps(actions))
        assert isinstance(record, list)
        assert plain(record)[0]["rules"].items() >= options.items()


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "there are no actions"),
        ("1 2 three", "'three' is no action's number"),
        ("1 2 300", "'300' is no action's number"),
        ("[]", "a deal takes 22 numbers, here are 0"),
        ("[1, 2]", "a deal takes 22 numbers, here are 2"),
        ("[1, 2.5]", "the actions must be a list of numbers"),
        ("[true]", "the actions must be a list of numbers"),
        ('{"actions": 7}', "the actions must be a list of numbers"),
        ("{}", "the actions must be a list of numbers"),
        ('{"game": "chess", "actions": []}', "'chess' is not OpenSpiel's euchre"),
        ('{"game": "euchre(players=6)", "actions": []}', "'euchre(players=6)' is not OpenSpiel's euchre"),
        ('{"game": "euchre(bowers=True)", "actions": []}', "'bowers=True' is no setting of OpenSpiel's euchre"),
        ('{"hand": 0, "actions": []}', '"hand" must be from 1 to 9999'),
        ("[1,", "no JSON: Expecting value"),
        (f"[{'[' * 100_000}", "nested too deep"),
        (json.dumps([7, *range(21)]), "7 is no dealer"),
        (json.dumps([0, *range(20), 24]), "24 is no card"),
        (json.dumps([0, *range(20), 19]), "a card is dealt twice"),
        (json.dumps([0, *range(21), 26]), "26 is no action of this phase, bid1"),
        (json.dumps([0, *range(21), 24, 24, 24, 24, 25]),
         "action 25, the 27th: seat 1: the suit of the upcard was turned down and cannot be called"),
        (json.dumps([0, *range(21), 25, 30]), "30 is no card"),
        (json.dumps([0, *range(21), 25, 20]),
         "action 20, the 24th: seat 0: the rules of this table forbid discarding the card just taken up"),
        (json.dumps([0, *range(21), 25, 0, 30, 0]), "action 0, the 26th: seat 1: that card is not in the hand"),
    ],
)  # fmt: skip
def test_what_is_no_hand_is_refused(text: str, detail: str) -> None:
    assert fault_of(text).detail == detail


def test_a_fault_tells_its_line_hand_and_trick() -> None:
    good = {"game": "euchre()", "actions": actions_of("pass", "pass", "order", "discard 9h", "together", "…")}
    bad = {"game": "euchre()", "actions": [1, *good["actions"][1:-1], 0]}
    fault = fault_of(f"{json.dumps(good)}\n\n{json.dumps(bad)}\n")
    assert (fault.line, fault.hand) == (3, 2)
    other = good | {"game": "euchre(stick_the_dealer=False)"}
    assert fault_of(f"{json.dumps(good)}\n{json.dumps(other)}\n").detail == "its game is not that of the first hand"
    long = good | {"actions": [*good["actions"], 1], "hand": 1}
    assert fault_of(json.dumps(long)).detail == "numbers follow the end of the hand"
