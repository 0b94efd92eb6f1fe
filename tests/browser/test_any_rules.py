"""Games under rules drawn at random, played in the page by clicking whatever can be clicked."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from engine.cards import make_pack
from engine.events import Events
from engine.game import deal, legal_actions, new_game, to_act
from engine.rules import Rules
from engine.state import Finished, Game
from tests.browser.conftest import DESKTOP, NewPage
from tests.browser.stage import Stage
from tests.engine.interchange.games import VALUES, fitting

UPRIGHT: ViewportSize = {"width": 360, "height": 640}
ACROSS: ViewportSize = {"width": 640, "height": 360}
_HANDS = 3


@pytest.mark.parametrize("seed", range(6))
def test_every_decision_can_be_taken_and_every_score_is_shown(new_page: NewPage, seed: int) -> None:
    """Whatever the rules, the seat and the size of the screen."""
    rng = Random(seed)
    chosen = {name: rng.choice(values) for name, values in VALUES.items() if rng.random() < 0.3}
    page = new_page(viewport=(DESKTOP, UPRIGHT, ACROSS)[seed % 3])
    game, _ = _dealt(new_game(fitting(chosen)), rng)
    stage = Stage(page, game, rng.randrange(4))
    for _ in range(_HANDS):
        while (seat := to_act(stage.game)) is not None:
            if seat == stage.seat:
                _click_at_random(page, stage, rng)
            else:
                stage.go_on(str(rng.choice(legal_actions(stage.game))))
        ours, theirs = stage.game.standing.score[stage.seat % 2], stage.game.standing.score[1 - stage.seat % 2]
        page.wait_for_function(
            "score => [...document.querySelectorAll('.score')].map(score => score.textContent).join() === score",
            arg=f"{ours},{theirs}",
        )
        assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        if isinstance(stage.game.stage, Finished):
            return
        stage.game, events = _dealt(stage.game, rng)
        stage.tell(events)


def _dealt(game: Game, rng: Random) -> tuple[Game, Events]:
    rules: Rules = game.standing.rules
    pack = make_pack(rules.low_rank, rules.jokers)
    dealer = getattr(game.stage, "dealer", None)
    return deal(game, tuple(rng.sample(pack, len(pack))), dealer=rng.randrange(4) if dealer is None else dealer)


def _click_at_random(page: Page, stage: Stage, rng: Random) -> None:
    """Click until an action is taken, which takes several clicks where cards to swap are picked."""
    legal = {str(action) for action in legal_actions(stage.game)}
    before = len(stage.taken)
    expect(page.locator("#table[data-turn]")).to_have_count(1)
    alone = page.locator(".alone-toggle:visible:enabled")
    if alone.count() and rng.random() < 0.5:
        alone.click()
    while len(stage.taken) == before:
        open_to_us = page.locator(".hand.choosing .card:not([aria-disabled]), .choice:enabled")
        open_to_us.first.wait_for()
        open_to_us.nth(rng.randrange(open_to_us.count())).click()
        page.wait_for_timeout(10)
    assert stage.taken[before] in legal
