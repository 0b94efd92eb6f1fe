"""What must hold of the repository as a whole: its locks, its set-up and who may import whom."""

from __future__ import annotations

import ast
import itertools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
RUN_LOCK = ROOT / "requirements-run.lock"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def locked(lock: Path) -> dict[str, set[Version]]:
    """Return the locked versions by package: several where they differ by Python version or platform."""
    versions: dict[str, set[Version]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock.read_text(), re.MULTILINE):
        versions.setdefault(name, set()).add(Version(version))
    return versions


def tracked_files() -> Iterator[Path]:
    """Yield the text files that git has, but this one."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    for name in listing.stdout.split("\0"):
        path = ROOT / name
        if name and path != Path(__file__) and path.is_file():
            yield path


@pytest.mark.parametrize(
    ("lock", "requirements"),
    [
        (LOCK, [*PROJECT["dependencies"], *(needed for extra in EXTRAS.values() for needed in extra)]),
        (RUN_LOCK, [*PROJECT["dependencies"], *EXTRAS["build"]]),
    ],
    ids=["everything", "to run"],
)
def test_the_lock_holds_every_dependency_at_a_version_that_serves(lock: Path, requirements: list[str]) -> None:
    """`make lock` was run after the last change of pyproject.toml."""
    versions = locked(lock)
    for requirement in map(Requirement, requirements):
        assert versions[requirement.name.lower()], requirement
        assert all(version in requirement.specifier for version in versions[requirement.name.lower()]), requirement


def test_what_is_run_is_what_was_tested() -> None:
    everything = locked(LOCK)
    assert all(versions <= everything[name] for name, versions in locked(RUN_LOCK).items())


@pytest.mark.parametrize("lock", [LOCK, RUN_LOCK], ids=lambda lock: lock.name)
def test_a_lock_has_hashes_and_names_no_place_to_fetch_from(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text
    assert not re.search(r"^--", text, re.MULTILINE)
    entries = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)


def test_no_file_speaks_of_one_machine() -> None:
    """A path or a package index of somebody's machine means nothing, or harm, on another."""
    of_one_machine = re.compile(r"/work/|/root/|/home/[a-z]|/Users/|/opt/pypi|index-url|find-links|PIP_INDEX")
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {line.strip()}" for line in lines if of_one_machine.search(line)]
    assert not found


def test_the_readme_gives_two_commands_that_the_makefile_has() -> None:
    readme = (ROOT / "README.md").read_text()
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in ("play", "test"):
        assert f"make {command}" in readme
        assert command in targets


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "make test"


COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]


def test_the_composed_cluster_is_reached_by_its_proxy_alone_and_from_this_machine_until_somebody_says_else() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "nginx": ["${PUBLISH:-127.0.0.1:8765}:8080"]
    }
    assert [name for name, service in SERVICES.items() if "outside" in service["networks"]] == ["nginx"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}


def test_the_composed_services_keep_their_data_and_cannot_write_elsewhere() -> None:
    volumes = {name: service["volumes"] for name, service in SERVICES.items() if "volumes" in service}
    assert volumes.pop("nginx") == ["./deploy/nginx.conf:/etc/nginx/nginx.conf:ro"]
    assert volumes == {"redis": ["redis:/data"], "postgres": ["postgres:/var/lib/postgresql/data"]}
    assert set(COMPOSE["volumes"]) == set(volumes)
    assert all(service["read_only"] and service["restart"] == "unless-stopped" for service in SERVICES.values())
    redis = SERVICES["redis"]["command"]
    options = dict(itertools.pairwise(redis))
    assert (options["--appendonly"], options["--appendfsync"]) == ("yes", "always")
    assert options["--maxmemory-policy"] == "noeviction"


def test_a_composed_service_starts_when_what_it_needs_is_healthy_and_has_time_to_stop() -> None:
    for name, service in SERVICES.items():
        assert service["stop_grace_period"].endswith("s")
        is_node = name.startswith("node")
        assert int(service["stop_grace_period"][:-1]) >= (15 if is_node else 5)
        # A node has its image's health check.
        assert is_node or "healthcheck" in service
    for name in ("node1", "node2"):
        wanted = {need: condition["condition"] for need, condition in SERVICES[name]["depends_on"].items()}
        assert wanted == {"redis": "service_healthy", "postgres": "service_healthy"}
        assert f"server {name}:8765 " in (ROOT / "deploy" / "nginx.conf").read_text()
        workers = [other["command"][2] for other in SERVICES.values() if other.get("depends_on") == [name]]
        assert workers == [f"--server=ws://{name}:8765/ws"]


def test_no_secret_of_the_composed_cluster_is_in_the_repository() -> None:
    """Each is a variable without a default, so that compose refuses to start without it; the example names them all."""
    text = (ROOT / "docker-compose.yml").read_text()
    secrets = {name for name in re.findall(r"\$\{(\w+)", text) if re.search("PASSWORD|TOKEN", name)}
    assert secrets == {"REDIS_PASSWORD", "POSTGRES_PASSWORD", "EUCHRE_WORKER_TOKEN"}
    assert not re.search(r"(PASSWORD|TOKEN)[^:?}]*}", text)
    example = dict(re.findall(r"^(\w+)=(.*)$", (ROOT / "deploy" / "example.env").read_text(), re.MULTILINE))
    assert set(example) == set(re.findall(r"\$\{(\w+)", text))
    assert all(example[name] == "" for name in secrets)
    assert ".env" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_container_runs_the_locked_versions_without_root() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes --requirement requirements-run.lock" in dockerfile
    assert re.findall(r"^USER (.+)$", dockerfile, re.MULTILINE) == ["euchre"]


def test_the_engine_imports_itself_and_the_standard_library_only() -> None:
    """Import-linter names what the engine may not import; this names what it may, so that nothing is forgotten."""
    allowed = {"engine", *sys.stdlib_module_names}
    modules = sorted((ROOT / "engine").rglob("*.py"))
    assert modules
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert {name.split(".")[0] for name in names} <= allowed, path


def test_every_decision_has_its_own_number_and_stands_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text()
    decisions = sorted(path.name for path in folder.glob("0*.md"))
    assert len({name[:4] for name in decisions}) == len(decisions)
    assert [name for name in decisions if f"({name})" not in index] == []
