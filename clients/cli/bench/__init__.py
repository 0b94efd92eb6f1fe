"""`euchre bench`: how fast the engine, the search and the server are, next to something known; how even the deals."""

from __future__ import annotations

from typing import Final

from cyclopts import App

bench: Final = App(name="bench")
bench.command(
    "clients.cli.bench.engine:engine",
    name="engine",
    help="Random hands a second, by preset, next to OpenSpiel's.",
    sort_key=0,
)
bench.command(
    "clients.cli.bench.solver:solver", name="solver", help="Hands solved a second, next to uncompiled.", sort_key=1
)
bench.command(
    "clients.cli.bench.server:server", name="server", help="Actions a second, next to a bare socket loop's.", sort_key=2
)
bench.command(
    "clients.cli.bench.idle:idle", name="idle", help="The server's memory for an idle connection.", sort_key=3
)
bench.command(
    "clients.cli.bench.reconnect:reconnect",
    name="reconnect",
    help="How long a crowd that was cut takes to be back.",
    sort_key=4,
)
bench.command(
    "clients.cli.bench.stuck:stuck", name="stuck", help="What watchers who stop reading cost the players.", sort_key=5
)
bench.command(
    "clients.cli.bench.deals:deals", name="deals", help="Whether the shuffle prefers any card or seat.", sort_key=6
)
