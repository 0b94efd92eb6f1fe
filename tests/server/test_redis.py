"""What Redis can do to a log, each with a real one: killed, stopped, full, forgetful, torn; and how it is said."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from redis.asyncio.client import Pipeline, PubSub
from structlog.testing import capture_logs

from protocol.outgoing import ListedTable
from server.directory import KEPT_S, Listing
from server.log import ConflictError, LogTornError, LogUnavailableError
from server.redis import Opened, RedisStartError, open_redis
from tests.server.failing import fail_once
from tests.server.rivals import play
from tests.support_redis import RedisServer, lossy_proxy, running_cluster, running_redis
from tests.support_server import PATIENCE_S, free_port


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis of the test's own, for it to ill-treat."""
    with running_redis(tmp_path / "redis") as server:
        yield server


@asynccontextmanager
async def node_on(url: str) -> AsyncIterator[Opened]:
    node = await open_redis(url)
    try:
        yield node
    finally:
        await node.log.close()


async def fill(node: Opened, table: str, last: int, *, first: int = 1) -> None:
    for seq in range(first, last + 1):
        await node.log.append(table, seq, b"%s %d" % (table.encode(), seq))


async def filled_until_refused(node: Opened, table: str, *, first: int) -> tuple[int, str]:
    """Append until Redis takes no more; return the last number it acknowledged, and why."""
    for seq in itertools.count(first):
        try:
            await node.log.append(table, seq, bytes(500))
        except LogUnavailableError as error:
            return seq - 1, str(error)
    raise AssertionError


async def numbers(node: Opened, table: str) -> list[int]:
    return [stored.seq for stored in await node.log.read(table, after=0)]


async def until_back(node: Opened) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not node.log.is_available:  # noqa: ASYNC110  # nothing announces it
            await asyncio.sleep(0.02)


# ── many nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.timeout(400)
async def test_rivals_lost_answers_and_lost_memories_leave_no_gap_and_no_duplicate(redis: RedisServer) -> None:
    """A slice of what ``python -m tests.server.rivals`` does whole."""
    found = await play(redis, tables=20, entries=2000)
    assert found.faults == []
    assert found.acknowledged >= 1900  # whoever was cut off too long does not learn that his entry is there
    assert min(found.conflicts, found.lost, found.forgotten) > 0


async def test_appends_of_one_moment_share_a_trip(redis: RedisServer) -> None:
    async with node_on(redis.url) as node:
        await node.log.append("first", 1, b"entry")
        before = reads(redis)
        await asyncio.gather(*(fill(node, f"t{number}", 10) for number in range(100)))
        assert reads(redis) - before < 100  # for a thousand appends and the listing of a hundred tables


def reads(redis: RedisServer) -> int:
    """Return how often Redis read from a connection."""
    lines = dict(line.split(":") for line in redis.ask("INFO", "stats").split("\r\n") if ":" in line)
    return int(lines["total_reads_processed"])


async def test_a_lost_wake_up_is_made_up_for(redis: RedisServer) -> None:
    """An entry nobody announced is found by looking, within seconds."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        heard: asyncio.Queue[int] = asyncio.Queue()
        node.log.watch("t", heard.put_nowait)
        async with asyncio.timeout(PATIENCE_S):
            assert await heard.get() == 0  # now it hears of the table
            redis.ask("XADD", "euchre:{t}:log", "3-1800000000000", "entry", "hello", "mark", "nobody's")
            assert await heard.get() == 3
        assert await numbers(node, "t") == [1, 2, 3]


async def test_a_client_that_fails_in_no_known_way_is_not_listened_with_for_ever(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the library raises: it is in the server's log, and the node hears again."""
    fail_once(monkeypatch, PubSub, "get_message")
    with capture_logs() as logs:
        async with node_on(redis.url) as node, node_on(redis.url) as other:
            heard: asyncio.Queue[int] = asyncio.Queue()
            node.log.watch("t", heard.put_nowait)
            async with asyncio.timeout(PATIENCE_S):
                assert await heard.get() == 0
                await fill(other, "t", 3)
                assert [await heard.get() for _ in range(3)] == [1, 2, 3]
    failed = [line for line in logs if line["event"] == "redis_hearing_failed"]
    assert [line["error"] for line in failed] == ["RuntimeError"]


