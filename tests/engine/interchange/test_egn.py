"""Euchre Game Notation: what it names, what it cannot hold, partial games, and real files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from hypothesis import given, settings

from engine.cards import make_pack
from engine.interchange import FORMATS, InterchangeError, Loss, Study, decode
from engine.interchange.study import UNKNOWN
from engine.rules import Rules, make_rules, rules_to_plain
from tests.engine.interchange.games import plain, playable_rules, random_record, seeds, stacked, told_record

FOLDER: Final = Path(
    os.environ.get("EUCHRE_EGN_DIR", "") or Path(__file__).parents[3].with_name("shared").joinpath("egn")
)
EXAMPLES: Final = sorted(FOLDER.glob("*.egn"))
HANDS: Final = {1: "9s Ts As Kd Ad", 2: "Js Qh Kh Ah Th", 3: "9c Tc Qc Kc Ac", 0: "9h Jd Td Qd 9d"}


def write(lines: list[str]) -> tuple[Any, list[str]]:
    """Export a record: the document, and the losses as text."""
    text, losses = FORMATS["egn"].export(lines)
    return json.loads(text), [str(loss) for loss in losses]


def read(document: object) -> tuple[list[str] | Study, tuple[Loss, ...]]:
    load = FORMATS["egn"].load
    assert load is not None
    return load(document if isinstance(document, str) else json.dumps(document, indent=1))


def fault_of(document: object) -> InterchangeError:
    with pytest.raises(InterchangeError) as caught:
        read(document)
    return caught.value


def one_hand(*texts: str, rules: Rules | None = None, upcard: str = "Jh", dealer: int = 0) -> list[str]:
    rules = rules or Rules()
    hands = {(seat + dealer) % 4: cards for seat, cards in HANDS.items()}
    return told_record(rules, stacked(rules, dealer=dealer, hands=hands, upcard=upcard), dealer, *texts)


def deal_of(*texts: str, **options: Any) -> Any:
    return write(one_hand(*texts, **options))[0]["deals"][0]


# ── what is written ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_hand_is_written_as_the_notation_has_it() -> None:
    """Deals and phases count from 0, calls are words, tricks are in playing order and say no seat."""
    document, losses = write(one_hand("pass", "pass", "pass", "order alone", "discard 9h", "…"))
    assert losses == []
    assert document["fileType"] == "Euchre Game Notation"
    assert document["version"] == "1.4"
    assert document["metadata"]["initialScore"] == [0, 0]
    (deal,) = document["deals"]
    bidding, play = deal["phases"]
    assert (deal["dealNumber"], deal["initialState"]["dealer"], deal["initialState"]["upCard"]) == (0, 0, "Jh")
    assert deal["initialState"]["playerCards"][1] == HANDS[1].split()
    assert bidding["calls"] == ["Pass", "Pass", "Pass", "Order"]
    assert (bidding["isAlone"], bidding["discard"]) == (True, "9h")
    assert [len(trick) for trick in play["tricks"]] == [3] * 5


@pytest.mark.parametrize(
    ("options", "ruleset"),
    [
        ({}, {"std": True, "winning_score": 10, "min_rank": 9, "loner_lead": "LEFT_OF_DEALER"}),
        ({"all_pass": "redeal"}, {"std": False}),
        ({"low_rank": 7}, {"min_rank": 7}),
        ({"no_trump": "round2"}, {"allow_no_trump": True}),
        ({"dealer_partner_round1": "alone_or_pass"}, {"canadian": True}),
        ({"loner_lead": "left_of_loner"}, {"loner_lead": "LEFT_OF_LONER"}),
        ({"lone_march": 5, "lone_euchred": 4}, {"loner_march_score": 5, "loner_euchred_score": 4}),
        ({"partner_exchange": "call_for_best"}, {"partners_best": True}),
        ({"relief": "swap3"}, {"go_under": True, "farmers": False}),
        ({"relief": "redeal"}, {"go_under": False, "farmers": True}),
        ({"defend_alone": "vs_lone"}, {"defend_alone": True}),
        ({"jokers": 1}, {"joker": True}),
        ({"target": 21}, {"winning_score": 21}),
        ({"target": None, "hands": 12}, {"num_deals": 12}),
    ],
)
def test_every_option_it_names_is_named_and_read_back(options: dict[str, object], ruleset: dict[str, object]) -> None:
    """And only one end of the game is ever named."""
    rules = make_rules("standard", options)
    document, losses = write(random_record(rules, 1, hands=1, is_in_order=True))
    written = document["metadata"]["ruleset"]
    assert written.items() >= ruleset.items()
    assert not {"winning_score", "num_deals"} <= written.keys()
    assert [loss for loss in losses if loss.startswith("rules")] == []
    record, _ = read(document)
    assert isinstance(record, list)
    assert plain(record)[0]["rules"] == rules_to_plain(rules)


UNNAMED: Final[list[tuple[dict[str, object], str]]] = [
    ({"redeal_dealer": "same"}, "redeal_dealer same"),
    ({"no_trump": "stuck_only"}, "no_trump stuck_only"),
    ({"no_trump": "round2", "low_no_trump": True}, "low_no_trump true"),
    ({"order_requires": "any_trump"}, "order_requires any_trump"),
    ({"upcard_counts": False}, "upcard_counts false"),
    ({"jokers": 1, "benny_turned": "dealer_names_blind"}, "benny_turned dealer_names_blind"),
    ({"alone": "off"}, "alone off"),
    ({"alone_timing": "before_first_lead"}, "alone_timing before_first_lead"),
    ({"alone": "maker_side", "alone_timing": "before_first_lead"}, "alone maker_side"),
    ({"defend_alone": "any"}, "defend_alone any"),
    ({"sitting_dealer": "skips"}, "sitting_dealer skips"),
    ({"upcard_discard": False}, "upcard_discard false"),
    ({"claim": "validated"}, "claim validated"),
    ({"lone_defender": 2}, "lone_defender 2"),
    ({"super_euchre": 4}, "super_euchre 4"),
    ({"tricks_needed": 4}, "tricks_needed 4"),
    ({"lone_must_sweep": True}, "lone_must_sweep true"),
    ({"relief": "swap3", "relief_hand": "ace_no_face"}, "relief_hand ace_no_face"),
    ({"win_by": 2}, "win_by 2"),
    ({"reveal": "own_only"}, "reveal own_only"),
    ({"spectator_hands": "after_hand"}, "spectator_hands after_hand"),
]


@pytest.mark.parametrize(("options", "loss"), UNNAMED)
def test_every_option_it_has_no_name_for_is_told(options: dict[str, object], loss: str) -> None:
    """With a record that has no hand yet, so that nothing shows in the play."""
    document, losses = write(random_record(make_rules("standard", options), 1, hands=0))
    assert f"rules: {loss}" in losses
    assert document["deals"] == []


def test_no_option_is_forgotten() -> None:
    """Each is either named, or told to be lost."""
    named = {name for options, _ in UNNAMED for name in options}
    named |= {"low_rank", "jokers", "all_pass", "no_trump", "dealer_partner_round1", "defend_alone", "relief"}
    named |= {"partner_exchange", "loner_lead", "lone_march", "lone_euchred", "target", "hands"}
    assert named == set(rules_to_plain(Rules()))


def test_what_a_record_tells_beyond_the_game_is_told_to_be_lost() -> None:
    header, *rest = plain(one_hand("pass", "pass"))
    header |= {"preset": "club", "commit": "ab", "mood": "glad"}
    header["players"] = [{"seat": 2, "name": "Cy", "kind": "bot", "bot": {"level": "easy"}}, {"name": "Nobody"}]
    rest[1]["ms"] = 900
    document, losses = write([json.dumps(line) for line in (header, *rest)])
    assert document["metadata"]["players"] == ["", "", "Cy", ""]
    assert set(losses) >= {
        "player 1: kind",
        "player 1: bot",
        "player 2: all of it, for it has no seat of its own",
        "header: commit",
        "header: mood",
        "header: the preset's name, club",
        "entries: ms",
    }


def test_names_too_long_for_it_are_told() -> None:
    header, *rest = plain(one_hand("pass"))
    header |= {"players": [{"seat": 1, "name": "B" * 65}], "game": "g" * 65}
    document, losses = write([json.dumps(line) for line in (header, *rest)])
    assert document["metadata"]["players"][1] == "B" * 64
    assert {"seat 1: the name", "header: the game's name"} <= set(losses)


def test_a_game_of_more_than_a_hundred_deals_loses_the_rest_by_name() -> None:
    rules = make_rules("standard", {"all_pass": "redeal"})
    lines = [random_record(rules, 0, hands=0)[0]]
    for hand in range(101):
        deck, dealer = "".join(make_pack(9)), hand % 4
        lines.append(json.dumps({"n": len(lines), "deal": {"hand": hand + 1, "dealer": dealer, "deck": deck}}))
        for turn in range(8):
            lines.append(json.dumps({"n": len(lines), "seat": (dealer + 1 + turn) % 4, "do": "pass"}))
    document, losses = write(lines)
    assert len(document["deals"]) == 100
    assert losses == ["hand 101: the whole hand"]


def test_exchanges_are_written_with_sender_and_receiver() -> None:
    """Call for best: the maker's card, then the partner's."""
    rules = make_rules("standard", {"partner_exchange": "call_for_best"})
    bidding = deal_of("order alone", "discard 9h", "give 9s", "give 9c", "…", rules=rules)["phases"][0]
    assert bidding["cardExchanges"] == [
        {"sender": 1, "receiver": 3, "cards": ["9s"]},
        {"sender": 3, "receiver": 1, "cards": ["9c"]},
    ]


def test_going_under_is_an_exchange_with_oneself() -> None:
    """Three cards put away, then the three taken."""
    rules = make_rules("standard", {"relief": "swap3"})
    hands = {1: "9s Ts 9h Th 9d"}
    deck = stacked(rules, dealer=0, hands=hands, upcard="Jh", buried="As Ks Qs")
    lines = told_record(rules, deck, 0, "relief 9s Ts 9h", "pass")
    (deal,) = write(lines)[0]["deals"]
    assert deal["phases"][0]["cardExchanges"] == [
        {"sender": 1, "receiver": 1, "cards": ["9s", "9h", "Ts", "As", "Ks", "Qs"]}
    ]
    record, _ = read(write(lines)[0])
    assert record == lines


@pytest.mark.parametrize(
    ("answers", "told"),
    [(("defend alone",), 2), (("defend together", "defend alone"), 0), (("defend together", "defend together"), -1)],
)
def test_a_lone_defender_is_told_by_seat(answers: tuple[str, ...], told: int) -> None:
    rules = make_rules("standard", {"defend_alone": "vs_lone"})
    deal = deal_of("order alone", "discard 9h", *answers, "…", rules=rules)
    assert deal["phases"][0]["aloneDefender"] == told


@pytest.mark.parametrize(("named", "call"), [("call s", "s"), ("call n", "n"), ("call l", "x")])
def test_trump_named_for_a_benny_is_the_dealers_call_in_the_first_round(named: str, call: str) -> None:
    rules = make_rules("standard", {"jokers": 1, "no_trump": "round2", "low_no_trump": True})
    deck = stacked(rules, dealer=0, hands=HANDS, upcard="Bj")
    (deal,) = write(told_record(rules, deck, 0, named, "discard 9h", "…"))[0]["deals"]
    assert deal["initialState"]["upCard"] == "B"
    assert deal["phases"][0]["calls"] == ["Pass", "Pass", "Pass", call]


def test_a_low_no_trump_call_is_unknown_to_it_and_told() -> None:
    rules = make_rules("standard", {"no_trump": "round2", "low_no_trump": True})
    lines = one_hand(*["pass"] * 4, "call l", "…", rules=rules)
    document, losses = write(lines)
    assert "hand 1: call l (seat 1)" in losses
    study, why = read(document)
    assert isinstance(study, Study)
    assert "hand 1: a call is not known, so the game stays a study" in map(str, why)


def test_a_partner_who_goes_alone_has_no_place_so_the_play_is_left_out() -> None:
    """Else the tricks would be read as other seats' cards."""
    rules = make_rules("standard", {"alone": "maker_side", "alone_timing": "before_first_lead"})
    document, losses = write(one_hand("order", "discard 9h", "together", "alone", "…", rules=rules))
    assert [phase["type"] for phase in document["deals"][0]["phases"]] == ["EUCHRE_BIDDING"]
    assert "hand 1: 15 cards played" in losses
    assert "hand 1: alone (seat 3)" in losses


