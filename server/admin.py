"""`euchre admin`: looking after a server's database from a command line, whether or not the server runs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from protocol.errors import UnfitTextError
from protocol.names import bot_owner, bot_version, display_name
from server.main import DATABASE_VARIABLE, RECORDS_NAME
from server.players import MAX_BOTS_PER_OWNER, Players, TooManyBotsError
from server.restarts import Restarts, time_of_day_ms
from server.store import Store, StoreAwayError, StoreError
from server.store.opening import open_store, url_of_file

_FAILURE: Final = 1
_LONGEST_MIN: Final = 24 * 60


class AdminError(Exception):
    """It cannot be done; the message is one line that says why."""


def migrate(*, data: Path = Path(), database: str | None = None) -> int:
    """Bring the database up to this version, or make it; a server does the same when it starts.

    Args:
        data: The server's folder, with records.db.
        database: The server's --database, or the environment variable EUCHRE_DATABASE.
    """

    async def work(_: Store) -> None:
        sys.stdout.write("The database is up to date.\n")

    return _run(data, database, work, may_make=True)


def add_bot(
    name: str, /, *, owner: str, version: str | None = None, data: Path = Path(), database: str | None = None
) -> int:
    """Make an account for an external bot and print its token, alone on standard output.

    The token is shown this once; only its hash is kept. If the owner has a bot of this name, that gets a new token and
    version, and the token it had is worthless from its next connection on.

    Args:
        name: What the bot is called at tables.
        owner: Who answers for it, such as an e-mail address.
        version: The bot's version, as its owner counts; if it is not told, what it was stays.
        data: The server's folder, with records.db.
        database: The server's --database, or the environment variable EUCHRE_DATABASE.
    """

    async def work(store: Store) -> None:
        try:
            name_, owner_ = display_name(name), bot_owner(owner)
            version_ = None if version is None else bot_version(version)
            registered = await Players(store, time_of_day_ms).register_bot(owner_, name_, version_)
        except UnfitTextError as error:
            raise AdminError(error.detail) from None
        except TooManyBotsError:
            raise AdminError(f"{owner} has {MAX_BOTS_PER_OWNER} bots, which is the most; revoke one first") from None
        if registered.is_renewed:
            sys.stderr.write(f"{owner_} had {name_} already: the token it had is worthless now.\n")
        sys.stderr.write(f"{name_} is {registered.id}; its token, which is shown only now:\n")
        sys.stdout.write(f"{registered.token}\n")

    return _run(data, database, work)


def list_bots(*, owner: str | None = None, data: Path = Path(), database: str | None = None) -> int:
    """List the external bots whose token stands.

    Args:
        owner: Only this owner's.
        data: The server's folder, with records.db.
        database: The server's --database, or the environment variable EUCHRE_DATABASE.
    """

    async def work(store: Store) -> None:
        for bot in await Players(store, time_of_day_ms).bots(owner):
            made = datetime.fromtimestamp(bot.made_ms / 1000, UTC).date()
            sys.stdout.write(f"{bot.id}  {made}  {bot.name}  {bot.version or '-'}  {bot.owner}\n")

    return _run(data, database, work)


def revoke_bot(bot: str, /, *, data: Path = Path(), database: str | None = None) -> int:
    """Make a bot's token worthless from its next connection on. Its finished games stay.

    Args:
        bot: The bot's id, as `euchre admin bots list` shows it.
        data: The server's folder, with records.db.
        database: The server's --database, or the environment variable EUCHRE_DATABASE.
    """

    async def work(store: Store) -> None:
        if not await Players(store, time_of_day_ms).revoke(bot):
            raise AdminError(f"{bot!r} is no bot with a token; see: euchre admin bots list")
        sys.stdout.write(f"The token of {bot} is revoked.\n")

    return _run(data, database, work)


def announce_restart(minutes: int, /, *, data: Path = Path(), database: str | None = None) -> int:
    """Tell everybody who plays or watches, on every node, that the server restarts in so many minutes.

    It is only said: stop the server yourself when the time has come. Said again, the latest counts.

    Args:
        minutes: From now, up to a day.
        data: The server's folder, with records.db.
        database: The server's --database, or the environment variable EUCHRE_DATABASE.
    """

    async def work(store: Store) -> None:
        if not 1 <= minutes <= _LONGEST_MIN:
            raise AdminError(f"announce a restart 1 to {_LONGEST_MIN} minutes ahead")
        at_ms = time_of_day_ms() + minutes * 60_000
        await Restarts(store, time_of_day_ms).announce(at_ms)
        at = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone()
        sys.stdout.write(f"Players are told that the server restarts at {at:%H:%M}, in {minutes} min.\n")

    return _run(data, database, work)


def call_off_restart(*, data: Path = Path(), database: str | None = None) -> int:
    """Tell everybody who heard of a restart that it does not come.

    Args:
        data: The server's folder, with records.db.
        database: The server's --database, or the environment variable EUCHRE_DATABASE.
    """

    async def work(store: Store) -> None:
        if not await Restarts(store, time_of_day_ms).call_off():
            raise AdminError("no restart is announced")
        sys.stdout.write("Players are told that the server does not restart.\n")

    return _run(data, database, work)


def _run(data: Path, database: str | None, work: Callable[[Store], Awaitable[None]], *, may_make: bool = False) -> int:
    """Open the store, do *work* and return the exit status."""

    async def open_and_do() -> None:
        store = await open_store(_url(data, database, may_make=may_make))
        try:
            await work(store)
        finally:
            await store.close()

    try:
        asyncio.run(open_and_do())
    except (AdminError, StoreError, StoreAwayError) as error:
        sys.stderr.write(f"euchre admin: {error}\n")
        return _FAILURE
    return 0


def _url(data: Path, database: str | None, *, may_make: bool) -> str:
    named = database or os.environ.get(DATABASE_VARIABLE)
    if named:
        return named
    file = data / RECORDS_NAME
    # A mistyped folder would otherwise get a database of its own, and the bot's token would be nobody's.
    if not may_make and not file.exists():
        raise AdminError(f"there is no {file}; name the server's --data folder or its --database")
    return url_of_file(file)