async def test_a_client_that_fails_in_no_known_way_is_probed_with_again(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that gave up finding out whether Redis is back would be away for ever."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        redis.kill()
        with pytest.raises(LogUnavailableError):
            await node.log.append("t", 3, b"t 3")
        failures = fail_once(monkeypatch, Pipeline, "execute")
        redis.start()
        await until_back(node)
        assert next(failures, None) is None
        await fill(node, "t", 4, first=3)
        assert await numbers(node, "t") == [1, 2, 3, 4]


async def test_a_client_that_fails_in_no_known_way_is_polled_with_again(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that gave up looking would not notice what it did not hear of."""
    with capture_logs() as logs:
        async with node_on(redis.url) as node:
            await fill(node, "t", 2)
            heard: asyncio.Queue[int] = asyncio.Queue()
            node.log.watch("t", heard.put_nowait)
            async with asyncio.timeout(PATIENCE_S):
                assert await heard.get() == 0
                failures = fail_once(monkeypatch, Pipeline, "execute")
                while not any(line["event"] == "redis_poll_failed" for line in logs):  # noqa: ASYNC110  # as below
                    await asyncio.sleep(0.02)
                assert next(failures, None) is None
                redis.ask("XADD", "euchre:{t}:log", "3-1800000000000", "entry", "hello", "mark", "nobody's")
                assert await heard.get() == 3


async def test_a_client_that_keeps_a_cancellation_to_itself_is_not_waited_for(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `asyncio.wait_for` of Python 3.11 does when what it waits for ends at that moment: the node hears again."""
    ssubscribe, waits = PubSub.ssubscribe, asyncio.Event()

    async def keep_the_cancellation(self: PubSub, channel: str) -> None:
        if "slow" in channel and not waits.is_set():
            waits.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(PATIENCE_S)
        else:
            await ssubscribe(self, channel)

    monkeypatch.setattr(PubSub, "ssubscribe", keep_the_cancellation)
    async with node_on(redis.url) as node, node_on(redis.url) as other:
        heard: asyncio.Queue[int] = asyncio.Queue()
        node.bus.listen("t", lambda _: heard.put_nowait(1))
        async with asyncio.timeout(PATIENCE_S):
            while heard.empty():
                other.bus.publish("t", b"hello")
                await asyncio.sleep(0.02)
            node.log.watch("slow", lambda _: None)
            await waits.wait()
            redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
            await asyncio.sleep(0.1)
            heard = asyncio.Queue()
            while heard.empty():
                other.bus.publish("t", b"hello")
                await asyncio.sleep(0.02)


async def test_who_leaves_and_comes_back_at_once_hears_all(redis: RedisServer) -> None:
    """Redis tells that a channel was left also when it is listened to again: that is no broken connection."""
    async with node_on(redis.url) as node, node_on(redis.url) as other:
        await fill(other, "t", 1)
        with capture_logs() as logs:
            for seq in range(2, 30):
                heard: asyncio.Queue[int] = asyncio.Queue()
                end = node.log.watch("t", heard.put_nowait)
                async with asyncio.timeout(PATIENCE_S):
                    await heard.get()
                    await other.log.append("t", seq, b"entry")
                    while await heard.get() < seq:
                        pass
                end()
                if seq % 2:
                    await asyncio.sleep(0)
        assert logs == []


@pytest.mark.parametrize("tables", [1, 20, 200])
async def test_it_closes_while_it_still_unsubscribes(redis: RedisServer, tables: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        for turns in range(5):
            async with node_on(redis.url) as node:
                ends = [node.log.watch(f"t{number}", lambda _: None) for number in range(tables)]
                await asyncio.sleep(0.1)
                for end in ends:
                    end()
                for _ in range(turns):
                    await asyncio.sleep(0)


async def test_what_was_cut_off_hears_again(redis: RedisServer) -> None:
    async with lossy_proxy(redis, loss=0) as proxy, node_on(proxy.url) as node, node_on(redis.url) as other:
        woken: asyncio.Queue[int] = asyncio.Queue()
        words: asyncio.Queue[bytes] = asyncio.Queue()
        await fill(other, "t", 1)
        node.log.watch("t", woken.put_nowait)
        node.bus.listen("t", words.put_nowait)
        async with asyncio.timeout(PATIENCE_S):
            for seq in (2, 3, 4):
                await woken.get()
                proxy.cut()
                assert await woken.get() == 0  # it hears again, and may have missed something
                await other.log.append("t", seq, b"entry")
                while await woken.get() < seq:
                    pass
                while words.empty():
                    other.bus.publish("t", b"word")
                    await asyncio.sleep(0.02)
                words = drained(words)
                woken.put_nowait(0)


def drained(queue: asyncio.Queue[bytes]) -> asyncio.Queue[bytes]:
    while not queue.empty():
        queue.get_nowait()
    return queue


# ── a cluster ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[RedisServer]]:
    with running_cluster(tmp_path / "cluster") as nodes:
        yield nodes


class Follower:
    """A node that follows tables by their wake-ups, and hears their bus."""

    def __init__(self, node: Opened, tables: list[str]) -> None:
        self._node = node
        self._grown = asyncio.Event()
        self.heard: set[bytes] = set()
        for table in tables:
            node.log.watch(table, lambda _: self._grown.set())
            node.bus.listen(table, self.heard.add)

    async def has(self, table: str, last: int) -> None:
        """Wait until the table's log is read up to *last*, looking only when woken."""
        await until_back(self._node)
        async with asyncio.timeout(PATIENCE_S):
            while len(await self._node.log.read(table, after=0)) < last:
                self._grown.clear()
                await self._grown.wait()

    async def hears(self, speaker: Opened, tables: list[str]) -> None:
        """Wait until *speaker* is heard at every table; what is said before that may be lost."""
        self.heard.clear()
        async with asyncio.timeout(PATIENCE_S):
            while len(self.heard) < len(tables):
                for table in tables:
                    speaker.bus.publish(table, table.encode())
                await asyncio.sleep(0.05)


async def test_tables_are_spread_over_a_cluster(cluster: list[RedisServer]) -> None:
    """Each with all its keys and channels on one node; one of them may be killed and come back."""
    tables = [f"t{number}" for number in range(30)]
    async with node_on(cluster[0].url) as one, node_on(cluster[2].url) as other:
        await asyncio.gather(*(fill(one, table, 3) for table in tables))
        assert sum(int(node.ask("DBSIZE").strip()[1:]) > 5 for node in cluster) == 3
        assert sorted(await other.log.tables()) == sorted(tables)
        follower = Follower(other, tables)
        await follower.hears(one, tables)
        cluster[1].kill()
        with pytest.raises(LogUnavailableError):
            await asyncio.gather(*(fill(one, table, 4, first=4) for table in tables))
        cluster[1].start()
        await until_back(one)
        for table in tables:
            there = len(await one.log.read(table, after=0))
            await fill(one, table, 5, first=there + 1)
            await follower.has(table, 5)
        await follower.hears(one, tables)
        assert await other.directory.claim_code("CODE", "t")


async def test_a_table_moves_to_another_node_of_the_cluster(cluster: list[RedisServer]) -> None:
    """Writers and those who watch and listen follow it there."""
    async with node_on(cluster[0].url) as one, node_on(cluster[0].url) as other:
        await fill(one, "t", 3)
        follower = Follower(other, ["t"])
        await follower.hears(one, ["t"])
        move_slot(cluster, "euchre:{t}:log")
        await fill(one, "t", 6, first=4)
        await follower.has("t", 6)
        await follower.hears(one, ["t"])


def move_slot(cluster: list[RedisServer], key: str) -> None:
    """Move the slot of *key*, with all that is in it, to a node that does not have it."""
    slot = cluster[0].ask("CLUSTER", "KEYSLOT", key).strip()[1:]
    source = next(node for node in cluster if node.slots and node.slots[0] <= int(slot) <= node.slots[1])
    target = next(node for node in cluster if node is not source)
    ids = {node: node.ask("CLUSTER", "MYID").split()[1] for node in cluster}
    target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source])
    source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
    keys = source.ask("CLUSTER", "GETKEYSINSLOT", slot, "100").split("\r\n")[2::2]
    moved = source.ask("MIGRATE", "127.0.0.1", str(target.port), "", "0", "5000", "KEYS", *keys)
    assert moved.startswith("+OK"), moved
    for node in (target, source, *cluster):
        assert node.ask("CLUSTER", "SETSLOT", slot, "NODE", ids[target]).startswith("+OK")


# ── away and back ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_killed_in_the_middle_and_started_again_it_has_what_was_acknowledged(redis: RedisServer) -> None:
    """Appends on their way are settled when it is back: each is there once, or was refused and is not there."""
    acknowledged: dict[str, int] = {}

    async def go_on(node: Opened, table: str) -> None:
        for seq in range(1, 100_000):
            try:
                await node.log.append(table, seq, b"entry")
            except LogUnavailableError:
                return
            acknowledged[table] = seq

    async with node_on(redis.url) as node:
        tasks = [asyncio.create_task(go_on(node, f"t{number}")) for number in range(20)]
        for _ in range(3):
            await asyncio.sleep(0.2)
            redis.kill()
            redis.start()
        await asyncio.sleep(0.3)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(acknowledged) == 20
        for table, last in acknowledged.items():
            there = await numbers(node, table)
            assert there == list(range(1, len(there) + 1))
            assert last <= len(there) <= last + 1  # one more may have been on its way


async def test_while_it_is_away_appends_are_refused_soon_and_go_on_when_it_is_back(redis: RedisServer) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 3)
        redis.stop()
        with capture_logs() as logs:
            with pytest.raises(LogUnavailableError):
                await node.log.append("t", 4, b"entry")
            assert not node.log.is_available
            loop = asyncio.get_running_loop()
            began_s = loop.time()
            for _ in range(10):
                with pytest.raises(LogUnavailableError, match="cannot be reached"):
                    await node.log.append("t", 4, b"entry")
                with pytest.raises(LogUnavailableError):
                    await node.log.read("t", after=0)
                with pytest.raises(LogUnavailableError):
                    await node.directory.find("t")
                node.bus.publish("t", b"into the void")
            assert loop.time() - began_s < 1
            redis.start()
            await until_back(node)
        assert [line["event"] for line in logs if "hearing" not in line["event"]] == ["redis_away", "redis_back"]
        await fill(node, "t", 5, first=4)
        assert await numbers(node, "t") == [1, 2, 3, 4, 5]


