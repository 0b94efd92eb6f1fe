"""Trickster's notation: its columns and tags, what it cannot hold, partial hands, and faults with their lines."""

from __future__ import annotations

import json
from typing import Final

import pytest

from engine.interchange import FORMATS, InterchangeError, Loss, Study
from engine.interchange.study import UNKNOWN
from engine.rules import Rules, make_rules, rules_to_plain
from tests.engine.interchange.games import plain, random_record, stacked, told_record

HANDS: Final = {1: "9s Ts As Kd Ad", 2: "Js Qh Kh Ah Th", 3: "9c Tc Qc Kc Ac", 0: "9h Jd Td Qd 9d"}


def one_hand(*texts: str, rules: Rules | None = None, upcard: str = "Jh") -> list[str]:
    rules = rules or Rules()
    return told_record(rules, stacked(rules, dealer=0, hands=HANDS, upcard=upcard), 0, *texts)


def write(lines: list[str]) -> tuple[str, list[str]]:
    text, losses = FORMATS["ptn"].export(lines)
    return text, [str(loss) for loss in losses]


def read(text: str) -> tuple[list[str] | Study, tuple[Loss, ...]]:
    load = FORMATS["ptn"].load
    assert load is not None
    return load(text)


def fault_of(text: str) -> InterchangeError:
    with pytest.raises(InterchangeError) as caught:
        read(text)
    return caught.value


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


# ── what is written ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_hand_is_written_as_the_notation_has_it() -> None:
    """The dealer's side begins the deal, the upcard the undealt cards, and rows of play are columns by seat."""
    text, losses = write(one_hand("pass", "pass", "pass", "order alone", "discard 9h", "…"))
    told = [line for line in text.split("\n") if not line.startswith("[GameOptionsJson")]
    assert told == [
        '[Event ""]',
        '[Board "1"]',
        '[Deal "S:.9.QJT9. AT9..AK. J.AKQT.. ...AKQT9"]',
        '[Undealt "HJ SQ SK CJ"]',
        '[Auction "W"]',
        "Pass Pass Pass ♥alone",
        '[CardsAdded "S:HJ"]',
        '[CardsRemoved "S:H9"]',
        '[Declarer "S"]',
        '[Contract "♥alone"]',
        '[Play "W"]',
        "S9  -   C9  DJ",
        "DK  -   CT  DT",
        "ST  -   CQ  DQ",
        "SA  -   CK  D9",
        "DA  -   CA  HJ",
        "",
    ]
    assert losses == ["hand 1: the order in which a hand was dealt"]


def test_a_row_is_no_order_of_play() -> None:
    """Each column stays a seat's, whoever leads; the first is the seat that led first."""
    plays = ["play 9s", "play Js", "play 9c", "play Td", "play 9h", "play Ts", "play Th", "play Tc"]
    text, _ = write(one_hand(*["pass"] * 4, "call d", *plays))
    assert text.endswith('[Play "W"]\nS9  SJ  C9  DT\nST  HT  CT  H9\n')
    record, _ = read(text)
    assert isinstance(record, list)
    assert [(entry["seat"], entry["do"]) for entry in plain(record)[-4:]] == [
        (0, "play 9h"),
        (1, "play Ts"),
        (2, "play Th"),
        (3, "play Tc"),
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, {"stickTheDealer": True, "gameOverScore": 10, "deckSize": 24}),
        ({"all_pass": "redeal"}, {"stickTheDealer": False}),
        ({"low_rank": 8}, {"deckSize": 28}),
        ({"low_rank": 7}, {"deckSize": 32}),
        ({"no_trump": "round2", "low_no_trump": True}, {"allowNotrump": True, "allowLowNotrump": True}),
        ({"partner_exchange": "call_for_best"}, {"callForBest": True}),
        ({"relief": "swap3"}, {"goUnder": True, "allowMisdeal": False}),
        ({"relief": "redeal"}, {"goUnder": False, "allowMisdeal": True}),
        ({"defend_alone": "vs_lone"}, {"defendAlone": True}),
        ({"jokers": 1}, {"withJoker": True}),
        ({"tricks_needed": 4}, {"take4for1": True}),
        ({"lone_must_sweep": True}, {"aloneTake5": True}),
        ({"target": 21}, {"gameOverScore": 21}),
    ],
)
def test_every_option_it_names_is_named_and_read_back(options: dict[str, object], told: dict[str, object]) -> None:
    rules = make_rules("standard", options)
    text, losses = write(random_record(rules, 1, hands=1, is_in_order=True))
    line = next(line for line in text.split("\n") if line.startswith("[GameOptionsJson"))
    written = json.loads(line.partition(" ")[2][1:-2].replace('\\"', '"'))
    assert written.items() >= told.items()
    assert losses == []
    record, _ = read(text)
    assert isinstance(record, list)
    assert plain(record)[0]["rules"] == rules_to_plain(rules)


