"""Finding a table: a quick game against bots, one's own table, the open tables, or one by its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from clients.cli.asking import show_choices
from clients.cli.client import Client, RefusedError
from clients.cli.errors import CommandError
from clients.cli.naming import naming_at
from engine.cards import PARTNER_OF
from protocol.client import Message
from protocol.codes import ClockName, Visibility
from protocol.follower import TableFollower
from protocol.outgoing import ListedTable, Ok

_SEATS: Final[dict[str, int | None]] = {"": None, "0": 0, "1": 1, "2": 2, "3": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line says about a table to be made. ``clock`` None: none against bots, else the normal one."""

    preset: str = "standard"
    rules: Mapping[str, Any] = field(default_factory=dict)
    level: str | None = None
    partner: str | None = None
    clock: ClockName | None = None
    seed: int | None = None
    spectators: bool = True
    bots_stay: bool = False


class Lobby:
    """One person looking for a table. Every way in returns the table's id, None for none."""

    def __init__(self, client: Client, wishes: Wishes) -> None:
        self._client = client
        self._screen = client.screen
        self._wishes = wishes

    async def ask(self) -> str | None:
        """Ask what to play until there is a table, or nothing is wanted. Raises EndOfInputError."""
        while True:
            deeds = [(_describe_ours(at), at.table) for at in await self.tables_to_go_back_to()]
            deeds += [
                ("Play now, against bots", "quick"),
                ("Make a private table; friends join by its code", "private"),
                ("Make a public table; anybody may join", "public"),
                ("See the public tables", "list"),
                ("Join a table by its code", "code"),
                ("Quit", "quit"),
            ]
            try:
                match await self._ask_number("What would you like to do?", deeds):
                    case "quick":
                        return await self.quick()
                    case "private":
                        return await self.create("private")
                    case "public":
                        return await self.create("public")
                    case "list":
                        table = await self._choose_table()
                    case "code":
                        table = await self._ask_code()
                    case "quit":
                        return None
                    case table:
                        pass
            except RefusedError as error:
                self._screen.line(describe_refusal(error))
                continue
            if table is not None:
                return table

    async def quick(self) -> str:
        """Begin a game against bots at a table of one's own."""
        table = await self._request_table(self._create_message("private", default_clock="none"))
        if self._wishes.partner is not None:
            fill = self._client.session.fill(table, seat=PARTNER_OF[0], level=self._wishes.partner)
            await self._client.request(fill)
        await self._client.request(self._client.session.start(table))
        return table

    async def create(self, visibility: Visibility) -> str:
        """Make a table for others to join."""
        return await self._request_table(self._create_message(visibility, default_clock="normal"))

    async def join(self, id_or_code: str, *, seat: int | None = None) -> str:
        """Sit down at a table, or come back to it. Raises RefusedError."""
        for mine in self._client.my_tables:
            if id_or_code == mine["table"] or id_or_code.upper() == mine["code"].upper():
                return mine["table"]
        session = self._client.session
        try:
            return await self._request_table(session.join(table=id_or_code, seat=seat))
        except RefusedError as error:
            if error.refusal["code"] != "no_such_table":
                raise
            return await self._request_table(session.join(code=id_or_code, seat=seat))

    async def tables_to_go_back_to(self) -> list[TableFollower]:
        """Return the tables we sit at, those with a game on first."""
        tables = self._client.session.tables
        for mine in self._client.my_tables:
            while mine["table"] in tables and tables[mine["table"]].info is None:
                await self._client.next()
        ours = [at for at in tables.values() if at.info is not None and at.seat is not None]
        return sorted(ours, key=lambda at: not at.is_playing)

    def _create_message(self, visibility: Visibility, *, default_clock: ClockName) -> Message:
        wishes = self._wishes
        return self._client.session.create(
            wishes.preset,
            rules=dict(wishes.rules) or None,
            visibility=visibility,
            clock=wishes.clock or default_clock,
            bots=wishes.level,
            spectators=wishes.spectators,
            bots_stay=wishes.bots_stay,
            seed=wishes.seed,
        )

    async def _request_table(self, message: Message) -> str:
        answer = cast("Ok", await self._client.request(message))
        return answer["table"]

    async def _choose_table(self) -> str | None:
        answer = cast("Ok", await self._client.request(self._client.session.list_tables("all")))
        tables = answer.get("tables", [])
        if not tables:
            self._screen.line("No public table is open.")
            return None
        choices = [(_describe(table), table["table"]) for table in tables] + [("None of these", "")]
        table = await self._ask_number("Which table?", choices)
        return await self.join(table) if table else None

    async def _ask_code(self) -> str | None:
        text = await self._client.ask(
            "Which code? (Enter: none. With a seat behind it, as in KQ7M 2, you sit there: who made the table has 0.)"
        )
        code, _, seat = text.partition(" ")
        if seat.strip() not in _SEATS:
            self._screen.line(f"There is no seat {seat.strip()}.")
            return None
        return await self.join(code, seat=_SEATS[seat.strip()]) if code else None

    async def _ask_number(self, question: str, choices: Sequence[tuple[str, str]]) -> str:
        while True:
            self._screen.line()
            show_choices(self._screen, question, [words for words, _ in choices])
            text = await self._client.ask()
            if text.isdecimal() and 1 <= int(text) <= len(choices):
                return choices[int(text) - 1][1]
            if text.lower() in {"q", "quit", "exit"} and choices[-1][1] == "quit":
                return "quit"
            self._screen.line(f"Type a number from 1 to {len(choices)}.")


def _describe_ours(at: TableFollower) -> str:
    """Say what tells a table of ours from another of the same name."""
    assert at.info is not None
    others = [place["name"] for place in at.info["seats"] if place["name"] and place["seat"] != at.seat]
    company = f" with {', '.join(others)}" if others else ""
    score = f": {naming_at(at.info, at.seat).tally(at.view.score)}" if at.view is not None else ""
    return f"Go back to {at.info['name']}, code {at.info['code']}, {at.info['state']}{company}{score}"


def _describe(table: ListedTable) -> str:
    people = [seat["name"] or "?" for seat in table["seats"] if seat["kind"] == "human"]
    open_seats = sum(seat["kind"] == "open" for seat in table["seats"])
    free = f"{open_seats} {'seat' if open_seats == 1 else 'seats'} open" if open_seats else "no seat open"
    changed = f", changed: {', '.join(table['changed']).replace('_', ' ')}" if table["changed"] else ""
    return (
        f"{table['name']}: {', '.join(people) or 'nobody'}; {free}; {table['preset']} rules{changed}; {table['state']}"
    )


def describe_refusal(error: RefusedError) -> str:
    """Return a refusal as one line; for bad rules every field and why."""
    fields = error.refusal.get("fields")
    if fields:
        return "The server refuses these rules: " + "; ".join(f"{name}: {why}" for name, why in fields.items()) + "."
    return f"The server refuses: {error.refusal['detail'].rstrip('.')}."


def failure(error: RefusedError) -> CommandError:
    """Return the refusal as what ends the program."""
    return CommandError(describe_refusal(error))
