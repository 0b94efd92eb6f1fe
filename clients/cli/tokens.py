"""Who we were at which server, kept so that coming back works: tokens in a file only its owner may read."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_MAX_SERVERS: Final = 64
_MAX_PLAYERS: Final = 16


@dataclass(frozen=True, slots=True)
class TokenFile:
    """``{server: {name: token}}``, the latest last. More than a few servers or names: the oldest are forgotten.

    A file that cannot be read counts as empty; one that cannot be written raises OSError.
    """

    path: Path

    def find(self, server: str, name: str | None) -> str | None:
        """Return the token of *name* at *server*, of whoever played last where *name* is None; or None."""
        players = self._read().get(server, {})
        if name is None:
            return next(reversed(players.values()), None)
        return players.get(name)

    def keep(self, server: str, name: str, token: str) -> None:
        """Remember *token* as the latest."""
        servers = self._read()
        players = servers.pop(server, {})
        players.pop(name, None)
        players[name] = token
        servers[server] = dict(list(players.items())[-_MAX_PLAYERS:])
        self._write(dict(list(servers.items())[-_MAX_SERVERS:]))

    def keep_beside(self, server: str, name: str, token: str) -> str | None:
        """Remember *token* as the latest, and whoever else has this *name* under one beside it.

        Returns the name under which whoever was the latest is found from now on; None where that was the same player.
        """
        servers = self._read()
        players = servers.get(server, {})
        latest = next(reversed(players), None)
        is_same = latest is not None and players[latest] == token
        if players.get(name, token) != token:
            free = next(numbered for count in itertools.count(2) if (numbered := f"{name} {count}") not in players)
            servers[server] = {free if known == name else known: theirs for known, theirs in players.items()}
            self._write(servers)
            latest = free if latest == name else latest
        self.keep(server, name, token)
        return None if is_same else latest

    def renew(self, server: str, old: str, new: str) -> None:
        """Put the token *new* in the place of *old*."""
        servers = self._read()
        servers[server] = {name: new if token == old else token for name, token in servers.get(server, {}).items()}
        self._write(servers)

    def forget(self, server: str, token: str) -> None:
        """Forget a *token* that the server does not know."""
        servers = self._read()
        servers[server] = {name: known for name, known in servers.get(server, {}).items() if known != token}
        self._write(servers)

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            plain: Any = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(plain, dict):
            return {}
        return {
            server: {name: token for name, token in players.items() if isinstance(token, str)}
            for server, players in plain.items()
            if isinstance(players, dict)
        }

    def _write(self, servers: dict[str, dict[str, str]]) -> None:
        """Replace the file in one step, so that two programs at once leave one of both, never a mixture."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, new = tempfile.mkstemp(dir=self.path.parent, prefix=".tokens-")  # made with mode 0600
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(servers, file, indent=1)
            Path(new).replace(self.path)
        except BaseException:
            Path(new).unlink(missing_ok=True)
            raise


def default_token_file(environment: Mapping[str, str] | None = None, *, name: str = "tokens.json") -> TokenFile:
    """Return the file under XDG_STATE_HOME, by default ``~/.local/state/euchre/tokens.json``."""
    environment = os.environ if environment is None else environment
    state = environment.get("XDG_STATE_HOME")
    base = Path(state) if state and Path(state).is_absolute() else Path.home() / ".local" / "state"
    return TokenFile(base / "euchre" / name)
