"""`euchre watch`: looking on at a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, cast

from cyclopts import Parameter

from bots.addresses import DEFAULT_URL
from bots.connection import NoConnectionError
from clients.cli.addresses import server_url
from clients.cli.client import Client, RefusedError, Typed
from clients.cli.console import Console
from clients.cli.errors import CommandError, refuse_option
from clients.cli.help import WATCHING, show_help
from clients.cli.lobby import describe_refusal, failure
from clients.cli.narrator import Narrator
from clients.cli.screen import Screen
from clients.cli.tokens import default_token_file
from protocol.outgoing import Ok
from protocol.updates import Answered, Chatted, EventsArrived, PresenceChanged, TableGone, ViewArrived, Welcomed


def watch(
    table: Annotated[str, Parameter(allow_leading_hyphen=True)],  # an id may begin with one
    url: str = DEFAULT_URL,
    /,
    *,
    name: str | None = None,
) -> int:
    """Look on at a table, given by its id or code: a sentence for everything that happens.

    ? shows what can be typed meanwhile.

    Parameters
    ----------
    table
        The table's id or code.
    url
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    name
        Who you are.
    """
    refuse_option(table)
    return asyncio.run(_Watch(server_url(url), name).run(table))


class _Watch:
    """One run of the program."""

    def __init__(self, url: str, name: str | None) -> None:
        self._screen = Screen()
        self._client = Client(
            url, name=name, tokens=default_token_file(), screen=self._screen, console=Console(), ends_with_input=False
        )

    async def run(self, id_or_code: str) -> int:
        try:
            await self._client.run(self._talk(id_or_code), self._goodbye)
        except NoConnectionError as error:
            raise CommandError(str(error)) from None
        except RefusedError as error:
            raise failure(error) from None
        return 0

    async def _goodbye(self) -> None:
        self._screen.line()
        self._screen.line("Goodbye.")

    async def _talk(self, id_or_code: str) -> None:
        await self._client.welcome()
        table = await self._watch(id_or_code)
        narrator = Narrator(self._screen, self._client.session.tables[table])
        commands = self._commands(narrator)
        if narrator.at.seq is not None:
            narrator.introduce(with_table=True)
        while True:
            match await self._client.next():
                case Typed(text):
                    word = text.lower()
                    if word in {"quit", "q", "exit"}:
                        return
                    if word.startswith("say ") and word != "say ":
                        await self._client.say(table, text[len("say ") :])
                    elif word in commands:
                        commands[word]()
                    elif word:
                        self._screen.line("Type ? for help.", indent=2)
                case EventsArrived() | ViewArrived() as update if update.table == table and _is_news(narrator, update):
                    narrator.tell(update)
                case PresenceChanged() | Chatted() as update if update.table == table:
                    narrator.tell(update)
                case TableGone(gone, why) if gone == table:
                    self._screen.line(f"The table is gone{f': {why}' if why else ''}.")
                    return
                case Answered() as answered if answered.refusal is not None:
                    self._screen.line(describe_refusal(RefusedError(answered.refusal)))
                case Welcomed():
                    self._screen.line("Back at the table.")
                case _:
                    pass

    async def _watch(self, id_or_code: str) -> str:
        session = self._client.session
        try:
            answer = await self._client.request(session.watch(table=id_or_code))
        except RefusedError as error:
            if error.refusal["code"] != "no_such_table":
                raise
            answer = await self._client.request(session.watch(code=id_or_code))
        return cast("Ok", answer)["table"]

    def _commands(self, narrator: Narrator) -> dict[str, Callable[[], None]]:
        return {
            "?": self._help,
            "help": self._help,
            "table": narrator.show_all,
            "score": narrator.show_score,
            "last": narrator.show_last_trick,
            "l": narrator.show_last_trick,
            "deal": narrator.show_deal,
            "who": narrator.show_seats,
            "rules": narrator.show_rules,
        }

    def _help(self) -> None:
        show_help(self._screen, WATCHING)


def _is_news(narrator: Narrator, update: EventsArrived | ViewArrived) -> bool:
    known, seq = narrator.at.seq, update.after.seq
    return known is None or (seq is not None and seq > known)