async def test_stopped_for_a_while_it_loses_nobody_his_turn(redis: RedisServer) -> None:
    """An append whose answer did not come in time is looked for in the log, and is there once."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 3)
        redis.pause()
        append = asyncio.create_task(node.log.append("t", 4, b"entry"))
        await asyncio.sleep(3)
        assert not append.done()
        redis.go_on()
        await append
        await fill(node, "t", 5, first=5)
        assert await numbers(node, "t") == [1, 2, 3, 4, 5]


async def test_an_append_that_was_given_up_is_not_carried_out_later(redis: RedisServer) -> None:
    """A Redis that was stuck finds it in its queue when it goes on; by then its time is over."""
    async with node_on(redis.url) as node, node_on(redis.url) as other:
        await fill(node, "t", 3)
        redis.pause()
        with pytest.raises(LogUnavailableError):
            await node.log.append("t", 4, b"entry")
        redis.go_on()
        await until_back(node)
        assert await numbers(other, "t") == [1, 2, 3]
        await other.log.append("t", 4, b"another")
        with pytest.raises(ConflictError):
            await node.log.append("t", 4, b"entry")


async def test_a_cancelled_append_whose_answer_is_an_error_stops_no_other(redis: RedisServer) -> None:
    """The fault that ruled out asyncio-redis (docs/decisions/0001-redis-client.md)."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 1)
        redis.ask("CONFIG", "SET", "maxmemory", "1")
        append = asyncio.create_task(node.log.append("t", 2, b"entry"))
        await asyncio.sleep(0)
        append.cancel()
        redis.ask("CONFIG", "SET", "maxmemory", "0")
        async with asyncio.timeout(PATIENCE_S):
            assert await numbers(node, "t") in ([1], [1, 2])
            await node.log.append("u", 1, b"entry")


