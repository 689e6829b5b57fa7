"""Are the texts of a sample in the colours of their language, and the same texts?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

from corpora.languages import language
from reports.page.document import write_page
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed
from reports.runs.run_folder import RunFolder
from tests.browser.tab import HOSTILE, MARKS, Tab
from tests.run_parts import write_part

pytestmark = MARKS

PYTHON = '\t# Twice.\n\ndef twice(n):\n    """Say\n    what if\n    """\n    return n * 2  \n'
TYPESCRIPT = "export function twice(n: number): string {\n  return `${n} if`; // if <b>\n}\n"
HTML = f"<p>one</p>\n{HOSTILE}\n<!-- <img src=x onerror=throw> &amp; -->\n"
LONG = "return 1\n" * 5_000
WIDE = f"return '{'x' * 2_000}'\n"
COLOURED = """
    return [...CSS.highlights].flatMap(([colour, ranges]) => [...ranges].map((range) => [
      colour, range.startContainer.data.slice(range.startOffset, range.endOffset),
      range.startContainer.parentElement.closest('.line').tagName.toLowerCase(),
    ]))
"""
"""[colour, word, tag of its line]."""


def page_of(folder: Path, path: str, before: str, after: str) -> Path:
    """A page of one sample, whose right answer makes one text of another, and a file of Python."""
    outcomes = [Outcome("s", "x/a", "correct", latency_ns=5000)]
    texts = [SampleText("s", "edit", path, 1, before)]
    used = [SampleUsed("s", "str_replace", "apply", tags=(f"language:{language(path)}",))]
    changes = [
        Change("s", 0, ("x/a",), path, 1, before, after),
        Change("s", 0, ("x/a",), "other.py", 1, "", "pass\n"),
    ]
    write_part(folder, "0", outcomes, [], used, texts=texts, changes=changes, metadata={})
    strategies = [StrategyUsed("x/a", "1")]
    write_manifest(folder, Manifest(["run"], 0, [CorpusUsed("made", 1)], strategies, 5, "p", "2026-01-01T00:00:00Z"))
    return write_page(RunFolder(folder), folder / "report.html")


def opened(browser: WebDriver, page: Path) -> Tab:
    tab = Tab(browser, page, place="#sample/s")
    tab.opened_sample()
    return tab


def coloured(tab: Tab) -> set[tuple[str, str, str]]:
    """The coloured words of a sample, once its last text is coloured."""
    last = "const last = [...document.querySelectorAll('dialog pre')].at(-1);"
    among = "[...CSS.highlights.values()].some((some) => [...some].some((one) => last.contains(one.startContainer)))"
    tab.until(lambda: tab.run(f"{last} return {among}"))
    return {(colour, word.strip(), tag) for colour, word, tag in tab.run(COLOURED)}


def texts_shown(tab: Tab) -> list[str]:
    """The lines of the file before the edit."""
    script = """
        return [...[...document.querySelectorAll('dialog pre')].at(-1).querySelectorAll('.line')].map((line) =>
          [...line.childNodes].filter((node) => node.className !== 'number').map((node) => node.textContent).join(''))
    """
    found: list[str] = tab.run(script)
    return found


def test_words_of_python_are_coloured_each_line_as_its_own_side_has_it(browser: WebDriver, tmp_path: Path) -> None:
    after = PYTHON.replace("    what if\n", "    else\n").replace("return n * 2", "return n * 3")
    tab = opened(browser, page_of(tmp_path, "a/twice.pyi", PYTHON, after))
    words = coloured(tab)
    assert {("keyword", "def", "span"), ("title", "twice", "span"), ("comment", "# Twice.", "span")} <= words
    assert {("string", "what if", "del"), ("string", "else", "ins")} <= words
    assert {("keyword", "return", "del"), ("number", "2", "del"), ("number", "3", "ins")} <= words
    assert not {("keyword", "if", "del"), ("keyword", "else", "ins")} & words
    assert tab.texts("dialog del b") == ["what if", "2"]
    assert texts_shown(tab) == PYTHON.splitlines()


def test_words_of_typescript_are_coloured(browser: WebDriver, tmp_path: Path) -> None:
    tab = opened(browser, page_of(tmp_path, "a/twice.ts", TYPESCRIPT, TYPESCRIPT.replace("return", "throw")))
    words = coloured(tab)
    assert {
        ("keyword", "export", "span"),
        ("type", "string", "span"),
        ("comment", "// if <b>", "ins"),
    } <= words
    assert {("keyword", "return", "del"), ("keyword", "throw", "ins"), ("string", "if`", "ins")} <= words
    assert texts_shown(tab) == TYPESCRIPT.splitlines()


def test_hostile_texts_stay_text_in_colours(browser: WebDriver, tmp_path: Path) -> None:
    tab = opened(browser, page_of(tmp_path, "a.html", HTML, HTML.replace("one", "two")))
    words = coloured(tab)
    assert {("keyword", "img", "span"), ("comment", "<!-- <img src=x onerror=throw> &amp; -->", "span")} <= words
    assert texts_shown(tab) == HTML.splitlines()
    assert tab.run("return document.querySelectorAll('img, dialog script, main script, head script').length") == 0
    assert tab.errors() == []


@pytest.mark.parametrize(("path", "before"), [("a.py", LONG), ("a.py", WIDE), ("a.unknown", PYTHON)])
def test_large_texts_and_unknown_languages_stay_plain(
    browser: WebDriver, tmp_path: Path, path: str, before: str
) -> None:
    tab = opened(browser, page_of(tmp_path, path, before, "return 1\n" + before))
    tab.until(lambda: tab.run(COLOURED))
    tab.run("window.n = 0; (function next() { if (window.n++ < 9) requestAnimationFrame(next); })()")
    tab.until(lambda: tab.run("return window.n > 9"))
    assert tab.run(COLOURED) == [["keyword", "pass", "ins"]]
    assert len(texts_shown(tab)) == before.count("\n")


def test_the_highlighter_is_started_by_the_first_sample_and_asks_for_nothing(
    browser: WebDriver, tmp_path: Path
) -> None:
    page = page_of(tmp_path, "a.py", PYTHON, PYTHON.replace("2", "3"))
    browser.get_log("performance")
    tab = Tab(browser, page)
    assert tab.run("return typeof hljs") == "undefined"
    tab.run("document.querySelector('.row').click()")
    assert coloured(tab)
    assert tab.run("return typeof hljs") == "object"
    assert tab.errors() == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requested = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in requested if url != "about:blank"] == [page.as_uri()]


def test_a_closed_samples_colours_go_when_another_is_opened(browser: WebDriver, house: Path) -> None:
    tab = Tab(browser, house, place="#sample/smoke-tabs_for_blanks")
    tab.opened_sample()
    coloured(tab)
    tab.run("location.hash = '#sample/smoke-letter_case'")
    tab.until(lambda: "letter_case" in tab.one("#sample-title").text)
    coloured(tab)
    alive = (
        "return [...CSS.highlights.values()].every((some) => [...some].every((one) => one.startContainer.isConnected))"
    )
    assert tab.run(alive)
