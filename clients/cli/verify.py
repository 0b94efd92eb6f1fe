"""`euchre verify`: a record checked, every action against the rules and every deal against its commitment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Final

from cyclopts import Parameter

from clients.cli.errors import FAILURE, CommandError, refuse_option
from clients.cli.recordfile import complaint, error_to_plain, open_record, print_plain, record_lines
from engine.record import RecordError
from engine.verify import BROKEN, EXPLAINED, DealCheck, Fairness
from engine.verify import verify as check_record


def verify(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    as_json: Annotated[bool, Parameter(name="--json")] = False,
) -> int:
    """Check the record of a game, format euchre/1: every action legal, every deal the one it was committed to.

    The exit status is 1 where a deal is not the one committed to, or where the record cannot be followed. A deal
    without a commitment, or whose secret is not in the record, cannot be checked; that is told, and is no failure.

    Parameters
    ----------
    file
        The record; - reads standard input.
    as_json
        Print one JSON line a hand instead.
    """
    refuse_option(file)
    checks: list[DealCheck] = []
    try:
        for check in _checks(file):
            checks.append(check)
            if as_json:
                print_plain(check_to_plain(check))
            else:
                print(sentence(check))
    except RecordError as error:
        if not as_json:
            raise CommandError(complaint(file, error)) from None
        print_plain(error_to_plain(error))
        return FAILURE
    if not as_json:
        print(summary(checks))
    return FAILURE if any(check.fairness in BROKEN for check in checks) else 0


def _checks(file: str) -> Iterator[DealCheck]:
    with open_record(file) as stream:
        yield from check_record(record_lines(stream))


def check_to_plain(check: DealCheck) -> dict[str, object]:
    """Return the JSON line of one hand."""
    return {
        "n": check.n,
        "hand": check.hand,
        "fairness": str(check.fairness),
        "broken": check.fairness in BROKEN,
        "detail": EXPLAINED[check.fairness],
    }


def sentence(check: DealCheck) -> str:
    """Return the line of one hand."""
    if check.fairness is Fairness.FAIR:
        return f"Hand {check.hand}: fair"
    what = "not fair" if check.fairness in BROKEN else "cannot be checked"
    return f"Hand {check.hand} (entry {check.n}): {what}: {EXPLAINED[check.fairness]}"


_COUNTED: Final = (
    (frozenset({Fairness.FAIR}), "fair"),
    (BROKEN, "not fair"),
    (frozenset({Fairness.NOT_COMMITTED}), "dealt without a commitment, so not checked"),
    (frozenset({Fairness.NOT_REVEALED}), "without the secret, so not checked"),
)


def summary(checks: list[DealCheck]) -> str:
    """Return what a whole record came to; it was followed to its end."""
    if not checks:
        return "The record holds no hand."
    many = Counter(check.fairness for check in checks)
    totals = [(sum(many[kind] for kind in kinds), words) for kinds, words in _COUNTED]
    told = ", ".join(f"{total} {words}" for total, words in totals if total)
    return f"{len(checks)} hand{'' if len(checks) == 1 else 's'}: {told}. Every action is legal."
