"""One browser for all tests of pages, and the pages that several of them open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver

from harness.run.plan import Request
from harness.run.runner import run
from harness.strategies.registry import select
from reports.page.document import write_page
from reports.runs.manifest import StrategyUsed, read_manifest, write_manifest
from reports.runs.rows import Change, SampleText
from reports.runs.run_folder import RunFolder
from tests.browser.tab import CHROMIUM, DRIVER, HOSTILE, HOSTILE_ID, written

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
BROKEN = {"exact_wins": 2, "bom_kept": 1, "one_place": 1}


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real run of `smoke` under the nine replacers, cascades and two agents."""
    folder = tmp_path_factory.mktemp("house") / "run"
    strategies = select(["replacer/*", "cascade/*", "agent/codex", "agent/zed"])
    run(Request(["smoke"], strategies, folder=folder, n_workers=1))
    promising = [StrategyUsed(one.name, one.version, 9, BROKEN) for one in read_manifest(folder).strategies]
    write_manifest(folder, replace(read_manifest(folder), strategies=promising))
    return write_page(RunFolder(folder), folder / "report.html", properties={"exact_wins": "The exact place wins."})


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page whose every text is hostile; three changes are of line endings, one of a long line."""
    lf, crlf = "one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n"
    return written(
        tmp_path_factory.mktemp("hostile"),
        [
            (HOSTILE_ID, "wrong_edit", "missed"),
            *((name, "correct", "wrong_edit") for name in ("endings", "mixed", "inserted", "long")),
        ],
        [
            SampleText(HOSTILE_ID, HOSTILE, f"a/{HOSTILE}", 1, HOSTILE + "\n", 0),
            SampleText("endings", "edit", "a.py", 1, crlf),
            SampleText("mixed", "edit", "a.py", 1, crlf),
            SampleText("inserted", "edit", "a.py", 1, crlf),
            SampleText("long", "edit", "a.py", 7, "  a\tb \n"),
        ],
        [
            Change(HOSTILE_ID, 1, ("x/a",), f"a/{HOSTILE}", 1, HOSTILE + "\n", HOSTILE + "\x00\u202e\n"),
            Change("endings", 0, ("x/a",), "a.py", 1, crlf, crlf.replace("two", "2wo")),
            Change("endings", 1, ("y/b",), "a.py", 1, crlf, lf),
            Change("mixed", 1, ("y/b",), "a.py", 1, crlf, crlf.replace("two\r", "2wo")),
            Change("inserted", 1, ("y/b",), "a.py", 1, crlf, crlf.replace("two", "new\ntwo")),
            Change("long", 0, ("x/a",), "a.py", 7, "  a\tb \n", "  a\tb\n"),
            Change("long", 1, ("y/b",), "a.py", 40, "x" * 20_000 + "\n", "x" * 19_000 + "Y" + "x" * 1000 + "\n"),
        ],
    )  # fmt: skip


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(str(DRIVER)))
    yield driver
    driver.quit()
