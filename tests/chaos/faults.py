"""The faults, each a thing done to a stage on which games are in play; afterwards it is mended."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from tests.chaos.stage import MARKS, Stage

Strike = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """``name`` says what is done.

    ``is_lossy``: clients come by a network that knows their frames. ``is_cluster``: to two servers on Redis.
    """

    name: str
    strike: Strike
    is_lossy: bool = False
    is_cluster: bool = False


_next_mark = cycle(MARKS).__next__


async def _kill_only_server(stage: Stage) -> None:
    node = stage.node()
    await stage.at(_next_mark())
    await stage.crowd.lost_everybody(node.kill())
    await stage.find_out()
    await node.start()


async def _kill_one_server(stage: Stage) -> None:
    node = stage.node()
    await stage.at(_next_mark())
    await node.kill()
    await stage.crowd.goes_on()
    await node.start()


async def _stop_and_restart(stage: Stage) -> None:
    node = stage.node()
    await node.stop()
    await node.start()


async def _pause_server(stage: Stage) -> None:
    node = stage.node()
    node.signal(signal.SIGSTOP)
    await asyncio.sleep(stage.rng.uniform(0.3, 2))
    node.signal(signal.SIGCONT)


async def _kill_worker(stage: Stage) -> None:
    workers = stage.node().children()
    if workers:
        os.kill(stage.rng.choice(workers), signal.SIGKILL)


async def _pause_workers(stage: Stage) -> None:
    workers = stage.node().children()
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    await asyncio.sleep(stage.rng.uniform(0.3, 2))
    for worker in workers:
        os.kill(worker, signal.SIGCONT)


async def _kill_redis(stage: Stage) -> None:
    await stage.at(_next_mark())
    stage.redis.kill()
    await asyncio.sleep(stage.rng.uniform(0, 1))
    await asyncio.to_thread(stage.redis.start)


async def _pause_redis(stage: Stage) -> None:
    stage.redis.pause()
    await asyncio.sleep(stage.rng.uniform(0.3, 2))
    stage.redis.go_on()


async def _cut_from_redis(stage: Stage) -> None:
    assert stage.behind is not None
    stage.behind.network.cut()


async def _lose_answers_of_redis(stage: Stage) -> None:
    assert stage.behind is not None
    stage.behind.network.loss = 0.03
    await stage.crowd.goes_on()
    stage.behind.network.loss = 0


async def _delay_redis(stage: Stage) -> None:
    assert stage.behind is not None
    stage.behind.network.delay_s = 0.05
    await stage.crowd.goes_on()
    stage.behind.network.delay_s = 0


async def _cut(stage: Stage) -> None:
    stage.front.cut()


async def _lose_bytes(stage: Stage) -> None:
    stage.front.loss = 0.03
    await stage.crowd.goes_on()
    stage.front.loss = 0


async def _delay(stage: Stage) -> None:
    stage.front.delay_s = 0.2
    await stage.crowd.goes_on()
    stage.front.delay_s = 0


async def _lose_and_repeat(stage: Stage) -> None:
    assert stage.lossy is not None
    stage.lossy.loss, stage.lossy.echo = 0.03, 0.1
    await stage.crowd.goes_on()
    stage.lossy.loss, stage.lossy.echo = 0, 0


FAULTS: Final = (
    Fault("kill -9 of the server", _kill_only_server),
    Fault("SIGTERM of the server, and the next one", _stop_and_restart),
    Fault("SIGSTOP of the server for up to 2 s", _pause_server),
    Fault("kill -9 of a bot worker", _kill_worker),
    Fault("SIGSTOP of all bot workers for up to 2 s", _pause_workers),
    Fault("all clients' connections cut", _cut),
    Fault("3 % of what clients are sent lost, with the connection", _lose_bytes),
    Fault("clients and server up to 0.2 s apart", _delay),
    Fault("3 % of answers lost, 10 % of clients' frames twice", _lose_and_repeat, is_lossy=True),
    Fault("kill -9 of one of two servers", _kill_one_server, is_cluster=True),
    Fault("SIGTERM of one of two servers, and the next one", _stop_and_restart, is_cluster=True),
    Fault("SIGSTOP of one of two servers for up to 2 s", _pause_server, is_cluster=True),
    Fault("all clients' connections to two servers cut", _cut, is_cluster=True),
    Fault("kill -9 of Redis", _kill_redis, is_cluster=True),
    Fault("SIGSTOP of Redis for up to 2 s", _pause_redis, is_cluster=True),
    Fault("all servers' connections to Redis cut", _cut_from_redis, is_cluster=True),
    Fault("3 % of what Redis answers lost, with the connection", _lose_answers_of_redis, is_cluster=True),
    Fault("servers and Redis up to 0.05 s apart each way", _delay_redis, is_cluster=True),
)


def one_of_each(faults: Sequence[Fault]) -> Fault:
    """Return the fault that is one strike of each of *faults*, which are of one kind of stage."""

    async def strike(stage: Stage) -> None:
        for fault in faults:
            await fault.strike(stage)
            await stage.crowd.goes_on()

    return Fault("one of each", strike, is_lossy=faults[0].is_lossy, is_cluster=faults[0].is_cluster)
