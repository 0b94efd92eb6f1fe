"""`euchre bench reconnect`: how long a crowd that lost its connections at once takes to be back at its tables."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Final

from clients.cli.bench.processes import allow_files, python, running, serving
from clients.cli.bench.spread import quantile
from clients.cli.errors import UsageError

_CLIENTS: Final = 4


def reconnect(*, tables: int = 500, rounds: int = 3) -> int:
    """Cut all clients of a server at once, and tell when they know their tables again.

    Each waits as the protocol says (a quarter to half a second, then longer), connects, shows its token and where it
    stood, and is back when it was told how its table stands. What the server spent of its processor's time for it is
    told, too.

    Parameters
    ----------
    tables
        Tables of four clients, in mid-game.
    rounds
        How often they are cut.
    """
    if tables < 1 or rounds < 1:
        raise UsageError("--tables and --rounds are 1 or more")
    clients = tables * _CLIENTS
    allow_files(2 * clients)  # the server may hear of the cut later than of the return
    with contextlib.ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="euchre-bench-")))
        server, url = stack.enter_context(serving("sqlite", data))
        crowd = stack.enter_context(running(python("clients.cli.bench.crowd", url, str(clients), "seated")))
        crowd.line()
        for number in range(1, rounds + 1):
            before = server.cpu_s
            times_s = crowd.ask("cut")["s"]
            after = server.cpu_s
            cost = (
                ""
                if before is None or after is None
                else f"; {1000 * (after - before) / clients:.1f} ms of the server's processor time each"
            )
            print(
                f"round {number}: {len(times_s)} cut, half back after {quantile(times_s, 0.5):.2f} s, "
                f"99 % after {quantile(times_s, 0.99):.2f} s, all after {max(times_s):.2f} s{cost}",
                flush=True,
            )
    return 0
