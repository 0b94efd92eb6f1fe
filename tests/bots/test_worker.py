"""The worker process, against a server that speaks the protocol and nothing else."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from bots.policy import decide
from bots.worker import TOKEN_VARIABLE, answer
from engine.actions import parse_action
from engine.cards import make_pack
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.plain import view_to_plain
from engine.rules import Rules, rules_to_plain
from engine.state import Game
from engine.view import view_for
from protocol.codec import MSGPACK
from protocol.codes import CloseCode
from protocol.messages import Decided, Work, parse_client_message
from protocol.outgoing import ok, refused
from tests.support_server import EUCHRE

TOKEN = "a-token-of-these-tests"
PATIENCE_S = 30


class Loopback:
    """A server of workers: whoever connects waits in ``arrived``."""

    def __init__(self) -> None:
        self.arrived: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self.url = ""

    async def hold(self, connection: ServerConnection) -> None:
        await self.arrived.put(connection)
        await connection.wait_closed()

    async def next_worker(self) -> tuple[ServerConnection, Work]:
        """Return the next worker's connection and its first message."""
        async with asyncio.timeout(PATIENCE_S):
            connection = await self.arrived.get()
            work = parse_client_message(MSGPACK.decode(await connection.recv()))
        assert isinstance(work, Work)
        return connection, work

    async def next_hired(self) -> ServerConnection:
        connection, work = await self.next_worker()
        await send(connection, ok(work.ref))
        return connection


async def send(connection: ServerConnection, *messages: Any) -> None:
    await connection.send(MSGPACK.frame([MSGPACK.encode(message) for message in messages]))


async def receive_decided(connection: ServerConnection) -> Decided:
    async with asyncio.timeout(PATIENCE_S):
        message = parse_client_message(MSGPACK.decode(await connection.recv()))
    assert isinstance(message, Decided)
    return message


@asynccontextmanager
async def loopback() -> AsyncIterator[Loopback]:
    server = Loopback()
    async with serve(
        server.hold, "127.0.0.1", 0, subprotocols=[Subprotocol(MSGPACK.subprotocol)], compression=None
    ) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        server.url = f"ws://127.0.0.1:{port}/ws"
        yield server


def environment(token: str | None = TOKEN) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
    return others if token is None else others | {TOKEN_VARIABLE: token}


@asynccontextmanager
async def started(
    server: Loopback, *, address: str | None = None, stdin: int = subprocess.DEVNULL
) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bots.worker", "--server", address or server.url, "--slots", "3",
        stdin=stdin, stderr=PIPE, env=environment(),
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ended(process: Process) -> tuple[int, str]:
    """Return the exit status and what was logged."""
    async with asyncio.timeout(PATIENCE_S):
        _, logged = await process.communicate()
    assert process.returncode is not None
    return process.returncode, logged.decode()


def a_hand(seed: int = 1) -> Game:
    deck = tuple(random.Random(seed).sample(make_pack(9), 24))
    game, _ = deal(new_game(Rules()), deck, dealer=0)
    return game


def request(game: Game, number: int, **changed: Any) -> dict[str, Any]:
    seat = to_act(game)
    assert seat is not None
    return {
        "t": "decide",
        "id": number,
        "view": view_to_plain(view_for(game, seat)),
        "legal": [str(action) for action in legal_actions(game)],
        "rules": rules_to_plain(game.standing.rules),
        "level": "standard",
        "seed": number,
        "deadline_ms": 1000,
    } | changed


async def test_a_worker_plays_a_whole_hand_as_the_policy_would() -> None:
    async with loopback() as server, started(server) as process:
        connection, work = await server.next_worker()
        assert (work.token, work.slots) == (TOKEN, 3)
        await send(connection, ok(work.ref))
        game, number = a_hand(), 0
        while (seat := to_act(game)) is not None:
            number += 1
            await send(connection, request(game, number))
            decided = await receive_decided(connection)
            assert decided.id == number
            expected = decide("standard", view_for(game, seat), legal_actions(game), game.standing.rules, seed=number)
            assert decided.action == str(expected)
            game, _ = apply(game, seat, parse_action(decided.action))
        process.send_signal(signal.SIGTERM)
        status, logged = await ended(process)
        assert status == 0
        assert TOKEN not in logged


async def test_a_worker_takes_the_address_of_the_page() -> None:
    async with loopback() as server, started(server, address=server.url.replace("ws://", "http://").removesuffix("ws")):
        await server.next_hired()


async def test_requests_of_one_frame_are_all_answered() -> None:
    game = a_hand()
    async with loopback() as server, started(server):
        connection = await server.next_hired()
        await send(connection, *(request(game, number, level="easy") for number in range(1, 21)))
        answered = [(await receive_decided(connection)).id for _ in range(20)]
    assert sorted(answered) == list(range(1, 21))


async def test_a_failed_decision_is_answered_with_a_legal_action_and_logged_without_cards() -> None:
    game = a_hand()
    async with loopback() as server, started(server) as process:
        connection = await server.next_hired()
        await send(connection, request(game, 7, level="grandmaster"), {"t": "of_a_newer_server"}, {"t": "decide"})
        decided = await receive_decided(connection)
        await send(connection, request(game, 8))
        assert (await receive_decided(connection)).id == 8
        process.send_signal(signal.SIGTERM)
        status, logged = await ended(process)
    assert (decided.id, decided.action) == (7, str(legal_actions(game)[0]))
    assert status == 0
    assert "UnknownLevelError" in logged
    cards = cast("dict[str, Any]", view_to_plain(view_for(game, 1)))["cards"]
    assert not [card for card in cards if card in logged]


