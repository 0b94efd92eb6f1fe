"""What the builders make is what the field tables say."""

from __future__ import annotations

from typing import Any

import pytest

from engine.rules import make_rules
from protocol.incoming import parse_server_message
from protocol.outgoing import (
    ServerMessage,
    chat,
    decide,
    event,
    notice,
    ok,
    pong,
    presence,
    prompt,
    refused,
    view,
    welcome,
)
from tests.protocol.loopback import on_the_wire, table_info

MADE: list[ServerMessage] = [
    ok(1),
    ok(1, table="t1", code="KQ7M", seat=0, seq=3, tables=[]),
    refused(None, "bad_message", "no"),
    refused(1, "bad_rules", "no", retry_ms=5, fields={"target": "too high"}),
    welcome(
        1,
        player={"id": "p", "name": "Ann", "kind": "human"},
        token="secret",
        next_ref=1,
        tables=[{"table": "t1", "code": "KQ7M", "seat": 0}],
        server={"name": "euchre", "version": "0"},
    ),
    pong(1),
    event("t1", 1, ({"e": "game_started"},)),
    view("t1", 1, info=table_info(make_rules()), game=None),
    prompt("t1", 1, turn=1, seat=0, phase="play", left_ms=None, bank_ms=None),
    prompt("t1", 1, turn=1, seat=0, phase="play", left_ms=5, bank_ms=0, gift_ms=30_000, legal=["pass"]),
    presence("t1", 0, online=True),
    chat("t1", None, "Zoe", text="hi"),
    chat("t1", 0, "Ann", preset="nice"),
    notice("degraded", "slow"),
    notice("drain", "bye", table="t1", retry_ms=5),
    decide(1, view={}, legal=["pass"], rules={}, level="easy", seed=1, deadline_ms=5),
]


@pytest.mark.parametrize("message", MADE, ids=lambda message: message["t"])
def test_what_is_built_is_read_as_it_was(message: dict[str, Any]) -> None:
    sent = on_the_wire(message)
    assert parse_server_message(sent) == sent


def test_what_is_not_there_is_left_out() -> None:
    assert ok(1) == {"t": "ok", "ref": 1}
    assert refused(1, "stale", "late") == {"t": "refused", "ref": 1, "code": "stale", "detail": "late"}
    assert "legal" not in MADE[8]
    assert notice("degraded", "slow") == {"t": "notice", "kind": "degraded", "detail": "slow"}
