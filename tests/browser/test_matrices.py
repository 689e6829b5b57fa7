"""Where do strategies differ?"""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By

from tests.browser.tab import MARKS, Tab

pytestmark = MARKS


def test_a_cell_of_a_matrix_leads_to_its_samples(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    next(one for one in tab.all("#matrices .chip") if one.text == "strategy × strategy").click()
    cell = next(one for one in tab.all("#matrices td a"))
    n = cell.text
    assert "p = " in (cell.get_attribute("title") or "")
    cell.click()
    assert tab.count().startswith(f"{n} of ")


def test_groups_have_n_in_the_cell_and_intervals_in_its_title(browser: WebDriver, house: Path, hostile: Path) -> None:
    tab = Tab(browser, house)
    next(one for one in tab.all("#matrices .chip") if one.text.startswith("language")).click()
    cell = tab.one("#matrices td a")
    assert cell.find_element(By.TAG_NAME, "small").text.isdigit()
    assert "95 % interval" in (cell.get_attribute("title") or "")
    assert Tab(browser, hostile).all("#matrices td.few")


def test_a_cell_of_a_group_leads_to_its_samples_and_small_ones_are_faded(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    tab.chip("#matrices", "language").click()
    faded = tab.run(
        "return [...document.querySelectorAll('#matrices td:has(a small)')].map((one) => "
        "[Number(one.querySelector('small').textContent), Number(getComputedStyle(one).opacity)])"
    )
    assert faded
    assert all((opacity < 1) is (n < 20) for n, opacity in faded)
    cell = next(one for one in tab.all("#matrices td a") if one.find_elements(By.CSS_SELECTOR, ".wrong:not(.zero)"))
    cell.click()
    assert "language=" in tab.address()
    assert "verdict=wrong_edit" in tab.address()
    assert not tab.count().startswith("0 ")


def test_a_matrix_is_as_wide_as_the_page(browser: WebDriver, house: Path) -> None:
    for width in (1280, 2500):
        tab = Tab(browser, house, width=width)
        assert tab.one("#matrices table").rect["width"] > 0.95 * tab.one("#matrices .scroll").rect["width"]
