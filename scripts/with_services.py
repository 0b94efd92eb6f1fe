"""Run a command beside a Redis and a PostgreSQL of its own, which end with it and leave nothing.

    python scripts/with_services.py euchre bench server --log REDIS --database POSTGRES --nodes 2

The words REDIS and POSTGRES in the command become their addresses.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from services import MissingError, Postgres, Redis, free_port


def main(command: list[str]) -> int:
    """Return the command's exit status."""
    with tempfile.TemporaryDirectory(prefix="euchre-services-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL may run as a user of its own
        redis, postgres = Redis(folder / "redis", free_port()), Postgres(folder / "postgres", free_port())
        try:
            redis.start()
            postgres.start()
            places = {"REDIS": redis.url, "POSTGRES": postgres.database("euchre")}
            signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
            with subprocess.Popen([places.get(word, word) for word in command]) as process:
                try:
                    return process.wait()
                finally:
                    process.terminate()
        except MissingError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        finally:
            postgres.stop()
            redis.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
