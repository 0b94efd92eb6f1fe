"""Log lines: where they go, and what becomes of them where they cannot go anywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, logging, sys, structlog
from server.logs import configure_logs
configure_logs(sys.argv[1], "info")
for number in range(1000):
    structlog.get_logger("server").warning("a line", number=number, text="\\u00e9")
logging.getLogger("asyncio").error("a library's line")
print("alive")
"""


def logged(log_format: str, stderr: str) -> subprocess.CompletedProcess[str]:
    """Run a program that logs, its standard error as a shell spells it."""
    command = f'"$0" -c "$1" {log_format} {stderr}'
    return subprocess.run(
        ["bash", "-c", command, sys.executable, PROGRAM],
        capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip


@pytest.mark.parametrize("log_format", ["json", "console", "auto"])
@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-", "2> >(exec true; sleep 1)"], ids=["full", "closed", "ended"])
def test_a_line_that_cannot_be_written_stops_nothing(log_format: str, stderr: str) -> None:
    """A disk that is full, no standard error at all, and a reader that went away."""
    ended = logged(log_format, stderr)
    assert (ended.returncode, ended.stdout) == (0, "alive\n")
    assert ended.stderr == ""


def test_lines_are_json_for_machines_and_complete() -> None:
    lines = logged("json", "").stderr.splitlines()
    assert [json.loads(line)["number"] for line in lines[:-1]] == list(range(1000))
    assert lines[-1] == "asyncio: a library's line"
