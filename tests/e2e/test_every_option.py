"""R7: every value of every option of a table is seen in play, by those who sit there, over real sockets.

A case is named for its option. It plays a few decisions of a private table, whose seed is chosen so that the option
matters there, and returns what those at the table saw. What is to be seen is listed by value, and differs by value: an
option that did nothing would fail, and so would one that nobody wrote a case for.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeAlias

import pytest
import pytest_asyncio

from engine.bidding import RoundOne
from engine.cards import BENNY, SEATS, Card, Cards, Seat, holds_trump, make_pack, upcard_suit
from engine.events import HandScored
from engine.fair import first_dealer, seeded_secret, shuffle
from engine.game import deal, new_game
from engine.naming import NamingTrump
from engine.pickup import Discarding
from engine.play import Playing
from engine.rules import RANGES, Rules, make_rules
from engine.state import Dealt, Game
from engine.view import View
from tests.engine.table import after, happened, legal
from tests.support_player import Message, Player, four_players, playing, seat_four
from tests.support_server import serving

FourPlayers: TypeAlias = tuple[Player, Player, Player, Player]
Company: TypeAlias = tuple[FourPlayers, Player]

MENU: Final[dict[str, tuple[int, ...]]] = {"target": (5, 7, 10, 11, 15, 21), "hands": (4, 8, 12, 16)}
"""Of the options with a hundred values, those that set-up forms offer; they are tried beside the ends."""
LEFT, PARTNER, RIGHT, DEALER = 1, 2, 3, 0
"""Seats by their place from the dealer on."""


def values_of(option: str) -> list[Any]:
    """Return the values of *option* to be tried: all, but of a hundred only the ends and those on the forms."""
    default = getattr(Rules(), option)
    if isinstance(default, StrEnum):
        return [str(value) for value in type(default)]
    if isinstance(default, bool):
        return [False, True]
    if option in MENU:
        return [None, RANGES[option][0], *MENU[option], RANGES[option][-1]]
    return list(RANGES[option])


# ── a table ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def dealt(rules: Rules, seed: int) -> Game:
    """Return the first hand of a table with *seed*, as anybody may work it out."""
    secret, game = seeded_secret(seed, game=1, hand=1), f"seed-{seed}-1"
    pack = make_pack(rules.low_rank, rules.jokers)
    deck = shuffle(pack, secret=secret, game=game, hand=1, entropies=("",) * len(SEATS))
    return deal(new_game(rules), deck, dealer=first_dealer(secret=secret, game=game))[0]


class Table:
    """A table of four people with somebody looking on, at the first deal of its game."""

    def __init__(self, people: FourPlayers, watcher: Player, table: str, first: Game) -> None:
        self.people, self.watcher, self.id, self.first = people, watcher, table, first
        self.prompts: list[Message] = []
        """All that was asked, as those who were asked got it."""
        self._taken = 0

    async def prompt(self) -> Message:
        """Wait for the open decision, and return its prompt."""
        ann = self.people[0]
        asked = await ann.until(
            lambda: (now := ann.session.tables[self.id].prompt) and now["turn"] > self._taken and now
        )
        prompt = await self.people[asked["seat"]].my_turn(self.id)
        if prompt not in self.prompts[-1:]:
            self.prompts.append(prompt)
        return prompt

    async def do(self, *texts: str) -> str:
        """Let whoever is asked do each of *texts*; return what became of the last: a refusal's code, else "ok"."""
        became = "ok"
        for text in texts:
            prompt = await self.prompt()
            who = self.people[prompt["seat"]]
            answer = await who.command(who.session.act(self.id, prompt["turn"], text))
            became = str(answer["code"] if answer["t"] == "refused" else "ok")
            if became == "ok":
                self._taken = prompt["turn"]
                await self._heard_up_to(answer["seq"], self.people[0])
        return became

    async def _heard_up_to(self, seq: int, who: Player) -> None:
        await who.until(lambda: who.seq(self.id) >= seq)

    async def do_the_first(self) -> None:
        """Let whoever is asked do the first thing he may."""
        await self.do((await self.prompt())["legal"][0])

    async def finish_hand(self, *, wanted: str = "") -> Message:
        """Let everybody do what is *wanted*, or the first thing he may, until the hand is scored; return the score."""
        while not self.heard("hand_scored"):
            may = (await self.prompt())["legal"]
            await self.do(wanted if wanted in may else may[0])
        return self.heard("hand_scored")[0]

    def heard(self, kind: str, who: Player | None = None) -> list[Message]:
        """Return the events of a kind that seat 0 heard, or *who*."""
        heard = [m for m in (who or self.people[0]).heard if m["t"] == "event" and m["table"] == self.id]
        return [event for message in heard for event in message["events"] if event["e"] == kind]

    async def heard_by(self, who: Player, kind: str) -> list[Message]:
        """Return the events of a kind that *who* heard once he has heard as much as seat 0."""
        await self._heard_up_to(self.people[0].seq(self.id), who)
        return self.heard(kind, who)

    def place(self, seat: Seat) -> int:
        """Return the place of *seat* from the dealer of the first hand on."""
        return (seat - self.dealer) % 4

    @property
    def dealer(self) -> Seat:
        """The dealer of the first hand."""
        return dealt_in(self.first).dealer

    def asked_in(self, phase: str) -> list[int]:
        """Return the places of those who were asked in *phase*."""
        return [self.place(prompt["seat"]) for prompt in self.prompts if prompt["phase"] == phase]


