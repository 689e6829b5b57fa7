"""What happened to one sample?"""

from __future__ import annotations

from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from reports.page.document import write_page
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.parts import write_part
from reports.runs.rows import Outcome, SampleText, SampleUsed
from tests.browser.tab import HOSTILE, HOSTILE_ID, MARKS, Tab

pytestmark = MARKS


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
    assert tab.one("#sample-title").text.startswith(HOSTILE_ID)


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


def test_every_strategy_has_its_rule_lines_latency_and_error_and_the_recorded_outcome(
    browser: WebDriver, tmp_path: Path
) -> None:
    outcomes = [
        Outcome("s", "replacer/simple", "missed", reason="no_match", message="It is nowhere.", latency_ns=1500),
        Outcome("s", "replacer/line_trimmed", "unlabelled", replacer="line_trimmed", latency_ns=2500, lines="12, 40"),
        Outcome("s", "x/bad", "crashed", error="ValueError: no"),
        Outcome("s", "x/late", "timed_out"),
    ]
    texts = [SampleText("s", "the edit", "a.py", 12, "a line\n", recorded_outcome="applied")]
    write_part(tmp_path, "0", outcomes, [], [SampleUsed("s", "str_replace", "unlabelled")], texts=texts, metadata={})
    strategies = [StrategyUsed(one.strategy, "1") for one in outcomes]
    write_manifest(tmp_path, Manifest(["run"], 0, [CorpusUsed("c", 1)], strategies, 5, "p", "2026-01-01T00:00:00Z"))
    tab = Tab(browser, write_page(tmp_path, tmp_path / "report.html"), place="#sample/s")
    text = tab.opened_sample().text
    for part in ("a line", "It is nowhere.", "ValueError: no", "applied", "editgauge show"):
        assert part in text
    rows = tab.texts("dialog tbody tr")
    assert any("line_trimmed" in row and "12, 40" in row and "2.50 µs" in row for row in rows)
    assert any("x/late" in row and "timed out" in row for row in rows)
