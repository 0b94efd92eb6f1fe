"""`euchre bot`: for authors of bots: check one, register one, play with one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Annotated, Final

from cyclopts import App, Parameter

from bots.addresses import DEFAULT_URL
from bots.connection import Connection, NoConnectionError
from bots.sdk.bot import BotFaultError
from bots.sdk.checking import Checked, check, hands_checked
from bots.sdk.hosting import LIMIT_S
from bots.sdk.loading import BotSource, LoadError, is_class_in_file, load_class, load_program
from bots.sdk.runner import Runner, Wish
from bots.worker import log_to_stderr
from clients.cli.addresses import server_url
from clients.cli.errors import FAILURE, CommandError, UsageError
from clients.cli.progress import progress_bar
from clients.cli.recordfile import print_plain
from clients.cli.tokens import TokenFile, default_token_file
from protocol.client import ClientSession, Message
from protocol.codes import TOKEN_IN_WORDS, TOKEN_PATTERN
from protocol.outgoing import Ok
from protocol.updates import Answered, Welcomed

TOKEN_VARIABLE: Final = "EUCHRE_BOT_TOKEN"
"""The environment variable with a bot's token: arguments can be read by everyone on the machine."""
_ANSWER_LIMIT_S: Final = 30

bot: Final = App(name="bot")


def load(which: str | None, stdio: str | None) -> BotSource:
    """Return the bot a command line names, in one of the two ways. Raises UsageError."""
    if (which is None) == (stdio is None):
        raise UsageError("name a bot, my_bot.py:MyBot or --stdio COMMAND")
    try:
        return load_program(stdio) if stdio is not None else load_class(which or "")
    except LoadError as error:
        raise UsageError(str(error)) from None


def bot_tokens() -> TokenFile:
    """Return where the tokens of bots are kept, by server and name."""
    return default_token_file(name="bots.json")


@bot.command(name="check", sort_key=0)
def check_(
    which: str | None = None,
    /,
    *,
    stdio: Annotated[str | None, Parameter(show_default=False)] = None,
    limit: float = LIMIT_S,
    as_json: Annotated[bool, Parameter(name="--json")] = False,
) -> int:
    """Ask a bot for every kind of decision there is, and tell every answer that does not count.

    It plays hands that were set up for it: every preset, the Benny, relief, going alone, defending alone, exchanges,
    claims and the rest. A line for each finding: the hand and decision, what was wrong, what was legal, how long it
    took. The exit status is 1 where there is one.

    Parameters
    ----------
    which
        A class in a file: my_bot.py:MyBot.
    stdio
        The command of a program instead, which reads a JSON object a line and answers with a line.
    limit
        How many seconds it may think about a decision.
    as_json
        Print a JSON line for each finding instead, and one with all figures at the end.
    """
    source = load(which, stdio)
    try:
        return _check(source, limit_s=limit, as_json=as_json)
    except LoadError as error:
        raise UsageError(str(error)) from None


def _check(source: BotSource, *, limit_s: float, as_json: bool) -> int:
    decisions, findings, longest_s, hands = 0, 0, 0.0, set[str]()
    with progress_bar(f"checking {source.name}", hands_checked()) as advance:
        for checked in check(source, limit_s=limit_s):
            advance(checked.hand not in hands)
            hands.add(checked.hand)
            decisions += checked.decision > 0
            longest_s = max(longest_s, checked.took_s)
            if checked.fault is not None:
                findings += 1
                if as_json:
                    print_plain(finding_to_plain(checked, checked.fault))
                else:
                    print(finding(checked, checked.fault), flush=True)
    if as_json:
        figures = {"hands": len(hands), "decisions": decisions, "findings": findings}
        print_plain({"bot": source.name, **figures, "longest_ms": _milliseconds(longest_s)})
        return FAILURE if findings else 0
    verdict = "no finding" if not findings else f"{findings} finding{'s' if findings > 1 else ''}"
    print(f"{decisions} decisions in {len(hands)} hands: {verdict}; the longest took {1000 * longest_s:.1f} ms.")
    return FAILURE if findings else 0