def test_a_claim_is_told_to_be_lost() -> None:
    rules = make_rules("standard", {"claim": "validated"})
    hands = {1: "Jh Jd Ah Kh Qh"}
    deck = stacked(rules, dealer=0, hands=hands, upcard="9h")
    document, losses = write(told_record(rules, deck, 0, "order", "discard 9h", "claim"))
    assert "hand 1: claim (seat 1)" in losses
    study, _ = read(document)
    assert isinstance(study, list)  # the record stops before the claim


# ── partial games ────────────────────────────────────────────────────────────────────────────────────────────────────


def document_of(*deals: Any, **metadata: Any) -> Any:
    return {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {"players": ["A", "B", "C", "D"], "initialScore": [0, 0]} | metadata,
        "deals": list(deals),
    }


def bare(deal: Any) -> Any:
    """Return a deal as somebody who saw no hand writes it."""
    state = {name: value for name, value in deal["initialState"].items() if name != "playerCards"}
    return deal | {"initialState": state}


def studied(document: Any) -> Study:
    study, _ = read(document)
    assert isinstance(study, Study)
    return study


def test_hands_follow_from_the_play_where_all_play() -> None:
    """The upcard turned down and nobody alone: every card is seen, and the game is a record."""
    lines = one_hand(*["pass"] * 4, "call s", "…")
    record, losses = read(document_of(bare(write(lines)[0]["deals"][0])))
    assert losses == ()
    assert isinstance(record, list)
    assert [entry.get("do") for entry in plain(record)] == [entry.get("do") for entry in plain(lines)]


