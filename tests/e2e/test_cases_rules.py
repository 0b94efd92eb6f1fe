"""Rules seen broken elsewhere: the cases R of server_cases.md, over real sockets. R7 is test_every_option.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from random import Random

import pytest
import pytest_asyncio

from bots.uniform import Uniform
from engine.actions import Action, Pass
from engine.cards import Card, Trump, effective_suit, make_pack
from engine.rules import Rules, make_rules
from engine.state import Phase
from engine.view import View
from tests.e2e.sitting import FourSit, a_server, four_sit
from tests.support_player import Message, Player, playing
from tests.support_server import Server

pytestmark = pytest.mark.asyncio(loop_scope="module")
server = pytest_asyncio.fixture(scope="module", loop_scope="module")(a_server)

Choose = Callable[[Player, Message], str | None]


async def play_a_hand(
    four: FourSit, choose: Choose, look: Callable[[Player, Message], Awaitable[None]] | None = None
) -> list[Message]:
    """Play until the next deal, as *choose* says or at random; return the prompts of whoever was asked."""
    asked, _ = await four.asked()
    hand = asked.view(four.table).hand
    prompts = []
    while four.players[0].view(four.table).hand == hand and not four.players[0].view(four.table).over:
        player, prompt = await four.asked()
        if player.view(four.table).hand != hand:
            break
        if look is not None:
            await look(player, prompt)
        prompts.append(prompt)
        await four.act(choose(player, prompt))
    return prompts


def alone(_: Player, prompt: Message) -> str | None:
    """Go alone wherever one may."""
    return next((action for action in prompt["legal"] if action.endswith("alone") and "defend" not in action), None)


@pytest.mark.parametrize("preset", ["standard", "ladder"])
async def test_r1_r2_a_lone_hand_ends_and_never_asks_who_sits_out(server: Server, preset: str) -> None:
    """R1. It does not wait for the sitting partner's cards. R2. He is passed over once a trick, and never leads."""
    async with four_sit(server.ws, preset, rules={"target": 99}) as four:
        lone = 0

        async def look(player: Player, prompt: Message) -> None:
            nonlocal lone
            view = player.view(four.table)
            if prompt["phase"] == Phase.PLAY and view.sitting:
                lone += 1
                assert prompt["seat"] not in view.sitting
                assert view.leader not in view.sitting

        for _ in range(6):
            await play_a_hand(four, alone, look)
        assert lone > 30
        scored = four.events(four.players[0], "hand_scored")
        assert len(scored) == 6
        assert all(sum(event["tricks"]) == 5 for event in scored)


async def test_r3_the_led_left_bower_sets_trump_as_the_led_suit(server: Server) -> None:
    """R3. Who holds trump must follow it with trump; the card's printed suit counts for nothing."""
    async with four_sit(server.ws, rules={"target": 99}) as four:
        held_to_it = 0

        def lead_the_left(player: Player, prompt: Message) -> str | None:
            view = player.view(four.table)
            if prompt["phase"] != Phase.PLAY or view.trump is None or view.trick:
                return next((action for action in prompt["legal"] if action.startswith(("order", "call"))), None)
            left = [card for card in view.cards if is_left(card, view.trump)]
            return f"play {left[0]}" if left else None

        async def look(player: Player, prompt: Message) -> None:
            nonlocal held_to_it
            view = player.view(four.table)
            if prompt["phase"] == Phase.PLAY and view.trick and is_left(view.trick[0][1], view.trump):
                trumps = {card for card in view.cards if is_trump(card, view.trump)}
                if trumps:
                    assert {action.removeprefix("play ") for action in prompt["legal"]} == trumps
                    held_to_it += trumps != set(view.cards)

        for _ in range(40):
            await play_a_hand(four, lead_the_left, look)
            if held_to_it >= 3:
                return
        raise AssertionError("nobody had to follow the left bower")


def is_trump(card: Card, trump: Trump | None) -> bool:
    return trump is not None and effective_suit(card, trump) == trump


def is_left(card: Card, trump: Trump | None) -> bool:
    return card[0] == "J" and card[1] != trump and is_trump(card, trump)


class Passes:
    """Passes wherever one may."""

    name = "passes"

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: Random) -> Action:
        return Pass() if Pass() in legal else rng.choice(legal)


async def test_r4_a_stuck_dealers_bot_calls(server: Server) -> None:
    """R4. Three people who pass wherever they may, and a bot: when it deals and seven have passed, it calls."""
    people = [Player(server.ws, name, policy=Passes(), seed=seed) for seed, name in enumerate(("Ann", "Ben", "Cat"))]
    ann = people[0]
    async with playing(*people):
        table = await ann.create("screw", rules={"target": 99})
        for seat in (1, 2):
            await people[seat].join(table, seat)
        await ann.start(table)
        await ann.until(lambda: is_stuck_bot(ann) or ann.view(table).over)
        assert is_stuck_bot(ann)
        assert "hand_thrown_in" not in [event["e"] for message in ann.heard for event in message.get("events", ())]


