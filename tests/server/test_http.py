"""Plain HTTP on the WebSocket's port: health, readiness, and the files of the web page."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import re
from collections.abc import AsyncIterator
from http.client import HTTPResponse
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.datastructures import Headers
from websockets.http11 import Request

import clients
from server.http import respond
from server.pages import load_pages
from tests.support_server import PATIENCE_S, Server, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

WEB = Path(next(iter(clients.__path__))) / "web"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with serving(tmp_path_factory.mktemp("http"), log="memory", workers=0) as running:
        yield running


def get(server: Server, path: str, *, method: str = "GET") -> tuple[HTTPResponse, bytes]:
    """Ask for *path* as it is written: no client in between makes it harmless."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        connection.endheaders()
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def asking(path: str, **headers: str) -> Request:
    return Request(path, Headers({name.replace("_", "-"): value for name, value in headers.items()}))


async def fetch(server: Server, path: str) -> tuple[HTTPResponse, bytes]:
    return await asyncio.to_thread(get, server, path)


@pytest.mark.parametrize(("path", "says"), [("/healthz", b"ok\n"), ("/readyz", b"ready\n"), ("/healthz?x=1", b"ok\n")])
async def test_a_server_that_serves_is_healthy_and_ready(server: Server, path: str, says: bytes) -> None:
    response, body = await fetch(server, path)
    assert (response.status, body) == (200, says)
    assert response.headers["Content-Type"].startswith("text/plain")


async def test_a_game_nobody_played_has_no_page(server: Server) -> None:
    for path in ("/games/g_none", "/games/", "/games/a%20b?x=1"):
        response, _ = await fetch(server, path)
        assert response.status == 404


async def test_the_root_is_the_page(server: Server) -> None:
    for path in ("/", "/index.html", "/?table=t_x"):
        response, body = await fetch(server, path)
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        # As it is but for where its files are, and what it asks for ahead.
        plain = re.sub(rb'<link rel="modulepreload"[^>]*>\n|(?<=")[0-9a-f]{12}/', b"", body)
        assert plain == (WEB / "index.html").read_bytes()


async def test_every_file_of_the_page_is_served_with_its_type(server: Server) -> None:
    types = {
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
    }
    files = [file for file in WEB.rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
    assert files
    files.remove(WEB / "index.html")
    for file in files:
        response, body = await fetch(server, "/" + file.relative_to(WEB).as_posix())
        assert response.status == 200, file
        assert body == file.read_bytes()
        assert int(response.headers["Content-Length"]) == len(body)
        if file.suffix in types:
            assert response.headers["Content-Type"] == types[file.suffix]


async def test_what_the_page_asks_for_is_there(server: Server) -> None:
    _, body = await fetch(server, "/")
    asked = re.findall(rb'(?:src|href)="(?!https?:|data:|#)([^"]+)"', body)
    assert asked
    for path in asked:
        response, file = await fetch(server, f"/{path.decode()}")
        assert response.status == 200, path
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert file == (WEB / path.decode().partition("/")[2]).read_bytes()


async def test_every_answer_forbids_what_the_page_does_not_need(server: Server) -> None:
    for path in ("/", "/style.css", "/main.js", "/healthz", "/nothing"):
        response, _ = await fetch(server, path)
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers.get("Server") is None


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/index.htm",
        "/../server/main.py",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/./index.html",
        "/.hidden",
        "/__init__.py",
        "/..\\..\\pyproject.toml",
        "/index.html/",
        "/style.css%00",
        "/ws/",
        "/ws/x",
        "/euchre.db",
    ],
)
async def test_nothing_else_is_served(server: Server, path: str) -> None:
    response, body = await fetch(server, path)
    assert response.status == 404
    assert body == b"There is no such page.\n"


async def test_a_plain_request_to_the_websocket_is_refused(server: Server) -> None:
    response, _ = await fetch(server, "/ws")
    assert response.status in {400, 426}