def test_a_dealer_who_does_not_play_the_upcard_has_buried_it() -> None:
    lines = one_hand("order", "discard Jh", "…")
    deal = bare(write(lines)[0]["deals"][0])
    del deal["phases"][0]["discard"]
    record, _ = read(document_of(deal))
    assert isinstance(record, list)
    assert "discard Jh" in record[3]


def test_a_discard_nobody_saw_makes_a_study_that_knows_the_rest() -> None:
    lines = one_hand("order", "discard 9h", "…")
    deal = bare(write(lines)[0]["deals"][0])
    del deal["phases"][0]["discard"]
    study = studied(document_of(deal))
    (hand,) = study.hands
    assert hand.hands[0].count(UNKNOWN) == 1
    assert all(UNKNOWN not in hand.hands[seat] for seat in (1, 2, 3))
    assert str(hand.moves[-1][1]) == "discard ??"


def test_a_discard_follows_from_the_hand_and_the_play() -> None:
    lines = one_hand("order", "discard 9h", "…")
    deal = write(lines)[0]["deals"][0]
    del deal["phases"][0]["discard"]
    record, _ = read(document_of(deal))
    assert isinstance(record, list)
    assert "discard 9h" in record[3]


def test_a_partner_who_sat_out_has_five_unknown_cards() -> None:
    deal = bare(deal_of("pass", "pass", "order alone", "discard 9h", "…"))
    hand = studied(document_of(deal)).hands[0]
    assert hand.hands[1] == (UNKNOWN,) * 5


