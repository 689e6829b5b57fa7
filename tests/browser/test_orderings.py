"""In which order should replacers be tried?"""

from __future__ import annotations

from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.keys import Keys

from editcore.replacers import REPLACERS
from tests.browser.tab import MARKS, Tab

pytestmark = MARKS


def _counts(tab: Tab, row: str) -> list[str]:
    """The numbers of correct, wrong and missed edits in a row of the table."""
    cells = "(one) => [...one.children].map((cell) => cell.textContent)"
    rows: list[list[str]] = tab.run(f"return [...document.querySelectorAll('#orders tr')].map({cells})")
    return next(one[1:4] for one in rows if one[0] == row)


def _result(tab: Tab) -> list[str]:
    """The same of the reader's order."""
    return [part.split()[0] for part in tab.one(".own-result b").text.split(", ")]


def test_the_front_the_reference_the_worth_of_replacers_and_clashes_are_shown(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    assert len(_counts(tab, "front 1")) == len(_counts(tab, "reference")) == 3
    text = tab.one("#orders").text
    for part in ("decides correctly", "wrong without it", "Clashes"):
        assert part in text
    tab.run("document.querySelector('#orders details').open = true")
    tab.run("document.querySelector('#orders details a').click()")
    tab.opened_sample()


def test_an_order_that_is_composed_is_scored_at_once_and_kept_in_the_address(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    assert _result(tab) == _counts(tab, "reference")
    for nth, name in enumerate(("best at cost 5", "reference", "front 1")):
        tab.run("document.querySelectorAll('#orders .order a')[arguments[0]].click()", nth)
        tab.until(lambda name=name: _result(tab) == _counts(tab, name))
    tab = Tab(browser, house)
    tab.run("document.getElementById('own-up-line_trimmed').focus()")
    webdriver.ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert tab.address().startswith("#orders?order=line_trimmed%2Csimple%2C")
    moved = _result(tab)
    assert moved != _counts(tab, "reference")
    swapped = ",".join(["line_trimmed", "simple", *list(REPLACERS)[2:]])
    assert _result(Tab(browser, house, place=f"#orders?order={swapped}")) == moved


def test_replacers_of_an_order_can_be_switched_off(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#orders?order=simple,unknown,simple")
    assert tab.texts(".own-order li:not(.off) label") == [" simple"]
    tab.run("document.getElementById('own-on-simple').click()")
    assert tab.address() == "#orders?order=none"
    assert _result(tab)[:2] == ["0", "0"]
    tab.run("document.getElementById('own-on-context_aware').click()")
    assert tab.address() == "#orders?order=context_aware"
    assert _result(tab)[0] != "0"