UNNAMED: Final[list[tuple[dict[str, object], str]]] = [
    ({"redeal_dealer": "same"}, "redeal_dealer same"),
    ({"no_trump": "stuck_only"}, "no_trump stuck_only"),
    ({"dealer_partner_round1": "alone_or_pass"}, "dealer_partner_round1 alone_or_pass"),
    ({"order_requires": "any_trump"}, "order_requires any_trump"),
    ({"upcard_counts": False}, "upcard_counts false"),
    ({"jokers": 1, "benny_turned": "dealer_names_blind"}, "benny_turned dealer_names_blind"),
    ({"alone": "off"}, "alone off"),
    ({"alone_timing": "before_first_lead"}, "alone_timing before_first_lead"),
    ({"alone": "maker_side", "alone_timing": "before_first_lead"}, "alone maker_side"),
    ({"defend_alone": "any"}, "defend_alone any"),
    ({"sitting_dealer": "skips"}, "sitting_dealer skips"),
    ({"upcard_discard": False}, "upcard_discard false"),
    ({"loner_lead": "left_of_loner"}, "loner_lead left_of_loner"),
    ({"claim": "validated"}, "claim validated"),
    ({"lone_march": 5}, "lone_march 5"),
    ({"lone_euchred": 4}, "lone_euchred 4"),
    ({"lone_defender": 2}, "lone_defender 2"),
    ({"super_euchre": 4}, "super_euchre 4"),
    ({"relief": "swap3", "relief_hand": "ace_no_face"}, "relief_hand ace_no_face"),
    ({"target": None, "hands": 12}, "hands 12"),
    ({"win_by": 2}, "win_by 2"),
    ({"reveal": "own_only"}, "reveal own_only"),
    ({"spectator_hands": "after_hand"}, "spectator_hands after_hand"),
]


@pytest.mark.parametrize(("options", "loss"), UNNAMED)
def test_every_option_it_has_no_name_for_is_told(options: dict[str, object], loss: str) -> None:
    """With a hand just dealt, so that nothing shows in the play."""
    rules = make_rules("standard", options)
    lines = told_record(rules, stacked(rules, dealer=0, hands=HANDS, upcard="Jh"), 0)
    assert f"rules: {loss}" in write(lines)[1]


def test_no_option_is_forgotten() -> None:
    """Each is either named, or told to be lost."""
    named = {name for options, _ in UNNAMED for name in options}
    named |= {"low_rank", "all_pass", "low_no_trump", "partner_exchange", "relief", "tricks_needed", "lone_must_sweep"}
    assert named == set(rules_to_plain(Rules()))


def test_what_it_can_say_that_others_cannot() -> None:
    """The maker's partner alone, and answers of both windows: all of it shows in the auction."""
    rules = make_rules(
        "standard", {"alone": "maker_side", "alone_timing": "before_first_lead", "defend_alone": "vs_lone"}
    )
    lines = one_hand("order", "discard 9h", "together", "alone", "defend together", "defend alone", "…", rules=rules)
    text, losses = write(lines)
    assert "♥ - - -\nPass - Alone -\n- Pass - Alone\n" in text
    assert losses == ["hand 1: the order in which a hand was dealt"]
    record, _ = read(text)
    assert isinstance(record, list)
    assert [entry.get("do") for entry in plain(record)] == [entry.get("do") for entry in plain(lines)]


def test_going_under_and_the_pickup_are_cards_removed_and_added() -> None:
    rules = make_rules("standard", {"relief": "swap3"})
    deck = stacked(rules, dealer=0, hands={1: "9s Ts 9h Th 9d"}, upcard="Jh", buried="As Ks Qs")
    lines = told_record(rules, deck, 0, "relief 9s Ts 9h", "order", "discard Jh")
    text, _ = write(lines)
    assert "GoUnder - - -\n♥ - - -\n" in text
    added = [line for line in text.split("\n") if line.startswith("[Cards")]
    assert added == [
        '[CardsRemoved "W:S9 H9 ST"]',
        '[CardsAdded "W:SA SK SQ"]',
        '[CardsAdded "S:HJ"]',
        '[CardsRemoved "S:HJ"]',
    ]


