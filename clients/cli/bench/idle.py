"""`euchre bench idle`: what a connection that says nothing costs the server in memory."""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path
from typing import Final

from clients.cli.bench.processes import allow_files, python, running, serving
from clients.cli.errors import CommandError, UsageError

_WARM_UP: Final = 50
_SETTLE_S: Final = 2.0


def idle(*, connections: int = 2000) -> int:
    """Tell a server's memory for each connection that was welcome and is idle.

    That is what its resident memory grew by, after it had a few others first. What the system holds for a socket is not
    in it.

    Parameters
    ----------
    connections
        How many.
    """
    if connections < 1:
        raise UsageError("--connections is 1 or more")
    allow_files(connections)
    with contextlib.ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="euchre-bench-")))
        server, url = stack.enter_context(serving("sqlite", data))
        with running(python("clients.cli.bench.crowd", url, str(_WARM_UP), "idle")) as crowd:
            crowd.line()
        time.sleep(_SETTLE_S)
        before = server.memory_kib
        crowd = stack.enter_context(running(python("clients.cli.bench.crowd", url, str(connections), "idle")))
        crowd.line()
        time.sleep(_SETTLE_S)
        after = server.memory_kib
        if before is None or after is None:
            raise CommandError("this system does not tell a process's memory (there is no /proc)")
        print(
            f"{connections} idle connections: {(after - before) / connections:.1f} KiB each "
            f"(the server grew from {before / 1024:.0f} to {after / 1024:.0f} MiB)"
        )
    return 0
