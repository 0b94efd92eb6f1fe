"""The house's own bot workers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from server.staff import Staff
from tests.support_server import PATIENCE_S


async def test_a_worker_that_cannot_be_started_is_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on a machine that has no room for another process just now."""
    program, started = tmp_path / "python", tmp_path / "started"
    monkeypatch.setattr(sys, "executable", str(program))
    staff = Staff("ws://127.0.0.1:1/ws", "token", 1)
    await asyncio.sleep(0)
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o700)
    async with asyncio.timeout(PATIENCE_S):
        while not started.exists():  # noqa: ASYNC110  # nothing announces it
            await asyncio.sleep(0.01)
    await staff.stop()