@dataclass
class Room:
    """Who plays, and the rules a case wants, one option at the value to be tried."""

    people: FourPlayers
    watcher: Player
    value: Any
    options: dict[str, object]

    async def deal(self, where: Callable[[Game], bool] = lambda _: True) -> Table:
        """Start a game whose first hand is as wanted."""
        rules = make_rules("standard", self.options)
        seed, first = next((seed, game) for seed in range(1, 20_000) if where(game := dealt(rules, seed)))
        table = await seat_four(self.people, rules=self.options, seed=seed, visibility="private")
        await self.watcher.watch(table)
        await self.people[0].start(table)
        return Table(self.people, self.watcher, table, first)


# ── hands that matter ────────────────────────────────────────────────────────────────────────────────────────────────


def dealt_in(game: Game) -> Dealt:
    """Return the cards of a hand that was just dealt."""
    assert isinstance(game.stage, RoundOne | NamingTrump)
    return game.stage.dealt


def hand_at(game: Game, place: int) -> Cards:
    """Return the cards dealt to the seat at a place from the dealer on."""
    return dealt_in(game).hands[(dealt_in(game).dealer + place) % 4]


def ranks_at(game: Game, place: int) -> set[str]:
    return {card[0] for card in hand_at(game, place)}


def turned_up(game: Game) -> Card:
    return dealt_in(game).upcard


def scored(game: Game) -> HandScored:
    """Return how a hand comes out when everybody does the first thing he may."""
    while True:
        game, events = happened(game, legal(game)[0])
        for event in events:
            if isinstance(event, HandScored):
                return event


# ── the cases ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Case:
    """What is seen of an option by value, and how; *beside* are the options it needs to matter, perhaps by value."""

    play: Callable[[Room], Coroutine[Any, Any, object]]
    seen: dict[Any, object]
    beside: dict[str, Any]


CASES: Final[dict[str, Case]] = {}


def case(seen: dict[Any, object], **beside: Any) -> Callable[[Callable[[Room], Coroutine[Any, Any, object]]], None]:
    """Enter the decorated function as the case of the option it is named for."""

    def enter(play: Callable[[Room], Coroutine[Any, Any, object]]) -> None:
        CASES[play.__name__] = Case(play, seen, beside)

    return enter


# The pack and the deal


@case({9: 24, 8: 28, 7: 32})
async def low_rank(room: Room) -> int:
    """So many cards are shown when the hand is over."""
    table = await room.deal()
    await table.do("order")
    await table.finish_hand()
    (shown,) = table.heard("hands_revealed")
    return sum(map(len, shown["hands"])) + len([shown["upcard"]]) + len(shown["buried"])


@case({0: "bid1", 1: "name"})
async def jokers(room: Room) -> str:
    """The Benny may be turned up, and then there is no bidding."""
    table = await room.deal(lambda game: not room.value or turned_up(game) == BENNY)
    return str((await table.prompt())["phase"])


@case({"next": LEFT, "same": DEALER}, all_pass="redeal")
async def redeal_dealer(room: Room) -> int:
    """After eight passes the next deal is his."""
    table = await room.deal()
    await table.do(*["pass"] * 8)
    await table.prompt()
    return table.place(table.heard("hand_dealt")[1]["dealer"])


# Making trump


@case({"stick": "dealer_must_call", "redeal": "ok"})
async def all_pass(room: Room) -> str:
    """The eighth pass."""
    return await (await room.deal()).do(*["pass"] * 8)