def test_call_for_best_is_cards_passed_both_ways() -> None:
    rules = make_rules("standard", {"partner_exchange": "call_for_best"})
    text, _ = write(one_hand("order alone", "discard 9h", "give 9s", "give 9c", rules=rules))
    assert '[CardsPassed "W:E:S9"]\n[CardsPassed "E:W:C9"]' in text


def test_a_dealer_who_is_spared_adds_no_card() -> None:
    """And the rule is read back from that."""
    rules = make_rules("screw")
    lines = one_hand("pass", "order alone", "…", rules=rules)
    text, losses = write(lines)
    assert "CardsAdded" not in text
    assert losses == ["hand 1: the order in which a hand was dealt"]


@pytest.mark.parametrize(("call", "word"), [("call n", "NT"), ("call l alone", "NT↓alone"), ("call s alone", "♠alone")])
def test_calls_are_signs(call: str, word: str) -> None:
    rules = make_rules("standard", {"no_trump": "round2", "low_no_trump": True})
    text, _ = write(one_hand(*["pass"] * 4, call, "…", rules=rules))
    assert f"Pass Pass Pass Pass\n{word} - - -" in text


def test_the_benny_is_a_suit_of_its_own() -> None:
    rules = make_rules("standard", {"jokers": 1})
    deck = stacked(rules, dealer=0, hands={1: "Bj Js Jc As Ad"}, upcard="Jh")
    text, _ = write(told_record(rules, deck, 0, "order", "discard Jh", "play Bj"))
    assert "AJ..A.J.H" in text
    assert "\nJH " in text


def test_a_claim_is_told_to_be_lost() -> None:
    rules = make_rules("standard", {"claim": "validated"})
    deck = stacked(rules, dealer=0, hands={1: "Jh Jd Ah Kh Qh"}, upcard="9h")
    _, losses = write(told_record(rules, deck, 0, "order", "discard 9h", "claim"))
    assert "hand 1: claim (seat 1)" in losses


def test_names_are_kept_whatever_they_hold() -> None:
    header, *rest = plain(one_hand("pass"))
    header["players"] = [{"seat": 0, "name": 'A "b" \\ c]'}, {"seat": 3, "name": "new\nline"}]
    text, losses = write([json.dumps(line) for line in (header, *rest)])
    record, _ = read(text)
    assert isinstance(record, list)
    assert plain(record)[0]["players"] == [header["players"][0], {"seat": 3, "name": "new line"}]
    assert "seat 3: the name" in losses


# ── partial and foreign hands ────────────────────────────────────────────────────────────────────────────────────────

WHOLE: Final = """% a comment
[Event "evening"]
[GameOptionsJson "{\\"StickTheDealer\\":true,\\"offerAloneCall2\\":true,\\"minBid\\":0}"]
[Date "2026.01.01"]
[Deal "S:.9.QJT9. AT9..AK. J.AKQT.. ...AKQT9"]
[Undealt "HJ,SQ SK CJ"]
[Auction "W"]
Pass Pass pass Pass
D - - -
"""


def test_other_spellings_are_read_and_unknown_tags_and_options_told() -> None:
    record, losses = read(WHOLE)
    assert isinstance(record, list)
    assert [str(loss) for loss in losses] == ["hand 1: [Date]", "options: offeralonecall2"]
    assert plain(record)[-1]["do"] == "call d"


def test_unknown_hands_make_a_study() -> None:
    study, losses = read(changed(WHOLE, "AT9..AK. J.AKQT.. ...AKQT9", "AT9..AK. - -"))
    assert isinstance(study, Study)
    assert study.hands[0].hands[2:] == ((UNKNOWN,) * 5,) * 2
    assert str(losses[-1]) == "hand 1: a dealt card is not known, so the game stays a study"


def test_a_hand_without_its_undealt_cards_is_a_study() -> None:
    study, _ = read(changed(WHOLE, '[Undealt "HJ,SQ SK CJ"]\n', ""))
    assert isinstance(study, Study)
    assert study.hands[0].upcard == UNKNOWN


