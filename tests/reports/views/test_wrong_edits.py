"""The table of wrong edits by severity, in a terminal and as JSON."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from reports.runs.rows import Outcome
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import summaries
from reports.views.tables import print_wrong_edits, wrong_edits_document
from tests.reports.views.terminal import Terminal
from tests.run_parts import write_part
from tests.twins import write_run

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
