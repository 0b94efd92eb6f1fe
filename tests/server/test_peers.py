"""What nodes say of themselves, and what each makes of it."""

from __future__ import annotations

import msgpack

from server.bus import MemoryBus
from server.listeners import Listeners
from server.peers import CHANNEL, GONE_AFTER_S, Peers
from tests.server.clockwork import after, clockwork, settled


@clockwork
async def test_a_node_that_comes_knows_the_others_once_it_met_them_and_they_know_it() -> None:
    hub: dict[str, Listeners[[bytes]]] = {}
    first, second = Peers(MemoryBus(hub)), Peers(MemoryBus(hub))
    await second.meet()
    assert (first.others, second.others) == ({second.node}, {first.node})


@clockwork
async def test_who_says_that_he_lives_is_not_answered_by_all() -> None:
    hub: dict[str, Listeners[[bytes]]] = {}
    said: list[bytes] = []
    MemoryBus(hub).listen(CHANNEL, said.append)
    first, second = Peers(MemoryBus(hub)), Peers(MemoryBus(hub))
    await second.meet()
    said.clear()
    first.beat()
    await settled()
    assert len(said) == 1


@clockwork
async def test_a_node_that_was_heard_of_again_in_time_lives_and_one_that_was_not_is_gone() -> None:
    hub: dict[str, Listeners[[bytes]]] = {}
    first, second, third = Peers(MemoryBus(hub)), Peers(MemoryBus(hub)), Peers(MemoryBus(hub))
    told: list[tuple[str, bool]] = []
    await third.meet()
    first.came_or_went.append(lambda node, lives: told.append((node, lives)))
    await after(GONE_AFTER_S - 0.5)
    second.beat()
    await after(1)
    first.beat()
    assert first.others == {second.node}
    third.beat()
    await settled()
    assert first.others == {second.node, third.node}
    assert told == [(third.node, False), (third.node, True)]


@clockwork
async def test_a_node_that_leaves_is_gone_at_once_and_hears_no_more() -> None:
    hub: dict[str, Listeners[[bytes]]] = {}
    first, second = Peers(MemoryBus(hub)), Peers(MemoryBus(hub))
    await second.meet()
    second.leave()
    await settled()
    assert not first.others
    third = Peers(MemoryBus(hub))
    await third.meet()
    assert second.others == {first.node}
    assert third.others == {first.node}


@clockwork
async def test_a_player_who_connected_to_a_node_of_an_earlier_version_has_his_old_token() -> None:
    hub: dict[str, Listeners[[bytes]]] = {}
    earlier, node = MemoryBus(hub), Peers(MemoryBus(hub))
    told: list[tuple[str, tuple[int, str], bool]] = []
    node.connected = lambda player, since, is_renewed: told.append((player, since, is_renewed))
    said = {"k": "player", "node": earlier.node, "player": "p_1", "since": (5, "c_1")}
    earlier.publish(CHANNEL, msgpack.packb(said))
    await settled()
    assert told == [("p_1", (5, "c_1"), False)]


@clockwork
async def test_all_work_out_alike_who_comes_first_among_those_who_live() -> None:
    hub: dict[str, Listeners[[bytes]]] = {}
    lone = Peers(MemoryBus())
    assert (lone.rank("key", [lone.node]), lone.is_keeper("key")) == (0, True)
    nodes = [Peers(MemoryBus(hub)) for _ in range(3)]
    for node in nodes:
        await node.meet()
    ids = [node.node for node in nodes]
    for key in map(str, range(20)):
        assert sorted(node.rank(key, ids) for node in nodes) == [0, 1, 2]
        assert sum(node.is_keeper(key) for node in nodes) == 1
    nodes[2].leave()
    await settled()
    for key in map(str, range(20)):
        assert sorted(node.rank(key, ids) for node in nodes[:2]) == [0, 1]