@case({"off": [], "round2": [LEFT, PARTNER, RIGHT, DEALER], "stuck_only": [DEALER]})
async def no_trump(room: Room) -> list[int]:
    """So many are offered no trump in round two."""
    table = await room.deal()
    await table.do(*["pass"] * 7)
    await table.prompt()
    return [table.place(prompt["seat"]) for prompt in table.prompts if "call n" in prompt["legal"]]


@case({False: ("no_trump_not_allowed", []), True: ("ok", ["l"])}, no_trump="round2")
async def low_no_trump(room: Room) -> object:
    """Low no trump called on the dealer's left."""
    table = await room.deal()
    became = await table.do(*["pass"] * 4, "call l")
    return became, [call["trump"] for call in table.heard("trump_called")]


@case({"free": "ok", "alone_or_pass": "must_go_alone"})
async def dealer_partner_round1(room: Room) -> str:
    """The dealer's partner orders up."""
    return await (await room.deal()).do("pass", "order")


def bowered(game: Game) -> bool:
    """On the left of the dealer the left bower is the only trump, and the next has none, if the upcard's suit is."""
    suit = upcard_suit(turned_up(game))
    left, partner = hand_at(game, LEFT), hand_at(game, PARTNER)
    return (
        holds_trump(left, suit, natural=False)
        and not holds_trump(left, suit, natural=True)
        and not holds_trump(partner, suit, natural=False)
    )


@case({"none": [LEFT, PARTNER], "any_trump": [LEFT], "natural_trump": []})
async def order_requires(room: Room) -> list[int]:
    """Of one who holds but the left bower and one without any trump, so many may order up."""
    table = await room.deal(bowered)
    await table.do("pass")
    await table.prompt()
    return [table.place(prompt["seat"]) for prompt in table.prompts if "order" in prompt["legal"]]


@case({True: "ok", False: "needs_trump"}, order_requires="any_trump")
async def upcard_counts(room: Room) -> str:
    """A dealer without a trump takes up the upcard."""

    def dealer_has_none(game: Game) -> bool:
        return not holds_trump(hand_at(game, DEALER), upcard_suit(turned_up(game)), natural=False)

    return await (await room.deal(dealer_has_none)).do("pass", "pass", "pass", "order")


@case({"dealer_names": ("name", 5), "dealer_names_blind": ("name", 0), "as_spades": ("bid1", 5)}, jokers=1)
async def benny_turned(room: Room) -> object:
    """A Benny is up: what is asked first, and how many of his cards the dealer sees."""
    table = await room.deal(lambda game: turned_up(game) == BENNY)
    phase = (await table.prompt())["phase"]
    return phase, len(table.people[table.dealer].view(table.id).cards)


@case({True: "ok", False: "upcard_must_stay"})
async def upcard_discard(room: Room) -> str:
    """The dealer discards the card he took up."""
    table = await room.deal()
    await table.do("order")
    return await table.do(f"discard {table.heard('upcard_taken')[0]['card']}")


# Alone


@case({"off": [], "maker": [LEFT], "maker_side": [LEFT, RIGHT]}, alone_timing="before_first_lead")
async def alone(room: Room) -> list[int]:
    """So many are asked whether they go alone, when none does."""
    table = await room.deal()
    await table.do("order")
    await table.finish_hand(wanted="together")
    return table.asked_in("alone")


@case({"with_call": (True, []), "before_first_lead": (False, [LEFT])})
async def alone_timing(room: Room) -> object:
    """Whether alone goes with ordering up, and who is asked for it after the discard."""
    table = await room.deal()
    await table.do("order")
    await table.do_the_first()
    await table.prompt()
    return "order alone" in table.prompts[0]["legal"], table.asked_in("alone")


@case({"off": ([], []), "vs_lone": ([], [PARTNER, DEALER]), "any": ([PARTNER, DEALER], [PARTNER, DEALER])})
async def defend_alone(room: Room) -> object:
    """So many defenders are asked when two make trump, and when one makes it alone."""
    asked = []
    for order in ("order", "order alone"):
        table = await room.deal()
        await table.do(order)
        await table.finish_hand(wanted="defend together")
        asked.append(table.asked_in("defend"))
    return tuple(asked)


@case({"picks_up": ("discard", DEALER), "skips": ("play", LEFT)})
async def sitting_dealer(room: Room) -> object:
    """What is asked next, and of whom, when the dealer's partner orders up alone."""
    table = await room.deal()
    await table.do("pass", "order alone")
    prompt = await table.prompt()
    return prompt["phase"], table.place(prompt["seat"])


