"""A comparison for machines: whatever ids, messages and texts hold, each format stays what it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given

from editcore.quoting import printable
from reports.compare.comparison import Comparison, compare
from reports.compare.gate import Failure, Rule
from reports.runs.manifest import read_manifest
from reports.runs.run_folder import RunFolder
from reports.views.ci import N_ANNOTATIONS, document, github_annotations, junit, program_files, sarif
from reports.views.comparison_wording import groups
from tests.reports.views.terminal import A, hostile, made, reasons
from tests.twins import write_run

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
    text = junit(compare(RunFolder(base), RunFolder(base)), [], [])
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


# Annotations


def test_annotations_are_errors_and_no_more_than_are_shown(found: Comparison) -> None:
    lines = list(github_annotations(found, reasons(found)))
    assert len(lines) == N_ANNOTATIONS
    assert lines[0].startswith("::error title=editgauge match_rate::cascade/a: match rate down by")
    assert lines[1] == "::error title=editgauge wrong_edit::cascade/a: s0000: correct -> wrong_edit (text)"
    # What is newly wrong is a regression too, and is told once.
    assert len({line.partition(": s")[2] for line in lines[1:]}) == N_ANNOTATIONS - 1
    assert list(github_annotations(found, [])) == []


@given(hostile, hostile, hostile)
def test_no_text_ends_an_annotation_or_starts_another(name: str, strategy: str, message: str) -> None:
    comparison, _ = made(name, strategy, message)
    for line in github_annotations(comparison, reasons(comparison)):
        assert len(line.splitlines()) == 1
        assert line.startswith("::error title=")
        said = line.split("::", 2)[2]
        assert not re.search("%(?!25|0A|0D)", said)
        assert printable(said) == said


def test_a_property_is_escaped_further_than_a_message(found: Comparison) -> None:
    odd = Failure("a:b,c%\n", A, "100 %: so, yes\r\n")  # type: ignore[arg-type]
    (line,) = github_annotations(found, [odd])
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


# The gate as SARIF: a result for each reason, at the program's file where a command names one.


def test_each_reason_is_a_result_and_a_command_has_a_place() -> None:
    failures = [
        Failure(Rule.WRONG_EDIT, "cmd/mine", "2 samples newly edited wrongly", ("a\x1b", "b")),
        Failure(Rule.LATENCY, "cascade/exact", "slower", ()),
    ]
    found = sarif(failures, {"cmd/mine": "bin/edit.js"})
    [run] = found["runs"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {"wrong_edit", "latency"}
    first, second = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "bin/edit.js"}, "region": {"startLine": 1}}
    assert "\x1b" not in first["message"]["text"]
    assert "locations" not in second
    assert json.loads(json.dumps(found))["version"] == "2.1.0"


def test_without_a_failure_there_is_no_result() -> None:
    assert sarif((), {})["runs"][0]["results"] == []


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("./edit", "edit"),
        ("node ./src/../edit --fast", "edit"),
        ("node gone.js", None),
        ("/bin/cat", None),
        ("../edit", None),
        ("node 'unclosed", None),
    ],
)
def test_only_a_file_below_the_folder_is_a_place(command: str, file: str | None, tmp_path: Path) -> None:
    (tmp_path / "edit").write_text("")
    folder = write_run(tmp_path / "run", {"cmd/mine": "cc"})
    manifest = read_manifest(folder)
    [one] = manifest.strategies
    for options in ("", "[once=60]"):
        argv = ("run", "house", "-s", f"cmd:mine{options}={command}")
        found = program_files(replace(manifest, strategies=(one,), argv=argv), tmp_path)
        assert found == ({} if file is None else {"cmd/mine": file})
