"""Where do strategies differ?"""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By

from reports.page.document import write_page
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Outcome, SampleUsed
from reports.runs.run_folder import RunFolder
from tests.browser.tab import MARKS, Tab
from tests.run_parts import write_part

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


def test_a_rate_that_is_not_zero_is_not_written_as_zero(browser: WebDriver, tmp_path: Path) -> None:
    languages = [f"language:{name}" for name in ("c", "go")]
    outcomes = [
        Outcome(f"s{at}", "x/a", "wrong_edit" if not at else "correct", "text" if not at else None)
        for at in range(5_000)
    ]
    used = [
        SampleUsed(one.sample_id, "str_replace", "apply", tags=(languages[at > 4_000],))
        for at, one in enumerate(outcomes)
    ]
    write_part(tmp_path, "0", outcomes, [], used, metadata={})
    manifest = Manifest([], 0, [CorpusUsed("made", 5_000)], [StrategyUsed("x/a", "1")], 5, "p", "2026-01-01T00:00:00Z")
    write_manifest(tmp_path, manifest)
    tab = Tab(browser, write_page(RunFolder(tmp_path), tmp_path / "report.html"))
    assert tab.texts("#matrices .wrong") == ["<0.1", "0"]


def test_a_matrix_is_as_wide_as_the_page(browser: WebDriver, house: Path) -> None:
    for width in (1280, 2500):
        tab = Tab(browser, house, width=width)
        assert tab.one("#matrices table").rect["width"] > 0.95 * tab.one("#matrices .scroll").rect["width"]


def test_a_matrix_of_many_strategies_takes_the_width_of_the_window(browser: WebDriver, tmp_path: Path) -> None:
    names = [f"x/strategy_{at}" for at in range(80)]
    outcomes = [Outcome("s", name, "correct") for name in names]
    sample = SampleUsed("s", "str_replace", "apply", tags=("language:c",))
    write_part(tmp_path, "0", outcomes, [], [sample], metadata={})
    strategies = [StrategyUsed(name, "1") for name in names]
    write_manifest(tmp_path, Manifest([], 0, [CorpusUsed("made", 1)], strategies, 5, "p", "2026-01-01T00:00:00Z"))
    page = write_page(RunFolder(tmp_path), tmp_path / "report.html")
    for width in (400, 1280, 2500):
        tab = Tab(browser, page, width=width)
        place = tab.one("#matrices .scroll").rect
        assert place["x"] >= 0
        assert width - 80 < place["width"] <= width
        assert tab.run("return document.documentElement.scrollWidth <= innerWidth")
