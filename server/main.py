"""`euchre serve`: one process, its log and its bot workers, until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import importlib.util
import ipaddress
import os
import re
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import structlog

from protocol import outgoing
from protocol.codes import TOKEN_IN_WORDS, TOKEN_PATTERN, CloseCode
from server.addresses import Proxies
from server.archive import Archive
from server.archivist import Archivist
from server.bus import Bus, MemoryBus
from server.connections import WEBSOCKET_PATH, Front
from server.database import Database, DatabaseError, open_database
from server.directory import Directory, MemoryDirectory
from server.limits import RATES, Throttle
from server.lobby import Lobby
from server.log import Log, LogUnavailableError, steady_clock
from server.log.memory import MemoryLog
from server.log.sqlite import SqliteLog
from server.logs import configure_logs
from server.pages import load_pages
from server.peers import Peers
from server.players import Players
from server.restarts import Restarts, time_of_day_ms
from server.rounds import Rounds
from server.session import House
from server.staff import WORKER_TOKEN_VARIABLE, Staff
from server.store import Store, StoreAwayError, StoreError
from server.store.opening import IN_MEMORY, open_store, url_of_file
from server.workers import WorkerPool

LOG_NAME: Final = "euchre.db"
RECORDS_NAME: Final = "records.db"
LOG_VARIABLE: Final = "EUCHRE_LOG"
DATABASE_VARIABLE: Final = "EUCHRE_DATABASE"
"""Hold --log and --database, too: arguments, which may have a password, can be read by everyone on the machine."""
DEFAULT_PORT: Final = 8765
_YOUNG_OBJECTS: Final = 100_000
_SEED_FOR_AUTHORS: Final = 1
_RETRY_AFTER_DRAIN_MS: Final = 1500
_ORIGIN: Final = re.compile(r"https?://[^/?#@\s]+")
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, section 5.6.2."""
_FAILURE, _USAGE = 1, 2

_log = structlog.get_logger("server")


