"""A PostgreSQL for the tests: one cluster a run, a database of its own for each test.

pytest.fixture(scope="module")(postgres)
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from scripts.services import Postgres, free_port


def postgres() -> Iterator[Postgres]:
    """Run a cluster; a fixture. It ends with the tests, however they end."""
    # Not below pytest's folder, which is ours alone: as root we run PostgreSQL as another user.
    folder = Path(tempfile.mkdtemp(prefix="euchre-postgres-"))
    folder.chmod(0o711)
    cluster = Postgres(folder / "cluster", free_port(), fsync=False)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.kill()
        shutil.rmtree(folder)


def fresh_database(cluster: Postgres) -> str:
    """Return the URL of a database nobody has used."""
    return cluster.database(f"d{uuid.uuid4().hex}")
