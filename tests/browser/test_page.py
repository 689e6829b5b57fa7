"""The page in a real browser: what a parser cannot see."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from harness.commands.runs.serving import RunServer
from harness.run.runner import Request, run
from harness.strategies.registry import select
from reports.compare.comparison import compare
from reports.compare.gate import Gate, failures
from reports.page.document import write_page
from reports.page.served import ServedRun
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, read_manifest, write_manifest
from reports.runs.parts import write_part
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed
from tests.twins import write_run

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver (chromium, chromedriver on PATH)"
    ),
]
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOSTILE = '</script><script>throw 1</script><img src=x onerror="throw 2">'
ID = f"hostile {HOSTILE}#?&/%41"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real run of `smoke` under the nine replacers, cascades and two agents."""
    folder = tmp_path_factory.mktemp("house") / "run"
    strategies = select(["replacer/*", "cascade/*", "agent/codex", "agent/zed"])
    run(Request(["smoke"], strategies, folder=folder, n_jobs=1))
    promising = [StrategyUsed(one.name, one.version, 9, {"exact_wins": 2}) for one in read_manifest(folder).strategies]
    write_manifest(folder, replace(read_manifest(folder), strategies=promising))
    return write_page(folder, folder / "report.html", properties={"exact_wins": "The exact place wins."})


def _written(folder: Path, samples: list[tuple[str, str, str]], texts: list[SampleText], changes: list[Change]) -> Path:
    """A page of samples (id, verdict under x/a, verdict under y/b)."""
    outcomes = [
        Outcome(
            name, strategy, verdict, "text" if verdict == "wrong_edit" else None, latency_ns=5000,
            message=HOSTILE if verdict == "missed" else None, reason="no_match" if verdict == "missed" else None,
        )
        for name, *verdicts in samples for strategy, verdict in zip(("x/a", "y/b"), verdicts, strict=True)
    ]  # fmt: skip
    used = [SampleUsed(name, "str_replace", "apply", tags=("language:python",)) for name, *_ in samples]
    write_part(folder, "0", outcomes, [], used, texts=texts, changes=changes, metadata={})
    strategies = [StrategyUsed("x/a", "1"), StrategyUsed("y/b", "1")]
    corpora = [CorpusUsed("made", len(samples))]
    write_manifest(folder, Manifest(["x" * 500], 0, corpora, strategies, 5, "p", "2026-01-01T00:00:00Z"))
    return write_page(folder, folder / "report.html")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page whose every text is hostile; one change is of line endings, one of a long line."""
    lf, crlf = "one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n"
    return _written(
        tmp_path_factory.mktemp("hostile"),
        [(ID, "wrong_edit", "missed"), ("endings", "correct", "wrong_edit"), ("long", "correct", "wrong_edit")],
        [
            SampleText(ID, HOSTILE, f"a/{HOSTILE}", 1, HOSTILE + "\n", 0),
            SampleText("endings", "edit", "a.py", 1, crlf),
            SampleText("long", "edit", "a.py", 7, "  a\tb \n"),
        ],
        [
            Change(ID, 1, ("x/a",), f"a/{HOSTILE}", 1, HOSTILE + "\n", HOSTILE + "\x00\u202e\n"),
            Change("endings", 0, ("x/a",), "a.py", 1, crlf, crlf.replace("two", "2wo")),
            Change("endings", 1, ("y/b",), "a.py", 1, crlf, lf),
            Change("long", 0, ("x/a",), "a.py", 7, "  a\tb \n", "  a\tb\n"),
            Change("long", 1, ("y/b",), "a.py", 40, "x" * 20_000 + "\n", "x" * 19_000 + "Y" + "x" * 1000 + "\n"),
        ],
    )  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(str(DRIVER)))
    yield driver
    driver.quit()


class Tab:
    """A page that is open in the browser."""

    def __init__(self, browser: WebDriver, page: Path, *, place: str = "", width: int = 1280) -> None:
        self.browser = browser
        self.resize(width)
        browser.get_log("browser")
        browser.get("about:blank")
        browser.get(page.as_uri() + place)
        self.until(lambda: self.run("return document.documentElement.dataset.ready"))

    def resize(self, width: int) -> None:
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)  # type: ignore[no-untyped-call]

    def until(self, holds: Callable[[], Any]) -> Any:
        for _ in range(400):
            if found := holds():
                return found
            time.sleep(0.02)
        raise AssertionError("it never held")

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def count(self) -> str:
        """What the list says about its samples, once the search is over."""
        self.until(lambda: "so far" not in self.one("#count").text)
        return self.one("#count").text

    def go(self, place: str) -> None:
        self.run("location.hash = arguments[0]", place)
        time.sleep(0.15)

    def opened_sample(self) -> WebElement:
        return self.until(lambda: next(iter(self.all("dialog[open] .body")), None))  # type: ignore[no-any-return]


# The first screen


def test_the_first_screen_has_the_advice_and_both_charts(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    assert tab.one(".lead").text.startswith("Take ")
    for figure in tab.all("figure svg.chart"):
        assert figure.rect["y"] + figure.rect["height"] < 800
    assert len(tab.all("figure svg.chart")) == 2


@pytest.mark.parametrize("width", [400, 1280, 2500])
def test_labels_of_the_chart_do_not_overlap(browser: WebDriver, house: Path, width: int) -> None:
    tab = Tab(browser, house, width=width)
    boxes = tab.until(
        lambda: tab.run(
            "return [...document.querySelectorAll('.labels text')].map((one) => one.getBoundingClientRect())"
            ".map((box) => [box.left, box.top, box.right, box.bottom])"
        )
    )
    assert len(boxes) >= 3
    for at, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart = left >= other[2] - 1 or right <= other[0] + 1 or top >= other[3] - 3 or bottom <= other[1] + 3
            assert apart, (boxes[at], other)


@pytest.fixture(scope="module")
def failed_night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run that the gate fails: three samples newly wrong, one missed, one better."""
    folder, ids = tmp_path_factory.mktemp("compared"), [f"s{number}{HOSTILE}" for number in range(8)]
    base = write_run(folder / "base", {"replacer/simple": "c" * 8, "cascade/a": "c" * 7 + "w"}, ids=ids)
    night = write_run(folder / "run", {"replacer/simple": "c" * 8, "cascade/a": "wwwmcccc"}, ids=ids)
    found = compare(base, night)
    return write_page(night, night / "report.html", comparison=found, failures=failures(found, Gate()))


