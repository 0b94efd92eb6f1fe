"""`make chaos`: all faults, or those that are named, so many trials each; ends with status 1 if anything was found.

python -m tests.chaos [--trials N] [--tables N] [--seed N] [--report PAGE] [PART OF A NAME …]
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
import tempfile
from pathlib import Path

from tests.chaos.faults import FAULTS
from tests.chaos.report import report, write_report
from tests.chaos.trials import Result, broken_off, seed_of, try_fault


async def _run(options: argparse.Namespace, command: str) -> list[Result]:
    results: list[Result] = []
    wanted = [fault for fault in FAULTS if not options.faults or any(part in fault.name for part in options.faults)]
    for fault in wanted:
        seed = seed_of(options.seed, fault)
        with tempfile.TemporaryDirectory(prefix="euchre-chaos-") as folder:
            try:
                result = await try_fault(fault, Path(folder), trials=options.trials, tables=options.tables, seed=seed)
            except (TimeoutError, AssertionError) as error:
                result = broken_off(fault, error, seed=seed)
        sys.stderr.write(
            f"{fault.name}: {result.trials} trials in {result.seconds:.0f} s, {len(result.violations)} violations\n"
        )
        results.append(result)
        if options.report is not None:  # what was found so far is not lost if the run is
            write_report(options.report, results, command=command)
    return results


def main() -> int:
    """Run, report and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description="Break what can break, and check.")
    parser.add_argument("faults", nargs="*", help="parts of names of faults; all without")
    parser.add_argument("--trials", type=int, default=200, help="tables in mid-game that each fault befalls")
    parser.add_argument("--tables", type=int, default=16, help="tables at once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="the page to write what came of it to")
    options = parser.parse_args()
    command = shlex.join(["python", "-m", "tests.chaos", *sys.argv[1:]])
    results = asyncio.run(_run(options, command))
    sys.stdout.write(report(results, command=command))
    return any(result.violations for result in results)


if __name__ == "__main__":
    sys.exit(main())
