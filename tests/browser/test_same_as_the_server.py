"""The page's own copies of what the engine and the protocol know: the fold, the suits, the codes, the words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from clients.cli.words import bot_words
from engine import WATCHER, Game, Trump, apply, deal, legal_actions, make_rules, new_game, redact_all, to_act, view_for
from engine.cards import SUITS, effective_suit, make_pack
from engine.errors import Code
from engine.events import Events
from engine.plain import EVENT_KINDS, event_to_plain, view_to_plain
from engine.rules import PRESETS, Rules
from engine.state import AwaitingDeal, Finished
from engine.view import Viewer
from protocol.codes import SAY_PRESETS, CloseCode, RefusalCode
from protocol.reconnect import Reconnect, advice_for_close
from protocol.table_events import TABLE_EVENT_KINDS

VIEWERS: tuple[Viewer, ...] = (0, 1, 2, 3, WATCHER)
PLAYED = ("standard", "screw", "ladder", "british", "best")

# Events in, views out: what the page makes of each batch, without what only a prompt tells. Both are JSON, as on the
# wire; Playwright takes many times as long over objects.
_FOLD = """async (text) => {
    const { advance, freshView } = await import("/fold.js");
    const { viewer, batches } = JSON.parse(text);
    let view = freshView(viewer);
    return JSON.stringify(batches.map((events) => {
        for (const event of events) view = advance(view, event);
        const { phase, to_act, ...folded } = view;
        return folded;
    }));
}"""


def random_game(rules: Rules, dice: random.Random, hands: int) -> Iterator[tuple[Game, Events]]:
    """Yield each state of a game of at most *hands* deals, played at random, with the events that led to it."""
    game = new_game(rules)
    while not isinstance(game.stage, Finished) and game.standing.hands_dealt < hands:
        deck = list(make_pack(rules.low_rank, rules.jokers))
        dice.shuffle(deck)
        assert isinstance(game.stage, AwaitingDeal)
        dealer = dice.randrange(4) if game.stage.dealer is None else game.stage.dealer
        game, events = deal(game, tuple(deck), dealer=dealer)
        yield game, events
        while (seat := to_act(game)) is not None:
            game, events = apply(game, seat, dice.choice(legal_actions(game)))
            yield game, events


@pytest.mark.parametrize("preset", PLAYED)
def test_the_page_folds_events_as_the_engine_does(page: Page, preset: str) -> None:
    """Over random games, after each entry, for every seat and a watcher."""
    dice = random.Random(f"fold {preset}")
    for target, low_rank in ((3, 9), (5, 7), (10, 9)):
        rules = make_rules(preset, {"target": target, "low_rank": low_rank, "claim": "validated"})
        steps = list(random_game(rules, dice, hands=6))
        for viewer in VIEWERS:
            batches = [[event_to_plain(seen) for seen in redact_all(events, viewer, rules)] for _, events in steps]
            folded = json.loads(page.evaluate(_FOLD, json.dumps({"viewer": viewer, "batches": batches})))
            for (game, _), mine in zip(steps, folded, strict=True):
                expected = json.loads(json.dumps(view_to_plain(view_for(game, viewer))))
                del expected["phase"], expected["to_act"]
                assert mine == expected


def test_the_page_and_the_engine_agree_on_effective_suits(page: Page) -> None:
    """Every card under every trump (R-CARD-1, R-CARD-4)."""
    trumps: tuple[Trump, ...] = (*SUITS, "n", "l")
    pack = list(make_pack(7, 1))
    mine = page.evaluate(
        """async ({ pack, trumps }) => {
            const { effectiveSuit } = await import("/cards.js");
            return trumps.map((trump) => pack.map((card) => effectiveSuit(card, trump)));
        }""",
        {"pack": pack, "trumps": list(trumps)},
    )
    assert mine == [[effective_suit(card, trump) for card in pack] for trump in trumps]


def test_a_hand_is_sorted_trump_first_and_high_to_low(page: Page) -> None:
    """The left bower and the Benny stand among the trumps, and colours alternate."""
    hands = {
        "h": ["9s", "Jd", "Ac", "Ah", "Jh"],
        "s": ["Ad", "9h", "Kd", "Jc", "9s"],
        "c": ["Js", "Ah", "Jc", "Bj", "9c"],
        "l": ["Ah", "9h", "Bj", "9s", "Ks"],
    }
    mine = page.evaluate(
        """async (hands) => {
            const { sortHand } = await import("/cards.js");
            return Object.entries(hands).map(([trump, hand]) => sortHand(hand, trump));
        }""",
        hands,
    )
    assert mine == [
        ["Jh", "Jd", "Ah", "9s", "Ac"],
        ["Jc", "9s", "9h", "Ad", "Kd"],
        ["Bj", "Jc", "Js", "9c", "Ah"],
        ["Bj", "9h", "Ah", "9s", "Ks"],
    ]


def words_of(page: Page, name: str) -> set[str]:
    return set(page.evaluate("async (name) => Object.keys((await import('/words.js'))[name])", name))


def test_every_refusal_has_its_sentence(page: Page) -> None:
    refusals = {*map(str, RefusalCode), *map(str, Code)}
    # These answer what this page never sends.
    assert refusals - words_of(page, "REFUSALS") <= {"hello_first", "already_greeted", "bad_action", "bad_deal"}


def test_every_event_has_its_sentence(page: Page) -> None:
    silent = {"hands_revealed", "secret_revealed", "deal_committed"}
    assert (EVENT_KINDS | TABLE_EVENT_KINDS) - words_of(page, "SENTENCES") == silent


def test_every_saying_and_preset_has_its_words(page: Page) -> None:
    said = page.evaluate("async () => (await import('/words.js')).SAYINGS")
    assert said == SAY_PRESETS
    assert words_of(page, "PRESET_NAMES") == set(PRESETS)


@pytest.mark.parametrize(("version", "owner"), [(None, None), ("1.2", None), (None, "Ann"), ("1.2", "Ann")])
def test_a_bot_is_called_the_same_on_the_page_and_in_the_terminal(
    page: Page, version: str | None, owner: str | None
) -> None:
    called = page.evaluate(
        "async (seat) => (await import('/words.js')).botWords(seat)", {"version": version, "owner": owner}
    )
    assert called == bot_words(version, owner)


@pytest.mark.parametrize("retry_ms", [None, 1500])
def test_each_close_code_means_the_same_to_both_clients(page: Page, retry_ms: int | None) -> None:
    """Whether to come back, as whom, and after how long."""
    codes = [*range(1000, 1016), *range(4000, 4016), *map(int, CloseCode)]
    cases = [(code, attempt, jitter) for code in codes for attempt in (0, 3, 9) for jitter in (0.0, 0.5)]
    mine = page.evaluate(
        """async ({ cases, retryMs }) => {
            const { adviceFor } = await import("/closecodes.js");
            return cases.map(([code, attempt, random]) => adviceFor(code, { attempt, random, retryMs }));
        }""",
        {"cases": [list(case) for case in cases], "retryMs": retry_ms},
    )
    for (code, attempt, jitter), advice in zip(cases, mine, strict=True):
        theirs = advice_for_close(code, attempt=attempt, jitter=jitter, retry_ms=retry_ms)
        if isinstance(theirs, Reconnect):
            assert advice["what"] == ("fresh" if theirs.as_new_player else "retry"), code
            assert round(advice["wait_ms"]) == theirs.after_ms, code
        else:
            assert advice["what"] == "stop", code


@pytest.mark.parametrize(
    ("me", "team", "reason", "headline"),
    [
        (0, 0, "made", "Your side makes it: +2"),
        (0, 0, "euchred", "Your side euchres them: +2"),
        (0, 1, "euchred", "The other side euchres you: +2"),
        (0, 1, "march", "The other side marches: +2"),
        (0, 1, "reason of a newer server", "The other side euchres you: +2"),
        (None, 1, "euchred", "Ben and Dee euchre them: +2"),
        (None, 0, "lone_march", "Ann and Cy march alone: +2"),
    ],
)
def test_who_won_a_hand_from_whom(page: Page, me: int | None, team: int, reason: str, headline: str) -> None:
    maker = team if reason in {"made", "march", "lone_march"} else 1 - team
    said = page.evaluate(
        """async ([me, result]) => {
            const { Names, resultHeadline } = await import("/words.js");
            const names = new Names({ seats: ["Ann", "Ben", "Cy", "Dee"].map((name) => ({ name })) }, me);
            return resultHeadline(result, names).replaceAll(/[\\u2068\\u2069]/g, "");
        }""",
        [me, {"maker": maker, "team": team, "points": 2, "reason": reason}],
    )
    assert said == headline
