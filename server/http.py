"""Plain HTTP on the WebSocket's port: health, readiness, the files of the web page, and records of games."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Final, TypeAlias

from websockets.datastructures import Headers
from websockets.http11 import Response

from server.archive import Archive
from server.store import StoreAwayError

GAMES_PATH: Final = "/games/"
_RECORD_TYPE: Final = "application/jsonl; charset=utf-8"
_CONTENT_TYPES: Final = {".js": "text/javascript; charset=utf-8", ".webmanifest": "application/manifest+json"}
_SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One file: its bytes and its type."""

    body: bytes
    content_type: str


Pages: TypeAlias = Mapping[str, Page]
"""Files by path, such as ``/style.css``."""


def load_pages(folder: Path) -> Pages:
    """Return the files of *folder* by path, read once: no request ever reaches the disk. ``/`` is index.html."""
    pages = {
        "/" + file.relative_to(folder).as_posix(): Page(file.read_bytes(), _content_type(file))
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith((".", "_"))
    }
    if "/index.html" in pages:
        pages["/"] = pages["/index.html"]
    return pages


def _content_type(file: Path) -> str:
    guessed = _CONTENT_TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return f"{guessed}; charset=utf-8" if guessed in {"text/html", "text/css"} else guessed


async def respond_game(archive: Archive, path: str, *, method: str) -> Response:
    """Return the response to a request for the record of a finished game that everybody may read."""
    try:
        found = await archive.find_public(path.removeprefix(GAMES_PATH))
    except StoreAwayError:
        return _response(HTTPStatus.SERVICE_UNAVAILABLE, Page(b"Try again in a moment.\n", "text/plain"))
    pages = {} if found is None else {path: Page(("\n".join(found.lines) + "\n").encode(), _RECORD_TYPE)}
    return respond(pages, path, is_ready=True, method=method)


def respond(pages: Pages, path: str, *, is_ready: bool, method: str = "GET") -> Response:
    """Return the response to a request for *path*; only GET and HEAD are served."""
    if method == "HEAD":
        return replace(_respond(pages, path, is_ready=is_ready), body=b"")
    if method != "GET":
        return _response(HTTPStatus.METHOD_NOT_ALLOWED, Page(b"Only GET and HEAD are served.\n", "text/plain"))
    return _respond(pages, path, is_ready=is_ready)


def _respond(pages: Pages, path: str, *, is_ready: bool) -> Response:
    if path == "/healthz":
        return _response(HTTPStatus.OK, Page(b"ok\n", "text/plain"))
    if path == "/readyz":
        if is_ready:
            return _response(HTTPStatus.OK, Page(b"ready\n", "text/plain"))
        return _response(HTTPStatus.SERVICE_UNAVAILABLE, Page(b"not ready\n", "text/plain"))
    page = pages.get(path)
    if page is None:
        return _response(HTTPStatus.NOT_FOUND, Page(b"There is no such page.\n", "text/plain"))
    return _response(HTTPStatus.OK, page)


def _response(status: HTTPStatus, page: Page) -> Response:
    headers = Headers(
        {
            "Content-Type": page.content_type,
            "Content-Length": str(len(page.body)),
            "Connection": "close",
            **({"Allow": "GET, HEAD"} if status is HTTPStatus.METHOD_NOT_ALLOWED else {}),
            **_SECURITY_HEADERS,
        }
    )
    return Response(status.value, status.phrase, headers, page.body)
