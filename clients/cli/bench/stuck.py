"""`euchre bench stuck`: what watchers who stop reading cost the players."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Final

from clients.cli.bench.processes import allow_files, serving
from clients.cli.bench.rounds import Compared
from clients.cli.bench.server import load
from clients.cli.bench.spread import quantile, spread
from clients.cli.errors import CommandError, UsageError

_CLIENTS: Final = 4
_WARM_UP_S: Final = 2.0
_LONGEST_S: Final = 4.0
"""The server bears with them for eight."""


def stuck(*, spectators: int = 100, tables: int = 10, rate: float = 100, rounds: int = 5, seconds: float = 4.0) -> int:
    """Tell how long actions take without and with watchers who do not read, in turn.

    Parameters
    ----------
    spectators
        How many stop reading, spread over the tables.
    tables
        Tables of four clients.
    rate
        Actions a second, sent at set times.
    rounds
        Rounds of each.
    seconds
        How long each round takes, up to 4.
    """
    if spectators < 1 or tables < 1 or rate <= 0 or rounds < 1 or not 0 < seconds <= _LONGEST_S:
        raise UsageError("all are 1 or more, --rate above 0, and --seconds above 0, up to 4")
    allow_files(tables * _CLIENTS + spectators)
    without, beside, gone_s, grown_kib = [], [], [], []
    with contextlib.ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="euchre-bench-")))
        server, url = stack.enter_context(serving("sqlite", data))
        under_load = stack.enter_context(load("server", [url], tables))
        under_load.ask(f"pace {_WARM_UP_S} {rate}")
        for number in range(1, rounds + 1):
            without.append(under_load.ask(f"pace {seconds} {rate}")["event_s"])
            before = server.memory_kib
            under_load.ask(f"stick {spectators}")
            beside.append(under_load.ask(f"pace {seconds} {rate}")["event_s"])
            after = server.memory_kib
            gone_s.append(under_load.ask("unstick")["gone_s"])
            if before is None or after is None:
                raise CommandError("this system does not tell a process's memory (there is no /proc)")
            grown_kib.append(after - before)
            print(
                f"round {number}: to the last seat {spread(without[-1])} ms, with {spectators} stuck watchers "
                f"{spread(beside[-1])} ms; the last of them gone after {gone_s[-1]:.1f} s",
                flush=True,
            )
    for share, name in ((0.5, "half"), (0.99, "p99")):
        compared = Compared([quantile(one, share) for one in beside], [quantile(one, share) for one in without])
        print(f"{name}: {1000 * compared.their_rate:.1f} ms without, {1000 * compared.our_rate:.1f} ms beside them, "
              f"ratio {compared.ratio:.2f} (median of the rounds)")  # fmt: skip
    print(
        f"the server's memory grew by at most {max(grown_kib) / spectators:.0f} KiB for each, "
        f"and all were gone after {max(gone_s):.1f} s"
    )
    return 0
