"""A real Chromium and a real server for the tests of the web page.

Chromium lives as long as a module: while Playwright is open an event loop runs in the tests' thread, and the tests of
another folder want that thread for loops of their own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.browser.running import RunningServer

_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
_CHROMIUM_OPTIONS = [
    "--no-sandbox",  # containers run as root, where Chromium's sandbox refuses to start
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
_HERE = Path(__file__).parent
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
WAIT_MS = 30_000  # of a busy machine; nothing waits longer than it must
expect.set_options(timeout=WAIT_MS)
# Keys pressed before Chromium has painted a page once may reach its body instead of the field that has the focus.
PAINTED = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"

NewPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of this folder one after another, so that one Chromium at a time is open."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    if program is None:
        pytest.fail("no Chromium found; `make system-packages` installs it (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=_CHROMIUM_OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


@pytest.fixture
def new_page(browser: Browser, server: RunningServer) -> Iterator[NewPage]:
    """Make a page on the start screen: of a new person, or in *context* another tab of the same.

    The test fails when a page met an error of ours, or something its content security policy forbids.
    """
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(
        *, context: BrowserContext | None = None, viewport: ViewportSize = DESKTOP, reduced_motion: bool = True
    ) -> Page:
        if context is None:
            context = browser.new_context(
                viewport=viewport, reduced_motion="reduce" if reduced_motion else "no-preference"
            )
            context.set_default_timeout(WAIT_MS)
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
        page.goto(server.url)
        page.evaluate(PAINTED)
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()