def test_a_failed_night_says_so_first_and_links_what_turned(browser: WebDriver, failed_night: Path) -> None:
    tab = Tab(browser, failed_night, width=400)
    band = tab.one("#against")
    assert "FAIL" in band.text
    assert "4 worse" in band.text
    assert band.rect["y"] + band.rect["height"] < 800
    band.find_element(By.PARTIAL_LINK_TEXT, "worse").click()
    assert tab.count() == "4 of 8"
    tab.run("document.querySelector('.row').click()")
    assert "In the baseline: the right text" in tab.opened_sample().text


# The table


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


# Samples


def test_a_sample_of_any_verdict_opens_from_its_address(browser: WebDriver, house: Path) -> None:
    for verdict in ("correct", "missed", "refused", "wrong_edit"):
        tab = Tab(browser, house, place=f"#samples?strategy=cascade%2Freference&verdict={verdict}")
        assert not tab.count().startswith("0 ")
        address = tab.until(lambda tab=tab: next(iter(tab.all(".row")), None)).get_attribute("href")
        tab = Tab(browser, house, place="#" + address.partition("#")[2])
        body = tab.opened_sample()
        for heading in ("The edit as written", "The right answer", "Every strategy", "Again"):
            assert heading in body.text
        row = next(text for text in tab.texts("dialog tbody tr") if text.startswith("cascade/reference"))
        assert {"wrong_edit": "wrong"}.get(verdict, verdict) in row
        if verdict == "missed":
            assert any("not found" in text or "places" in text for text in tab.texts("dialog .message"))


