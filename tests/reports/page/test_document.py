"""?"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from editcore.errors import UsageError
from reports.compare.comparison import compare
from reports.compare.gate import Gate, failures
from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, NewFinding
from reports.page import document, packing
from reports.page.document import write_page
from reports.page.packing import style_text
from reports.runs.manifest import Manifest, StrategyUsed, read_manifest, write_manifest
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

HOSTILE = '</script><img src="https://example.org/x" onerror=alert(1)>\u202e\x00\x1b[31m {{ 7 * 7 }} <!-- &amp;'
"""What an id, a name or a text may hold to break a page."""
A = "cascade/a"


class Page(HTMLParser):
    """A page's tags with attributes, and the content of its scripts and styles."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.html = path.read_text(encoding="utf-8")
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[tuple[dict[str, str | None], str]] = []
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style"):
            self.inside.append((self.tags[-1][1], data))

    def text_of(self, name: str) -> str:
        return next(data for attributes, data in self.inside if attributes.get("id") == name)

    @property
    def head(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text_of("data-head"))
        return found

    def unpacked(self, name: str) -> Any:
        return json.loads(zlib.decompress(base64.b64decode(self.text_of(name))))


@pytest.fixture(scope="module")
def written(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(RunFolder(run_folder), tmp_path_factory.mktemp("page") / "out" / "report.html")


@pytest.fixture(scope="module")
def page(written: Path) -> Page:
    return Page(written)


def test_the_page_refers_to_nothing_outside_and_runs_nothing_but_its_script(page: Page) -> None:
    for tag, attributes in page.tags:
        assert tag in ("html", "meta", "title", "style", "body", "noscript", "script")
        assert not {"src", "href", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    (policy,) = [a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a]
    (packing,) = [data for attributes, data in page.inside if not attributes and data.startswith("(()")]
    (style,) = [data for attributes, data in page.inside if data.startswith(":root")]
    run = (packing, page.unpacked("data-highlighter"), style)
    hashed = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashed[0]}' 'sha256-{hashed[1]}'; style-src 'sha256-{hashed[2]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style


def test_the_facts_of_a_run_have_a_command_that_can_be_pasted(tmp_path: Path) -> None:
    argv = ["run", "house", "-s", "cmd:mine=python3 m.py"]
    run = write_run(tmp_path, {A: "c"}, argv=argv, machine={"n_cores": 2}, n_left_out=1, n_bad=2)
    facts = dict(Page(write_page(RunFolder(run), tmp_path / "report.html")).head["facts"])
    assert facts["command"] == "editgauge run house -s 'cmd:mine=python3 m.py'"
    assert (facts["corpora"], facts["left out"], facts["malformed"], facts["cores"]) == (
        "made (1 sample)", "1 sample in formats that no strategy takes", "2 samples, skipped", "2",
    )  # fmt: skip
    assert "commit" not in facts


def test_the_script_makes_no_html() -> None:
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "DOMParser",
    ):
        assert word not in document.script_text()


def test_hostile_texts_are_data(page: Page) -> None:
    assert page.html.count("</script>") == sum(tag == "script" for tag, _ in page.tags)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page.html)
    assert "<img" not in page.html
    assert HOSTILE.partition(" <!--")[0] in dict(page.head["facts"])["command"]
    assert dict(page.head["facts"])["corpora"].startswith("<b>builtin</b>")
    assert '<img src="https://example.org/x"' in json.dumps(page.unpacked("data-0"), ensure_ascii=False).replace(
        "\\", ""
    )


def test_the_highlighter_is_there_once_and_small(page: Page) -> None:
    """As its authors publish it, with its version and its licence."""
    assert page.html.count('id="data-highlighter"') == 1
    assert len(page.text_of("data-highlighter")) < 64_000
    folder = Path(packing.__file__).parent / "script" / "highlight.js-11.12.0"
    assert page.unpacked("data-highlighter") == (folder / "highlight.min.js").read_text(encoding="utf-8")
    assert "Highlight.js v11.12.0" in page.unpacked("data-highlighter")
    assert "BSD 3-Clause License" in (folder / "LICENSE").read_text(encoding="utf-8")


def test_every_sample_of_every_verdict_is_there(page: Page) -> None:
    lists, records = page.unpacked("data-lists"), page.unpacked("data-0")
    assert sorted(lists["ids"]) == sorted(f"s{number}" for number in range(41))
    assert len(records) == page.head["n_embedded"] == page.head["n_samples"] == 41
    verdicts = {page.head["kinds"][code][0] for row in lists["kind"] for code in row}
    assert verdicts == {"", "correct", "missed", "wrong_edit", "unlabelled", "crashed", "timed_out"}
    assert [lists["ids"][at] for at in lists["order"][:3]] == ["s3", "s4", "s5"]
    crashed = records[lists["ids"].index("s40")]
    assert crashed["errors"] == [["IndexError: 3", [2]]]