@case({"off": [], "call_for_best": [(LEFT, RIGHT), (RIGHT, LEFT)]})
async def partner_exchange(room: Room) -> list[tuple[int, int]]:
    """From whom to whom a card goes when the dealer's left is alone."""
    table = await room.deal()
    await table.do("order alone")
    await table.finish_hand()
    return [(table.place(given["seat"]), table.place(given["to"])) for given in table.heard("card_given")]


# The play


@case({"left_of_dealer": LEFT, "left_of_loner": RIGHT})
async def loner_lead(room: Room) -> int:
    """Who leads when the dealer's partner is alone."""
    table = await room.deal()
    await table.do("pass", "order alone")
    await table.do_the_first()
    await table.prompt()
    return table.place(table.heard("play_started")[0]["leader"])


@case({"off": ("wrong_phase", 0), "validated": ("ok", 1)})
async def claim(room: Room) -> object:
    """Whoever leads first that is certain of the rest claims it."""
    table = await room.deal(lambda game: claimable(game) is not None)
    texts = claimable(table.first)
    assert texts is not None
    became = await table.do(*texts, "claim")
    return became, len(table.heard("rest_claimed"))


def claimable(game: Game) -> list[str] | None:
    """Return what is done until somebody may claim before the last trick; None where nobody may."""
    game = replace(game, standing=replace(game.standing, rules=make_rules("standard", {"claim": "validated"})))
    texts = ["order"]
    while True:
        game = after(game, texts[-1])
        if not isinstance(game.stage, Discarding | Playing):
            return None
        if "claim" in legal(game) and len(legal(game)) > 2:
            return texts
        texts.append(legal(game)[0])


# Relief


@case(
    {"off": ("wrong_phase", []), "redeal": ("ok", ["hand_thrown_in"]), "swap3": ("ok", ["cards_swapped"])},
    low_rank=7,
    relief_hand="no_ace_no_face",
)
async def relief(room: Room) -> object:
    """A poor hand on the dealer's left asks for relief."""
    table = await room.deal(partial(is_of, may="789T", must=""))
    swap = f"relief {' '.join(hand_at(table.first, LEFT)[:3])}"
    became = await table.do(swap if room.value == "swap3" else "relief")
    return became, [kind for kind in ("hand_thrown_in", "cards_swapped") if table.heard(kind)]


@case(
    {"nines_tens": [True, False, False], "no_ace_no_face": [True, True, False], "ace_no_face": [False, False, True]},
    relief="redeal",
    low_rank=7,
)
async def relief_hand(room: Room) -> list[bool]:
    """Whether relief is offered to nines and tens alone, to low cards with a seven, and to low cards with an ace."""
    offered = []
    for may, must in ("9T", ""), ("789T", "7"), ("789TA", "A"):
        table = await room.deal(partial(is_of, may=may, must=must))
        offered.append("relief" in (await table.prompt())["legal"])
    return offered


def is_of(game: Game, *, may: str, must: str) -> bool:
    """Tell whether the dealer's left has all ranks that he must have, and none but those he may have."""
    return set(must) <= ranks_at(game, LEFT) <= set(may)


# Points


@case({3: ("made", 1), 4: ("euchred", 2)})
async def tricks_needed(room: Room) -> object:
    """The makers take three tricks."""
    return await the_score(room, "order", tricks=3)


@case({False: ("made", 1), True: ("lone_euchred", 2)})
async def lone_must_sweep(room: Room) -> object:
    """A lone maker takes four tricks."""
    return await the_score(room, "order alone", tricks=4)


@case({points: ("lone_march", points) for points in RANGES["lone_march"]})
async def lone_march(room: Room) -> object:
    """A lone maker takes all five tricks."""
    return await the_score(room, "order alone", tricks=5)


@case({points: ("lone_euchred", points) for points in RANGES["lone_euchred"]})
async def lone_euchred(room: Room) -> object:
    """A lone maker takes two tricks."""
    return await the_score(room, "order alone", tricks=2)


@case({points: ("lone_defender", points) for points in RANGES["lone_defender"]}, defend_alone="vs_lone", lone_euchred=1)
async def lone_defender(room: Room) -> object:
    """A lone maker takes two tricks against a lone defender."""
    return await the_score(room, "order alone", tricks=2)


@case(
    {points: ("super_euchre", points) if points else ("lone_euchred", 1) for points in RANGES["super_euchre"]},
    lone_euchred=1,
)
async def super_euchre(room: Room) -> object:
    """A lone maker takes no trick."""
    return await the_score(room, "order alone", tricks=0)


