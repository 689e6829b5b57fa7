"""A comparison for machines: whatever ids, messages and texts hold, each format stays what it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.quoting import printable
from reports.compare.comparison import Comparison, Side, StrategyCompared, Turn, Turned, compare
from reports.compare.gate import Failure, Gate, Rule, failures
from reports.compare.wording import Group, groups
from reports.runs.rows import WrongEdit
from reports.views.ci import N_ANNOTATIONS, SUMMARY_LIMIT, annotations, document, junit, markdown
from tests.twins import write_run

A = "cascade/a"
NASTY = [
    "]]>", "<!--", "&amp;", "\0", "\x1b[31m", "\ud800", "\ufffe", "\x85", "\u2028", "\r", "\n", "\r\n", "```", "~~~",
    "`" * 12, "|", "\\", "%0A", "::error::", "</details>", "<script>", "@all", " ", "\t", "#", "é", "\U0001f600",
]  # fmt: skip
hostile = st.lists(st.sampled_from(NASTY) | st.text(st.characters(), max_size=3), max_size=12).map("".join)


def made(sample_id: str, strategy: str, message: str, expected: str = "", given: str = "") -> tuple[Comparison, Group]:
    """A comparison of one sample that turned from a crash to a wrong edit, all its texts as given."""
    before, after = Side("crashed", None, None, None, message), Side("wrong_edit", message, None, message, None)
    pair = Turned(sample_id, strategy, Turn.WORSE, before, after)
    edit = WrongEdit(sample_id, strategy, "text", message, message, 3, expected, given, "edit", 1)
    one = StrategyCompared(strategy, 1, 1, 0, 0, 1, 0, None, None, None)
    found = Comparison(Path("base"), Path("run"), 1, [one], [pair], [strategy], [], [message])
    return found, Group(pair, None, edit, [strategy])


def reasons(comparison: Comparison) -> list[Failure]:
    return failures(comparison, Gate(frozenset(Rule)))


@pytest.fixture
def found(tmp_path: Path) -> Comparison:
    """30 samples under two strategies: 8 newly wrong and 3 missed under one, one better under the other."""
    base = write_run(tmp_path / "base", {A: "c" * 30, "replacer/b": "m" + "c" * 29})
    run = write_run(tmp_path / "run", {A: "w" * 8 + "m" * 3 + "c" * 19, "replacer/b": "c" * 30})
    return compare(base, run)


# Text


@given(hostile)
def test_visible_text_is_one_line_that_terminals_and_xml_take(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable() or "\t" in shown
    assert len(shown.splitlines()) <= 1
    assert printable(shown) == shown
    shown.encode()


# JUnit


def test_a_suite_a_strategy_and_in_it_a_case_for_each_regression_and_one_for_all(found: Comparison) -> None:
    root = ElementTree.fromstring(junit(found, reasons(found), groups(found)))
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "13", "12")
    first, second = root
    assert [suite.get("name") for suite in root] == [A, "replacer/b"]
    assert [case.get("name") for case in first] == [f"s{i:04}" for i in range(11)] + ["all samples"]
    assert (first.get("tests"), first.get("failures")) == ("12", "12")
    assert (second.get("tests"), second.get("failures")) == ("1", "0")
    (failure,) = first[0]
    assert (failure.get("type"), failure.get("message")) == ("wrong_edit", "correct -> wrong_edit (text)")
    assert "-    return 1\n+    return 3" in (failure.text or "")
    overall = first[-1].find("failure")
    assert overall is not None
    assert overall.get("type") == "match_rate"
    assert "significant" not in (second[0].findtext("system-out") or "")
    assert "better: 1" in (second[0].findtext("system-out") or "")


def test_without_regressions_nothing_fails(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "ccc"})
    text = junit(compare(base, base), [], [])
    root = ElementTree.fromstring(text)
    assert (root.get("tests"), root.get("failures")) == ("1", "0")
    assert root.find(".//failure") is None


@given(hostile, hostile, hostile, hostile, hostile)
def test_hostile_texts_leave_junit_well_formed(name: str, strategy: str, message: str, right: str, wrong: str) -> None:
    comparison, group = made(name, strategy, message, right, wrong)
    text = junit(comparison, reasons(comparison), [group])
    assert text.isascii()
    (suite,) = ElementTree.fromstring(text)
    assert suite.get("name") == printable(strategy)
    regression, _overall = suite
    assert regression.get("name") == printable(name)
    failure = regression.find("failure")
    assert failure is not None
    assert printable(f"({message})")[1:-1] in (failure.get("message") or "")
    # Each line as it is, but for what cannot be there.
    for line in wrong.split("\n"):
        shown = (printable(line), printable(f"+{line}")[1:])
        assert right == wrong or any(one in (failure.text or "") for one in shown)


# Markdown


def outside_fences(text: str) -> list[str]:
    """The lines that Markdown reads as such; fails where a fence is not closed."""
    kept, fence = [], ""
    for line in text.split("\n"):
        marks = re.match(r" {0,3}(`{3,})", line)
        if fence:
            if re.fullmatch(rf" {{0,3}}`{{{len(fence)},}}\s*", line):
                fence = ""
        elif marks:
            fence = marks[1]
        else:
            kept.append(line)
    assert not fence
    return kept


def test_a_summary_has_the_verdict_the_table_and_the_diffs(found: Comparison) -> None:
    text = markdown(found, reasons(found), groups(found))
    assert "**The gate fails, for 3 reasons:**" in text
    assert "| `cascade/a` | 30 | 11 | 0 | 0 | 8 | 100.0 % -> 63.3 % |" in text
    assert text.count("```diff") == 8
    assert text.index("### Worse") < text.index("### Better")
    assert "`s0009: correct -> missed (no_match)`" in text
    passed = markdown(found, [], [])
    assert "**The gate passes.**" in passed


@given(hostile, hostile, hostile, hostile, hostile)
def test_hostile_texts_stay_in_their_fence(name: str, strategy: str, message: str, right: str, wrong: str) -> None:
    comparison, group = made(name, strategy, message, right, wrong)
    harmless = made("s", "x/y", "m", "a", "b")
    lines = outside_fences(markdown(comparison, reasons(comparison), [group]))
    calm = outside_fences(markdown(harmless[0], reasons(harmless[0]), [harmless[1]]))
    assert len(lines) == len(calm)
    # As many cells a row as ever.
    rows = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines if line.startswith("| ")]
    assert rows == [len(re.findall(r"\|", line)) for line in calm if line.startswith("| ")]


@given(st.integers(0, 6_000))
def test_a_summary_is_cut_at_a_whole_line_below_the_limit_and_says_so(limit: int) -> None:
    comparison, group = made("s", A, "é" * 40, "a\n" * 300, "`" * 30 + "é\n" * 300)
    whole = markdown(comparison, [], [group])
    text = markdown(comparison, [], [group], limit=limit)
    assert len(text.encode()) <= limit
    if text and text != whole:
        lines = outside_fences(text)
        assert lines[-2].startswith("*Cut here")
        kept = text.split("\n")[:-3]
        assert set(kept) <= {*whole.split("\n")}


def test_a_huge_comparison_makes_a_summary_that_github_takes(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c" * 400})
    comparison = compare(base, write_run(tmp_path / "run", {A: "w" * 400}, given="€" * 9_000 + "\n"))
    text = markdown(comparison, reasons(comparison), groups(comparison, n_diffs=400))
    assert SUMMARY_LIMIT - 40_000 < len(text.encode()) < SUMMARY_LIMIT
    assert "Cut here" in text[-200:]
    outside_fences(text)


# Annotations


def test_annotations_are_errors_and_no_more_than_are_shown(found: Comparison) -> None:
    lines = list(annotations(found, reasons(found)))
    assert len(lines) == N_ANNOTATIONS
    assert lines[0].startswith("::error title=editgauge match_rate::cascade/a: match rate down by")
    assert lines[1] == "::error title=editgauge wrong_edit::cascade/a: s0000: correct -> wrong_edit (text)"
    # What is newly wrong is a regression too, and is told once.
    assert len({line.partition(": s")[2] for line in lines[1:]}) == N_ANNOTATIONS - 1
    assert list(annotations(found, [])) == []


@given(hostile, hostile, hostile)
def test_no_text_ends_an_annotation_or_starts_another(name: str, strategy: str, message: str) -> None:
    comparison, _ = made(name, strategy, message)
    for line in annotations(comparison, reasons(comparison)):
        assert len(line.splitlines()) == 1
        assert line.startswith("::error title=")
        said = line.split("::", 2)[2]
        assert not re.search("%(?!25|0A|0D)", said)
        assert printable(said) == said


def test_a_property_is_escaped_further_than_a_message(found: Comparison) -> None:
    odd = Failure("a:b,c%\n", A, "100 %: so, yes\r\n")  # type: ignore[arg-type]
    (line,) = annotations(found, [odd])
    assert line == "::error title=editgauge a%3Ab%2Cc%25%0A::cascade/a: 100 %25: so, yes%0D%0A"


# JSON


def test_the_document_has_every_number(found: Comparison) -> None:
    told = json.loads(json.dumps(document(found, reasons(found), groups(found)), allow_nan=False))
    assert (told["schema_version"], told["n_samples"], told["passed"]) == (1, 30, False)
    assert [failure["kind"] for failure in told["failures"]] == ["wrong_edit", "match_rate", "regression"]
    first = told["strategies"][0]
    assert (first["strategy"], first["n_newly_wrong"], first["status"]) == (A, 8, "worse")
    assert first["match_rate"]["delta"] == pytest.approx(-11 / 30)
    assert first["match_rate"]["interval"][0] < first["match_rate"]["delta"] < first["match_rate"]["interval"][1]
    turned = told["turned"][0]
    assert (turned["sample_id"], turned["turn"], turned["strategies"]) == ("s0000", "worse", [A])
    assert turned["base"]["wrong_edit"] is None
    assert turned["run"]["wrong_edit"]["given"].startswith("def one():\n    return 3")


@given(hostile, hostile)
def test_hostile_texts_come_back_from_json(name: str, message: str) -> None:
    comparison, group = made(name, A, message)
    told = json.loads(json.dumps(document(comparison, reasons(comparison), [group]), allow_nan=False))
    assert told["turned"][0]["sample_id"] == json.loads(json.dumps(name))


def test_a_rate_over_nothing_is_null(found: Comparison) -> None:
    (one, *_) = found.strategies
    bare = replace(found, strategies=[replace(one, match_rate=None, wrong_rate=None, latency=None)])
    told = document(bare, [], [])["strategies"][0]
    assert (told["match_rate"], told["wrong_rate"], told["latency"]) == (None, None, None)
