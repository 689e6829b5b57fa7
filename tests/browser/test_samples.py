"""What happened to one sample?"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from corpora.expression import expression
from corpora.sample import Format
from reports.compare.comparison import compare
from reports.page.document import write_page
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, read_manifest, write_manifest
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed
from reports.runs.run_folder import Review, RunFolder, write_review
from tests.browser.tab import HOSTILE, HOSTILE_ID, MARKS, Tab, written
from tests.harness.program import call
from tests.run_parts import write_part
from tests.twins import write_run

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


def test_several_places_are_lines_in_the_plural(browser: WebDriver, house: Path) -> None:
    text = Tab(browser, house, place="#sample/smoke-replace_all").opened_sample().text
    assert "cascade/exact by simple at lines 1, 3, " in text


def test_a_wrong_result_is_a_diff_from_before_and_from_the_right_answer(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#samples?strategy=replacer%2Ftrimmed_boundary&verdict=wrong_edit&label=apply")
    tab.until(lambda: tab.all(".row"))
    tab.run("document.querySelector('.row').click()")
    tab.opened_sample()
    result = tab.one("dialog .result")
    first = result.find_element(By.CSS_SELECTOR, "pre.diff").text
    result.find_elements(By.CSS_SELECTOR, ".chip")[1].click()
    assert result.find_element(By.CSS_SELECTOR, "pre.diff").text != first


def test_of_an_opened_sample_only_its_body_scrolls(browser: WebDriver, house: Path) -> None:
    """Whatever scrolls to a focus or a search result, the heading of the sample stays."""
    tab = Tab(browser, house, place="#sample/smoke-line_trimmed-indentation", width=400)
    tab.opened_sample()
    heights = "const one = document.querySelector(arguments[0]); return [one.scrollHeight, one.clientHeight]"
    tall, seen = tab.run(heights, "dialog .body")
    assert tall > seen
    assert len(set(tab.run(heights, "dialog"))) == 1


def test_lines_far_from_a_change_are_folded(browser: WebDriver, tmp_path: Path) -> None:
    lines = [f"line {number}\r\n" for number in range(1, 41)]
    before, after = "".join(lines), "".join([*lines[:29], "new\n", *lines[30:]]).replace("\r", "")
    changes = [Change("one", 1, ("y/b",), "a.py", 1, before, after)]
    texts = [SampleText("one", "edit", "a.py", 1, before)]
    page = written(tmp_path, [("one", "correct", "wrong_edit")], texts, changes)
    body = Tab(browser, page, place="#sample/one").opened_sample()
    assert "line endings change from CRLF to LF" in body.text
    assert body.find_element(By.CSS_SELECTOR, ".result pre.diff").text.splitlines() == [
        "  … 26 unchanged lines …",
        *(f"{number}  line {number}" for number in (27, 28, 29)),
        "30- line 30", "+ new",
        *(f"{number}  line {number}" for number in (31, 32, 33)),
        "  … 7 unchanged lines …",
    ]  # fmt: skip


def test_bytes_that_are_no_text_are_marked_and_escapes_of_sources_are_not(browser: WebDriver, tmp_path: Path) -> None:
    before, after = "# na\udcefve '\\udc80\\udcg0'\n", "# na\ufffdve\n"
    for encoding, shown in (("unknown", ["0xEF", "0x80"]), (None, [])):
        (folder := tmp_path / str(encoding)).mkdir()
        texts = [SampleText("one", "edit", "a.py", 1, before, encoding=encoding)]
        page = written(
            folder, [("one", "correct", "wrong_edit")], texts, [Change("one", 1, ("y/b",), "a.py", 1, before, after)]
        )
        tab = Tab(browser, page, place="#sample/one")
        assert ("bytes that are no text" in tab.opened_sample().text) == (encoding is not None)
        assert tab.texts("dialog .result .odd") == [*shown, "U+FFFD"]


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


def test_line_endings_that_some_lines_lose_are_one_mark_too(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile, place="#sample/mixed")
    assert "carriage returns at the ends of 3 of 3 lines before, of 2 of 3 after" in tab.opened_sample().text
    assert [one[-5:] for one in tab.texts("dialog .result del")] == ["- two"]
    assert tab.texts("dialog .result .odd") == ["CR LF"]
    tab = Tab(browser, hostile, place="#sample/inserted")
    assert "carriage returns at the ends of 3 of 3 lines before, of 3 of 4 after" in tab.opened_sample().text
    assert (len(tab.all("dialog .result del")), tab.texts("dialog .result ins b")) == (0, [])


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
    tab = Tab(browser, write_page(RunFolder(tmp_path), tmp_path / "report.html"), place="#sample/s")
    text = tab.opened_sample().text
    for part in ("a line", "It is nowhere.", "ValueError: no", "applied", "editgauge show"):
        assert part in text
    rows = tab.texts("dialog tbody tr")
    assert any("line_trimmed" in row and "12, 40" in row and "2.50 µs" in row for row in rows)
    assert any("x/late" in row and "timed out" in row for row in rows)


def test_what_was_seen_of_a_changed_file_is_shown_with_what_changed_since(browser: WebDriver, tmp_path: Path) -> None:
    seen = {"seen_path": "a.py", "seen_line": 7, "seen": "was\n", "seen_lines": "7-9, 12", "since_line": 30}
    since = {"since_seen": "old\n", "since_now": "new\n", "n_seen_omitted": 1200, "n_seen_files": 2}
    texts = [SampleText("s", "edit", "a.py", 1, "place\n", **seen, **since), SampleText("t", "edit", "a.py", 1, "x\n")]  # type: ignore[arg-type]
    page = written(tmp_path, [("s", "correct", "missed"), ("t", "correct", "missed")], texts, [])
    body = Tab(browser, page, place="#sample/s").opened_sample()
    parts = {
        one.find_element(By.CSS_SELECTOR, "h3").text: one.text for one in body.find_elements(By.CSS_SELECTOR, "section")
    }
    assert list(parts)[:3] == ["The edit as written", "What the model saw", "What changed since"]
    for piece in ("a.py:7", "It was shown lines 7-9, 12 of this text.", "was"):
        assert piece in parts["What the model saw"]
    for piece in ("a.py:30", "- old", "+ new", "1 more file changed since.", "1,200 characters are not kept."):
        assert piece in parts["What changed since"]
    assert "What the model saw" not in Tab(browser, page, place="#sample/t").opened_sample().text


def test_the_commands_of_a_sample_run(browser: WebDriver, house: Path, tmp_path: Path) -> None:
    tab = Tab(browser, house, place="#samples?verdict=wrong_edit")
    tab.until(lambda: tab.all(".row"))
    name = tab.texts(".row b")[0]
    tab.run("document.querySelector('.row').click()")
    tab.opened_sample()
    (_, *show), (_, *run), _ = (shlex.split(command) for command in tab.texts("dialog .command"))
    assert name in call(*show).stdout
    done = call(*run, "-q", "-o", tmp_path / "run")
    assert (done.exit_code, read_manifest(tmp_path / "run").n_samples) == (0, 1), done.stderr


def test_the_command_of_a_sample_finds_an_id_of_any_words(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile)
    tab.run("[...document.querySelectorAll('.row')].find((one) => one.textContent.startsWith('hostile')).click()")
    tab.opened_sample()
    words = shlex.split(tab.texts("dialog .command")[1])
    assert expression(words[words.index("-k") + 1])(HOSTILE_ID, ())


def test_the_command_of_a_strategy_that_is_a_command_has_its_command_line(browser: WebDriver, tmp_path: Path) -> None:
    spec = "cmd:mine=python3 'my edit.py'"
    base = write_run(tmp_path / "base", {"x/a": "w", "cmd/mine": "c"})
    run = write_run(tmp_path / "run", {"x/a": "w", "cmd/mine": "w"}, argv=["run", "plain", "-s", spec])
    page = write_page(RunFolder(run), run / "report.html", comparison=compare(RunFolder(base), RunFolder(run)))
    tab = Tab(browser, page, place="#sample/s0000")
    tab.opened_sample()
    assert shlex.split(tab.texts("dialog .command")[1])[-2:] == ["-s", spec]


def test_the_result_that_turned_comes_first(browser: WebDriver, tmp_path: Path) -> None:
    samples = [("s", "wrong_edit", "wrong_edit")]
    changes = [
        Change("s", 1, ("x/a",), "a.py", 1, "a\n", "as ever\n"),
        Change("s", 2, ("y/b",), "a.py", 1, "a\n", "of late\n"),
    ]
    written(tmp_path / "run", samples, [SampleText("s", "edit", "a.py", 1, "a\n")], changes)
    written(tmp_path / "base", [("s", "wrong_edit", "correct")], [], [])
    for name in ("base", "run"):
        manifest = replace(read_manifest(tmp_path / name), finished="2026-01-01T00:00:00Z")
        write_manifest(tmp_path / name, manifest)
    run = tmp_path / "run"
    page = write_page(
        RunFolder(run), run / "report.html", comparison=compare(RunFolder(tmp_path / "base"), RunFolder(run))
    )
    tab = Tab(browser, page, place="#sample/s")
    tab.opened_sample()
    assert ["of late" in one for one in tab.texts("dialog .result")] == [True, False]


def test_a_sample_under_a_filter_begins_with_what_that_strategy_answered(browser: WebDriver, tmp_path: Path) -> None:
    changes = [
        Change("s", 0, (), "a.py", 1, "a\n", "right\n"),
        Change("s", 1, ("x/a",), "a.py", 1, "a\n", "of the first\n"),
        Change("s", 2, ("y/b",), "a.py", 1, "a\n", "of the second\n"),
    ]
    page = written(tmp_path, [("s", "wrong_edit", "wrong_edit")], [SampleText("s", "edit", "a.py", 1, "a\n")], changes)
    for place, first in (("", "edit"), ("?strategy=x%2Fa", "of the first"), ("?strategy=y%2Fb", "of the second")):
        tab = Tab(browser, page, place=f"#sample/s{place}")
        tab.opened_sample()
        assert first in tab.texts("dialog section")[0]


@pytest.mark.parametrize(
    ("format", "edit", "removed", "added"),
    [
        ("str_replace", "<<<<<<< SEARCH\none\ntwo\n=======\none\nowt\n>>>>>>> REPLACE", ["two"], ["owt"]),
        ("search_replace", "a.py\n<<<<<<< SEARCH\none\n=======\n>>>>>>> REPLACE\n", [], []),
        ("str_replace", "<<<<<<< SEARCH\none\n=======\n=======\nb\n>>>>>>> REPLACE", [], []),
        ("unified_diff", "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+owt\n", ["two"], ["owt"]),
        ("begin_patch", "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+eno\n*** End Patch", ["one"], ["eno"]),
        ("hashline_h4", "[a.py#C8E4]\nPUT 2.=2:\n+owt\n", [], ["owt"]),
    ],
)
def test_an_edit_is_drawn_as_what_it_means_and_as_it_was_written(
    browser: WebDriver, tmp_path: Path, format: Format, edit: str, removed: list[str], added: list[str]
) -> None:
    """What is not read as its format is shown as it was written, and nothing else is."""
    tab = Tab(browser, page_of_edit(tmp_path, format, edit), place="#sample/s")
    section = tab.opened_sample().find_element(By.TAG_NAME, "section")
    assert [one.text[2:] for one in section.find_elements(By.TAG_NAME, "del")] == removed
    assert [one.text[2:] for one in section.find_elements(By.TAG_NAME, "ins")] == added
    if removed or added:
        tab.chip("dialog section", "as written").click()
    lines = [one.text.lstrip("0123456789") for one in section.find_elements(By.CSS_SELECTOR, "pre .line")]
    assert [line.strip("\u200b") for line in lines] == edit.removesuffix("\n").split("\n")


def page_of_edit(folder: Path, format: Format, edit: str) -> Path:
    outcomes = [Outcome("s", one, "missed", reason="no_match", latency_ns=5000) for one in ("x/a", "y/b")]
    texts = [SampleText("s", edit, "a.py", 1, "one\ntwo\n")]
    write_part(folder, "0", outcomes, [], [SampleUsed("s", format, "apply")], texts=texts, metadata={})
    strategies = [StrategyUsed("x/a", "1"), StrategyUsed("y/b", "1")]
    manifest = Manifest(["run"], 0, [CorpusUsed("made", 1)], strategies, 5, "p", "2026-01-01T00:00:00Z")
    write_manifest(folder, manifest)
    return write_page(RunFolder(folder), folder / "report.html")


def test_an_id_an_edit_and_a_command_are_copied_as_they_are(browser: WebDriver, hostile: Path) -> None:
    tab = Tab(browser, hostile)
    tab.run("[...document.querySelectorAll('.row')].find((one) => one.textContent.startsWith('hostile')).click()")
    tab.opened_sample()
    keep = """
        window.kept = [];
        navigator.clipboard.writeText = async (text) => { window.kept.push(text); };
        for (const one of document.querySelectorAll('dialog .copy')) one.click();
    """
    tab.run(keep)
    name, edit, *commands = tab.run("return window.kept")
    assert (name, edit) == (HOSTILE_ID, HOSTILE)
    assert commands == tab.texts("dialog .command")
    tab.until(lambda: "copied" in tab.texts("dialog .copy"))


def test_a_note_is_on_the_page_and_its_text_is_a_text(browser: WebDriver, tmp_path: Path) -> None:
    samples = [("s", "wrong_edit", "correct"), ("t", "correct", "correct")]
    texts = [SampleText(name, "edit", "a.py", 1, "a\n") for name in ("s", "t")]
    written(tmp_path / "run", samples, texts, [])
    write_review(tmp_path / "run", Review("s", True, HOSTILE, "2026-11-26T00:00:00+00:00"))
    page = write_page(RunFolder(tmp_path / "run"), tmp_path / "run" / "report.html")
    tab = Tab(browser, page, place="#samples?review=reviewed")
    assert tab.count() == "1 of 2"
    tab.until(lambda: "reviewed" in tab.texts(".row .kind"))
    tab = Tab(browser, page, place="#sample/s")
    tab.opened_sample()
    first = tab.texts("dialog section")[0]
    assert first.startswith("Reviewed, 2026-11-26")
    assert HOSTILE in first