async def the_score(room: Room, order: str, *, tricks: int) -> object:
    """Return why a hand scored what: the dealer's left makes it, and the makers take so many tricks."""

    def where(game: Game) -> bool:
        score = scored(after(game, order))
        return score.tricks[score.maker % 2] == tricks

    table = await room.deal(where)
    await table.do(order)
    score = await table.finish_hand()
    return score["reason"], score["points"]


# The game

ALL_OR_NOTHING: Final = {"lone_must_sweep": True, "defend_alone": "vs_lone"}


def by(points: Callable[[Any], int]) -> dict[str, Any]:
    """Return options by which a hand played alone scores so many, by the option's value, whatever comes of it."""
    return ALL_OR_NOTHING | dict.fromkeys(("lone_march", "lone_euchred", "lone_defender"), points)


def ends(option: str, unit: str) -> dict[Any, object]:
    """Return what ends a game by the value of *option*; where it is null, six of the other kind."""
    other = "hands" if unit == "points" else "points"
    return {value: (6, other) if value is None else (value, unit) for value in values_of(option)}


@case(
    ends("target", "points"),
    hands=lambda target: 6 if target is None else None,
    **by(lambda target: 9 if target == 99 else 1),
)
async def target(room: Room) -> object:
    """Each hand gives one team as many points as divide the target, so the game ends at just that."""
    view = await the_end(room)
    return (view.hands_scored, "hands") if room.value is None else (max(view.score), "points")


@case(ends("hands", "hands"), target=lambda hands: 6 if hands is None else None, **by(lambda _: 1))
async def hands(room: Room) -> object:
    """The game is over after so many, whatever the score."""
    view = await the_end(room)
    return (max(view.score), "points") if room.value is None else (view.hands_scored, "hands")


async def the_end(room: Room) -> View:
    """Return the last view of a game in which the players at odd seats go alone."""
    table = await room.deal()
    while not table.people[0].view(table.id).over:
        prompt = await table.prompt()
        wanted = ("order alone", "defend alone") if prompt["seat"] % 2 else ("pass", "defend alone")
        await table.do(next((text for text in wanted if text in prompt["legal"]), prompt["legal"][0]))
    return table.people[0].view(table.id)


@case({1: True, 2: False}, target=1, **by(lambda _: 1))
async def win_by(room: Room) -> bool:
    """Whether one point to none ends a game to one point."""
    table = await room.deal()
    await table.do("order alone")
    await table.finish_hand()
    return bool(table.heard("game_over"))


# What is shown


@case({"own_only": 0, "all": 4})
async def reveal(room: Room) -> int:
    """So many players see the hands when the hand is over."""
    table = await room.deal()
    await table.do("order")
    await table.finish_hand()
    return sum([bool(await table.heard_by(player, "hands_revealed")) for player in table.people])


@case({"never": False, "after_hand": True})
async def spectator_hands(room: Room) -> bool:
    """Whether the one who looks on sees the hands when the hand is over."""
    table = await room.deal()
    await table.do("order")
    await table.finish_hand()
    return bool(await table.heard_by(table.watcher, "hands_revealed"))


# ── the tests ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def company(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Company]:
    """Let the same five people play every case, on one server."""
    async with serving(tmp_path_factory.mktemp("options"), log="memory", workers=0) as server:
        people, watcher = await four_players(server.ws), Player(server.ws, "Eve")
        async with playing(*people, watcher):
            yield people, watcher
        assert "_failed" not in server.logged()


def test_every_option_has_a_case_and_every_value_shows_something_else() -> None:
    """So that a new option or value without a case fails, and one without an effect too."""
    assert set(CASES) == {field.name for field in fields(Rules)}
    for option, case_ in CASES.items():
        assert sorted(map(repr, case_.seen)) == sorted(map(repr, values_of(option))), option
        seen = [repr(what) for what in case_.seen.values()]
        assert len(set(seen)) == len(seen), option


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("option", "value"), [(option, value) for option in CASES for value in values_of(option)])
async def test_r7_every_value_of_every_option_shows_in_play(company: Company, option: str, value: Any) -> None:
    """R7. Through the wire, as those at the table see it."""
    people, watcher = company
    case_ = CASES[option]
    beside = {name: other(value) if callable(other) else other for name, other in case_.beside.items()}
    room = Room(people, watcher, value, beside | {option: value})
    seen = await case_.play(room)
    for player in people:
        for table in list(player.session.tables):
            await player.command(player.session.leave(table))
    assert seen == case_.seen[value]