def test_an_error_s_text_stays_out_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    """What a view that cannot be read says about itself may be cards."""
    broken = request(a_hand(), 5)
    broken["view"]["calls"] = [[1, "play Jh of all things"]]
    assert answer(broken)["action"] == broken["legal"][0]
    shown = capsys.readouterr()
    assert "Jh" not in shown.out + shown.err


async def test_a_worker_comes_back_after_a_lost_connection() -> None:
    async with loopback() as server, started(server):
        connection = await server.next_hired()
        connection.transport.abort()
        connection = await server.next_hired()
        await send(connection, request(a_hand(), 1))
        assert (await receive_decided(connection)).id == 1


async def test_a_refused_token_ends_the_worker() -> None:
    async with loopback() as server, started(server) as process:
        connection, work = await server.next_worker()
        await send(connection, refused(work.ref, "bad_token", "no such token"))
        status, logged = await ended(process)
    assert status == 1
    assert TOKEN not in logged


async def test_a_connection_closed_for_its_token_ends_the_worker() -> None:
    async with loopback() as server, started(server) as process:
        connection = await server.next_hired()
        await connection.close(CloseCode.TOKEN_REFUSED)
        assert (await ended(process))[0] == 1


async def test_a_worker_ends_when_its_standard_input_does() -> None:
    async with loopback() as server, started(server, stdin=PIPE) as process:
        await server.next_hired()
        assert process.stdin is not None
        process.stdin.close()
        assert (await ended(process))[0] == 0


async def test_a_worker_does_not_outlive_the_process_that_started_it() -> None:
    """Not even one that is killed and closes nothing."""
    starter = (
        "import subprocess, sys, time; "
        "subprocess.Popen([sys.executable, '-m', 'bots.worker', '--server', sys.argv[1]], "
        "stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL); time.sleep(60)"
    )
    async with loopback() as server:
        parent = await asyncio.create_subprocess_exec(sys.executable, "-c", starter, server.url, env=environment())
        connection = await server.next_hired()
        parent.kill()
        await parent.wait()
        async with asyncio.timeout(PATIENCE_S):
            await connection.wait_closed()
        assert connection.close_code == CloseCode.NORMAL


@pytest.mark.parametrize(
    ("token", "arguments"),
    [(None, []), (f"{TOKEN}\n", []), (TOKEN, ["--server", "ftp://127.0.0.1/"]), (TOKEN, ["--slots", "0"])],
    ids=["no token", "no token the wire takes", "no address", "no slots"],
)
async def test_a_worker_started_wrongly_says_so_in_one_line(token: str | None, arguments: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bots.worker", *arguments, stderr=PIPE, env=environment(token)
    )
    status, said = await ended(process)
    assert status == 2
    assert len(said.splitlines()) == 1


# ── several processes ────────────────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def crew(server: Loopback, *arguments: str, token: str | None = TOKEN) -> AsyncIterator[Process]:
    """Run `euchre worker` with two processes."""
    process = await asyncio.create_subprocess_exec(
        EUCHRE, "worker", "--server", server.url, "--processes", "2", *arguments,
        stdin=asyncio.subprocess.DEVNULL, stderr=PIPE, env=environment(token),
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_a_crew_works_and_leaves_together() -> None:
    """The token may be given as an argument, too; no worker has it among its own."""
    async with loopback() as server, crew(server, "--token", TOKEN, token=None) as process:
        workers = [await server.next_hired() for _ in range(2)]
        for number, connection in enumerate(workers, start=1):
            await send(connection, request(a_hand(), number))
            assert (await receive_decided(connection)).id == number
        process.terminate()
        status, logged = await ended(process)
        async with asyncio.timeout(PATIENCE_S):
            for connection in workers:
                await connection.wait_closed()
    assert status == 0
    assert TOKEN not in logged


async def test_a_crew_whose_token_is_refused_ends() -> None:
    async with loopback() as server, crew(server) as process:
        connection, work = await server.next_worker()
        await send(connection, refused(work.ref, "bad_token", "no such token"))
        assert (await ended(process))[0] == 1


async def test_the_workers_of_a_killed_crew_end_with_it() -> None:
    async with loopback() as server, crew(server) as process:
        workers = [await server.next_hired() for _ in range(2)]
        process.kill()
        async with asyncio.timeout(PATIENCE_S):
            for connection in workers:
                await connection.wait_closed()


async def test_a_worker_that_dies_is_replaced() -> None:
    async with loopback() as server, crew(server) as process:
        for _ in range(2):
            await server.next_hired()
        (task,) = Path(f"/proc/{process.pid}/task").glob(str(process.pid))  # noqa: ASYNC240
        os.kill(int((task / "children").read_text().split()[0]), signal.SIGKILL)
        await send(await server.next_hired(), request(a_hand(), 1))


async def test_while_the_server_is_away_a_worker_says_why_and_tries_again() -> None:
    async with loopback() as server:
        url = server.url
    server.url = url
    async with started(server) as process:
        assert process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            lines = [(await process.stderr.readline()).decode() for _ in range(4)]
        assert "no connection" in lines[0]
        assert "refused" in lines[0].lower() or "Connect call failed" in lines[0]
        assert "reconnecting" in lines[1]
        assert "no connection" in lines[2]