def test_a_deal_alone_is_a_record_that_stops_there() -> None:
    record, _ = read(WHOLE.partition("[Auction")[0])
    assert isinstance(record, list)
    assert len(record) == 2


# ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def played() -> str:
    """A whole hand in diamonds."""
    return write(one_hand(*["pass"] * 4, "call d", "…"))[0]


FAULTS: Final[list[tuple[str, str, str]]] = [
    ('[Deal "S:', '[Deal "X:', "[Deal]: 'X' is none of the sides S, W, N and E"),
    ('[Deal "S:', '[Deal "', "[Deal]: it must begin with the dealer's side, like W:"),
    (" ...AKQT9", "", "[Deal]: there must be 4 hands, - for one not known"),
    (" ...AKQT9", " AKQT9", "[Deal]: 'AKQT9' is no hand; one is spades.hearts.diamonds.clubs"),
    (" ...AKQT9", " ...AKQT2", "[Deal]: '2' is no rank"),
    (" ...AKQT9", " ...AKQJT9", "[Deal]: '...AKQJT9' has more than 5 cards"),
    (" ...AKQT9", " ..Q.AKQT", "Qd is dealt twice"),
    ('"HJ SQ SK CJ"', '"HJ SQ SK CA"', "Ac is dealt twice"),
    ('"HJ SQ SK CJ"', '"HJ SQ SK CJ SA"', "[Undealt]: 4 cards are not dealt, not 5"),
    ('"HJ SQ SK CJ"', '"JH SQ SK CJ"', "Bj is not in the pack of 24 cards"),
    ('"HJ SQ SK CJ"', '"HX SQ SK CJ"', "[Undealt]: 'HX' is no card; one is suit and rank, like HJ"),
    ('[Auction "W"]', '[Auction "N"]', "[Declarer]: another seat made trump in the auction"),
    ("♦ - - -", "♥ - - -", "[Contract]: the auction made another trump"),
    ("Pass Pass Pass Pass\n", "Pass - Pass Pass Pass\n", "[Auction]: a row has 4 columns"),
    ("Pass Pass Pass Pass\n", "Pass Pass - Pass\n- - Pass -\n", "seat 0, pass: it is another seat's turn"),
    ("♦ - - -", "♦ ♠ - -", "[Auction]: '♠' after trump was made"),
    ("♦ - - -", "♦♦ - - -", "[Auction]: '♦♦' is no call"),
    ("♦ - - -", "♦ - - - -", "[Auction]: a row has 4 columns"),
    ("Pass Pass Pass Pass\n", "♠ - - -\n", "[Auction]: '♠' in the first round, where the upcard is Jh"),
    ('[Declarer "W"]', '[Declarer "N"]', "[Declarer]: another seat made trump in the auction"),
    ('[Contract "♦"]', '[Contract "♠"]', "[Contract]: the auction made another trump"),
    ('[Play "W"]', '[Play "N"]', "[Play]: seat 2 leads; by these rules another seat does"),
    ('[Declarer "W"]', '[CardsAdded "S:HJ"]',
     "[CardsAdded]: only the dealer takes up and buries a card, and only when the upcard made trump"),
    ('[Declarer "W"]', '[CardsPassed "W:N:S9"]', "[CardsPassed]: cards are passed between partners"),
    ('[Declarer "W"]', '[CardsPassed "W:E"]', "[CardsPassed]: it must be two sides and a card, like S:N:DQ"),
    ('[Declarer "W"]', '[CardsAdded "W"]', "[CardsAdded]: it must be a side and 1 or 3 cards, like W:HJ"),
    ('[Declarer "W"]', '[Deal "S:- - - -"]', "[Play]: cards are played, but the auction made no trump"),
    ('[Declarer "W"]', '[Auction "W"]', "[Auction]: it stands twice"),
    ('[Declarer "W"]', "[Declarer W]", "'[Declarer W]' is no tag; one is [Name \"value\"]"),
    ('[Event ""]', "Event", "'Event' stands under no tag"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "detail"), FAULTS)
def test_a_hand_that_cannot_be_is_refused_with_its_line(played: str, old: str, new: str, detail: str) -> None:
    fault = fault_of(changed(played, old, new))
    assert fault.detail == detail
    assert fault.line is not None