async def test_other_methods_are_not_served(server: Server) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "BREW"):
        response, _ = await asyncio.to_thread(get, server, "/", method=method)
        assert response.status == 405
        assert response.headers["Allow"] == "GET, HEAD"


async def test_head_is_get_without_the_body(server: Server) -> None:
    got, body = await fetch(server, "/")
    head, nothing = await asyncio.to_thread(get, server, "/", method="HEAD")
    assert (head.status, nothing) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == str(len(body))


async def test_files_are_read_once_and_hidden_ones_are_not_pages(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>hello")
    (tmp_path / ".secret").write_text("x")
    (tmp_path / "_draft.html").write_text("x")
    (tmp_path / "art").mkdir()
    (tmp_path / "art" / "card.svg").write_text("<svg/>")
    pages = load_pages(tmp_path)
    assert {path for path in pages if not pages[path].lasts} == {"/", "/index.html", "/art/card.svg"}
    (tmp_path / "index.html").unlink()
    assert respond(pages, asking("/"), is_ready=True).body == b"<p>hello"


async def test_a_server_that_is_about_to_stop_is_healthy_but_not_ready() -> None:
    assert respond({}, asking("/readyz"), is_ready=False).status_code == 503
    assert respond({}, asking("/healthz"), is_ready=False).status_code == 200


async def test_a_file_that_changes_is_another_file(tmp_path: Path) -> None:
    """So browsers may keep what they have, and a page's modules are of one version."""
    (tmp_path / "index.html").write_text('<head><script src="main.js"></script></head>')
    (tmp_path / "main.js").write_text('import "./a.js"')
    (tmp_path / "a.js").write_text("1")
    before = load_pages(tmp_path)
    assert load_pages(tmp_path) == before
    (tmp_path / "a.js").write_text("2")
    after = load_pages(tmp_path)
    lasting = [{path for path, page in pages.items() if page.lasts} for pages in (before, after)]
    assert not lasting[0] & lasting[1]
    assert before["/"].body != after["/"].body
    assert not before["/"].lasts
    # The page came from a node of the version before: it gets what there is, for now.
    for path in lasting[0]:
        response = respond(after, asking(path), is_ready=True)
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.body == after["/" + path.rpartition("/")[2]].body


async def test_all_modules_of_the_start_are_asked_for_at_once(server: Server) -> None:
    """A module that is found in another one is asked for a round trip later."""
    _, body = await fetch(server, "/")
    ahead = set(re.findall(rb'rel="modulepreload" href="[0-9a-f]{12}/([^"]+)"', body))
    assert ahead == {file.name.encode() for file in WEB.glob("*.js")}


@pytest.mark.parametrize(
    ("takes", "packed"),
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("br, GZIP;q=0.5", True),
        ("gzip; q=1.0", True),
        ("gzip;q=0", False),
        ("deflate, gzip; q=0.00", False),
        ("br", False),
        ("", False),
    ],
)
async def test_files_are_packed_for_who_takes_that(takes: str, packed: bool) -> None:  # noqa: FBT001
    pages = load_pages(WEB)
    response = respond(pages, asking("/main.js", Accept_Encoding=takes), is_ready=True)
    assert (response.headers.get("Content-Encoding") == "gzip") == packed
    assert response.headers["Vary"] == "Accept-Encoding"
    assert int(response.headers["Content-Length"]) == len(response.body)
    body = gzip.decompress(response.body) if packed else response.body
    assert body == (WEB / "main.js").read_bytes()


async def test_what_does_not_get_shorter_is_not_packed(tmp_path: Path) -> None:
    (tmp_path / "x.js").write_text("1")
    response = respond(load_pages(tmp_path), asking("/x.js", Accept_Encoding="gzip"), is_ready=True)
    assert response.body == b"1"
    assert "Content-Encoding" not in response.headers
    assert "Vary" not in response.headers
