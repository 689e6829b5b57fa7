"""What holds of every part of the page?"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

from tests.browser.tab import MARKS, Tab

pytestmark = MARKS


@pytest.mark.parametrize("width", [400, 1280, 2500])
def test_the_page_never_scrolls_sideways(browser: WebDriver, house: Path, hostile: Path, width: int) -> None:
    for page in (house, hostile):
        tab = Tab(browser, page, width=width)
        tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        scrolled, inside, window = tab.run(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth, innerWidth]"
        )
        assert window == width
        assert scrolled <= inside


def test_the_page_is_quiet(browser: WebDriver, house: Path) -> None:
    """No error on the console, and no request but for the page itself."""
    browser.get_log("performance")
    tab = Tab(browser, house)
    tab.one("#search").send_keys("x")
    tab.count()
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requested = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in requested if url != "about:blank"] == [house.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(browser: WebDriver, house: Path, scheme: str) -> None:
    """The contrast of text with its background is at least 4.5, as WCAG 2 asks for."""
    features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
    tab = Tab(browser, house)
    for selector in ("body", ".lead", ".note", "#strategies thead th", ".row .facts"):
        ink, paper = (_luminance(tab.run(_COLOUR, selector, which)) for which in ("color", "backgroundColor"))
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5, selector
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


_COLOUR = """
let one = document.querySelector(arguments[0]);
let colour = getComputedStyle(one)[arguments[1]];
while (colour.startsWith('rgba(0, 0, 0, 0') && one.parentElement) {
  one = one.parentElement;
  colour = getComputedStyle(one)[arguments[1]];
}
return colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
"""


def _luminance(rgb: list[float]) -> float:
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in (c / 255 for c in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_key_leads_to_the_search_and_headings_are_in_order(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    tab.one("body").send_keys("/")
    assert tab.run("return document.activeElement.id") == "search"
    levels = tab.run("return [...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert tab.run("return [...document.querySelectorAll('input, select')].every((one) => one.labels.length)")


def test_nothing_is_cut_off_on_paper(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    tab.resize(1030)  # A4 on its side without margins, at 96 dots an inch.
    wide = tab.run(
        "return [...document.querySelectorAll('section')].filter((one) => one.scrollWidth > one.clientWidth)"
        ".map((one) => one.id)"
    )
    sizes = tab.run(
        "return [...document.querySelectorAll('p, td, li, dd, .chip.still')].filter((one) => one.offsetParent)"
        ".map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert wide == []
    assert max(sizes) < 12
    pdf = browser.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert len(pdf) > 50_000


def test_what_is_folded_is_on_paper_and_folded_again_afterwards(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    tab.run("document.querySelector('#latency details').open = true")
    folded = "return document.querySelectorAll('details:not([open])').length"
    before = tab.run(folded)
    assert before
    tab.run("addEventListener('beforeprint', () => { window.onPaper = (() => {" + folded + "})(); })")
    browser.execute_cdp_cmd("Page.printToPDF", {})
    assert tab.run("return window.onPaper") == 0
    assert tab.run(folded) == before
    assert tab.run("return document.querySelector('#latency details').open")
