"""How does each strategy do?"""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.tab import MARKS, Tab

pytestmark = MARKS


def test_a_click_or_a_key_on_a_heading_sorts(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    names = "#strategies tbody th"
    before = tab.texts(names)
    head = tab.one("#strategies thead th:nth-child(1)")
    head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    assert tab.texts(names) == sorted(before)
    head.find_element(By.TAG_NAME, "button").send_keys(Keys.SPACE)
    assert tab.texts(names) == sorted(before, reverse=True)
    tab.one("#strategies thead th:nth-child(2) button").click()
    rates = [float(text.split(" ")[0]) for text in tab.texts("#strategies tbody td:nth-child(2)") if text[0].isdigit()]
    assert rates == sorted(rates, reverse=True)


def test_the_table_fits_and_its_head_stays(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    inside, outside = tab.run(
        "const one = document.querySelector('#strategies .scroll'); return [one.scrollWidth, one.clientWidth]"
    )
    assert inside <= outside
    assert tab.run("return getComputedStyle(document.querySelector('#strategies thead th')).position") == "sticky"


def test_a_family_filters_and_a_number_leads_to_its_samples(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    next(one for one in tab.all("#strategies .chip") if one.text == "agent").click()
    assert [name.strip() for name in tab.texts("#strategies tbody th")] == ["agent/codex", "agent/zed"]
    link = tab.one("#strategies tbody td.n a")
    n = link.text
    link.click()
    assert tab.count().startswith(f"{n} of ")


def test_severities_and_promises_are_named_and_zeros_muted(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    heads = tab.texts("#strategies thead th")
    assert {"wrong, same tree", "wrong, other tree", "wrong, broken", "broken promises", "p50", "p99"} <= set(heads)
    assert "bom_kept, exact_wins +1" in tab.texts("#strategies td.promises")[0]
    assert tab.one("#strategies td.promises a").get_attribute("title") == "bom_kept, exact_wins, one_place"
    zero, ink = (tab.one(one).value_of_css_property("color") for one in ("#strategies td.zero", "#strategies td.n"))
    assert zero != ink
    latencies = tab.texts("#strategies tbody td:last-child")
    assert all(one.endswith((" ns", " µs", " ms", " s")) for one in latencies)


def test_a_number_of_a_severity_leads_to_its_samples(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    column = 1 + tab.texts("#strategies thead th").index("wrong, same tree")
    link = tab.one(f"#strategies tbody td:nth-child({column}) a")
    n = link.text
    link.click()
    assert "severity=same_tree" in tab.address()
    assert tab.count().startswith(f"{n} of ")
    tab.until(lambda: tab.all(".row"))
    assert "same tree" in tab.texts(".row .kind")[0]


def test_rates_have_their_intervals_in_the_cell(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    assert all("–" in one for one in tab.texts("#strategies tbody td.rate.good small"))
    assert "95 % interval" in str(tab.one("#strategies td.rate").get_attribute("title"))


def test_the_family_and_the_order_stand_in_the_address_and_come_back_from_it(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    names = "#strategies tbody th"
    tab.chip("#strategies", "replacer").click()
    tab.one("#strategies thead th:nth-child(3) button").click()
    tab.one("#strategies thead th:nth-child(3) button").click()
    assert tab.address() == "#strategies?family=replacer&sort=wrong_rate&order=up"
    shown = tab.texts(names)
    again = Tab(browser, house, place=tab.address())
    assert again.texts(names) == shown
    assert again.one("#strategies thead th:nth-child(3)").get_attribute("aria-sort") == "ascending"
    assert again.one("#strategies .chip[aria-pressed=true]").text == "replacer"
    others = Tab(browser, house, place="#strategies?family=nobody&sort=nothing")
    assert len(others.texts(names)) > len(shown)


def test_all_columns_are_seen_at_1280_pixels(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, width=1280)
    tab.until(lambda: tab.texts("#strategies thead th"))
    wide, seen = tab.run(
        "const box = document.querySelector('#strategies .scroll'); return [box.scrollWidth, box.clientWidth]"
    )
    assert wide <= seen