def test_the_suit_turned_down_cannot_be_called() -> None:
    fault = fault_of(WHOLE.replace("D - - -", "H - - -"))
    assert fault.detail == "seat 1, call h: the suit of the upcard was turned down and cannot be called"
    assert fault.line == 5


@pytest.mark.parametrize("tag", ['[CardsAdded "S:HJ"]', '[CardsRemoved "S:H9"]'])
def test_a_card_is_taken_up_and_buried_once(tag: str) -> None:
    text, _ = write(one_hand("order", "discard 9h"))
    fault = fault_of(changed(text, tag, f"{tag}\n{tag}"))
    assert fault.detail.endswith("one card is taken up and one buried")


def test_faults_of_play_tell_hand_trick_and_line(played: str) -> None:
    lines = played.split("\n")
    at = lines.index('[Play "W"]') + 1
    second = lines[at + 1]
    first_card, second_card = lines[at].split()[0], second.split()[0]
    for broken, detail in (
        (second.replace(second_card, first_card), "is played, but was played or buried before"),
        (second.replace(second_card, "- "), "cards are missing"),
        (second.replace("DJ", "-"), "these columns are not of those who play, from who leads on"),
        (second.replace("HQ", "-"), "these columns are not of those who play, from who leads on"),
        (f"{second} HA", "a row has 4 columns"),
    ):
        text = "\n".join([*lines[: at + 1], broken, *lines[at + 2 :]])
        fault = fault_of(text)
        assert fault.line == at + 2
        assert fault.hand == 1
        assert detail in fault.detail
    missing = "\n".join([*lines[:at], *lines[at + 1 :]])
    assert fault_of(missing).trick == 1


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        ("[]", "the options must be an object"),
        ("{", "no JSON: Expecting property name enclosed in double quotes"),
        ('{"variation":1}', "variation other than 0 is another game"),
        ('{"numDecks":2}', "numDecks other than 1 is another game"),
        ('{"players":6}', "players other than 4 is another game"),
        ('{"deckSize":16}', "deckSize must be 24, 28 or 32, not 16"),
        ('{"stickTheDealer":1}', "stickTheDealer must be true or false"),
        ('{"gameOverScore":1000}', "these rules cannot be played: target: must be from 1 to 99"),
        ('{"gameOverScore":"x"}', "these rules cannot be played: target: must be a whole number"),
        (
            '{"allowLowNotrump":true}',
            (
                "these rules cannot be played: no_trump: off does not go with low_no_trump true; "
                "low_no_trump: true does not go with no_trump off"
            ),
        ),
    ],
)
def test_options_of_another_game_are_refused(options: str, detail: str) -> None:
    escaped = options.replace('"', '\\"')
    fault = fault_of(f'[GameOptionsJson "{escaped}"]\n[Deal "S:- - - -"]\n')
    assert (fault.line, fault.detail) == (1, f"[GameOptionsJson]: {detail}")


def test_hands_of_different_games_are_refused(played: str) -> None:
    other = changed(changed(played, '[Board "1"]', '[Board "2"]'), '[Deal "S:', '[Deal "W:')
    assert fault_of(played + other.replace("24", "28")).detail.endswith(
        "[GameOptionsJson]: it is not that of the first hand"
    )
    assert fault_of(played + changed(other, '[Event ""]', '[Event "x"]')).hand == 2
    assert (
        fault_of(played + changed(other, '"2"', '"3"')).detail
        == "[Board]: it does not follow board 1; a hand is missing"
    )
    assert fault_of(played + changed(other, '"2"', '"two"')).detail == "[Board]: 'two' is no number of a hand"
    fault = fault_of('[Deal "S:- - - -"]\n[Deal "N:- - - -"]\n')
    assert fault.hand == 2


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "there is no [Deal]"),
        ('[Event "x"]', "[Event]: no [Deal] follows"),
        ('[Deal "S:- - - -"]\n' * 1_001, "[Deal]: a game has at most 1000 hands"),
        ("\n" * 100_001, "a file may have 100000 lines"),
        ('[Deal "S:- - - -"]\n[Auction "W"]\n' + "Pass\n" * 90_000, "[Auction]: it may have 16 rows, not 90000"),
    ],
)
def test_what_is_no_game_is_refused(text: str, detail: str) -> None:
    assert fault_of(text).detail == detail