def test_a_game_that_begins_in_the_middle_is_a_study() -> None:
    study, losses = read(document_of(deal_of("pass"), initialScore=[4, 9]))
    assert isinstance(study, Study)
    assert study.score == (4, 9)
    assert [str(loss) for loss in losses] == ["game: it begins at 4 to 9, so the game stays a study"]


@pytest.mark.parametrize(("text", "card"), [("Nc", "9c"), ("R", "Jh"), ("L", "Jd"), ("10c", "Tc"), ("9C", "9c")])
def test_cards_in_other_spellings_are_read(text: str, card: str) -> None:
    lines = one_hand("order", "discard 9h", "…")
    deal = write(lines)[0]["deals"][0]
    play = deal["phases"][1]
    play["tricks"] = [[text if told == card else told for told in trick] for trick in play["tricks"]]
    assert text in str(play)
    record, losses = read(document_of(deal))
    assert isinstance(record, list)
    assert (record[1:], losses) == (lines[1:], ())


@pytest.mark.parametrize(("text", "lost"), [("Xx", []), ("Jx", ["Jx"]), ("Xc", ["Xc"]), ("At", ["At"]), ("", [])])
def test_unknown_cards_are_unknown_and_what_is_known_of_them_is_told(text: str, lost: list[str]) -> None:
    deal = deal_of(*["pass"] * 4, "call s", "play 9s")
    deal["phases"][1]["tricks"][0][0] = text
    study, losses = read(document_of(deal))
    assert isinstance(study, Study)
    assert study.hands[0].tricks == ((UNKNOWN,),)
    assert [loss.what for loss in losses[:-1]] == [f"what {text} tells of a card" for text in lost]


