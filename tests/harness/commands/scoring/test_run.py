"""`editgauge run`: its output and exit codes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from editcore.types import File
from harness.cli import main
from reports.runs.parts import outcomes
from tests.harness.program import Program, call, mistake
from tests.samples import sample, samples, write_jsonl


def test_a_run_prints_its_table_and_a_sentence_and_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(
        *("run", "smoke", "-j", 2, "-o", "run"),
        *("-s", "cascade/reference", "-s", "cascade/opencode_1_17", "-s", "cascade/exact"),
    )
    assert done.exit_code == 0
    sentence, blank, heading, ruler, *rows = done.stdout.splitlines()
    assert heading.split()[:2] == ["strategy", "samples"]
    assert [row.split()[:2] for row in rows] == [
        [f"cascade/{name}", "50"] for name in ("exact", "opencode_1_17", "reference")
    ]
    assert set(ruler) == {"─"}
    assert blank == ""
    assert sentence.startswith("cascade/exact: 7 correct, 1 wrong, 24 missed, 17 refused (seed 0, 49 labelled")
    assert done.stderr == "left out: 10 samples that none of these strategies takes\nrun: run\n"


def test_json_is_exactly_one_document(editgauge: Program) -> None:
    done = editgauge("run", "smoke", "-n", 2, "-s", "cascade/exact", "--json", "-o", "run")
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    assert done.stderr.endswith("run: run\n")


def test_a_run_of_nothing_says_so(tmp_path: Path) -> None:
    done = call("run", "smoke", "-q", "-s", "cascade/*", "-k", "unified_diff", "-o", tmp_path / "run")
    assert done.exit_code == 1
    assert "Nothing was measured" in done.stdout
    assert done.stderr.splitlines()[-1] == (
        "error: nothing was measured: no sample was run: 1 that none of the strategies takes"
    )


def test_a_run_in_which_every_call_crashed_fails_with_the_reason(tmp_path: Path) -> None:
    spec = f"cmd:gone={sys.executable} -c 1/0"
    done = call("run", "smoke", "-n", 3, "-q", "-j", 1, "-s", spec, "-o", tmp_path / "run")
    assert done.exit_code == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: nothing was measured: every call crashed; the first one, of cmd/gone: ")
    assert "ZeroDivisionError" in last
    assert call("compare", tmp_path / "run", tmp_path / "run").exit_code == 1
    assert "error: nothing was compared: in " in call("compare", tmp_path / "run", tmp_path / "run").stderr
    assert call("compare", tmp_path / "run", tmp_path / "run", "--fail-on", "never").exit_code == 0
    both = call("run", "smoke", "-n", 3, "-q", "-j", 1, "-s", spec, "-s", "cascade/exact", "-o", tmp_path / "both")
    assert both.exit_code == 0


def test_a_run_in_which_every_call_timed_out_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_START_TIMEOUT", "0.2")
    path = write_jsonl(tmp_path / "a.jsonl", samples(1))
    spec = f"cmd:slow={sys.executable} -c 'import time; time.sleep(60)'"
    done = call("run", path, "-q", "-j", 1, "-s", spec, "--timeout", 0.2, "-o", tmp_path / "run")
    assert done.stderr.splitlines()[-1].startswith(
        "error: nothing was measured: every call timed out; the first one, of cmd/slow: no answer in time"
    )


def test_why_severities_are_unknown_is_said_where_there_are_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.commands.runs.summary.why_unknown", lambda: "no parser")
    no_grammar = replace(sample(0), before=(File("a.words", "x = 1\n"),))
    wrong = write_jsonl(tmp_path / "wrong.jsonl", [no_grammar])
    right = write_jsonl(tmp_path / "right.jsonl", samples(1))
    for path, is_told in ((wrong, True), (right, False)):
        run = call("run", path, "-q", "-s", "cascade/exact", "-o", tmp_path / path.stem)
        night = call("nightly", path, "-q", "-s", "cascade/exact", "--history", tmp_path / f"nights-{path.stem}")
        assert ("no parser" in run.stderr, "no parser" in night.stderr) == (is_told, is_told)


def test_samples_that_are_left_out_are_counted(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    path.write_text(path.read_text() + "{}\n\n[]\n")
    done = call("run", path, "-q", "--skip-bad", "-s", "cascade/exact", "-o", tmp_path / "run")
    assert done.exit_code == 0
    warning, other, count, folder = done.stderr.splitlines()
    assert warning.startswith(f"warning: left out: {path}, line 3: ")
    assert other.startswith(f"warning: left out: {path}, line 5: ")
    assert count == "left out: 2 samples that cannot be read"
    assert folder == f"run: {tmp_path / 'run'}"


def test_a_malformed_sample_is_a_mistake_of_two_lines(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", samples(2))
    path.write_text(path.read_text() + "{}\n")
    done = mistake("run", path, "-q", "-s", "cascade/exact", "-o", tmp_path / "run")
    assert done.splitlines()[0] == f"error: {path}, line 3: Object missing required field `id`"
    assert "--skip-bad" in done.splitlines()[1]


def test_options_can_come_from_the_environment(tmp_path: Path) -> None:
    arguments = ["run", "smoke", "-q", "-s", "cascade/exact", "-o", str(tmp_path / "run")]
    assert CliRunner().invoke(main, arguments, env={"EDITGAUGE_RUN_LIMIT": "3"}).exit_code == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["n_samples"] + manifest["n_left_out"] == 3


def test_a_run_stops_at_the_first_wrong_edit_and_the_rest_is_run_later(tmp_path: Path) -> None:
    words = ["run", "smoke", "-q", "-j", 1, "-s", "cascade/reference"]
    folder = tmp_path / "run"
    done = call(*words, "-x", "-o", folder)
    assert done.exit_code == 1
    assert done.stdout.startswith("smoke-simple-wrong  wrong_edit (unasked, other_tree, 1 line lost) by simple")
    assert done.stderr == f"stopped, unfinished, after 1: {folder}; --resume -o there runs the rest\n"
    assert len(done.stdout.splitlines()) == 1
    two = json.loads(call(*words, "--maxfail", 2, "--json", "-o", tmp_path / "two").stdout)
    assert [one["verdict"] for one in two["outcomes"]] == ["wrong_edit"] * 2

    def rows(path: Path) -> list[str]:
        return [f"{row.sample_id} {row.verdict}" for row in outcomes(path)]

    assert 0 < len(rows(folder)) < 50
    assert call(*words, "--resume", "-o", folder).exit_code == 0
    assert call(*words, "-o", tmp_path / "whole").exit_code == 0
    assert rows(folder) == rows(tmp_path / "whole")


def test_only_what_was_wrong_before_is_run_again(tmp_path: Path) -> None:
    words = ["run", "-q", "-j", 1, "-s", "cascade/reference"]
    assert call(*words, "smoke", "-o", tmp_path / "first").exit_code == 0
    wrong = {row.sample_id for row in outcomes(tmp_path / "first") if row.verdict == "wrong_edit"}
    assert call(*words, "--last-wrong", tmp_path / "first", "-o", tmp_path / "again").exit_code == 0
    assert {row.sample_id for row in outcomes(tmp_path / "again")} == wrong
    assert "samples that went wrong before is in house\n  Name the corpus of that run, or none." in mistake(
        *words, "house", "--last-wrong", tmp_path / "first", "-o", tmp_path / "other"
    )
    done = call("run", "-s", "cascade/exact", "--last-wrong", tmp_path / "again", "-q", "-j", 1)
    assert done.stderr.startswith(f"error: In {tmp_path / 'again'}, nothing went wrong under these strategies")