def test_a_wrong_result_is_a_diff_from_before_and_from_the_right_answer(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#samples?strategy=replacer%2Ftrimmed_boundary&verdict=wrong_edit&label=apply")
    tab.until(lambda: tab.all(".row"))
    tab.run("document.querySelector('.row').click()")
    tab.opened_sample()
    result = tab.one("dialog .result")
    first = result.find_element(By.CSS_SELECTOR, "pre.diff").text
    result.find_elements(By.CSS_SELECTOR, ".chip")[1].click()
    assert result.find_element(By.CSS_SELECTOR, "pre.diff").text != first


def test_the_keys_j_and_k_go_to_the_neighbours_and_escape_closes(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#samples")
    tab.until(lambda: tab.all(".row"))
    names = tab.texts(".row b")
    tab.run("document.querySelector('.row').click()")
    tab.opened_sample()
    for key, expected in (("j", names[1]), ("j", names[2]), ("k", names[1])):
        webdriver.ActionChains(browser).send_keys(key).perform()
        tab.until(lambda expected=expected: tab.one("#sample-title").text.startswith(expected))
    webdriver.ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    tab.until(lambda: not tab.all("dialog[open]"))
    assert tab.run("return location.hash") == "#samples"


def test_hostile_texts_stay_text_everywhere(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile)
    tab.run("document.querySelector('.row').click()")
    body = tab.opened_sample()
    assert HOSTILE in body.text
    assert "NUL" in body.text
    assert "U+202E" in body.text
    assert tab.run("return document.querySelectorAll('img, dialog script, main script').length") == 0
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    address = tab.run("return location.href")
    tab = Tab(browser, hostile, place="#" + address.partition("#")[2])
    tab.opened_sample()
    assert tab.one("#sample-title").text.startswith(ID)


def test_line_endings_are_one_mark(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile, place="#sample/endings")
    text = tab.opened_sample().text
    assert "line endings change from CRLF to LF" in text
    assert "CRLF line endings" in text
    assert len(tab.all("dialog del")) == 1
    assert tab.texts("dialog del b") == ["t"]


def test_of_a_long_line_the_part_that_differs_is_shown_and_whitespace_is_drawn(
    browser: WebDriver, hostile: Path
) -> None:
    tab = Tab(browser, hostile, place="#sample/long")
    text = tab.opened_sample().text
    assert "18,920 characters" in text
    assert "Y" in tab.texts("dialog ins b")
    assert tab.all("dialog del .space")
    assert tab.all("dialog .tab")


# Search and links


def test_search_finds_ids_paths_edits_and_messages(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile)
    for query, found in (("endings", 1), ("A/</SCRIPT>", 1), ("three", 1), ("two three", 1), ('"throw 1" missing', 0)):
        box = tab.one("#search")
        box.clear()
        box.send_keys(query)
        tab.until(lambda found=found: tab.one("#count").text == f"{found} of 3")
    assert tab.one("#none").is_displayed()
    assert "q=%22throw+1%22+missing" in tab.run("return location.hash")


def test_a_filter_is_in_the_address_and_comes_back_from_it(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    option = "const s = document.getElementById('filter-verdict'); s.selectedIndex = 1 + [...s.options].slice(1)"
    tab.run(f"{option}.findIndex((one) => one.textContent === 'missed'); s.dispatchEvent(new Event('change'))")
    n = tab.count()
    assert tab.run("return location.hash") == "#samples?verdict=missed"
    again = Tab(browser, house, place="#samples?verdict=missed")
    assert again.count() == n
    assert again.run("return document.getElementById('filter-verdict').value") == "missed"


def test_every_section_has_an_anchor(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    names = tab.run("return [...document.querySelectorAll('main > section')].map((one) => one.id)")
    assert {"strategies", "samples", "matrices", "latency", "deciders", "properties", "terms", "about"} <= set(names)
    assert len(set(names)) == len(names)
    for name in names:
        assert tab.one(f"#{name} h2 a.anchor").get_attribute("href").endswith(f"#{name}")


# Matrices and the rest


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


def test_properties_are_explained_and_slow_calls_linked(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    assert "The exact place wins." in tab.one("#properties").text
    assert len(tab.all("#latency ol li a")) == 10
    assert tab.all("#deciders tbody td a")


# Everything


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


def test_the_list_of_many_samples_is_virtual_and_a_keystroke_is_fast(browser: WebDriver, tmp_path: Path) -> None:
    samples = [(f"sample-{number:05}", "correct", "missed") for number in range(5_000)]
    texts = [SampleText(name, f"edit {name} " + "x" * 300, "a.py", 1, "place\n") for name, *_ in samples]
    tab = Tab(browser, _written(tmp_path, samples, texts, []), place="#samples")
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


def test_a_served_run_pages_its_samples(browser: WebDriver, house: Path) -> None:
    served = ServedRun(house.parent, properties={}, token="the-token")
    with RunServer(served, "the-token", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            browser.get_log("browser")
            browser.get("about:blank")
            browser.get(f"http://127.0.0.1:{server.server_port}/?token=the-token#samples?verdict=missed")
            tab = Tab.__new__(Tab)
            tab.browser = browser
            tab.until(lambda: tab.all(".row"))
            missed, everything = served.count('{"verdict": "missed"}'), served.count("{}")
            assert tab.count() == f"{missed} of {everything}"
            tab.run("document.querySelector('.row').click()")
            assert "The edit as written" in tab.opened_sample().text
            assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
        finally:
            server.shutdown()
            thread.join()
