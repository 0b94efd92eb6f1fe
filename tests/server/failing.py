"""Libraries that fail in a way nobody documented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def fail_once(monkeypatch: pytest.MonkeyPatch, kind: type, method: str) -> Iterator[Exception]:
    """Let *method* of *kind* raise what the library does not document, once; return what it has yet to raise."""
    does, failures = getattr(kind, method), iter((RuntimeError("surprise"),))

    async def fails(self: Any, *args: Any, **kwargs: Any) -> Any:
        for failure in failures:
            raise failure
        return await does(self, *args, **kwargs)

    monkeypatch.setattr(kind, method, fails)
    return failures
