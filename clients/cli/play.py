"""`euchre play`: a game in the terminal, in plain lines."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
from typing import Annotated

from cyclopts import Parameter

from bots.addresses import DEFAULT_URL
from bots.connection import NoConnectionError
from clients.cli.addresses import server_url
from clients.cli.client import Client, RefusedError
from clients.cli.comeback import command_to_play
from clients.cli.console import Console
from clients.cli.errors import CommandError, UsageError
from clients.cli.lobby import Lobby, Wishes, failure
from clients.cli.options import read_options
from clients.cli.ownlink import read_own_link
from clients.cli.screen import Screen
from clients.cli.tabletalk import Ended, TableTalk
from clients.cli.tokens import default_token_file
from protocol.codes import ClockName


def play(
    url: str = DEFAULT_URL,
    /,
    *,
    name: str | None = None,
    me: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,  # - for one that is asked for
    table: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,  # an id may begin with one
    seat: Annotated[int | None, Parameter(show_default=False)] = None,
    quick: bool = False,
    preset: str = "standard",
    rule: Annotated[list[str] | None, Parameter(show_default=False)] = None,
    level: str | None = None,
    partner: str | None = None,
    clock: ClockName | None = None,
    seed: int | None = None,
    no_spectators: bool = False,
    bots_stay: bool = False,
    plain: bool = False,  # noqa: ARG001 - the one mode there is
) -> int:
    """Play in this terminal, against people or bots, in plain lines.

    Without --table or --quick it asks what to play. At the table, ? shows what can be typed.

    Parameters
    ----------
    url
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    name
        Who you are; coming back with the same name you are the same player.
    me
        Be the player of this own link, as the page's Settings and link at a table show it; it names the server, too.
        With - it is asked for, and is in no list of commands then. You stay that player.
    table
        Sit down at this table, given by its id or code, or come back to it.
    seat
        Which seat to take there, 0 to 3: who made the table has 0, and 2 is across from it.
    quick
        Go straight to a game against bots; also where the input is no terminal.
    preset
        The rules of a table you make: standard, ladder, practice, club, screw, british, best or championship.
    rule
        Change one rule of it, as in --rule target=5; may be given several times. RULES.md has all options.
    level
        How well the bots of a table you make play: easy, standard, hard or expert.
    partner
        How well your partner plays in a game against bots, where it is not as well as the others.
    clock
        The turn clock of a table you make; by default none against bots, else normal.
    seed
        Deal the cards this number gives, at a table without a clock.
    no_spectators
        At a table you make nobody may watch.
    bots_stay
        At a table you make nobody may sit down in place of a bot.
    plain
        Plain lines without cursor movement, as this program always writes.
    """
    rules = read_options(rule or [], option="--rule")
    wishes = Wishes(
        preset=preset, rules=rules, level=level, partner=partner, clock=clock, seed=seed, spectators=not no_spectators,
        bots_stay=bots_stay,
    )  # fmt: skip
    address, token = (server_url(url), None) if me is None else _read_link(me, url)
    return asyncio.run(_Play(address, name, token, wishes).run(table, seat, quick=quick))


def _read_link(me: str, url: str) -> tuple[str, str]:
    if url != DEFAULT_URL:
        raise UsageError("--me names the server; leave the other address out")
    if me == "-":
        try:
            me = getpass.getpass("Your own link (it is not shown): ")
        except EOFError:
            raise UsageError("no link was given") from None
    return read_own_link(me)


class _Play:
    """One run of the program. *token* is that of an own link."""

    def __init__(self, url: str, name: str | None, token: str | None, wishes: Wishes) -> None:
        self._url = url
        self._name = name
        self._screen = Screen()
        self._console = Console()
        self._client = Client(
            url, name=name, linked=token, tokens=default_token_file(), screen=self._screen, console=self._console
        )
        self._lobby = Lobby(self._client, wishes)
        self._table: str | None = None

    async def run(self, table: str | None, seat: int | None, *, quick: bool) -> int:
        try:
            await self._client.run(self._talk(table, seat, quick=quick or not self._console.is_terminal), self._goodbye)
        except NoConnectionError as error:
            raise CommandError(str(error)) from None
        except RefusedError as error:
            raise failure(error) from None
        return 0

    async def _talk(self, table: str | None, seat: int | None, *, quick: bool) -> None:
        player = await self._client.welcome()
        hint = "" if self._name else " (--name gives you a name)"
        self._screen.line(f"You are {player['name']}{hint}, at {self._url}.")
        if self._client.was is not None:
            that_again = command_to_play(self._url, name=self._client.was)
            self._screen.line(f"Here you were {self._client.was} until now. To be that again: {that_again}")
        if table is not None:
            self._table = await self._lobby.join(table, seat=seat)
        elif quick:
            back = await self._lobby.tables_to_go_back_to()
            if back and back[0].is_playing:
                self._screen.line("You go back to the game you left; leave gives up its seat.")
                self._table = back[0].table
            else:
                self._table = await self._lobby.quick()
        else:
            self._table = await self._lobby.ask()
        while self._table is not None:
            ended = await TableTalk(self._client, self._client.session.tables[self._table]).run()
            if ended is Ended.QUIT:
                await self._goodbye()
                return
            self._table = None
            if not quick:
                self._table = await self._lobby.ask()
        self._screen.line("Goodbye.")

    async def _goodbye(self) -> None:
        """Leave the seat to a bot where a game is played, and say how to come back."""
        session = self._client.session
        follower = session.tables.get(self._table or "")
        if follower is None or follower.info is None or follower.seat is None:
            self._say("Goodbye.")
            return
        back = command_to_play(self._url, table=follower.info["code"] or follower.table, name=self._name)
        if follower.info["state"] == "waiting":
            self._say("Your seat is kept for a while.", f"To come back: {back}")
            return
        if follower.is_playing:
            parting = session.away(follower.table, on=True)
            words = ["A bot plays for you until you come back.", f"To come back: {back}"]
        else:
            parting = session.leave(follower.table)
            words = ["Goodbye."]
        answer = await self._client.begin_request(parting)  # before the words: the terminal may be gone
        self._say(*words)
        if session.is_welcome:
            with contextlib.suppress(RefusedError):  # a bot plays already
                await answer

    def _say(self, *lines: str) -> None:
        self._screen.line()
        for line in lines:
            self._screen.line(line)