def is_stuck_bot(player: Player) -> bool:
    """Tell whether the dealer in seat 3 called when seven had passed."""
    events = [event for message in player.heard for event in message.get("events", ())]
    bids = [event for event in events if event["e"] in {"hand_dealt", "passed", "trump_called"}]
    kinds = [event["e"] for event in bids]
    return any(
        kinds[at : at + 9] == ["hand_dealt", *["passed"] * 7, "trump_called"] and bids[at]["dealer"] == 3
        for at in range(len(bids))
    )


async def test_r5_eight_passes_deal_again(server: Server) -> None:
    """R5. Where nobody is stuck, the next dealer deals, and the table goes on."""
    async with four_sit(server.ws, "standard", rules={"all_pass": "redeal"}) as four:
        dealers = []
        for number in range(1, 4):
            view = await four.players[0].until(
                lambda number=number: (view := four.players[0].view(four.table)).hand == number and view  # type: ignore[misc]
            )
            dealers.append(view.dealer)
            for _ in range(8):
                await four.act("pass")
        assert len(four.events(four.players[0], "hand_thrown_in")) == 3
        assert [(dealers[0] + at) % 4 for at in range(3)] == dealers
        await four.asked()


async def test_r6_the_turned_down_suit_is_not_offered(server: Server) -> None:
    """R6. Nor is it taken from who calls it all the same."""
    async with four_sit(server.ws, rules={"all_pass": "redeal"}) as four:
        for _ in range(4):
            await four.act("pass")
        for _ in range(4):
            player, prompt = await four.asked()
            upcard = player.view(four.table).upcard
            assert upcard is not None
            assert prompt["phase"] == Phase.ROUND_TWO
            suits = {action.split()[1] for action in prompt["legal"] if action.startswith("call")}
            assert suits == {"s", "h", "d", "c"} - {upcard[1]}
            answer = await player.ask("act", table=four.table, turn=prompt["turn"], action=f"call {upcard[1]}")
            assert answer["t"] == "refused"
            await four.act("pass")


async def test_r8_the_dealer_discards_one_card_that_he_holds_once(server: Server) -> None:
    """R8. Not nothing, not a card he does not hold, and not twice; a played or buried card never comes back."""
    async with four_sit(server.ws) as four:
        player, prompt = await four.reach(Phase.DISCARD)
        held = player.view(four.table).cards
        assert len(held) == 6
        stranger = next(card for card in make_pack(9, 0) if card not in held)
        for action in ("discard", "discard ", {"do": "discard", "card": None}, f"discard {stranger}", "pass"):
            answer = await player.ask("act", table=four.table, turn=prompt["turn"], action=action)
            assert answer["t"] == "refused", action
        await four.act(f"discard {held[0]}")
        assert player.view(four.table).cards == held[1:]
        for turn in (prompt["turn"], player.seq(four.table)):
            again = await player.ask("act", table=four.table, turn=turn, action=f"discard {held[1]}")
            assert again["t"] == "refused"
        while not player.view(four.table).tricks:
            asked, now = await four.asked()
            if asked is player and now["phase"] == Phase.PLAY:
                answer = await player.ask("act", table=four.table, turn=now["turn"], action=f"play {held[0]}")
                assert answer["code"] == "card_not_held"
            await four.act()


@pytest.mark.parametrize(
    "options", [{"target": 1}, {"target": 5, "win_by": 2}, {"target": None, "hands": 3}, {"target": 3, "lone_march": 5}]
)
async def test_r9_a_game_ends_at_its_score_and_not_before(server: Server, options: dict[str, object]) -> None:
    """R9. Each score on the way is short of the end, the last is not."""
    ann = Player(server.ws, "Ann", policy=Uniform(), seed=9)
    async with playing(ann):
        table = await ann.create(rules=options)
        await ann.start(table)
        end = await ann.game_over(table)
        events = [event for message in ann.heard for event in message.get("events", ())]
        scores: list[list[int]] = [event["score"] for event in events if event["e"] == "hand_scored"]
        rules = make_rules("standard", options)
        for hand, score in enumerate(scores, start=1):
            if rules.target is None:
                is_over = hand == rules.hands
            else:
                is_over = max(score) >= rules.target and max(score) - min(score) >= rules.win_by
            assert is_over == (hand == len(scores)), (hand, score)
        assert list(end.score) == scores[-1]
