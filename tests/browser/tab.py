"""A page that is open in a real browser, and what the tests of pages share."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from reports.page.document import write_page
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed
from reports.runs.run_folder import RunFolder
from tests.run_parts import write_part

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver (chromium, chromedriver on PATH)"
    ),
]
HOSTILE = '</script><script>throw 1</script><img src=x onerror="throw 2">'
HOSTILE_ID = f"hostile and (odd) {HOSTILE}#?&/%41"

Found = TypeVar("Found")


class Tab:
    """A page that is open in the browser."""

    def __init__(self, browser: WebDriver, page: Path | str, *, place: str = "", width: int = 1280) -> None:
        self.browser = browser
        self.resize(width)
        browser.get_log("browser")
        browser.get("about:blank")
        browser.get((page.as_uri() if isinstance(page, Path) else page) + place)
        self.until(lambda: self.run("return document.documentElement.dataset.ready"))

    def resize(self, width: int) -> None:
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)  # type: ignore[no-untyped-call]

    def until(self, holds: Callable[[], Found | None]) -> Found:
        """What a function returns, as soon as that is true."""
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

    def chip(self, place: str, text: str) -> WebElement:
        """The button in this place that begins with this text."""
        return next(one for one in self.all(f"{place} .chip") if one.text.startswith(text))

    def count(self) -> str:
        """What the list says about its samples, once the search is over."""
        self.until(lambda: "so far" not in self.one("#count").text)
        return self.one("#count").text

    def address(self) -> str:
        """The part of the address after the file."""
        return str(self.run("return location.hash"))

    def opened_sample(self) -> WebElement:
        return self.until(lambda: next(iter(self.all("dialog[open] .body")), None))

    def errors(self) -> list[Any]:
        """What the console reports as an error."""
        return [entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]


def written(folder: Path, samples: list[tuple[str, str, str]], texts: list[SampleText], changes: list[Change]) -> Path:
    """A page of samples (id, verdict under x/a, verdict under y/b)."""
    outcomes = [
        Outcome(
            name, strategy, verdict, "text" if verdict == "wrong_edit" else None, latency_ns=5000,
            message=HOSTILE if verdict == "missed" else None, reason="no_match" if verdict == "missed" else None,
        )
        for name, *verdicts in samples for strategy, verdict in zip(("x/a", "y/b"), verdicts, strict=True)
    ]  # fmt: skip
    used = [SampleUsed(name, "str_replace", "apply", tags=("language:python",), fingerprint=1) for name, *_ in samples]
    write_part(folder, "0", outcomes, [], used, texts=texts, changes=changes, metadata={})
    strategies = [StrategyUsed("x/a", "1"), StrategyUsed("y/b", "1")]
    corpora = [CorpusUsed("made", len(samples))]
    write_manifest(folder, Manifest(["x" * 500], 0, corpora, strategies, 5, "p", "2026-01-01T00:00:00Z"))
    return write_page(RunFolder(folder), folder / "report.html")
