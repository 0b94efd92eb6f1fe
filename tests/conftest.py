"""What every test needs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support_redis import ALL_SLOTS, RedisServer, running_redis

# No deadline for an example: on a busy machine a slow one says nothing about the code. Continuous integration tries the
# same examples each time; everybody else's runs look for new ones.
settings.register_profile("euchre", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("euchre")


@pytest.fixture(scope="session")
def one_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis that all tests of a process share; each empties it before it begins."""
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis Cluster of one node, which refuses what no cluster can do; shared like the other."""
    with running_redis(tmp_path_factory.mktemp("cluster"), slots=ALL_SLOTS) as server:
        yield server
