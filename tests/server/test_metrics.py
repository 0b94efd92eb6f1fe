"""Figures for Prometheus: what was counted is what is told, and the text is as Prometheus reads it."""

from __future__ import annotations

import asyncio
import re
import urllib.request
from pathlib import Path

from server.metrics import Metrics
from tests.support_player import Player, playing
from tests.support_server import serving

SAMPLE = re.compile(r'^(euchre_[a-z_]+)(?:\{(?:code|le)="([^"]+)"\})? (-?[0-9.]+)$')


def samples(page: bytes) -> dict[tuple[str, str], float]:
    """Return the values of a page, each line of which must be a comment or a sample, by name and label."""
    found: dict[tuple[str, str], float] = {}
    for line in page.decode().splitlines():
        if not line.startswith("# "):
            match = SAMPLE.match(line)
            assert match, line
            name, label, value = match.groups()
            assert (name, label or "") not in found, line
            found[name, label or ""] = float(value)
    return found


def test_times_are_counted_in_the_bucket_they_fall_in_and_all_above() -> None:
    metrics = Metrics()
    for took_s in (0.0004, 0.001, 0.0011, 0.3, 99.0):
        metrics.acts.count(took_s)
    metrics.appends.count(0.002)
    told = samples(metrics.page({}))
    name = "euchre_act_seconds"
    assert [told[f"{name}_bucket", bound] for bound in ("0.001", "0.0025", "0.25", "0.5", "2.5", "+Inf")] == [
        2, 3, 3, 4, 4, 5,
    ]  # fmt: skip
    assert told[f"{name}_count", ""] == 5
    assert told[f"{name}_sum", ""] == 99.3025
    bounds = [float(label) for key, label in told if key == f"{name}_bucket" and label != "+Inf"]
    assert bounds == sorted(bounds)
    assert told["euchre_append_seconds_bucket", "0.001"] == 0
    assert told["euchre_append_seconds_bucket", "0.0025"] == told["euchre_append_seconds_count", ""] == 1


def test_every_figure_has_its_type_once() -> None:
    metrics = Metrics()
    metrics.refused("stale")
    metrics.refused("bad_message")
    page = metrics.page({"euchre_tables": ("Tables.", 3)}).decode()
    typed = re.findall(r"^# TYPE (\S+) (\S+)$", page, re.MULTILINE)
    assert dict(typed) == {
        "euchre_tables": "gauge",
        "euchre_loop_lag_seconds": "gauge",
        "euchre_refusals_total": "counter",
        "euchre_act_seconds": "histogram",
        "euchre_append_seconds": "histogram",
    }
    assert len(typed) == len(set(typed))
    explained = dict(re.findall(r"^# HELP (\S+) (.+)$", page, re.MULTILINE))
    assert explained.keys() == dict(typed).keys()
    assert len(set(explained.values())) == len(explained)
    told = samples(page.encode())
    assert (told["euchre_tables", ""], told["euchre_loop_lag_seconds", ""]) == (3, 0)
    assert (told["euchre_refusals_total", "stale"], told["euchre_refusals_total", "bad_message"]) == (1, 1)
    assert page.endswith("\n")


async def test_a_server_tells_what_it_does(tmp_path: Path) -> None:
    async with serving(tmp_path, log="memory") as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create()
            await ann.start(table)
            prompt = await ann.my_turn(table)
            act = {"table": table, "turn": prompt["turn"], "action": prompt["legal"][0]}
            assert (await ann.ask("act", **act))["t"] == "ok"
            assert (await ann.ask("act", **act))["code"] == "stale"
            with await asyncio.to_thread(urllib.request.urlopen, f"{server.http}/metrics") as response:
                assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
                told = samples(response.read())
        assert told["euchre_players", ""] == told["euchre_tables", ""] == 1
        assert told["euchre_connections", ""] == 1 + told["euchre_workers", ""]
        assert told["euchre_workers_aside", ""] == 0
        assert told["euchre_act_seconds_count", ""] == 1
        assert told["euchre_append_seconds_count", ""] >= 3  # the start, the deal, the action
        assert told["euchre_append_seconds_sum", ""] > 0
        assert told["euchre_refusals_total", "stale"] == 1
