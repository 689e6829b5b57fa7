"""Can every sample be found, and every place be linked?"""

from __future__ import annotations

import threading
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from harness.commands.runs.serving import OneRun, RunServer
from reports.page.served import ServedRun
from reports.runs.rows import Change, SampleText
from reports.runs.run_folder import RunFolder
from tests.browser.tab import MARKS, Tab, written

pytestmark = MARKS


def test_search_finds_ids_paths_edits_and_messages(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile)
    for query, found in (("endings", 1), ("A/</SCRIPT>", 1), ("three", 3), ("two three", 3), ('"throw 1" missing', 0)):
        box = tab.one("#search")
        box.clear()
        box.send_keys(query)
        tab.until(lambda found=found: tab.one("#count").text == f"{found} of 5")
    assert tab.one("#none").is_displayed()
    assert "q=%22throw+1%22+missing" in tab.run("return location.hash")


def test_search_finds_the_lines_that_a_diff_removes_and_no_numbers_of_lines(browser: WebDriver, tmp_path: Path) -> None:
    changes = [
        Change("near", 0, ("x/a",), "a.py", 1, "x\ny\n", "x\nz\n"),
        Change("far", 1, ("y/b",), "a.py", 900, "removed\n", ""),
    ]
    texts = [SampleText(name, "edit", "a.py", 1, "x\ny\n") for name in ("near", "far")]
    samples = [(name, "correct", "wrong_edit") for name in ("near", "far")]
    page = written(tmp_path, samples, texts, changes)
    for query, found in (("removed", 1), ("2", 0)):
        assert Tab(browser, page, place=f"#samples?q={query}").count() == f"{found} of 2"


def test_a_filter_is_in_the_address_and_comes_back_from_it(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    option = "const s = document.getElementById('filter-verdict'); s.selectedIndex = 1 + [...s.options].slice(1)"
    tab.run(f"{option}.findIndex((one) => one.textContent === 'missed'); s.dispatchEvent(new Event('change'))")
    n = tab.count()
    assert tab.run("return location.hash") == "#samples?verdict=missed"
    again = Tab(browser, house, place="#samples?verdict=missed")
    assert again.count() == n
    assert again.run("return document.getElementById('filter-verdict').value") == "missed"


def test_a_filter_for_what_the_page_lacks_is_named(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#samples?language=cobol&verdict=missed")
    tab.until(lambda: tab.one("#none").is_displayed())
    assert tab.one("#none").text == "No sample matches: this page has no language cobol."
    tab.run("location.hash = '#samples?verdict=missed&q=zzz'")
    tab.until(lambda: tab.one("#none").text == "No sample matches.")


def test_every_section_has_an_anchor(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    names = tab.run("return [...document.querySelectorAll('main > section')].map((one) => one.id)")
    assert {"strategies", "samples", "matrices", "latency", "deciders", "properties", "terms", "about"} <= set(names)
    assert len(set(names)) == len(names)
    for name in names:
        assert tab.one(f"#{name} h2 a.anchor").get_attribute("href").endswith(f"#{name}")


def test_there_is_a_facet_for_all_that_samples_differ_in(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    names = {str(one.get_attribute("id")).removeprefix("filter-") for one in tab.all(".filters select")}
    assert {"strategy", "verdict", "damage", "severity", "reason", "replacer", "format", "language"} <= names
    assert {"label", "label_source", "mutator"} & names


def test_the_list_of_many_samples_is_virtual_and_a_keystroke_is_fast(browser: WebDriver, tmp_path: Path) -> None:
    samples = [(f"sample-{number:05}", "correct", "missed") for number in range(5_000)]
    texts = [SampleText(name, f"edit {name} " + "x" * 300, "a.py", 1, "place\n") for name, *_ in samples]
    tab = Tab(browser, written(tmp_path, samples, texts, []), place="#samples")
    tab.until(lambda: tab.all(".row"))
    assert len(tab.all(".row")) < 60
    tab.run("document.querySelector('.rows').scrollTop = 1e9")
    tab.until(lambda: "sample-04999" in tab.texts(".row b"))
    longest = tab.run(
        "const box = document.getElementById('search'); let longest = 0;"
        "for (const text of ['4', '49', '499', '4999']) { box.value = text; const start = performance.now();"
        "box.dispatchEvent(new Event('input')); longest = Math.max(longest, performance.now() - start); }"
        "return longest"
    )
    assert longest < 50
    assert tab.until(lambda: tab.one("#count").text == "1 of 5,000")


def test_a_list_of_few_samples_is_no_higher_than_they_are(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#samples")
    tab.until(lambda: tab.all(".row"))
    full = tab.one(".rows").rect["height"]
    name = tab.texts(".row b")[0]
    tab = Tab(browser, house, place=f'#samples?q="{name}"')
    tab.until(lambda: len(tab.all(".row")) == 1)
    assert tab.one(".rows").rect["height"] == tab.one(".row").rect["height"] + 2 < full


def test_the_list_is_walked_with_keys_and_left_with_the_tab_key(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)

    def press(*keys: str) -> None:
        webdriver.ActionChains(browser).send_keys(*keys).perform()

    def row() -> int | None:
        at = tab.run("return document.activeElement.dataset.at ?? null")
        return None if at is None else int(at)

    n = int(tab.count().split()[0])
    press("/")
    press(Keys.ARROW_DOWN)
    tab.until(lambda: row() == 0)
    for _ in range(20):
        press(Keys.ARROW_DOWN)
    tab.until(lambda: row() == 20)
    inside = """
        const row = document.activeElement.getBoundingClientRect();
        const list = document.querySelector(".rows").getBoundingClientRect();
        return row.top >= list.top && row.bottom <= list.bottom + 1"""
    assert tab.run(inside)
    press(Keys.END)
    tab.until(lambda: row() == n - 1)
    assert tab.run(inside)
    press(Keys.PAGE_UP)
    tab.until(lambda: row() not in (None, n - 1))
    name = tab.run("return document.activeElement.querySelector('b').textContent")
    press(Keys.ENTER)
    assert name in tab.opened_sample().find_element(By.XPATH, "..").text
    press("k")
    tab.until(lambda: not tab.one("#sample-title").text.startswith(name))
    before = tab.one("#sample-title").text.removesuffix(" #")
    press(Keys.ESCAPE)
    tab.until(lambda: not tab.all("dialog[open]"))
    tab.until(lambda: tab.run("return document.activeElement.querySelector('b')?.textContent") == before)
    press(Keys.TAB)
    assert tab.run("return document.activeElement.closest('section').id") == "matrices"


def test_a_served_run_pages_its_samples(browser: WebDriver, house: Path) -> None:
    served = ServedRun(RunFolder(house.parent), properties={}, token="the-token")
    with RunServer(OneRun(served), "the-token", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_port}/?token=the-token"
            tab = Tab(browser, address, place="#samples?verdict=missed")
            tab.until(lambda: tab.all(".row"))
            missed, everything = served.count('{"verdict": "missed"}').n, served.count("{}").n
            assert tab.count() == f"{missed} of {everything}"
            tab.run("document.querySelector('.row').click()")
            assert "The edit as written" in tab.opened_sample().text
            embedded = Tab(browser, house, place="#samples?q=RETURN").count()
            tab = Tab(browser, address, place="#samples?q=RETURN")
            tab.until(lambda: tab.all(".row"))
            assert tab.count() == embedded
            assert tab.errors() == []
        finally:
            server.shutdown()
            thread.join()
