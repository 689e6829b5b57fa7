"""The table of wrong edits by severity, in a terminal and as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from reports.measurements.table import P50, WRONG, WRONG_RATE
from reports.runs.manifest import Manifest, read_manifest
from reports.runs.rows import Outcome
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import Summary, best_first, summaries
from reports.views.tables import (
    columns,
    csv_text,
    duration,
    print_summary,
    print_wrong_edits,
    summary_document,
    wrong_edits_document,
)
from tests.reports.views.terminal import Terminal
from tests.run_parts import write_part
from tests.twins import write_run


@pytest.fixture
def found(run_folder: Path) -> list[Summary]:
    return summaries(RunFolder(run_folder).table("outcomes"))


def _printed(found: Sequence[Summary], stream: io.StringIO) -> list[str]:
    print_summary(found, wide=True, file=stream)
    return stream.getvalue().splitlines()


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("   ") if cell.strip()]


@pytest.mark.parametrize("variable", ["COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"])
def test_in_a_pipe_every_cell_is_whole(found: list[Summary], monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "20")
    lines = _printed(found, io.StringIO())
    assert len(lines) == 2 + len(found)
    assert "\x1b" not in "".join(lines)
    assert "…" not in "".join(lines)
    for summary, line in zip(best_first(found), lines[2:], strict=True):
        assert _cells(line) == [column.text(summary) for column in columns(found)]


def test_a_name_that_looks_like_markup_is_printed_as_it_is(tmp_path: Path) -> None:
    write_part(tmp_path, "0", [Outcome("s", "x/[red]" + "long" * 40, "correct")], [], metadata={})
    (_, _, line) = _printed(summaries(RunFolder(tmp_path).table("outcomes")), io.StringIO())
    assert _cells(line)[0] == "x/[red]" + "long" * 40


def test_no_color_is_obeyed(found: list[Summary], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31m" in "\n".join(_printed(found, Terminal()))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "[31m" not in "\n".join(_printed(found, Terminal()))


def test_on_a_narrow_terminal_columns_give_way_and_none_is_cut(
    found: list[Summary], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = "\n".join(_printed(found, Terminal()))
    table, told = re.sub(r"\x1b\[[0-9;]*m", "", text).split(
        "left out, as the terminal is too narrow (a pipe gets all): "
    )
    assert {"precision", "p99"} <= set(" ".join(told.split()).split(", "))
    assert not {"precision", "p99"} & set(table.splitlines()[0].split())
    assert "…" not in text
    for summary in found:
        assert summary.strategy in text


def test_how_bad_wrong_edits_are_gives_way_before_how_many_there_are(
    found: list[Summary], monkeypatch: pytest.MonkeyPatch
) -> None:
    worse = [replace(one, values={**one.values, "n_bytes_changed": 7}) for one in found]
    monkeypatch.setenv("COLUMNS", "80")
    heads = re.sub(r"\x1b\[[0-9;]*m", "", _printed(worse, Terminal())[0])
    assert "bytes changed" not in heads
    assert "match rate" in heads
    assert "wrong rate" in heads


def test_rare_verdicts_have_a_column_only_where_there_are_some(found: list[Summary], tmp_path: Path) -> None:
    assert {"unlabelled", "crashed", "timed out"} <= {column.heading for column in columns(found)}
    write_part(tmp_path, "0", [Outcome("s", "x/y", "correct")], [], metadata={})
    plain = columns(summaries(RunFolder(tmp_path).table("outcomes")))
    assert not {"unlabelled", "crashed", "timed out"} & {column.heading for column in plain}


def test_the_table_has_rates_and_counts_and_the_wide_one_the_rest_behind_them(found: list[Summary]) -> None:
    few, all_ = ([column.heading for column in columns(found, wide=wide)] for wide in (False, True))
    assert few[:8] == ["strategy", "samples", "match rate", "wrong rate", "correct", "wrong", "missed", "refused"]
    assert all_[: len(few)] == few
    assert {"precision", "p99"} <= set(all_[len(few) :])


def test_the_best_of_the_strategies_that_took_the_same_samples_comes_first(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"x/keen": "ccww", "x/safe": "ccmm", "cascade/few": "cc"})
    lines = _printed(summaries(RunFolder(run).table("outcomes")), io.StringIO())
    assert [_cells(line)[0] for line in lines[2:]] == ["x/safe", "x/keen", "cascade/few"]


def test_what_was_not_measured_is_a_dash(tmp_path: Path) -> None:
    write_part(tmp_path, "0", [Outcome("s", "x/y", "timed_out")], [], metadata={})
    (_, _, line) = _printed(summaries(RunFolder(tmp_path).table("outcomes")), io.StringIO())
    assert _cells(line) == ["x/y", "1", "-", "-", "0", "0", "0", "0", "-", "1", "-", "-"]


def test_no_strategies_make_a_table_of_headings() -> None:
    assert _printed([], io.StringIO())[0].startswith("strategy")


def test_the_document_is_finite_json_and_agrees_with_the_table(found: list[Summary], run_folder: Path) -> None:
    manifest = read_manifest(run_folder)
    document = json.loads(json.dumps(summary_document(found, manifest), allow_nan=False))
    assert document["schema_version"] == 1
    assert document["run"]["seed"] == manifest.seed
    assert document["run"]["corpora"][0]["n_samples"] == 41
    assert "cascade/exact" in document["sentence"]
    for summary, strategy in zip(found, document["strategies"], strict=True):
        assert strategy["strategy"] == summary.strategy
        assert strategy["n_wrong"] == summary[WRONG]
        rate = summary[WRONG_RATE]
        assert rate
        assert strategy["wrong_rate"] == {
            "value": rate.value,
            "low": rate.low,
            "high": rate.high,
            "n": rate.n,
        }
        assert strategy["latency"]["p50_ns"] == summary[P50]
        assert strategy["refusal_rate"] is None
        assert sum(strategy["damage"].values()) == summary[WRONG]


def test_the_document_of_an_empty_run_is_json(manifest: Manifest) -> None:
    document = json.loads(json.dumps(summary_document([], manifest), allow_nan=False))
    assert document["strategies"] == []


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (850, "850 ns"),
        (999, "999 ns"),
        (1_000, "1.00 us"),
        (12_345, "12.3 us"),
        (999_400, "999 us"),
        (999_600, "1.00 ms"),
        (4_560_000, "4.56 ms"),
        (10_000_000_000, "10.0 s"),
    ],
)
def test_a_latency_is_written_in_the_unit_that_suits_it(ns: int | None, text: str) -> None:
    assert duration(ns) == text


def test_csv_has_rates_with_both_ends_and_no_formula(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"=1+1/a": "cwm", "x/u": "uuu"})
    first, second = csv.DictReader(csv_text(summaries(RunFolder(run).table("outcomes"))).splitlines())
    assert first["strategy"] == "'=1+1/a"
    assert (first["n_correct"], float(first["match_rate"])) == ("1", 1 / 3)
    assert float(first["wrong_rate_low"]) < 1 / 3 < float(first["wrong_rate_high"])
    assert second["match_rate"] == ""


# The table of wrong edits by severity, in a terminal and as JSON.

A, B = "cascade/a", "cascade/b"


def outcome(number: int, *, severity: str | None = None, by: str | None = None, lost: int | None = None) -> Outcome:
    verdict = "wrong_edit" if severity else "correct"
    damage = "text" if severity else None
    return Outcome(f"s{number}", A, verdict, damage, severity=severity, equal_by=by, n_lines_lost=lost)


ROWS = [
    outcome(0, by="bytes"),
    outcome(1, severity="same_tree", by="text", lost=0),
    outcome(2, severity="same_tree", by="tree", lost=0),
    outcome(3, severity="other_tree", lost=7),
    outcome(4, severity="broken", lost=1),
    outcome(5, severity="unknown", lost=0),
    Outcome("s6", A, "missed", reason="no_match"),
    Outcome("s7", A, "refused", reason="no_match"),
]


def test_severities_add_up_and_the_three_rates_stand_side_by_side(tmp_path: Path) -> None:
    write_part(tmp_path, "0", ROWS, [], metadata={})
    out = StringIO()
    print_wrong_edits(summaries(RunFolder(tmp_path).table("outcomes")), file=out)
    head, _, row = out.getvalue().splitlines()
    assert head.split("  ")[0] == "strategy"
    for heading in ("same tree", "other tree", "lines lost", "match by bytes", "match by text", "match by tree"):
        assert heading in head
    assert row.split() == [A, "5", "2", "1", "1", "1", "8", "14.3", "%", "28.6", "%", "42.9", "%"]


@pytest.mark.parametrize("width", [90, 60, 40])
def test_on_a_narrow_terminal_names_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    name = "cascade/opencode_1_17"
    out = Terminal()
    print_wrong_edits(summaries(RunFolder(write_run(tmp_path, {name: "cwm"})).table("outcomes")), file=out)
    text = out.getvalue()
    assert name in text
    assert "…" not in text
    assert "left out" in text


def test_the_document_has_counts_and_intervals(tmp_path: Path) -> None:
    write_part(tmp_path, "0", ROWS, [], metadata={})
    [row] = wrong_edits_document(summaries(RunFolder(tmp_path).table("outcomes")))["strategies"]
    assert row["severity"] == {"same_tree": 2, "broken": 1, "other_tree": 1, "unknown": 1}
    assert (row["n_wrong"], row["n_lines_lost"], row["match_rate_by_tree"]["n"]) == (5, 8, 7)


def test_what_was_not_recorded_is_a_dash(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {A: "cwm", B: "ccc"})
    done = CliRunner().invoke(main, ["table", str(run), "--wrong", "-s", "cascade/a"])
    [row] = [line for line in done.stdout.splitlines() if line.startswith("cascade/")]
    assert row.split() == [A, "1", "-", "-", "-", "-", "-", "33.3", "%", "-", "-"]


def test_the_table_is_asked_for_in_one_way(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {A: "cwm"}, severity="broken")
    assert CliRunner().invoke(main, ["table", str(run), "--wrong", "--json"]).exit_code == 0
    assert CliRunner().invoke(main, ["table", str(run)]).exit_code == 0
    for arguments in (["--wrong", "--by", "label"], ["--by", "nothing"]):
        assert CliRunner().invoke(main, ["table", str(run), *arguments]).exit_code == 2
