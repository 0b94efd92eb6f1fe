"""`euchre games`: the finished games we took part in, and their records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, cast

from cyclopts import Parameter

from bots.addresses import DEFAULT_URL
from bots.connection import NoConnectionError
from clients.cli.addresses import server_url
from clients.cli.client import Client, RefusedError
from clients.cli.console import Console
from clients.cli.errors import CommandError, UsageError
from clients.cli.lobby import failure
from clients.cli.recordfile import keep_record
from clients.cli.screen import Screen
from clients.cli.tokens import default_token_file
from engine.cards import team_of
from protocol.outgoing import Ok, PlayedGame


def games(
    url: str = DEFAULT_URL,
    /,
    *,
    name: str | None = None,
    count: int = 20,
    save: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    as_json: Annotated[bool, Parameter(name="--json")] = False,
) -> int:
    """List the finished games you took part in, the latest first.

    Parameters
    ----------
    url
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    name
        Who you are; by default whoever played there last from here.
    count
        How many games to list.
    save
        Save the record of this game instead, given by the name at the end of its line.
    as_json
        A line of JSON for each.
    """
    if count < 1:
        raise UsageError("--count is a number from 1")
    address = server_url(url)
    tokens = default_token_file()
    if tokens.find(address, name) is None:
        who = "nobody has" if name is None else f"{name} has not"
        raise CommandError(f"{who} played at {address} from here; euchre play goes on under a name with --name")
    client = Client(address, name=name, tokens=tokens, screen=Screen(), console=Console(), ends_with_input=False)
    return asyncio.run(_Games(client).run(count, save, as_json=as_json))


class _Games:
    """One run of the program."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def run(self, count: int, save: str | None, *, as_json: bool) -> int:
        talk = self._list(count, as_json=as_json) if save is None else self._save(save)
        try:
            await self._client.run(talk, self._goodbye)
        except NoConnectionError as error:
            raise CommandError(str(error)) from None
        except RefusedError as error:
            raise failure(error) from None
        return 0

    async def _goodbye(self) -> None:
        pass

    async def _games(self) -> AsyncIterator[PlayedGame]:
        """Yield every game, page by page."""
        before: int | None = None
        while True:
            answer = cast("Ok", await self._client.request(self._client.session.games(before)))
            for game in answer["games"]:
                yield game
                before = game["n"]
            if not answer["games"]:
                return

    async def _list(self, count: int, *, as_json: bool) -> None:
        await self._client.welcome()
        listed = 0
        async for game in self._games():
            if listed == count:
                return
            listed += 1
            print(json.dumps(game) if as_json else described(game))  # a line each, however long
        if not listed and not as_json:
            self._client.screen.line("No finished games yet.")

    async def _save(self, wanted: str) -> None:
        await self._client.welcome()
        async for game in self._games():
            if game["game"] == wanted:
                answer = await self._client.request(self._client.session.game(game["table"], wanted))
                self._client.screen.line(keep_record(wanted, cast("Ok", answer)["lines"]))
                return
        raise CommandError(f"you took part in no finished game called {wanted}")


def described(game: PlayedGame) -> str:
    """Return a game in one line: when, how it went for us, with and against whom, its name."""
    when = datetime.fromtimestamp(game["ended_ms"] / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    seat, us = game["seat"], team_of(game["seat"])
    how = "drew" if game["winner"] is None else "won" if game["winner"] == us else "lost"
    names = {one["seat"]: one["name"] or "nobody" for one in game["players"]}
    against = " and ".join(names[other] for other in sorted(names) if team_of(other) != us)
    score = f"{game['score'][us]}-{game['score'][1 - us]}"
    return (
        f"{when}  {how:4} {score:5}  with {names[(seat + 2) % 4]} against {against}  {game['preset']}  {game['game']}"
    )
