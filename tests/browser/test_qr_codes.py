"""The links of the page as pictures: what a camera reads from the screen is the link."""

from __future__ import annotations

import base64

import pytest
import zxingcpp
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import DESKTOP, NewPage
from tests.browser.person import make_table
from tests.browser.test_layout import UPRIGHT, assert_no_sideways_scrolling

_GREY = """async png => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${png}`;
    await picture.decode();
    const { width, height } = picture;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas.filter = "grayscale(1)";
    canvas.drawImage(picture, 0, 0);
    const { data } = canvas.getImageData(0, 0, width, height);
    const grey = Array.from({ length: width * height }, (_, at) => String.fromCharCode(data[4 * at]));
    return [width, height, btoa(grey.join(""))];
}"""


def read_from_screen(page: Page) -> list[str]:
    """Return what the QR codes on the screen say."""
    beside = page.context.new_page()
    width, height, grey = beside.evaluate(_GREY, base64.b64encode(page.screenshot()).decode())
    beside.close()
    picture = memoryview(base64.b64decode(grey)).cast("B", (height, width))
    return [code.text for code in zxingcpp.read_barcodes(picture)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, UPRIGHT], ids=["desktop", "upright"])
def test_ones_own_link_is_read_from_the_screen(new_page: NewPage, viewport: ViewportSize, scheme: str) -> None:
    """What draws it is loaded when it is asked for; it goes with its link, and from view with the settings."""
    page = new_page(viewport=viewport)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Show my link").click()
    code = page.get_by_role("img", name="QR code: Your own link")
    expect(code).to_have_count(0)
    assert loaded == []
    page.get_by_role("button", name="QR code").click()
    code.scroll_into_view_if_needed()
    assert len(loaded) == 1
    link = page.get_by_label("Your own link", exact=True).input_value()
    assert read_from_screen(page) == [link]
    assert_no_sideways_scrolling(page)

    page.get_by_role("button", name="Make a new link").click()
    expect(code).to_have_count(0)
    expect(page.get_by_text("This is your link from now on.")).to_be_visible()
    page.get_by_role("button", name="QR code").press("Enter")
    code.scroll_into_view_if_needed()
    new = page.get_by_label("Your own link", exact=True).input_value()
    assert new != link
    assert read_from_screen(page) == [new]
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    expect(code).to_have_count(0)
    assert len(loaded) == 1


def test_an_invitation_is_read_from_the_screen(new_page: NewPage) -> None:
    page = new_page(viewport=UPRIGHT)
    link = make_table(page, "Ann")
    button = page.get_by_role("button", name="QR code")
    button.click()
    page.get_by_role("img", name="QR code: Link to this table").scroll_into_view_if_needed()
    expect(button).to_have_attribute("aria-expanded", "true")
    assert read_from_screen(page) == [link]
    button.click()
    expect(button).to_have_attribute("aria-expanded", "false")
    assert read_from_screen(page) == []