# ── forgetful and full ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_flushed_scripts_are_sent_again(redis: RedisServer) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        redis.ask("SCRIPT", "FLUSH")
        await asyncio.gather(fill(node, "t", 4, first=3), fill(node, "u", 2))
        assert await numbers(node, "t") == [1, 2, 3, 4]
        assert await node.directory.claim_code("CODE", "t")


async def test_out_of_memory_is_said_and_survived(redis: RedisServer) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        redis.ask("CONFIG", "SET", "maxmemory", "1")
        for _ in range(3):
            with pytest.raises(LogUnavailableError, match="out of memory"):
                await node.log.append("t", 3, b"entry")
            assert not node.log.is_available
        redis.ask("CONFIG", "SET", "maxmemory", "0")
        await until_back(node)
        await node.log.append("t", 3, b"entry")
        assert await numbers(node, "t") == [1, 2, 3]


async def test_a_full_disk_is_said_and_survived(tmp_path: Path) -> None:
    """Nothing of what was acknowledged is lost, also if Redis ends when there is room again."""
    with running_redis(tmp_path / "redis", "--appendfsync", "everysec") as redis:
        async with node_on(redis.url) as node:
            await fill(node, "t", 2)
            redis.limit_files(20_000)
            acknowledged, why = await filled_until_refused(node, "t", first=3)
            assert "cannot write to its disk" in why
            assert not node.log.is_available
            redis.limit_files(-1)
            await until_back(node)
            await node.log.append("t", acknowledged + 1, b"entry")
            redis.kill()
            redis.start()
            await until_back(node)
            assert await numbers(node, "t") == list(range(1, acknowledged + 2))


