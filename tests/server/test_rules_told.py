"""Rules that other servers broke on the way from the engine to the seats: what is asked, of whom, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from engine.cards import SEATS, Card
from engine.view import View
from tests.server.clockwork import after, clockwork
from tests.server.house import Guest, open_house, seat_people


async def play_hands(people: list[Guest], table: str, rng: Random, *, alone: bool, hands: int) -> list[dict[str, Any]]:
    """Play so many hands, going alone wherever one may if *alone*; return every prompt with whose turn it was."""
    prompts: list[dict[str, Any]] = []
    last = people[0].view(table).hands_scored + hands
    for _ in range(60 * hands):
        if people[0].view(table).hands_scored >= last or people[0].view(table).over:
            return prompts
        who = next(person for person in people if person.is_asked(table))
        prompt = who.prompt(table)
        prompts.append(prompt | {"view": who.view(table)})
        lone = [action for action in prompt["legal"] if "alone" in action]
        calls = [action for action in prompt["legal"] if action != "pass"]
        action = rng.choice(lone if alone and lone else calls if rng.random() < 0.5 else prompt["legal"])
        assert (await who.act(table, action))["t"] == "ok"
    raise AssertionError("the hands did not end")


@pytest.mark.parametrize("preset", ["standard", "ladder", "screw"])
@clockwork
async def test_r1_r2_lone_hands_end_and_never_ask_who_sits_out(preset: str) -> None:
    """R1. A lone hand does not wait for the sitting partner's cards. R2. He is never asked, and never leads."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, preset, clock="none", rules={"target": 99})
        await people[0].start(table)
        prompts = await play_hands(people, table, Random(1), alone=True, hands=12)
        lone = [prompt for prompt in prompts if prompt["view"].sitting and prompt["phase"] == "play"]
        assert lone
        for prompt in lone:
            assert prompt["seat"] not in prompt["view"].sitting
            assert prompt["view"].leader not in prompt["view"].sitting
        for result in people[0].events(table, "hand_scored"):
            assert sum(result["tricks"]) == 5


@pytest.mark.parametrize("preset", ["standard", "ladder"])
@clockwork
async def test_r6_the_turned_down_suit_is_not_offered(preset: str) -> None:
    """R6. In round two the upcard's suit is neither among the legal actions nor taken."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, preset, clock="none")
        await people[0].start(table)
        for _ in range(4):
            await next(person for person in people if person.is_asked(table)).act(table, "pass")
        who = next(person for person in people if person.is_asked(table))
        upcard = who.view(table).upcard
        assert upcard is not None
        suit = upcard[1]
        called = {action.split()[1] for action in who.prompt(table)["legal"] if action.startswith("call")}
        assert called == set("shdc") - {suit}
        assert (await who.act(table, f"call {suit}"))["code"] == "suit_turned_down"
        assert (await who.act(table, f"call {suit} alone"))["code"] == "suit_turned_down"


@clockwork
async def test_r8_the_dealer_discards_one_card_that_he_holds_once() -> None:
    """R8. Not none, not two, not one of an earlier hand; and nobody else discards."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, clock="none")
        await people[0].start(table)
        earlier: set[Card] = set()
        for _ in range(3):
            who = next(person for person in people if person.is_asked(table))
            await who.act(table, "order")
            dealer = next(person for person in people if person.is_asked(table))
            view = dealer.view(table)
            assert dealer.client.tables[table].seat == view.dealer
            held = set(view.cards)
            card, another, *_ = sorted(held)
            assert len(held) == 6
            assert set(dealer.prompt(table)["legal"]) == {f"discard {card}" for card in held}
            for action in ("pass", "discard", "play 9h", *(f"discard {card}" for card in sorted(earlier - held)[:2])):
                assert (await dealer.act(table, action))["t"] == "refused"
            other = next(person for person in people if person is not dealer)
            turn = dealer.prompt(table)["turn"]
            answer = await other.ask("act", table=table, turn=turn, action=f"discard {card}")
            assert answer["code"] == "not_your_turn"
            assert (await dealer.act(table, f"discard {card}"))["t"] == "ok"
            again = await dealer.ask("act", table=table, turn=turn, action=f"discard {another}")
            assert again["code"] == "stale"
            assert dealer.view(table).discard == card
            assert len(dealer.view(table).cards) == 5
            assert all(person.view(table).discard is None for person in people if person is not dealer)
            hand = dealer.view(table).hand
            while dealer.view(table).hand == hand:
                await next(person for person in people if person.is_asked(table)).act(table)
            earlier = held


@pytest.mark.parametrize(
    ("rules", "is_the_end"),
    [
        ({"target": 1}, lambda view: max(view.score) >= 1),
        ({"target": 3}, lambda view: max(view.score) >= 3),
        ({"target": 3, "win_by": 2}, lambda view: max(view.score) >= 3 and abs(view.score[0] - view.score[1]) >= 2),
        ({"target": None, "hands": 4}, lambda view: view.hands_scored == 4),
    ],
    ids=["1", "3", "3 by 2", "4 hands"],
)
@clockwork
async def test_r9_a_game_ends_at_its_score_and_not_before(
    rules: dict[str, Any], is_the_end: Callable[[View], bool]
) -> None:
    """R9. After every hand the game is over just when its rules say so."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, clock="none", rules=rules)
        for _ in range(5):
            await people[0].start(table)
            scored = len(people[0].events(table, "hand_scored"))
            rng = Random(scored)
            while not people[0].view(table).over:
                assert not is_the_end(people[0].view(table))
                await play_hands(people, table, rng, alone=False, hands=1)
            view = people[0].view(table)
            assert is_the_end(view)
            assert people[0].events(table, "game_over")[-1]["score"] == list(view.score)


@clockwork
async def test_bots_of_every_kind_play_lone_hands_and_throw_ins_through() -> None:
    """R1, R4, R5: whole games of bots alone, under rules with every special phase, end without anybody's help."""
    async with open_house() as house:
        for preset, rules in (
            ("ladder", {"target": 5}),
            ("standard", {"all_pass": "redeal", "redeal_dealer": "same", "target": 5}),
            ("screw", {"target": 5, "no_trump": "stuck_only"}),
            ("standard", {"dealer_partner_round1": "alone_or_pass", "defend_alone": "any", "target": 5}),
        ):
            table, (ann,) = await seat_people(house, 1, preset, clock="none", rules=rules)
            await ann.ask("away", table=table, on=True)
            await ann.start(table)
            await after(1)
            assert ann.view(table).over
            assert {event["seat"] for event in ann.events(table, "card_played")} == set(SEATS)