class StartError(Exception):
    """The server cannot start; the message is one line that says why, ``status`` the exit status."""

    def __init__(self, line: str, status: int = _FAILURE) -> None:
        self.status = status
        super().__init__(line)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line asked for."""

    host: str
    port: int
    log: str
    database: str | None
    data: Path
    workers: int
    pace: float
    origins: frozenset[str]
    has_limits: bool
    is_for_authors: bool
    proxies: Proxies | None

    @property
    def is_shared(self) -> bool:
        """Tell whether this server is one node of several, whose tables are in a Redis."""
        return self.log.startswith(("redis://", "rediss://"))


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    data: Path = Path(),
    log: str | None = None,
    database: str | None = None,
    workers: int = 1,
    pace: float = 1.0,
    origin: tuple[str, ...] = (),
    limits: Literal["on", "off"] = "on",
    dev: bool = False,
    proxy_header: str | None = None,
    proxy_hops: int = 1,
    log_format: Literal["auto", "json", "console"] = "auto",
    log_level: Literal["debug", "info", "warning", "error"] = "info",
) -> int:
    """Run a server, with its bots, until it is interrupted.

    Args:
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        data: Folder of the files euchre.db, the tables, and records.db, the players and their finished games.
        log: Where tables are recorded: sqlite, their file; memory, forgotten at the end; or for several servers
            that are one house redis://USER:PASSWORD@HOST/0. The environment variable EUCHRE_LOG says it, too.
        database: Where players and finished games are kept instead: sqlite:///FILE or
            postgresql://USER:PASSWORD@HOST/NAME. The environment variable EUCHRE_DATABASE says it, too.
        workers: How many bot worker processes to start.
        pace: Scales the pauses that let people follow the bots; 0 has none.
        origin: A web origin, beside the server's own, whose pages may connect, like https://example.org.
        limits: How much a peer may do in a time is limited; off is for tests and measurements.
        dev: For authors of bots: bots need no token, nothing is limited, no table has a clock, and every table is dealt
            the same cards. On this machine only.
        proxy_header: The header your proxy names the client's address in, like X-Forwarded-For; without it the
            socket's address counts.
        proxy_hops: How many proxies of yours, one behind the other, add to that header.
        log_format: JSON lines, lines for people, or lines for people on a terminal and JSON elsewhere.
        log_level: The least severe log lines to write.
    """
    configure_logs(log_format, log_level)
    log = log or os.environ.get(LOG_VARIABLE) or "sqlite"
    database = database or os.environ.get(DATABASE_VARIABLE)
    proxies = None if proxy_header is None and proxy_hops == 1 else Proxies(proxy_header or "", proxy_hops)
    has_limits = limits == "on" and not dev
    origins = frozenset(one.removesuffix("/").lower() for one in origin)  # as browsers write them
    settings = Settings(host, port, log, database, data, workers, pace, origins, has_limits, dev, proxies)
    # Every action makes some hundred small frozen values and no cycles: looking for cycles less often costs little
    # memory and saves a fifth of the time.
    gc.set_threshold(_YOUNG_OBJECTS, 20, 50)
    _allow_connections()
    try:
        _check(settings)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_serve(settings))
    except (StartError, DatabaseError, StoreError, StoreAwayError, LogUnavailableError) as error:
        sys.stderr.write(f"euchre serve: {error}\n")
        return error.status if isinstance(error, StartError) else _FAILURE
    return 0


def _check(settings: Settings) -> None:
    if not 0 <= settings.port <= 65535:
        raise StartError("--port is a number from 0 to 65535", _USAGE)
    if settings.is_for_authors and not _is_loopback(settings.host):
        raise StartError("--dev lets every bot in, so --host must be of this machine: 127.0.0.1 or ::1", _USAGE)
    if not 0 <= settings.workers <= 64:
        raise StartError("--workers is a number from 0 to 64", _USAGE)
    if not 0 <= settings.pace <= 10:
        raise StartError("--pace is a number from 0 to 10", _USAGE)
    if settings.log not in {"sqlite", "memory"} and not settings.is_shared:
        raise StartError("--log is sqlite, memory or the URL of a Redis, like redis://host:6379/0", _USAGE)
    if settings.is_shared and not (settings.database or "").startswith(("postgresql://", "postgres://")):
        raise StartError(
            "servers that share a Redis share their players, too: add --database postgresql://user:password@host/name",
            _USAGE,
        )
    for origin in settings.origins:
        if _ORIGIN.fullmatch(origin) is None:
            raise StartError("--origin is where pages come from, without a path, like https://example.org", _USAGE)
    if settings.proxies is not None and not 1 <= settings.proxies.hops <= 16:
        raise StartError("--proxy-hops is a number from 1 to 16", _USAGE)
    if settings.proxies is not None and _HEADER.fullmatch(settings.proxies.header) is None:
        raise StartError(
            "--proxy-header, which --proxy-hops goes with, is the name of a header, like X-Forwarded-For", _USAGE
        )
    if re.fullmatch(TOKEN_PATTERN, os.environ.get(WORKER_TOKEN_VARIABLE) or "unset") is None:
        raise StartError(f"{WORKER_TOKEN_VARIABLE} is {TOKEN_IN_WORDS}", _USAGE)


def _allow_connections() -> None:
    """Raise how many files this process may open, a connection being one, as far as it may without asking anybody."""
    try:
        import resource  # noqa: PLC0415  # not on every platform
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):  # macOS says "unlimited" and does not mean it
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop where it is installed, asyncio's own elsewhere."""
    try:
        import uvloop  # noqa: PLC0415  # not on every platform
    except ImportError:
        return None
    return uvloop.new_event_loop


async def _serve(settings: Settings) -> None:
    stop = _stop_on_signals()
    async with contextlib.AsyncExitStack() as opened:
        # Before any file is made: who cannot have the port leaves nothing behind.
        listener = opened.enter_context(_listen(settings))
        back, file = await _open_back(settings)
        log = back.log
        opened.push_async_callback(log.close)
        store = await open_store(settings.database or _own_database(settings))
        opened.push_async_callback(store.close)
        if file is not None:
            await file.move_players(Players(store, log.now_ms).take_over)
        await _open_house(settings, back, store, listener, stop)
    _log.info("stopped")