async def test_a_redis_that_ends_because_its_disk_is_full_has_what_was_acknowledged(redis: RedisServer) -> None:
    """With ``appendfsync always`` it rather ends than acknowledge what is not on disk."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        redis.limit_files(20_000)
        acknowledged, _ = await filled_until_refused(node, "t", first=3)
        assert acknowledged > 10
        redis.stop()
        assert "Exiting" in redis.logged()
        redis.start()
        await until_back(node)
        there = await numbers(node, "t")
        assert there == list(range(1, len(there) + 1))
        assert acknowledged <= len(there) <= acknowledged + 1


async def test_a_primary_that_became_a_replica_is_waited_out(redis: RedisServer, tmp_path: Path) -> None:
    """A failover behind one address: its writes are refused until the address leads to a primary again."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        with running_redis(tmp_path / "primary") as primary:
            redis.ask("CONFIG", "SET", "replica-serve-stale-data", "yes")
            redis.ask("REPLICAOF", "127.0.0.1", str(primary.port))
            with pytest.raises(LogUnavailableError, match="replica"):
                await node.log.append("t", 3, b"entry")
            assert not node.log.is_available
            redis.ask("REPLICAOF", "NO", "ONE")
            await until_back(node)


# ── torn ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Failover:
    """A Redis that, after a `fail`, is as it was when it was `kept`: what it acknowledged since is lost."""

    def __init__(self, redis: RedisServer, kept: Path) -> None:
        self._redis = redis
        self._kept = kept

    def keep(self) -> None:
        shutil.copytree(self._redis.folder / "appendonlydir", self._kept)

    def fail(self) -> None:
        self._redis.kill()
        shutil.rmtree(self._redis.folder / "appendonlydir")
        shutil.copytree(self._kept, self._redis.folder / "appendonlydir")
        self._redis.start()