def test_equal_wrong_edits_of_runs_without_changes_are_there_once(page: Page) -> None:
    record = page.unpacked("data-0")[page.unpacked("data-lists")["ids"].index("s3")]
    ((by, path, line, expected, given, omitted),) = record["wrong"]
    assert (by, path, line, omitted) == ([0, 1, 3], "src/s3.py", 12, 99)
    assert expected != given


def test_the_same_run_gives_the_same_bytes(written: Path, run_folder: Path, tmp_path: Path) -> None:
    assert write_page(RunFolder(run_folder), tmp_path / "report.html").read_bytes() == written.read_bytes()


def test_the_date_is_the_runs_or_the_one_asked_for(
    page: Page, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page.head["date"] == "2026-11-21 03:02 UTC"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert Page(write_page(RunFolder(run_folder), tmp_path / "report.html")).head["date"] == "1970-01-02 00:00 UTC"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        write_page(RunFolder(run_folder), tmp_path / "report.html")


def test_a_run_without_samples_has_a_page(tmp_path: Path) -> None:
    write_manifest(tmp_path, Manifest(["editgauge"], 0, [], [], 10, "p", "not a date", git_commit="a\udc80"))
    head = Page(write_page(RunFolder(tmp_path), tmp_path / "report.html")).head
    assert "Nothing was measured" in head["sentence"]
    assert (head["n_samples"], head["answers"], head["finished"]) == (0, [], False)
    assert head["date"] == "not a date"


def test_with_a_comparison_samples_that_turned_come_first_with_what_they_were(tmp_path: Path) -> None:
    ids = [HOSTILE + str(number) for number in range(7)]
    base = write_run(tmp_path / "night=2026-11-21T030000Z-plan", {A: "cccmccc", "replacer/simple": "c" * 7}, ids=ids)
    run = write_run(tmp_path / "run", {A: "wwwccmc", "replacer/simple": "c" * 7}, ids=ids)
    comparison = compare(RunFolder(base), RunFolder(run))
    page = Page(
        write_page(RunFolder(run), tmp_path / "x.html", comparison=comparison, failures=failures(comparison, Gate()))
    )
    found = page.head["comparison"]
    assert (found["base"], found["gate"]) == ("2026-11-21T030000Z-plan", "fail")
    assert (found["turns"]["worse"], found["turns"]["better"], found["newly_wrong"]) == (4, 1, 3)
    assert found["failures"][0] == ["wrong_edit", A, "3 samples newly edited wrongly", 3]
    lists, records = page.unpacked("data-lists"), page.unpacked("data-0")
    assert [lists["turn"][at] for at in lists["order"]] == [1, 1, 1, 1, 2, 0, 0]
    ((strategy, turn, was, excerpts),) = records[lists["order"][0]]["turned"]
    assert (strategy, turn, excerpts) == (0, "worse", None)
    assert was.startswith("the right text, byte for byte")


def test_findings_of_fuzzing_and_promises_are_on_the_page(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"cascade/exact": "cc"})
    finding = NewFinding("SILENT", "exact_wins", "applied", "boom")
    fuzzed = FuzzNight(3, "2026-01-01T00:00:00Z", {"cascade/exact": FuzzedTarget(10, 1.0, new=(finding,))})
    promising = replace(read_manifest(run), strategies=[StrategyUsed("cascade/exact", "1", 9, {"exact_wins": 2})])
    write_manifest(run, promising)
    path = write_page(
        RunFolder(run), tmp_path / "page.html", fuzzed=fuzzed, properties={"exact_wins": "The exact place wins."}
    )
    head = Page(path).head
    assert head["fuzzed"]["new"] == [["cascade/exact", "exact_wins", "applied", "boom", "SILENT"]]
    assert head["strategies"][0]["promises_broken"] == {"exact_wins": 2}
    assert head["properties"] == {"exact_wins": "The exact place wins."}


def test_of_a_large_run_the_worst_samples_are_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", {A: "ccwcm"})
    monkeypatch.setattr(document, "MOST_EMBEDDED", 2)
    page = Page(write_page(RunFolder(run), tmp_path / "page.html"))
    assert page.unpacked("data-lists")["ids"] == ["s0002", "s0004"]
    assert page.unpacked("data-lists")["order"] == [0, 1]
    assert (page.head["n_embedded"], page.head["n_samples"]) == (2, 5)


COLOURS = re.findall(r"::highlight\(\w+\) \{ color: var\(--(\w+)\)", style_text())
"""The colours of words of code."""


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("background", ["card", "del", "ins"])
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_of_code_can_be_read_on_every_background(colour: str, background: str, scheme: int) -> None:
    """The contrast is at least 4.5, as WCAG 2 asks for."""
    dark, light = sorted(
        luminance(re.findall(rf"--{name}: (#\w+)", style_text())[scheme]) for name in (colour, background)
    )
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2; `colour` is #rrggbb."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