async def _open_house(
    settings: Settings, back: _Back, store: Store, listener: socket.socket, stop: asyncio.Event
) -> None:
    """Serve until *stop* is set, and say goodbye."""
    pool = WorkerPool()
    archive = Archive(store)
    archivist = Archivist(back.log, archive)
    peers = Peers(back.bus)
    seed = _SEED_FOR_AUTHORS if settings.is_for_authors else None
    lobby = Lobby(back.log, back.directory, peers, archivist, pool, pace=settings.pace, fixed_seed=seed)
    token = os.environ.get(WORKER_TOKEN_VARIABLE) or secrets.token_urlsafe(24)
    throttle = Throttle(time.monotonic, RATES if settings.has_limits else None)
    players = Players(store, back.log.now_ms)
    restarts = Restarts(store, time_of_day_ms)
    house = House(lobby, players, archive, restarts, pool, token, {}, throttle, lets_bots_in=settings.is_for_authors)
    rounds = Rounds(house)
    front = Front(house, load_pages(_pages_folder()), origins=settings.origins, proxies=settings.proxies)
    if settings.is_shared:
        await peers.meet()
    await rounds.begin()
    async with front.listening(listener):
        port = listener.getsockname()[1]
        address = f"{_for_url(settings.host)}:{port}"
        staff = Staff(f"ws://{_for_url(_loopback(settings.host))}:{port}{WEBSOCKET_PATH}", token, settings.workers)
        try:
            front.is_ready = True
            sys.stdout.write(f"Euchre is served at http://{address}/\n")
            sys.stdout.flush()
            _log.info(
                "serving",
                host=settings.host,
                port=port,
                log=settings.log.partition(":")[0],
                node=peers.node,
                tables=len(lobby),
            )
            await stop.wait()
            await _drain(house, front)
        finally:
            await asyncio.gather(staff.stop(), rounds.end(), archivist.stop())


async def _drain(house: House, front: Front) -> None:
    """Take no new tables, ask everybody to come back in a moment, and wait for them to go."""
    _log.info("draining")
    house.is_draining = True
    house.tell_everybody(
        outgoing.notice("drain", "the server restarts; your table goes on", retry_ms=_RETRY_AFTER_DRAIN_MS)
    )
    await front.drain(CloseCode.DRAINING, "the server restarts")


def _stop_on_signals() -> asyncio.Event:
    """Return an event that the first SIGTERM or SIGINT sets; a second ends the process at once, which is safe, too."""
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            os._exit(_FAILURE)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
    return stop


@dataclass(frozen=True, slots=True)
class _Back:
    """What this node shares with others, if there are any."""

    log: Log
    bus: Bus
    directory: Directory


async def _open_back(settings: Settings) -> tuple[_Back, Database | None]:
    """Return the log with what belongs to it, and the file it is in if it is in one."""
    if settings.is_shared:
        from server.redis import RedisStartError, open_redis  # noqa: PLC0415  # who needs it not, loads it not

        try:
            return _Back(*await open_redis(settings.log)), None
        except RedisStartError as error:
            raise StartError(str(error)) from None
    now_ms = steady_clock()
    if settings.log == "memory":
        return _Back(MemoryLog(now_ms), MemoryBus(), MemoryDirectory()), None
    folder = settings.data
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"cannot use --data {folder}: {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StartError(f"cannot use --data {folder}: not writable")
    file = open_database(folder / LOG_NAME, asyncio.get_running_loop())
    return _Back(SqliteLog(file, now_ms), MemoryBus(), MemoryDirectory()), file


def _own_database(settings: Settings) -> str:
    """Return where players and games are kept when nobody says."""
    return IN_MEMORY if settings.log == "memory" else url_of_file(settings.data / RECORDS_NAME)


def _listen(settings: Settings) -> socket.socket:
    """Return a listening socket. Raises StartError naming the address that cannot be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]  # Python adds the address, which is told here
        hint = "; stop the program that has it or choose another --port" if error.errno == errno.EADDRINUSE else ""
        raise StartError(f"cannot listen on {_for_url(settings.host)}:{settings.port}: {reason}{hint}") from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _loopback(host: str) -> str:
    """Return where the house's own workers reach a server that listens on *host*."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104  # compared, not bound


def _for_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _pages_folder() -> Path:
    """Return the folder of the web page. It is data of the package `clients`, found by name and not imported."""
    found = importlib.util.find_spec("clients")
    if found is None or not found.submodule_search_locations:
        raise StartError("the web page is not installed beside the server")
    return Path(next(iter(found.submodule_search_locations))) / "web"