@pytest.fixture
def failover(redis: RedisServer, tmp_path: Path) -> Failover:
    return Failover(redis, tmp_path / "kept")


async def test_a_lost_tail_freezes_the_table_for_every_node(redis: RedisServer, failover: Failover) -> None:
    """Nothing is numbered anew: not by the node that knows, nor by one that never saw what is lost."""
    async with node_on(redis.url) as node, node_on(redis.url) as other:
        await fill(node, "t", 5)
        await fill(node, "whole", 5)
        failover.keep()
        await fill(node, "t", 8, first=6)
        failover.fail()
        await until_back(node)
        with pytest.raises(LogTornError):
            await node.log.append("t", 9, b"entry")
        for _ in range(2):
            with pytest.raises(LogTornError):
                await node.log.read("t", after=0)
            with pytest.raises(LogTornError):
                await other.log.append("t", 6, b"anew")
            with pytest.raises(LogTornError):
                await other.log.read("t", after=0)
        await fill(node, "whole", 7, first=6)
        redis.ask("DEL", "euchre:{t}:torn")  # as docs/operations.md says, where what is left is to be played on
        async with node_on(redis.url) as fresh:
            await fill(fresh, "t", 6, first=6)
            assert await numbers(fresh, "t") == [1, 2, 3, 4, 5, 6]


async def test_a_lost_tail_is_seen_although_others_wrote_on(redis: RedisServer, failover: Failover) -> None:
    """The numbers fit again, but the entries are others: whoever knows the old ones says so."""
    async with node_on(redis.url) as node:
        await fill(node, "t", 5)
        failover.keep()
        await fill(node, "t", 8, first=6)
        failover.fail()
        async with node_on(redis.url) as other:
            for seq in range(6, 9):
                await other.log.append("t", seq, b"anew")
            await until_back(node)
            with pytest.raises(LogTornError):
                await node.log.append("t", 9, b"entry")
            with pytest.raises(LogTornError):
                await other.log.append("t", 9, b"anew")


async def test_reading_on_sees_a_lost_tail(redis: RedisServer, failover: Failover) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 5)
        failover.keep()
        await fill(node, "t", 8, first=6)
        failover.fail()
        async with node_on(redis.url) as other:
            for seq in range(6, 12):
                await other.log.append("t", seq, b"anew")
            await until_back(node)
            with pytest.raises(ConflictError):
                await node.log.append("t", 9, b"entry")
            with pytest.raises(LogTornError):
                await node.log.read("t", after=8)


async def test_whoever_watches_a_torn_log_is_woken(redis: RedisServer, failover: Failover) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 5)
        failover.keep()
        await fill(node, "t", 8, first=6)
        woken: asyncio.Queue[int] = asyncio.Queue()
        node.log.watch("t", woken.put_nowait)
        async with asyncio.timeout(PATIENCE_S):
            await woken.get()
            failover.fail()
            while True:
                assert await woken.get() == 0
                try:
                    await node.log.read("t", after=8)
                except LogTornError:
                    break
                except LogUnavailableError:
                    continue


async def test_all_data_gone_is_no_new_table(redis: RedisServer) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 5)
        redis.ask("FLUSHALL")
        with pytest.raises(LogTornError):
            await node.log.append("t", 6, b"entry")
        with pytest.raises(LogTornError):
            await node.log.read("t", after=0)
        assert await node.log.tables() == []


