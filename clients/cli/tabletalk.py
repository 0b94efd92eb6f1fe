"""The conversation at a table one sits at: what happens is told, decisions are asked, what is typed is answered."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Final, cast

from clients.cli.alarm import Alarm
from clients.cli.asking import show_choices, show_decision, total_s
from clients.cli.choices import Decision, decision
from clients.cli.client import Arrival, Client, RefusedError, Typed
from clients.cli.comeback import command_to_play
from clients.cli.help import AT_A_TABLE, show_help
from clients.cli.lobby import describe_refusal
from clients.cli.narrator import Narrator
from clients.cli.ownlink import own_link
from clients.cli.recordfile import keep_record
from clients.cli.typed import Misread, read_choice
from engine.actions import Action
from engine.cards import Seat
from engine.events import GameOver
from protocol.codes import ENTROPY_MAX_BYTES
from protocol.follower import TableFollower
from protocol.outgoing import Ok, Prompt, TableInfo
from protocol.updates import (
    Answered,
    Chatted,
    EventsArrived,
    PresenceChanged,
    PromptArrived,
    TableGone,
    ViewArrived,
    Welcomed,
)

_LITTLE_TIME_S: Final = 10
_LONG_WAIT_S: Final = 10
"""After which the bell rings when one's turn comes, and the screen says whom everybody waits for."""
_WHERE: Final = {"left": "on your left", "partner": "across from you", "right": "on your right"}

Deed = Callable[[], Awaitable[None]]


class Ended(Enum):
    """How a conversation at a table ended."""

    LEFT = "left"
    QUIT = "quit"