def test_analysis_and_whatever_else_is_written_is_told() -> None:
    deal = deal_of("pass") | {"alternativeLines": [], "mood": 1}
    document = document_of(deal, title="T", date="2026-01-01T10:00", ruleset={"fast_break": True, "hats": 2})
    document["metadata"]["players"][2] = {"name": "C", "id": "7"}
    record, losses = read(document)
    assert isinstance(record, list)
    assert {str(loss) for loss in losses} == {
        "hand 1: alternativeLines",
        "hand 1: mood",
        "metadata: title",
        "metadata: date",
        "ruleset: fast_break",
        "ruleset: hats",
        "seat 2: id",
    }


def test_a_final_score_that_is_not_what_the_hands_come_to_is_told() -> None:
    lines = random_record(make_rules("standard", {"target": 1}), 3, is_cut=False)
    document, _ = write(lines)
    document["metadata"]["finalScore"] = [9, 9]
    record, losses = read(document)
    assert isinstance(record, list)
    assert any(loss.what.startswith("the final score, 9 to 9; by these rules") for loss in losses)


def test_a_hand_not_told_to_its_end_with_others_after_it_makes_a_study() -> None:
    first, second = deal_of("order", "discard 9h"), deal_of("pass", dealer=1)
    study, losses = read(document_of(first, second | {"dealNumber": 1}))
    assert isinstance(study, Study)
    assert [str(loss) for loss in losses] == ["hand 1: it is not told to its end, so the game stays a study"]


def test_old_files_with_a_kitty_and_a_first_leader_are_read() -> None:
    lines = one_hand(*["pass"] * 4, "call s", "…")
    document, _ = write(lines)
    (deal,) = document["deals"]
    document["version"] = "1.0.0"
    deal["initialState"]["player_cards"] = deal["initialState"].pop("playerCards")
    deck = plain(lines)[1]["deal"]["deck"]
    deal["initialState"]["kitty"] = [deck[-2:], deck[-4:-2], deck[-6:-4]]
    deal["phases"][1]["initialLead"] = 1
    record, losses = read(document)
    assert losses == ()
    assert isinstance(record, list)
    assert plain(record)[1]["deal"]["deck"].endswith("".join(deal["initialState"]["kitty"]))
    deal["phases"][1]["initialLead"] = 2
    assert "another seat does" in fault_of(document).detail


# ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_card_played_twice_is_told_with_hand_trick_and_line() -> None:
    deal = deal_of("order", "discard 9h", "…")
    tricks = deal["phases"][1]["tricks"]
    tricks[1][2] = tricks[0][1]
    document = document_of(deal)
    fault = fault_of(document)
    assert (fault.hand, fault.trick) == (1, 2)
    lines = json.dumps(document, indent=1).split("\n")
    assert fault.line == [at for at, line in enumerate(lines, start=1) if tricks[1][0] in line][1] - 1
    assert fault.detail == f"{tricks[0][1]} is played, but was played or buried before"


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"dealer": 1}, None),
        ({"dealer": 4}, "dealer must be a whole number from 0 to 3"),
        ({"dealer": True}, "dealer must be a whole number from 0 to 3"),
        ({"dealer": None}, "dealer must be a whole number from 0 to 3"),
        ({"upCard": "9s"}, "9s is dealt twice"),
        ({"upCard": "8s"}, "8s is not in the pack of 24 cards"),
        ({"upCard": "Zz"}, "'Zz' is no card"),
        ({"upCard": 7}, "upCard must be text"),
        ({"upCard": "R"}, "R is a bower, and no suit is trump"),
        ({"playerCards": [["9s"] * 6]}, "playerCards may have 5 items, not 6"),
        ({"playerCards": "9s"}, "playerCards must be a list"),
    ],
)
def test_a_deal_that_cannot_be_is_refused(change: dict[str, object], detail: str | None) -> None:
    deal = deal_of("order", "discard 9h", "…")
    deal["initialState"] |= change
    fault = fault_of(document_of(deal))
    assert fault.hand == 1
    assert detail is None or fault.detail == detail


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"calls": ["Pass", "s"]}, "trump is named in the second round, after four passes"),
        ({"calls": ["Pass"] * 4 + ["Order"]}, "'Order' is no call here"),
        ({"calls": ["Order", "Pass"]}, "a call after trump was made"),
        ({"calls": ["Pass"] * 9}, "a deal has at most 8 calls"),
        ({"calls": ["Pass"] * 4 + ["h"]}, "a discard, but the dealer did not pick up"),
        ({"calls": ["Hello"]}, "'Hello' is no call here"),
        ({"calls": [1]}, "calls must be text"),
        ({"calls": ["Pass"], "discard": None}, "a discard, but the dealer did not pick up"),
        ({"isAlone": "yes"}, "isAlone must be true or false"),
        ({"discard": "Qs"}, "seat 0, discard Qs: that card is not in the hand"),
        ({"aloneDefender": 1}, "seat 1 is no defender"),
        ({"aloneDefender": 2}, "seat 2, defend alone: this is not the time for that"),
        ({"cardExchanges": [{"receiver": 1, "cards": ["9s", "Ts"]}]},
         "one card between partners, or three of a seat for three buried ones"),
        ({"cardExchanges": [{"receiver": 3, "cards": ["9s"]}]}, "seat 1, give 9s: this is not the time for that"),
        ({"cardExchanges": [{"receiver": 2, "cards": ["9s"]}]}, "a card is given, but not by the maker's side"),
        ({"cardExchanges": [{"cards": ["9s"]}]}, '"receiver" is missing'),
        ({"type": "SONG"}, "a deal has one EUCHRE_BIDDING and one TRICK_PLAY"),
    ],
)  # fmt: skip
def test_bidding_that_cannot_be_is_refused(change: dict[str, object], detail: str) -> None:
    deal = deal_of("order", "discard 9h", "…")
    deal["phases"][0] |= change
    fault = fault_of(document_of(deal))
    assert (fault.hand, fault.detail) == (1, detail)
    assert fault.line


@pytest.mark.parametrize(
    ("tricks", "detail", "trick"),
    [
        ([["9s", "Js", "9c", "Td"], ["Ts"], ["As"]], "4 play to a trick, this has 1 cards", 2),
        ([["9s", "Js", "9c", "Td"], ["9s"]], "9s is played, but was played or buried before", 2),
        ([["9s"] * 5], "tricks may have 4 items, not 5", None),
        ([["Ac"]], "seat 1 plays Ac and cannot hold it", 1),
        ([["9s", "Qh"]], "seat 2, play Qh: the hand holds a card of the suit that was led and must play one", 1),
        ([["9s", "Js"]] * 6, "tricks may have 5 items, not 6", None),
        ("9s", "tricks must be a list", None),
    ],
)
def test_play_that_cannot_be_is_refused(tricks: object, detail: str, trick: int | None) -> None:
    deal = deal_of(*["pass"] * 4, "call d", "…")
    deal["phases"][1]["tricks"] = tricks
    fault = fault_of(document_of(deal))
    assert (fault.hand, fault.trick, fault.detail) == (1, trick, detail)


def test_a_revoke_is_found_without_a_hand_told() -> None:
    deal = bare(deal_of(*["pass"] * 4, "call d"))
    deal["phases"].append(
        {"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": [["9s", "Qh", "9c", "9h"], ["9d", "Js", "Ac", "Td"]]}
    )
    fault = fault_of(document_of(deal))
    assert (fault.hand, fault.trick) == (1, 1)
    assert fault.detail == "seat 2 plays Js in trick 2, but did not follow suit here"


def test_a_stuck_dealer_who_passes_is_refused() -> None:
    deal = deal_of("pass")
    deal["phases"][0]["calls"] = ["Pass"] * 8
    assert fault_of(document_of(deal)).detail == "seat 0, pass: everyone passed twice, so the dealer must call"


def test_cards_before_trump_is_made_are_refused() -> None:
    deal = deal_of("pass")
    deal["phases"].append({"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": [["9s"]]})
    assert fault_of(document_of(deal)).detail == "cards are played, but trump is not made"