async def test_a_table_that_was_listed_and_never_begun_is_listed_no_more(redis: RedisServer) -> None:
    """Its node died between the two; for a minute it could still be on its way."""
    redis.ask("ZADD", "euchre:{tables}:open", "1700000000000000", "long ago")
    async with node_on(redis.url) as node:
        redis.ask("ZADD", "euchre:{tables}:open", str(1000 * node.log.now_ms()), "a moment ago")
        await fill(node, "t", 1)
        assert await node.log.tables() == ["t"]
        assert "long ago" not in redis.ask("ZRANGE", "euchre:{tables}:open", "0", "-1")
        assert "a moment ago" in redis.ask("ZRANGE", "euchre:{tables}:open", "0", "-1")


async def test_the_directory_forgets_what_nobody_puts_in_again(redis: RedisServer) -> None:
    row: ListedTable = {
        "table": "t", "name": "A", "preset": "standard", "changed": [], "state": "waiting", "seats": [],
        "bots_stay": False, "watchers": 0,
    }  # fmt: skip
    async with node_on(redis.url) as node:
        await node.directory.put(
            Listing("t", "CODE", 1, 1, ("p_ann", 1), frozenset({"p_ann"}), is_public=True, row=row)
        )
        assert await node.directory.claim_code("OTHER", "u")
        await node.directory.remove("v")
        keys = redis.ask("KEYS", "euchre:{lobby}:*").split("\r\n")[2::2]
        assert len(keys) == 7
        assert all(0 < int(redis.ask("TTL", key)[1:]) <= KEPT_S for key in keys)


async def test_the_log_of_a_closed_table_is_forgotten_in_the_end(redis: RedisServer) -> None:
    async with node_on(redis.url) as node:
        await fill(node, "t", 2)
        assert redis.ask("TTL", "euchre:{t}:log").strip() == ":-1"
        await node.log.retire("t")
        assert int(redis.ask("TTL", "euchre:{t}:log")[1:]) > 24 * 60 * 60


# ── at the start ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def refused(url: str) -> str:
    """Open a Redis that cannot serve; return why, in one line that holds no password."""
    with pytest.raises(RedisStartError) as raised:
        await open_redis(url)
    line = str(raised.value)
    assert "\n" not in line
    assert "wrong" not in line
    return line


async def test_users_and_passwords(redis: RedisServer) -> None:
    redis.ask("ACL", "SETUSER", "euchre", "on", ">secret", "~euchre:*", "&euchre:*", "+@all", "-@admin", "-@dangerous",
              "+info", "+config|get")  # fmt: skip
    redis.ask("CONFIG", "SET", "requirepass", "general")
    at = f"127.0.0.1:{redis.port}"
    for url in (f"redis://{at}", f"redis://:wrong@{at}", f"redis://euchre:wrong@{at}", f"redis://wrong:secret@{at}"):
        assert "user or password" in await refused(url)
    for url in (f"redis://:general@{at}/0", f"redis://euchre:secret@{at}"):
        async with node_on(url) as node:
            await fill(node, f"t {url}", 2)
            assert await numbers(node, f"t {url}") == [1, 2]
            assert await node.directory.claim_code(url, "t")


@pytest.mark.parametrize(("is_stuck", "why"), [(False, "Redis cannot be reached"), (True, "Redis does not answer")])
async def test_a_redis_that_is_not_ready_yet_is_waited_for(redis: RedisServer, *, is_stuck: bool, why: str) -> None:
    """A node starts as soon as Redis answers, and says once what it waits for."""
    redis.pause() if is_stuck else redis.stop()
    with capture_logs() as logs:
        opening = asyncio.create_task(open_redis(redis.url))
        async with asyncio.timeout(PATIENCE_S):
            while not logs:  # noqa: ASYNC110  # nothing announces a line in the log
                await asyncio.sleep(0.02)
        assert not opening.done()
        redis.go_on() if is_stuck else await asyncio.to_thread(redis.start)
        node = await opening
        await fill(node, "t", 2)
        await node.log.close()
    assert [(line["event"], line["reason"]) for line in logs] == [("redis_awaited", why)]


