"""How long does a call take, who decides, what holds, how did the rates move?"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver

from reports.compare.gate import Failure, Rule
from reports.history.nights import History, Judged
from reports.page.document import write_page
from reports.runs.parts import part_rows
from reports.runs.rows import Outcome
from reports.runs.run_folder import RunFolder
from tests.browser.tab import MARKS, Tab
from tests.run_parts import write_part
from tests.twins import write_run

pytestmark = MARKS


def test_properties_are_explained_and_slow_calls_linked(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    assert "The exact place wins." in tab.one("#properties").text
    assert len(tab.all("#latency ol li a")) == 10
    assert tab.all("#deciders tbody td a")


def test_latencies_are_on_a_logarithmic_axis_and_by_size(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house)
    ticks = tab.until(lambda: tab.texts("#latency .tick.middle"))
    assert {"10 µs", "100 µs"} <= set(ticks)
    places = tab.run(
        "return [...document.querySelectorAll('#latency .tick.middle')].map((one) => Number(one.getAttribute('x')))"
    )
    steps = [round(b - a) for a, b in pairwise(places)]
    assert max(steps) - min(steps) <= 1
    tab.run("document.querySelector('#latency details').open = true")
    assert "under 1,000" in tab.one("#latency details thead").text
    tab.run("document.querySelector('#latency ol a').click()")
    tab.opened_sample()


def test_the_deciding_rule_of_any_strategy_leads_to_its_samples(browser: WebDriver, tmp_path: Path) -> None:
    run = write_run(tmp_path, {"cmd/mine": "cwc", "x/a": "ccm"})
    rows = [Outcome(**row) for row in part_rows(run, "outcomes", "0")]
    rows = [replace(one, replacer="second") if one.sample_id == "s0001" else one for one in rows]
    write_part(run, "0", rows, [], metadata={})
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"))
    assert "cmd/mine" in tab.one("#deciders").text
    link = next(one for one in tab.all("#deciders td a"))
    n = link.text
    link.click()
    assert "replacer=" in tab.address()
    assert tab.count() == f"{n} of 3"


def test_nights_have_sparklines_with_intervals_and_failed_ones_are_marked(browser: WebDriver, tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    for day, letters in enumerate(("cccw", "cccw", "wwcw")):
        run = write_run(
            tmp_path / f"run{day}", {"x/a": letters}, created=f"2026-11-2{day}T03:00:00+00:00",
            finished=f"2026-11-2{day}T03:01:00+00:00", seed=day,
        )  # fmt: skip
        name = history.add(run)
        if not day:
            history.accept(name, "first")
    failed = Failure(Rule.WRONG_EDIT, "x/a", "2 samples newly edited wrongly", ("s0000", "s0001"))
    history.judge(name, Judged(history.nights()[0], (failed,)))
    page = write_page(RunFolder(history.night(name)), tmp_path / "report.html", history=history)
    tab = Tab(browser, page)
    assert tab.texts("#trends .spark-mark.failed") == ["✗", "✗"]
    assert len(tab.all("#trends .spark-band")) == 2
    assert "95 % interval" in tab.texts("#trends circle title")[0]
    assert "2 samples newly edited wrongly" in tab.texts("#trends details")[0]