class TableTalk:
    """One person at one table."""

    def __init__(self, client: Client, at: TableFollower) -> None:
        self._client = client
        self._screen = client.screen
        self._narrator = Narrator(client.screen, at)
        self._table = at.table
        self._decision: Decision | None = None
        self._turn: int | None = None
        """The decision asked last, by the number in its prompt."""
        self._menu: tuple[tuple[str, Deed], ...] = ()
        self._wants_away = False
        self._is_sure_to_leave = False
        self._ended: Ended | None = None
        self._alarm = Alarm()
        self._heard_at = time.monotonic()
        narrator = self._narrator
        self._shows: dict[str, Callable[[], None]] = {
            "?": self._help,
            "help": self._help,
            "table": narrator.show_all,
            "hand": narrator.show_hand,
            "score": narrator.show_score,
            "last": narrator.show_last_trick,
            "l": narrator.show_last_trick,
            "deal": narrator.show_deal,
            "who": narrator.show_seats,
            "rules": narrator.show_rules,
        }
        self._deeds: dict[str, Deed] = {
            "away": self._go_away,
            "back": self._come_back,
            "hint": self._hint,
            "leave": self._leave,
            "link": self._show_link,
            "link new": self._renew_link,
            "more": self._give_time,
            "record": self._save_record,
            "shuffle": self._shuffle,
            "quit": self._quit,
            "q": self._quit,
            "exit": self._quit,
        }

    async def run(self) -> Ended:
        """Talk until the person leaves, quits, or the table is gone. Raises EndOfInputError."""
        if self._at.seq is not None:
            self._narrator.introduce(with_table=True)
            self._follow_state()
            if self._at.prompt is not None:
                self._take_prompt(self._at.prompt)
        while (ended := self._outcome()) is None:
            if self._is_asking:
                self._client.want_line()
            arrival = await self._client.next(self._alarm.left_s())
            if arrival is not None:
                await self._take(arrival)
            self._alarm.ring()
        return ended

    def _outcome(self) -> Ended | None:
        return self._ended

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _at(self) -> TableFollower:
        return self._narrator.at

    @property
    def _is_asking(self) -> bool:
        return self._decision is not None or bool(self._menu)

    async def _take(self, arrival: Arrival) -> None:
        match arrival:
            case Typed():
                await self._take_line(arrival.text)
            case Answered() if arrival.refusal is not None:
                self._take_refusal(arrival)
            case Welcomed():
                self._screen.line("Back at the table.")
                self._decision = self._turn = None  # what is to be decided now comes with the next prompt
            case TableGone() if arrival.table == self._table and self._table not in self._client.session.tables:
                self._screen.line(f"You are at this table no longer{f': {arrival.why}' if arrival.why else ''}.")
                self._ended = Ended.LEFT
            case EventsArrived() | ViewArrived() if arrival.table == self._table and not self._is_old(arrival.after):
                self._narrator.tell(arrival)
                if isinstance(arrival, EventsArrived) and any(isinstance(event, GameOver) for event in arrival.events):
                    await self._save_finished()
                self._follow_state()
            case PromptArrived() if arrival.table == self._table and arrival.after.seq == self._at.seq:
                self._narrator.at = arrival.after
                self._take_prompt(arrival.prompt)
            case PresenceChanged() | Chatted() if arrival.table == self._table:
                self._narrator.tell(arrival)
            case _:
                pass

    def _is_old(self, after: TableFollower) -> bool:
        return self._at.seq is not None and after.seq is not None and after.seq <= self._at.seq

    def _follow_state(self) -> None:
        """Offer what can be done between games; in a game, drop a question that is open no longer."""
        info = self._at.info
        if info is None:
            return
        if info["state"] != "playing":
            self._close_question()
            self._offer_what_next(info)
            return
        self._menu = ()
        if self._at.prompt is None:
            self._close_question()

    def _close_question(self) -> None:
        self._decision = None
        self._alarm.clear()

    def _take_prompt(self, prompt: Prompt) -> None:
        """Ask a new question; of the one that is open only the clock may have changed."""
        if prompt["turn"] != self._turn:
            self._turn = prompt["turn"]
            self._ask(prompt)
        elif self._decision is not None:
            self._set_clock(prompt)

    def _take_refusal(self, answered: Answered) -> None:
        assert answered.refusal is not None
        if answered.refusal["code"] == "stale":
            self._screen.line("That came too late: it was decided already.")
        else:
            self._screen.line(describe_refusal(RefusedError(answered.refusal)))
        prompt = self._at.prompt
        if answered.request is not None and prompt is not None and answered.request.get("turn") == prompt["turn"]:
            self._ask(prompt)

    # ── decisions ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _ask(self, prompt: Prompt) -> None:
        view, naming, seat = self._at.view, self._narrator.naming, prompt["seat"]
        legal = prompt.get("legal")
        if self._at.waits and self._at.seat == seat:
            self._decision = None  # the bot's that plays this hand for us
            return
        if view is None or legal is None or self._at.seat != seat:
            who = naming.who(seat)
            self._decision = None
            self._alarm.set(_LONG_WAIT_S, lambda: self._tell_waiting(who))
            return
        if self._is_away:
            self._turn = None  # ask as soon as the seat is taken back
            return
        if self._is_decided(prompt["turn"]):
            return
        self._decision = decision(view, seat, legal, naming)
        if time.monotonic() - self._heard_at > _LONG_WAIT_S:
            self._screen.ring()
        self._set_clock(prompt)
        show_decision(self._screen, self._narrator, self._decision, prompt)

    def _tell_waiting(self, who: str) -> None:
        if not self._client.is_lost:  # else it is the server that everybody waits for
            self._screen.line(f"Waiting for {who} …", indent=2)

    def _is_decided(self, turn: int) -> bool:
        """Tell whether our answer is on its way; it goes out again after a lost connection."""
        waiting = self._client.session.outstanding.values()
        return any(message["t"] == "act" and message["turn"] == turn for message in waiting)

    def _set_clock(self, prompt: Prompt) -> None:
        """Warn when little time is left; a question that begins with no more says so itself."""
        self._alarm.clear()
        left_s = total_s(prompt)
        if left_s is not None and left_s > _LITTLE_TIME_S:
            self._alarm.set(left_s - _LITTLE_TIME_S, self._warn)

    def _warn(self) -> None:
        self._screen.ring()
        self._screen.line(f"Little time: a bot decides for you in {_LITTLE_TIME_S} s.")

    def _ask_again(self) -> None:
        """Show the open question once more, for who lost sight of it."""
        if self._decision is not None and self._at.prompt is not None:
            show_decision(self._screen, self._narrator, self._decision, self._at.prompt)
        elif self._menu and self._at.info is not None:
            self._show_menu(self._at.info)

    async def _act(self, action: Action) -> None:
        assert self._turn is not None
        self._close_question()
        self._client.session.act(self._table, self._turn, action)
        await self._client.send()

    # ── between games ────────────────────────────────────────────────────────────────────────────────────────────────

    def _offer_what_next(self, info: TableInfo) -> None:
        is_host = info["host"] == self._at.seat
        has_open_seats = any(place["kind"] == "open" for place in info["seats"])
        deeds: list[tuple[str, Deed]] = []
        if is_host:
            start = "Play another game" if info["state"] == "over" else "Start the game"
            deeds.append((f"{start}{'; bots take the open seats' if has_open_seats else ''}", self._start))
        else:
            deeds += self._moves(info)
        deeds.append(("Leave the table", self._leave_now))
        if [words for words, _ in deeds] == [words for words, _ in self._menu]:
            return
        self._menu = tuple(deeds)
        self._show_menu(info)

    def _moves(self, info: TableInfo) -> Iterator[tuple[str, Deed]]:
        """Yield the seats we may take instead of ours; a host who left it would be host no more."""
        for place in info["seats"]:
            seat, across = place["seat"], info["seats"][(place["seat"] + 2) % 4]
            if place["kind"] == "open" or (place["level"] is not None and not info["bots_stay"]):
                words = f"Move to the seat {_WHERE[self._narrator.naming.place(seat)]}"
                is_with = across["kind"] == "human" and across["seat"] != self._at.seat
                yield f"{words}, as partner of {across['name']}" if is_with else words, partial(self._move, seat)

    async def _move(self, seat: Seat) -> None:
        """Take *seat* and give up ours; where somebody was quicker, sit down wherever there is room."""
        self._menu = ()  # what it says may read the same from there
        session = self._client.session
        await self._client.request(session.leave(self._table))
        try:
            await self._client.request(session.join(table=self._table, seat=seat))
        except RefusedError:
            await self._client.request(session.join(table=self._table))
            raise

    def _show_menu(self, info: TableInfo) -> None:
        self._screen.line()
        if info["code"] and any(place["kind"] == "open" for place in info["seats"]):
            self._screen.line(f"Others join with: {command_to_play(self._client.url, table=info['code'])}", indent=2)
        if info["host"] != self._at.seat:
            host = "the host" if info["host"] is None else self._narrator.naming.who(info["host"])
            self._screen.line(f"Waiting for {host} to start a game.", indent=2)
        show_choices(self._screen, "What now?", [words for words, _ in self._menu])

    async def _start(self) -> None:
        self._menu = ()
        await self._client.request(self._client.session.start(self._table))

    # ── what is typed ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _take_line(self, text: str) -> None:
        self._heard_at = time.monotonic()
        try:
            await self._do(text)
        except RefusedError as error:
            self._screen.line(describe_refusal(error))
            self._follow_state()

    async def _do(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        word = word.lower()
        if word != "leave":
            self._is_sure_to_leave = False
        if self._is_away and not self._wants_away and text.lower() not in {**self._shows, **self._deeds}:
            await self._come_back()  # whatever was typed, it says that somebody is here
            return
        chosen = read_choice(text, self._decision) if self._decision is not None else None
        if not text:
            self._ask_again()
            return
        if chosen is not None and not isinstance(chosen, Misread):
            await self._act(chosen)
        elif self._menu and text.isdecimal() and 1 <= int(text) <= len(self._menu):
            await self._menu[int(text) - 1][1]()
        elif word == "say" and rest:
            await self._client.say(self._table, rest)
        elif word == "shuffle" and rest:
            await self._shuffle(rest)
        elif text.lower() in self._shows:
            self._shows[text.lower()]()
        elif text.lower() in self._deeds:
            await self._deeds[text.lower()]()
        elif isinstance(chosen, Misread):
            self._screen.line(chosen.why, indent=2)
        else:
            self._screen.line(self._not_understood(), indent=2)

    def _not_understood(self) -> str:
        if self._client.is_lost:
            return "There is no connection just now. Type ? for help."
        if self._decision is not None:
            return "That is no choice here. Type a number or a card, or ? for help."
        if self._menu:
            return f"Type a number from 1 to {len(self._menu)}, or ? for help."
        prompt = self._at.prompt
        if self._is_away:
            return "A bot plays for you. Type back to play yourself."
        if prompt is not None and prompt["seat"] != self._at.seat:
            return f"It is not your turn: {self._narrator.naming.who(prompt['seat'])} decides. Type ? for help."
        return "It is not your turn. Type ? for help."

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _help(self) -> None:
        show_help(self._screen, AT_A_TABLE)

    @property
    def _is_away(self) -> bool:
        info, seat = self._at.info, self._at.seat
        return info is not None and seat is not None and info["seats"][seat]["away"]

    async def _go_away(self) -> None:
        self._wants_away = True
        self._decision = None
        await self._client.request(self._client.session.away(self._table, on=True))

    async def _come_back(self) -> None:
        self._wants_away = False
        try:
            await self._client.request(self._client.session.away(self._table, on=False))
        except RefusedError as error:
            if error.refusal["code"] != "nothing_to_do":  # the server gives the seat back by itself to who returns
                raise
            if not self._is_away:
                self._screen.line("You play for yourself already.", indent=2)

    async def _shuffle(self, text: str = "") -> None:
        if len(text.encode(errors="replace")) > ENTROPY_MAX_BYTES:
            self._screen.line(f"That text is too long: {ENTROPY_MAX_BYTES} bytes are the most.", indent=2)
            return
        await self._client.request(self._client.session.entropy(self._table, text))
        if text:
            self._screen.line("The next deal is made from that text too.", indent=2)
        else:
            self._screen.line(
                "The next deal is made without a text of yours. Type one behind shuffle to add it.", indent=2
            )

    async def _hint(self) -> None:
        """Tell what each choice is worth, the best first, in the words of the question."""
        asked = self._decision
        answer = cast("Ok", await self._client.request(self._client.session.hint(self._table)))
        words = {} if asked is None else {str(choice.action): choice.words for choice in asked.choices}
        for worth in sorted(answer["worths"], key=lambda worth: -worth["points"]):
            points = f"{worth['points']:+.2f} ± {worth['error']:.2f}"
            self._screen.line(f"{points}  {words.get(worth['action'], worth['action'])}", indent=2)
        unseen = f"over {answer['layouts']} ways the unseen cards may lie, near the end over all"
        self._screen.line(f"Points for your side, {unseen}." if answer["worths"] else "The search has no opinion here.")

    async def _give_time(self) -> None:
        prompt = self._at.prompt
        if prompt is None:
            self._screen.line("Nobody has to decide just now.", indent=2)
            return
        await self._client.request(self._client.session.more_time(self._table, prompt["turn"]))

    async def _show_link(self) -> None:
        token = self._client.session.token
        assert token is not None
        self._screen.line("Open this on another device, and you are yourself there. Whoever has it is you:", indent=2)
        self._screen.verbatim(own_link(self._client.url, token))

    async def _renew_link(self) -> None:
        await self._client.renew_token()
        self._screen.line("You have a new link; the old one is worth nothing any more.", indent=2)
        await self._show_link()

    async def _save_record(self) -> None:
        answer = cast("Ok", await self._client.request(self._client.session.game(self._table)))
        self._screen.line(keep_record(answer["game"], answer["lines"]), indent=2)

    async def _save_finished(self) -> None:
        """Save the record of the game that is just over; where the table keeps its hands to itself, say nothing."""
        with suppress(RefusedError):
            await self._save_record()

    async def _leave(self) -> None:
        if self._at.is_playing and not self._is_sure_to_leave:
            self._is_sure_to_leave = True
            self._screen.line(
                "A bot takes your seat for good. Type leave again to leave, or away for a pause.", indent=2
            )
            return
        await self._leave_now()

    async def _leave_now(self) -> None:
        await self._client.request(self._client.session.leave(self._table))
        self._screen.line("You have left the table.")
        self._ended = Ended.LEFT

    async def _quit(self) -> None:
        self._ended = Ended.QUIT