def test_missing_and_misplaced_deals_are_refused() -> None:
    first = deal_of(*["pass"] * 4, "call s", "…")
    second = deal_of("pass", dealer=1)
    assert isinstance(read(document_of(first, second | {"dealNumber": 1}))[0], list)
    gap = fault_of(document_of(first, second | {"dealNumber": 2}))
    assert (gap.hand, gap.detail) == (2, "deal 2 stands where deal 1 must")
    turned = fault_of(document_of(first, deal_of("pass", dealer=2) | {"dealNumber": 1}))
    assert (turned.hand, turned.detail) == (2, "seat 2 does not deal this hand")


@pytest.mark.parametrize(
    ("metadata", "detail"),
    [
        ({"ruleset": {"num_players": 6}}, "num_players must be a whole number from 4 to 4"),
        ({"ruleset": {"min_rank": 2}}, "these rules cannot be played: low_rank: must be from 7 to 9"),
        ({"ruleset": {"winning_score": 10, "num_deals": 8}},
         "a game ends at a score or after a number of deals, not both"),
        ({"ruleset": {"winning_score": 0}}, "a game without a winning score needs num_deals"),
        ({"ruleset": {"loner_lead": "ANYBODY"}},
         "these rules cannot be played: loner_lead: must be one of left_of_dealer, left_of_loner"),
        ({"ruleset": []}, "ruleset must be an object"),
        ({"players": ["A"] * 5}, "players may have 4 items, not 5"),
        ({"players": [1]}, "players must be an object"),
        ({"initialScore": [0]}, "a score has two numbers"),
        ({"initialScore": [0, 1.5]}, "initialScore must be a whole number from 0 to 999"),
        ({"initialScore": [0, 10**30]}, "initialScore must be a whole number from 0 to 999"),
    ],
)  # fmt: skip
def test_metadata_that_cannot_be_is_refused(metadata: dict[str, object], detail: str) -> None:
    fault = fault_of(document_of(deal_of("pass"), **metadata))
    assert fault.detail == detail
    assert fault.line


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "no JSON: Expecting value"),
        ("{", "no JSON: Expecting property name enclosed in double quotes"),
        ("[]", "the document must be an object"),
        ("{}", '"fileType" must be "Euchre Game Notation"'),
        ('{"fileType":"Euchre Game Notation"}', '"version" is missing'),
        ('{"fileType":"Euchre Game Notation","version":"2.0"}', "only version 1 is read"),
        ('{"fileType":"a","fileType":"b"}', "the field 'fileType' stands twice in one object"),
        ('{"fileType":NaN}', "NaN is no JSON"),
        ("[" * 200_000, "nested too deep"),
        ("9" * 10_000, "a number too long to read"),
        ('{}\n[Event "x"]', "something follows the end of the JSON document"),
    ],
)
def test_what_is_no_document_is_refused(text: str, detail: str) -> None:
    assert fault_of(text).detail == detail


def test_a_packed_deal_is_refused_by_name() -> None:
    assert fault_of(document_of("AAAA")).detail == "the deal is packed; only deals written out are read"


# ── the schema and real files ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def schema() -> Any:
    files = sorted(FOLDER.glob("*schema*.json"))
    if not files:
        pytest.skip("no EGN schema at hand: set EUCHRE_EGN_DIR to a folder that has it")
    return jsonschema.Draft7Validator(json.loads(files[0].read_text(encoding="utf-8")))


@given(rules=playable_rules(), seed=seeds)
@settings(max_examples=40)
def test_what_we_write_is_valid_by_the_published_schema(schema: Any, rules: Rules, seed: int) -> None:
    """Whatever the rules of the game: fields, values and counts."""
    schema.validate(write(random_record(rules, seed))[0])


NO_EXAMPLES: Final = pytest.mark.skip(reason="no EGN files at hand: set EUCHRE_EGN_DIR to a folder that has some")


@pytest.mark.parametrize("path", EXAMPLES or [pytest.param(FOLDER, marks=NO_EXAMPLES)], ids=lambda path: path.stem)
def test_real_files_are_read_without_error(path: Path) -> None:
    """Every deal, every trick with its leader; a record where all cards are known."""
    text = decode(path.read_bytes())
    loaded, _ = read(text)
    deals = json.loads(text)["deals"]
    if isinstance(loaded, Study):
        assert len(loaded.hands) == len(deals)
        for hand, deal in zip(loaded.hands, deals, strict=True):
            assert [list(trick) for trick in hand.tricks] == deal["phases"][1]["tricks"]
    else:
        assert sum("deal" in entry for entry in plain(loaded)) == len(deals)
