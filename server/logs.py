"""Log lines, to stderr: JSON for machines, columns for people. No cards and no tokens ever go in."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from pathlib import Path
from typing import BinaryIO, Literal, TextIO, cast

import orjson
import structlog


class Stderr:
    """Standard error for log lines. Where it cannot be written they are lost: that must not stop a game."""

    def write(self, line: str | bytes) -> None:
        if sys.stderr is None:  # closed from the start; its number may be another file's by now
            return
        data = line if isinstance(line, bytes) else line.encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(sys.stderr.fileno(), data) :]

    def flush(self) -> None:
        """Nothing waits: `write` writes."""


def place_of(error: BaseException) -> str:
    """Return the file and line that raised *error*. Its text stays out of logs: it could hold cards."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "?" if at is None else f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}"


def configure_logs(log_format: Literal["auto", "json", "console"], level: str) -> None:
    """Set up structlog for the process; ``auto`` is for people on a terminal and JSON elsewhere."""
    as_json = log_format == "json" or (log_format == "auto" and not (sys.stderr and sys.stderr.isatty()))
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    minimum = logging.getLevelNamesMapping()[level.upper()]
    if as_json:
        structlog.configure(
            processors=[
                *shared,
                structlog.processors.dict_tracebacks,
                structlog.processors.JSONRenderer(serializer=orjson.dumps),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(minimum),
            logger_factory=structlog.BytesLoggerFactory(cast("BinaryIO", Stderr())),
            cache_logger_on_first_use=True,
        )
    else:
        structlog.configure(
            processors=[*shared, structlog.dev.ConsoleRenderer()],
            wrapper_class=structlog.make_filtering_bound_logger(minimum),
            logger_factory=structlog.WriteLoggerFactory(cast("TextIO", Stderr())),
            cache_logger_on_first_use=True,
        )
    # The libraries' own logging: what matters of it, and no tracebacks of peers that talk nonsense.
    stream = cast("TextIO", Stderr())
    logging.basicConfig(level=max(minimum, logging.WARNING), stream=stream, format="%(name)s: %(message)s")
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    # Nor of a database that is away, which the store says in a line.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