def finding(checked: Checked, fault: BotFaultError) -> str:
    """Return the line of an answer that does not count."""
    at = f"{checked.hand}:{checked.decision}: seat {checked.seat}, {checked.phase}"
    is_told = not checked.legal or "legal: " in str(fault)
    legal = "" if is_told else f"; legal: {', '.join(map(str, checked.legal))}"
    return f"{at}: {fault}{legal} ({1000 * checked.took_s:.1f} ms)"


def finding_to_plain(checked: Checked, fault: BotFaultError) -> dict[str, object]:
    """Return the JSON line of an answer that does not count."""
    return {
        "hand": checked.hand,
        "decision": checked.decision,
        "seat": checked.seat,
        "phase": str(checked.phase),
        "kind": fault.kind,
        "detail": fault.detail,
        "legal": [str(action) for action in checked.legal],
        "took_ms": _milliseconds(checked.took_s),
    }


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)


# ── on a server ──────────────────────────────────────────────────────────────────────────────────────────────────────


@bot.command(name="register", sort_key=1)
def register(which: str, /, *, server: str = DEFAULT_URL, version: str | None = None, owner: str | None = None) -> int:
    """Get an account for a bot at a server, and keep its token for euchre bot run.

    A bot that you registered before gets a new token and the version you tell; the token it had stops working.

    Parameters
    ----------
    which
        What the bot is called at the server; or a class in a file, my_bot.py:MyBot, which says its name and version.
    server
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    version
        Which version of the bot it is; if nothing tells it, what it was stays.
    owner
        Whose bot it is: the name you play under in euchre play. By default you are who played last.
    """
    name = which
    if is_class_in_file(which):
        source = load(which, None)
        name, version = source.name, version or source.version or None
    url = server_url(server)
    people = default_token_file()
    session = _session_of(url, owner)
    answer = _ask(url, session, lambda: session.register_bot(name, version=version))
    tokens = bot_tokens()
    with contextlib.suppress(OSError):
        if session.player is not None and session.token is not None:
            people.keep(url, owner or session.player["name"], session.token)  # whose bot it is
        tokens.keep(url, name, answer["token"])
    if answer.get("renewed"):
        print(f"{name} was registered at {url} before: the token it had stops working.")
        print(f"Its new token, which the server tells this once: {answer['token']}")
    else:
        print(f"{name} is registered at {url}. Its token, which the server tells this once: {answer['token']}")
    print(f"It is kept in {tokens.path}, where euchre bot run finds it under that name.")
    return 0


@bot.command(name="list", sort_key=2)
def list_(*, server: str = DEFAULT_URL, owner: str | None = None) -> int:
    """List the bots you registered at a server: name, version, and the day of the registration.

    Parameters
    ----------
    server
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    owner
        Whose bots: the name you play under in euchre play. By default you are who played last.
    """
    url = server_url(server)
    session = _session_of(url, owner, must_be_known=True)
    bots = _ask(url, session, session.list_bots).get("bots", [])
    for one in bots:
        made = datetime.fromtimestamp(one["made_ms"] / 1000, UTC).date()
        print(f"{one['name']}  {one['version'] or '-'}  {made}")
    if not bots:
        print(f"No bot of yours is registered at {url}.")
    return 0


@bot.command(name="revoke", sort_key=3)
def revoke(name: str, /, *, server: str = DEFAULT_URL, owner: str | None = None) -> int:
    """Give a bot of yours up: its token is worthless from its next connection on. The games it played stay.

    Parameters
    ----------
    name
        What the bot is called at the server; euchre bot list tells.
    server
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    owner
        Whose bot it is: the name you play under in euchre play. By default you are who played last.
    """
    url = server_url(server)
    session = _session_of(url, owner, must_be_known=True)
    _ask(url, session, lambda: session.revoke_bot(name))
    tokens = bot_tokens()
    token = tokens.find(url, name)
    with contextlib.suppress(OSError):
        if token is not None:
            tokens.forget(url, token)
    print(f"The token of {name} at {url} is revoked.")
    return 0


