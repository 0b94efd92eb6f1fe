"""`euchre rules`: the rules of a table, to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from cyclopts import Parameter

from clients.cli.errors import UsageError, refuse_option
from clients.cli.options import read_options
from clients.cli.rulewords import rule_lines
from clients.cli.screen import Screen
from engine.errors import RulesError
from engine.rules import make_rules, rules_to_plain


def rules(
    preset: Annotated[str, Parameter(allow_leading_hyphen=True)] = "standard",
    /,
    *,
    set_: Annotated[list[str] | None, Parameter(name="--set", show_default=False)] = None,
) -> int:
    """Print the rules of a table in plain words. What differs from the standard game is marked.

    Parameters
    ----------
    preset
        The name of the table's rules: standard, ladder, practice, club, screw, british, best or championship.
    set_
        Change one option, as in --set target=5 or --set target=none; may be given several times.
    """
    refuse_option(preset)
    try:
        table = make_rules(preset, read_options(set_ or [], option="--set"))
    except RulesError as error:
        raise UsageError(f"no such rules: {error}") from None
    print_rules(Screen(), preset, rules_to_plain(table))
    return 0


def print_rules(screen: Screen, preset: str, plain: Mapping[str, object]) -> None:
    """Print the rules of a table; *plain* are its complete options."""
    headline, *lines = rule_lines(preset, plain)
    screen.heading(headline)
    for line in lines:
        if line.endswith(":"):
            screen.heading(line)
        else:
            screen.line(line, indent=2)
