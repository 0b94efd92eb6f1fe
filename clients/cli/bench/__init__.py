"""`euchre bench`: how fast the engine, the search and the server are, next to something known; how even the deals."""

from __future__ import annotations

from typing import Final

from cyclopts import App

bench: Final = App(name="bench", help_format="plaintext", help_formatter="plain")
bench.command(
    "clients.cli.bench.engine:engine", name="engine", help="Random hands a second, next to OpenSpiel's.", sort_key=0
)
bench.command(
    "clients.cli.bench.solver:solver", name="solver", help="Hands solved a second, next to uncompiled.", sort_key=1
)
bench.command(
    "clients.cli.bench.server:server", name="server", help="Actions a second, next to a bare socket loop's.", sort_key=2
)
bench.command(
    "clients.cli.bench.deals:deals", name="deals", help="Whether the shuffle prefers any card or seat.", sort_key=3
)
