"""What does somebody see who looks for ten seconds?"""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By

from reports.compare.comparison import compare
from reports.compare.gate import Gate, failures
from reports.page.document import write_page
from reports.runs.run_folder import RunFolder
from tests.browser.tab import HOSTILE, MARKS, Tab
from tests.twins import write_run

pytestmark = MARKS


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


@pytest.mark.parametrize("width", [400, 1280])
def test_the_advice_and_the_first_chart_are_on_the_first_screen(browser: WebDriver, house: Path, width: int) -> None:
    tab = Tab(browser, house, width=width)
    for selector in (".lead", "figure svg.chart"):
        box = tab.one(selector).rect
        assert box["y"] + box["height"] < 800
        assert box["x"] + box["width"] <= width


def test_the_chart_of_costs_has_the_break_even_points_of_the_advice(browser: WebDriver, tmp_path: Path) -> None:
    """One strategy misses 20 of 100, the other is wrong on 10: they are even where a wrong edit costs two."""
    run = write_run(tmp_path, {"x/careful": "c" * 80 + "m" * 20, "x/bold": "w" * 10 + "c" * 90})
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"))
    assert tab.until(lambda: tab.texts(".halo")) == ["even at 2.0"]
    assert len(tab.all(".break-point")) == len(tab.all("line.break")) == 1
    # The bands are behind the curves.
    order = tab.run("return [...document.querySelectorAll('.band, .curve')].map((one) => one.classList[0])")
    assert order == ["band", "band", "curve", "curve"]
    assert "(the ring)" in tab.one(".answer .note").text
    assert "x/careful" in tab.one(".lead").text
    assert "x/bold" in tab.one(".lead").text


def test_names_over_the_chart_of_costs_do_not_overlap_and_the_widest_range_has_its_name(
    browser: WebDriver, tmp_path: Path
) -> None:
    """Four ranges, of which three lie in the left quarter of the axis; on 400 pixels not all names find a place."""
    counts = {
        "x/recommended": (100, 20),
        "x/reference_long": (40, 200),
        "x/copilot_long": (60, 90),
        "x/exact": (300, 1),
    }
    verdicts = {name: "m" * m + "w" * w + "c" * (600 - m - w) for name, (m, w) in counts.items()}
    run = write_run(tmp_path, verdicts)
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"), width=400)
    tab.until(lambda: tab.texts(".names text"))
    boxes = tab.run(
        "return [...document.querySelectorAll('.names text')].map((one) => one.getBoundingClientRect())"
        ".map((box) => [box.left, box.top, box.right, box.bottom])"
    )
    for at, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[at + 1 :]:
            assert left >= other[2] or right <= other[0] or top >= other[3] - 3 or bottom <= other[1] + 3
    assert tab.texts(".names text")[:2] == ["x/exact", "x/recommended"]


def test_where_one_strategy_is_best_at_any_cost_no_ring_is_spoken_of(browser: WebDriver, tmp_path: Path) -> None:
    run = write_run(tmp_path, {"x/good": "c" * 99 + "m", "x/bad": "w" * 50 + "c" * 50})
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"))
    assert not tab.all(".break-point")
    assert tab.one(".answer .note").text.endswith("count as tied.")


def test_the_legend_names_the_families_that_the_chart_shows_and_is_not_clipped(browser: WebDriver, house: Path) -> None:
    for width in (400, 1280, 2500):
        tab = Tab(browser, house, width=width)
        assert [one.text for one in tab.all(".legend li")] == ["replacer", "cascade", "agent"]
        assert all(one.rect["x"] + one.rect["width"] <= width for one in tab.all(".legend li"))
    shapes = tab.run("return [...document.querySelectorAll('.legend svg > *')].map((one) => one.getAttribute('class'))")
    assert len({one.split()[1] for one in shapes}) == len({one.split()[0] for one in shapes}) == 3


@pytest.fixture(scope="module")
def failed_night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run that the gate fails: three samples newly wrong, one missed, one better."""
    folder, ids = tmp_path_factory.mktemp("compared"), [f"s{number}{HOSTILE}" for number in range(8)]
    base = write_run(folder / "base", {"replacer/simple": "c" * 8, "cascade/a": "c" * 7 + "w"}, ids=ids)
    night = write_run(folder / "run", {"replacer/simple": "c" * 8, "cascade/a": "wwwmcccc"}, ids=ids)
    found = compare(RunFolder(base), RunFolder(night))
    return write_page(RunFolder(night), night / "report.html", comparison=found, failures=failures(found, Gate()))


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


def test_ten_families_have_shapes_of_their_own(browser: WebDriver, tmp_path: Path) -> None:
    run = write_run(tmp_path, {f"family{at}/x": "ccw" for at in range(10)})
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"))
    shapes = tab.run("return [...document.querySelectorAll('.legend svg > *')].map((one) => one.getAttribute('class'))")
    assert len({one.split()[1] for one in shapes}) == 10


def test_a_night_without_failures_passes(browser: WebDriver, tmp_path: Path) -> None:
    base, night = (write_run(tmp_path / name, {"x/a": "ccw", "x/b": "ccc"}) for name in ("base", "run"))
    found = compare(RunFolder(base), RunFolder(night))
    page = write_page(RunFolder(night), night / "report.html", comparison=found, failures=failures(found, Gate()))
    band = Tab(browser, page).one("#against")
    assert "PASS" in band.text
    assert "0 worse, 0 better" in band.text


def test_a_night_that_cannot_be_compared_says_why(browser: WebDriver, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"x/a": "ccw"})
    page = write_page(RunFolder(run), run / "report.html", not_comparable=f"other samples {HOSTILE}")
    assert f"NOT COMPARED\nother samples {HOSTILE}" in Tab(browser, page).one("#against").text


@pytest.mark.parametrize(
    ("width", "places"),
    [(1280, {"cmd/mine": (92, 5), "cascade/opencode_1_17": (93, 5)}),
     *[(width, {"cascade/opencode_1_17": (93, 5), "cascade/reference": (93, 7)}) for width in (400, 1280)]],
)  # fmt: skip
def test_few_strategies_all_have_their_label(
    browser: WebDriver, tmp_path: Path, width: int, places: dict[str, tuple[int, int]]
) -> None:
    """Two at one place, and two close by; one of them at the edge."""
    letters = {"cascade/recommended": "c" * 97 + "m" * 3}
    letters |= dict.fromkeys(("cascade/exact", "replacer/simple"), "c" * 93 + "m" * 7)
    letters |= {
        name: "c" * right + "w" * wrong + "m" * (100 - right - wrong) for name, (right, wrong) in places.items()
    }
    run = write_run(tmp_path / "run", letters)
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"), width=width)
    assert set(tab.until(lambda: tab.texts(".labels text"))) == set(letters)


def test_strategies_of_other_samples_have_an_answer_of_their_own(browser: WebDriver, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"x/a": "cc  ", "y/b": "cw  ", "z/c": "  cc", "z/d": "  cw"})
    tab = Tab(browser, write_page(RunFolder(run), run / "report.html"))
    options = tab.texts("#answer-of option")
    assert options == ["x, y: 2 strategies, 2 samples", "z: 2 strategies, 2 samples"]