@pytest.mark.parametrize("is_whole", [True, False])
async def test_a_cluster_that_is_not_ready_yet_is_waited_for(cluster: list[RedisServer], *, is_whole: bool) -> None:
    """All of its nodes are away, or one whose slots the others then do without."""
    with capture_logs() as logs:
        away = cluster if is_whole else cluster[1:2]
        for each in away:
            each.pause()
        opening = asyncio.create_task(open_redis(cluster[0].url))
        async with asyncio.timeout(PATIENCE_S):
            while not logs:  # noqa: ASYNC110  # nothing announces a line in the log
                await asyncio.sleep(0.02)
        assert not opening.done()
        for each in away:
            each.go_on()
        node = await opening
        for number in range(20):
            await fill(node, f"t{number}", 2)
        await node.log.close()
    assert [line["event"] for line in logs][:1] == ["redis_awaited"]


async def test_a_redis_that_never_comes_is_waited_for_only_so_long() -> None:
    with capture_logs() as logs:
        async with asyncio.timeout(15):
            assert "cannot be reached" in await refused(f"redis://127.0.0.1:{free_port()}")
    assert [line["event"] for line in logs] == ["redis_awaited"]


async def test_what_is_no_redis() -> None:

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        line = await refused(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        assert "no Redis" in line


async def test_a_cluster_is_named_as_one_and_nothing_else_is(
    redis_cluster: RedisServer, one_redis: RedisServer
) -> None:
    assert "add ?cluster=true" in await refused(redis_cluster.url.removesuffix("?cluster=true"))
    assert "no Redis Cluster" in await refused(one_redis.url + "?cluster=true")
    assert "db" in await refused(one_redis.url + "3?cluster=true")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1", "redis://", "redis://127.0.0.1:99999", "redis:", "", "redis://127.0.0.1?db=many"]
)
async def test_what_is_no_address(url: str) -> None:
    await refused(url)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (("--rename-command", "SPUBLISH", ""), "7.0 or newer"),
        (("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"), "noeviction"),
        (("--replicaof", "127.0.0.1", "1"), "replica"),
    ],
)
async def test_a_redis_that_cannot_keep_a_log(tmp_path: Path, settings: tuple[str, ...], why: str) -> None:
    with running_redis(tmp_path / "redis", *settings) as redis:
        assert why in await refused(redis.url)


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        (("--appendonly", "no"), "appendonly is off"),
        (("--appendfsync", "everysec"), "appendfsync is not always"),
        (("--maxmemory", "100mb", "--maxmemory-policy", "noeviction"), None),
        (("--maxmemory", "100mb", "--maxmemory-policy", "volatile-ttl"), None),
    ],
)
async def test_a_redis_that_may_forget_is_used_and_said_so(
    tmp_path: Path, settings: tuple[str, ...], warning: str | None
) -> None:
    with running_redis(tmp_path / "redis", *settings) as redis, capture_logs() as logs:
        async with node_on(redis.url) as node:
            await fill(node, "t", 2)
        said = [line["reason"] for line in logs if line["event"] == "redis_forgets"]
        assert [warning in line for line in said if warning is not None] == ([] if warning is None else [True])
        assert bool(said) == (warning is not None)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Make a certificate that vouches for itself; return it and its key."""
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


async def test_over_tls(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    port = free_port()
    tls = (
        "--tls-port", str(port), "--tls-cert-file", str(certificate[0]), "--tls-key-file", str(certificate[1]),
        "--tls-ca-cert-file", str(certificate[0]), "--tls-auth-clients", "no",
    )  # fmt: skip
    with running_redis(tmp_path / "redis", *tls):
        async with node_on(f"rediss://127.0.0.1:{port}?ssl_ca_certs={certificate[0]}") as node:
            await fill(node, "t", 2)
            assert await numbers(node, "t") == [1, 2]
        assert "cannot be reached" in await refused(f"rediss://127.0.0.1:{port}")  # nobody vouches for its certificate
