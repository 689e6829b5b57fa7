"""The page in a real browser: what a parser cannot see."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from reports.compare.comparison import compare
from reports.compare.gate import Gate, failures
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.parts import write_part
from reports.runs.rows import Outcome, WrongEdit
from reports.views.page import write_page
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
N_CORRECT = {"replacer/simple": 9, "cascade/exact": 6, "cascade/reference": 12}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with three strategies and as many wrong edits, one of them a 20,000-character line."""
    folder = tmp_path_factory.mktemp("run")
    outcomes, wrong = [], []
    for place, (strategy, n_correct) in enumerate(N_CORRECT.items()):
        outcomes += [Outcome(f"s{i}", strategy, "correct", replacer="simple") for i in range(n_correct)]
        outcomes.append(Outcome("bad", strategy, "wrong_edit", "place", replacer="simple", latency_ns=5000))
        given = "</script><script>throw 1</script>\x00" + "x" * 20_000 + strategy
        wrong.append(
            WrongEdit("bad" * 30, strategy, ("place", "text", "extent")[place], None, "a.py", 3, "y\n", given, given)
        )
    write_part(folder, "0", outcomes, wrong, metadata={})
    write_manifest(
        folder,
        Manifest(
            ["editgauge", "run", "x" * 500],
            0,
            [CorpusUsed("builtin", 13)],
            [StrategyUsed(name, "1") for name in N_CORRECT],
            10,
            "plan",
            "2026-11-21T03:00:00Z",
        ),
    )
    return write_page(folder, folder / "report.html")[0]


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


@pytest.fixture
def opened(browser: WebDriver, page: Path) -> WebDriver:
    """The page, freshly loaded at a desktop's width."""
    _resize(browser, 1280)
    browser.get(page.as_uri())
    return browser


def _resize(browser: WebDriver, width: int) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def _column(browser: WebDriver, place: int) -> list[str]:
    cells = browser.find_elements(By.CSS_SELECTOR, f"#summary tbody tr > :nth-child({place})")
    return [cell.get_attribute("data-sort") or "" for cell in cells]


def _shown(browser: WebDriver) -> int:
    return sum(entry.is_displayed() for entry in browser.find_elements(By.CSS_SELECTOR, "details.edit"))


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(opened: WebDriver) -> None:
    head = opened.find_element(By.CSS_SELECTOR, "#summary thead th:nth-child(3)")
    assert _column(opened, 3) == ["9.0", "6.0", "12.0"]
    head.find_element(By.TAG_NAME, "button").click()
    assert _column(opened, 3) == ["12.0", "9.0", "6.0"]
    assert head.get_attribute("aria-sort") == "descending"
    head.find_element(By.TAG_NAME, "button").click()
    assert _column(opened, 3) == ["6.0", "9.0", "12.0"]
    assert head.get_attribute("aria-sort") == "ascending"


def test_a_heading_sorts_by_keyboard(opened: WebDriver) -> None:
    head = opened.find_element(By.CSS_SELECTOR, "#summary thead th:nth-child(1)")
    opened.execute_script("document.querySelector('#summary').parentElement.focus()")
    webdriver.ActionChains(opened).send_keys(Keys.TAB, Keys.ENTER).perform()
    assert head.get_attribute("aria-sort") == "ascending"
    assert _column(opened, 1) == sorted(N_CORRECT)
    webdriver.ActionChains(opened).send_keys(Keys.SPACE).perform()
    assert _column(opened, 1) == sorted(N_CORRECT, reverse=True)


def test_a_wrong_edit_opens_to_its_diff(opened: WebDriver) -> None:
    entry = opened.find_element(By.CSS_SELECTOR, "details.edit")
    diff = entry.find_element(By.CSS_SELECTOR, "pre.diff")
    assert not diff.is_displayed()
    entry.find_element(By.TAG_NAME, "summary").click()
    assert diff.is_displayed()
    assert "-y" in diff.text
    assert "</script><script>throw 1</script>NUL" in diff.text


def test_the_filter_leaves_what_matches_and_counts_it(opened: WebDriver) -> None:
    box, count = opened.find_element(By.ID, "filter"), opened.find_element(By.ID, "count")
    assert (count.text, _shown(opened)) == ("3 of 3", 3)
    box.send_keys("CASCADE extent")
    assert (count.text, _shown(opened)) == ("1 of 3", 1)
    box.clear()
    box.send_keys("nowhere")
    assert (count.text, _shown(opened)) == ("0 of 3", 0)
    assert opened.find_element(By.ID, "none").is_displayed()


