"""`euchre bot`: for authors of bots: check one, register one, play with one."""

from __future__ import annotations

from typing import Annotated, Final

from cyclopts import App, Parameter

from bots.sdk.checking import Checked, check, hands_checked
from bots.sdk.hosting import LIMIT_S
from bots.sdk.loading import BotSource, LoadError, load_class, load_program
from clients.cli.errors import FAILURE, UsageError
from clients.cli.progress import progress_bar

bot: Final = App(name="bot", help_format="plaintext", help_formatter="plain")


def load(which: str | None, stdio: str | None) -> BotSource:
    """Return the bot a command line names, in one of the two ways. Raises UsageError."""
    if (which is None) == (stdio is None):
        raise UsageError("name a bot, my_bot.py:MyBot or --stdio COMMAND")
    try:
        return load_program(stdio) if stdio is not None else load_class(which or "")
    except LoadError as error:
        raise UsageError(str(error)) from None


@bot.command(name="check", sort_key=0)
def check_(
    which: str | None = None,
    /,
    *,
    stdio: Annotated[str | None, Parameter(show_default=False)] = None,
    limit: float = LIMIT_S,
) -> int:
    """Ask a bot for every kind of decision there is, and tell every answer that does not count.

    It plays hands that were set up for it: every preset, the Benny, relief, going alone, defending alone, exchanges,
    claims and the rest. A line for each finding: the hand and decision, what was wrong, what was legal, how long it
    took. The exit status is 1 where there is one.

    Parameters
    ----------
    which
        A class in a file: my_bot.py:MyBot.
    stdio
        The command of a program instead, which reads a JSON object a line and answers with a line.
    limit
        How many seconds it may think about a decision.
    """
    source = load(which, stdio)
    decisions, findings, longest_s, hands = 0, 0, 0.0, set[str]()
    with progress_bar(f"checking {source.name}", hands_checked()) as advance:
        for checked in check(source, limit_s=limit):
            advance(checked.hand not in hands)
            hands.add(checked.hand)
            decisions += 1
            longest_s = max(longest_s, checked.took_s)
            if checked.fault is not None:
                findings += 1
                print(finding(checked, checked.fault), flush=True)
    verdict = "no finding" if not findings else f"{findings} finding{'s' if findings > 1 else ''}"
    print(f"{decisions} decisions in {len(hands)} hands: {verdict}; the longest took {1000 * longest_s:.1f} ms.")
    return FAILURE if findings else 0


def finding(checked: Checked, fault: Exception) -> str:
    """Return the line of an answer that does not count."""
    at = f"{checked.hand}:{checked.decision}: seat {checked.seat}, {checked.phase}"
    legal = "" if "legal: " in str(fault) else f"; legal: {', '.join(map(str, checked.legal))}"
    return f"{at}: {fault}{legal} ({1000 * checked.took_s:.1f} ms)"
