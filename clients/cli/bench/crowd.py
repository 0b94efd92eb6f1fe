"""A crowd of clients, in a process of its own.

It is told what to do on standard input and answers on standard output, a line each:

    → ready                 all are connected, and seated where they are to be
    ← cut                   lose every connection at once; each comes back as PROTOCOL.md says
    → {"resumed": …, "s": […]}      how long each took, from the cut until it knew its table again
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from typing import Any, Final

from clients.cli.bench.loops import run
from clients.cli.bench.peers import Caller, connected
from protocol.codec import MSGPACK
from protocol.reconnect import backoff_ms

_SEATS: Final = 4
_AT_ONCE: Final = 16
_RESUME_LIMIT_S: Final = 60.0


class _Seat(Caller):
    """A seat's connection: the last entry it heard of, and whether it was told how things stand."""

    def __init__(self, request: bytes) -> None:
        super().__init__(request)
        self.seq = 0
        self.shown: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def take(self, payload: bytes) -> None:
        super().take(payload)
        for message in MSGPACK.decode_frame(payload):
            self.seq = max(self.seq, message.get("seq", 0))
            if message["t"] in {"view", "prompt"} and not self.shown.done():
                self.shown.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        if not self.shown.done():
            self.shown.set_exception(ConnectionError("the connection was lost"))
            self.shown.exception()  # nobody need have waited for it


class _Member:
    """One of the crowd, over its connections."""

    def __init__(self, url: str, number: int) -> None:
        self._url = url
        self._number = number
        self._token = ""
        self.table: str | None = None
        self.seat: _Seat

    async def come(self) -> None:
        """Connect for the first time."""
        self.seat = await connected(_Seat, self._url)
        welcome = await self.seat.call("hello", version=1, name=f"Crowd {self._number}")
        self._token = welcome["token"]

    async def come_back(self, cut_s: float) -> float:
        """Connect again, as often as it takes; return how long after the cut the table was known again."""
        attempt = 0
        while True:
            await asyncio.sleep(backoff_ms(attempt, random.random()) / 1000)  # noqa: S311  # spreads the crowd
            try:
                seat = await connected(_Seat, self._url)
                resume = None if self.table is None else {self.table: self.seat.seq}
                await seat.call("hello", version=1, token=self._token, resume=resume)
                if self.table is not None:
                    await seat.shown
            except OSError:
                attempt += 1
            else:
                self.seat = seat
                return time.perf_counter() - cut_s


async def _seat_all(members: list[_Member]) -> None:
    """Seat the crowd by fours, and begin their games."""
    for at in range(0, len(members), _SEATS):
        host, *others = members[at : at + _SEATS]
        made = await host.seat.call("create", preset="standard", visibility="private", clock="none")
        for member in (host, *others):
            member.table = made["table"]
        for member in others:
            await member.seat.call("join", table=made["table"])
        await host.seat.call("start", table=made["table"])


async def _cut(members: list[_Member]) -> dict[str, Any]:
    cut_s = time.perf_counter()
    for member in members:
        member.seat.cut()
    async with asyncio.timeout(_RESUME_LIMIT_S):
        took_s = await asyncio.gather(*(member.come_back(cut_s) for member in members))
    return {"resumed": len(took_s), "s": took_s}


async def _work(url: str, count: int, *, seated: bool) -> None:
    members = [_Member(url, number) for number in range(count)]
    for at in range(0, count, _AT_ONCE):
        await asyncio.gather(*(member.come() for member in members[at : at + _AT_ONCE]))
    if seated:
        await _seat_all(members)
    print("ready", flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while await orders.readline():
        print(json.dumps(await _cut(members)), flush=True)


if __name__ == "__main__":
    run(_work(sys.argv[1], int(sys.argv[2]), seated=sys.argv[3] == "seated"))
