"""The house's own bot workers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import pytest

from server.staff import Staff
from tests.support_server import PATIENCE_S


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return where the worker's program is looked for; nothing is there yet."""
    program = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(program))
    return program


def write(program: Path, *lines: str) -> None:
    text = "\n".join(["#!/bin/sh", f"cd {program.parent}", *lines, ""])
    written = program.with_suffix(".new")
    written.write_text(text)
    written.chmod(0o700)
    written.rename(program)  # whole: it may be started at any moment


def lines_in(file: Path) -> list[str]:
    """Return the lines of *file* that are whole; none where it is missing."""
    return file.read_text().split("\n")[:-1] if file.exists() else []


async def lines_of(file: Path, count: int) -> list[str]:
    """Wait until *file* has so many lines, and return all it has."""
    async with asyncio.timeout(PATIENCE_S):
        while len(lines_in(file)) < count:  # noqa: ASYNC110  # nothing announces it
            await asyncio.sleep(0.01)
    return lines_in(file)


def is_running(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


async def test_a_worker_that_cannot_be_started_is_tried_again(program: Path) -> None:
    """As on a machine that has no room for another process just now."""
    staff = Staff("ws://127.0.0.1:1/ws", "token", 1)
    await asyncio.sleep(0)
    write(program, "echo >> started", "exec sleep 1000")
    await lines_of(program.with_name("started"), 1)
    await staff.stop()


async def test_each_worker_is_told_where_to_go_and_its_token_beside_the_command_line_and_is_replaced(
    program: Path,
) -> None:
    write(program, 'echo "$@ $EUCHRE_WORKER_TOKEN" >> told')
    staff = Staff("ws://127.0.0.1:1/ws", "s3cret", 2)
    told = await lines_of(program.with_name("told"), 3)
    await staff.stop()
    assert set(told) == {"-m bots.worker --server ws://127.0.0.1:1/ws s3cret"}


async def test_workers_end_with_the_staff_those_too_that_will_not(program: Path) -> None:
    write(program, "trap 'echo >> asked' TERM", "echo $$ >> pids", "while :; do sleep 0.05; done")
    staff = Staff("ws://127.0.0.1:1/ws", "token", 2)
    pids = await lines_of(program.with_name("pids"), 2)
    for _ in range(100):  # a worker that is not yet quite started when the staff ends is not asked
        await asyncio.sleep(0)
    await staff.stop()
    assert lines_in(program.with_name("asked")) == ["", ""]
    assert not any(is_running(int(pid)) for pid in pids)
    assert lines_in(program.with_name("pids")) == pids
