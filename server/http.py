"""Plain HTTP on the WebSocket's port: health, readiness, the files of the web page, and records of games."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Final

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from server.archive import Archive
from server.pages import Page, Pages, page_at
from server.store import StoreAwayError

GAMES_PATH: Final = "/games/"
_RECORD_TYPE: Final = "application/jsonl; charset=utf-8"
_SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_FOR_A_YEAR: Final = "public, max-age=31536000, immutable"


async def respond_game(archive: Archive, request: Request) -> Response:
    """Return the response to a request for the record of a finished game that everybody may read."""
    path = path_of(request)
    try:
        found = await archive.find_public(path.removeprefix(GAMES_PATH))
    except StoreAwayError:
        return _response(HTTPStatus.SERVICE_UNAVAILABLE, Page(b"Try again in a moment.\n", "text/plain"))
    pages = {} if found is None else {path: Page(("\n".join(found.lines) + "\n").encode(), _RECORD_TYPE)}
    return respond(pages, request, is_ready=True)


def respond(pages: Pages, request: Request, *, is_ready: bool) -> Response:
    """Return the response to *request*; only GET and HEAD are served."""
    if request.method not in {"GET", "HEAD"}:
        return _response(HTTPStatus.METHOD_NOT_ALLOWED, Page(b"Only GET and HEAD are served.\n", "text/plain"))
    response = _respond(pages, path_of(request), is_ready=is_ready, takes_gzip=_takes_gzip(request.headers))
    return replace(response, body=b"") if request.method == "HEAD" else response


def path_of(request: Request) -> str:
    """Return what *request* asks for, without a query."""
    return request.path.partition("?")[0]


def _respond(pages: Pages, path: str, *, is_ready: bool, takes_gzip: bool) -> Response:
    if path == "/healthz":
        return _response(HTTPStatus.OK, Page(b"ok\n", "text/plain"))
    if path == "/readyz":
        if is_ready:
            return _response(HTTPStatus.OK, Page(b"ready\n", "text/plain"))
        return _response(HTTPStatus.SERVICE_UNAVAILABLE, Page(b"not ready\n", "text/plain"))
    page = page_at(pages, path)
    if page is None:
        return _response(HTTPStatus.NOT_FOUND, Page(b"There is no such page.\n", "text/plain"))
    return _response(HTTPStatus.OK, page, takes_gzip=takes_gzip)


def _takes_gzip(headers: Headers) -> bool:
    for offered in ",".join(headers.get_all("Accept-Encoding")).lower().split(","):
        name, _, quality = offered.replace(" ", "").partition(";q=")
        if name == "gzip":
            return not quality or bool(quality.strip("0."))
    return False


def _response(status: HTTPStatus, page: Page, *, takes_gzip: bool = False) -> Response:
    is_packed = takes_gzip and page.packed is not None
    body = page.packed if takes_gzip and page.packed is not None else page.body
    headers = Headers(
        {
            "Content-Type": page.content_type,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": _FOR_A_YEAR if page.lasts else "no-cache",
            **({"Vary": "Accept-Encoding"} if page.packed is not None else {}),
            **({"Content-Encoding": "gzip"} if is_packed else {}),
            **({"Allow": "GET, HEAD"} if status is HTTPStatus.METHOD_NOT_ALLOWED else {}),
            **_SECURITY_HEADERS,
        }
    )
    return Response(status.value, status.phrase, headers, body)