def _session_of(url: str, owner: str | None, *, must_be_known: bool = False) -> ClientSession:
    """Return the session of a person; who *must_be_known* has been at the server before. Raises CommandError."""
    token = default_token_file().find(url, owner)
    if token is None and must_be_known:
        who = "you have" if owner is None else f"{owner} has"
        raise CommandError(f"{who} no bot at {url}; euchre bot register makes an account for one")
    return ClientSession(name=owner, token=token, client="euchre-cli")


def _ask(url: str, session: ClientSession, command: Callable[[], Message]) -> Ok:
    """Connect, give *command*, which is one of the session's, and return its answer. Raises CommandError."""
    try:
        return asyncio.run(_answer_to(command, Connection(url, session)))
    except NoConnectionError as error:
        raise CommandError(str(error)) from None
    except TimeoutError:
        raise CommandError(f"no answer from {url} within {_ANSWER_LIMIT_S} s") from None


async def _answer_to(command: Callable[[], Message], connection: Connection) -> Ok:
    is_sent = False
    async with asyncio.timeout(_ANSWER_LIMIT_S), aclosing(connection.updates()) as updates:
        async for update in updates:
            match update:
                case Welcomed() if not is_sent:  # the session sends it again by itself
                    command()
                    is_sent = True
                    await connection.flush()
                case Answered(request=dict()) if update.answer["t"] == "ok":
                    return update.answer
                case Answered(request=dict()) if update.refusal is not None:
                    raise NoConnectionError(f"The server refuses: {update.refusal['detail']}.")
                case _:
                    pass
    raise AssertionError("updates do not end by themselves")


@bot.command(name="run", sort_key=4)
def run(
    which: str | None = None,
    /,
    *,
    stdio: Annotated[str | None, Parameter(show_default=False)] = None,
    server: str = DEFAULT_URL,
    name: Annotated[str | None, Parameter(show_default=False)] = None,
    token: Annotated[str | None, Parameter(show_default=False)] = None,
    tables: int = 1,
    table: Annotated[str | None, Parameter(allow_leading_hyphen=True, show_default=False)] = None,
    preset: str = "standard",
    games: Annotated[int | None, Parameter(show_default=False)] = None,
    limit: float = LIMIT_S,
) -> int:
    """Play with a bot on a server, over the same connection as people, until it is stopped.

    It sits down at public tables that wait for players, or makes its own; plays whole games and further ones; and comes
    back by itself after a lost connection or a restart of the server.

    Parameters
    ----------
    which
        A class in a file: my_bot.py:MyBot.
    stdio
        The command of a program instead, which reads a JSON object a line and answers with a line.
    server
        The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
    name
        The name it was registered with; by default the bot's own.
    token
        Its token; by default EUCHRE_BOT_TOKEN of the environment, or what euchre bot register kept. A server started
        with --dev wants none.
    tables
        At how many tables it plays at a time.
    table
        Play at this table only, given by its id or code.
    preset
        The rules of tables it makes.
    games
        Stop after so many games.
    limit
        How many seconds it may think about a decision; less where the clock says so.
    """
    source = load(which, stdio)
    url = server_url(server)
    name = name or source.name
    token = token or os.environ.get(TOKEN_VARIABLE) or bot_tokens().find(url, name)
    if tables < 1 or (games is not None and games < 1):
        raise UsageError("--tables and --games are 1 or more")
    if token and re.fullmatch(TOKEN_PATTERN, token) is None:
        raise UsageError(f"a token is {TOKEN_IN_WORDS}")
    wish = Wish(tables=tables, table=table, preset=preset, games=games, limit_s=limit)
    log_to_stderr()
    try:
        asyncio.run(_run_until_stopped(Runner(source, url, wish, name=name, token=token)))
    except (NoConnectionError, LoadError) as error:
        raise CommandError(str(error)) from None
    return 0


async def _run_until_stopped(runner: Runner) -> None:
    running = asyncio.create_task(runner.run())
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await running