def test_a_number_in_the_damage_table_filters(opened: WebDriver) -> None:
    opened.find_element(By.CSS_SELECTOR, """[data-filter='"replacer/simple"']""").click()
    assert (opened.find_element(By.ID, "count").text, _shown(opened)) == ("1 of 3", 1)


@pytest.mark.parametrize("width", [400, 1280])
def test_the_page_never_scrolls_sideways(opened: WebDriver, width: int) -> None:
    _resize(opened, width)
    opened.execute_script("document.querySelectorAll('details').forEach((entry) => { entry.open = true; })")
    widths = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth, innerWidth]"
    scrolled, inside, window = opened.execute_script(widths)
    assert window == width
    assert scrolled <= inside


def test_the_page_is_quiet(opened: WebDriver, page: Path) -> None:
    """No error on the console, and no request but for the page itself."""
    opened.find_element(By.ID, "filter").send_keys("x")
    assert opened.get_log("browser") == []
    opened.get_log("performance")
    opened.refresh()
    events = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    requested = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert requested == [page.as_uri()]


# Against the baseline

AGAINST = "section[aria-labelledby=against]"


@pytest.fixture(scope="module")
def compared_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two strategies that begins with a comparison: three samples newly wrong, one missed, one better."""
    folder, ids = tmp_path_factory.mktemp("compared"), [f"s{number}</script>\x00" + "x" * 90 for number in range(8)]
    base = write_run(folder / "base", {"replacer/simple": "c" * 8, "cascade/a": "c" * 7 + "w"}, ids=ids)
    given = "</script><script>throw 1</script>\x00" + "x" * 20_000
    run = write_run(folder / "run", {"replacer/simple": "c" * 8, "cascade/a": "wwwmcccc"}, ids=ids, given=given)
    comparison = compare(base, run)
    page = run / "report.html"
    return write_page(run, page, comparison=comparison, failures=failures(comparison, Gate()))[0]


@pytest.fixture
def beside(browser: WebDriver, compared_page: Path) -> WebDriver:
    _resize(browser, 1280)
    browser.get_log("browser")
    browser.get(compared_page.as_uri())
    return browser


def _first_cells(browser: WebDriver) -> list[str]:
    return [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, f"{AGAINST} tbody th")]


def test_the_table_against_the_baseline_sorts_by_number_and_by_word(beside: WebDriver) -> None:
    heads = {head.text: head for head in beside.find_elements(By.CSS_SELECTOR, f"{AGAINST} thead button")}
    assert _first_cells(beside) == ["replacer/simple", "cascade/a"]
    heads["worse"].click()
    assert _first_cells(beside) == ["cascade/a", "replacer/simple"]
    heads["worse"].click()
    assert _first_cells(beside) == ["replacer/simple", "cascade/a"]
    heads["verdict"].click()
    verdicts = [cell.text for cell in beside.find_elements(By.CSS_SELECTOR, f"{AGAINST} tbody td:last-child")]
    assert verdicts == sorted(verdicts) == ["same", "unclear"]


def test_what_turned_opens_to_both_sides(beside: WebDriver) -> None:
    entries = beside.find_elements(By.CSS_SELECTOR, f"{AGAINST} details.turned")
    assert len(entries) == 5
    diff = entries[0].find_element(By.CSS_SELECTOR, "pre.diff")
    assert not diff.is_displayed()
    entries[0].find_element(By.TAG_NAME, "summary").click()
    assert diff.is_displayed()
    assert "base: the right text, byte for byte" in entries[0].text
    assert "</script><script>throw 1</script>NUL" in diff.text


def test_the_filter_counts_wrong_edits_only_and_leaves_what_turned(beside: WebDriver) -> None:
    box, count = beside.find_element(By.ID, "filter"), beside.find_element(By.ID, "count")
    assert count.text == "3 of 3"
    box.send_keys("nowhere")
    assert count.text == "0 of 3"
    assert beside.find_element(By.ID, "none").is_displayed()
    turned = beside.find_elements(By.CSS_SELECTOR, f"{AGAINST} details.turned")
    assert sum(entry.is_displayed() for entry in turned) == 5


@pytest.mark.parametrize("width", [400, 1280])
def test_a_page_with_a_comparison_is_quiet_and_never_scrolls_sideways(beside: WebDriver, width: int) -> None:
    _resize(beside, width)
    beside.execute_script("document.querySelectorAll('details').forEach((entry) => { entry.open = true; })")
    scrolled, inside = beside.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert scrolled <= inside
    assert beside.get_log("browser") == []
