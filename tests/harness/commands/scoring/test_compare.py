"""`editgauge compare` as people and jobs use it, on real and on changed runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest

from harness.cli import main
from reports.compare.gate import CHOICES, DEFAULT, Gate
from reports.runs.parts import outcomes, part_metadata, parts_done, samples_used, wrong_edits
from reports.runs.rows import Outcome, WrongEdit
from reports.views.comment import SUMMARY_LIMIT
from reports.views.comparison_wording import N_DIFFS
from tests.harness.program import Program, call, mistake
from tests.run_parts import write_part
from tests.twins import write_run

EXACT = "cascade/exact"


@pytest.fixture(autouse=True)
def _nowhere_near_github(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare") / "base"
    done = call("run", "smoke", "-q", "-j", 1, "-s", EXACT, "-s", "replacer/simple", "-o", folder)
    assert done.exit_code == 0
    return folder


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same samples under one strategy only."""
    folder = tmp_path_factory.mktemp("compare") / "exact"
    assert call("run", "smoke", "-q", "-j", 1, "-s", EXACT, "-o", folder).exit_code == 0
    return folder


def rewritten(base: Path, folder: Path, change: Callable[[Outcome], Outcome]) -> Path:
    """A copy of the run with changed outcomes; a new wrong edit gets a text."""
    shutil.copytree(base, folder)
    (part, *others) = sorted(parts_done(folder))
    metadata = part_metadata(folder, part)
    rows = [change(outcome) for outcome in outcomes(folder)]
    edits, samples = list(wrong_edits(folder)), list(samples_used(folder))
    known = {(edit.sample_id, edit.strategy) for edit in edits}
    edits += [
        WrongEdit(row.sample_id, row.strategy, "text", row.replacer, "a.py", 1, "x = 1\n", "x = \x1b[31m2\n", "edit")
        for row in rows
        if row.verdict == "wrong_edit" and (row.sample_id, row.strategy) not in known
    ]
    for other in others:
        for path in folder.glob(f"*/part-{other}.parquet"):
            path.unlink()
    write_part(folder, part, rows, edits, samples, metadata=metadata)
    return folder


@pytest.fixture
def wrong(base: Path, tmp_path: Path) -> Path:
    """The run in which `exact` is wrong wherever it was right or refused."""

    def change(outcome: Outcome) -> Outcome:
        if outcome.strategy == EXACT and outcome.verdict in ("correct", "missed"):
            return replace(outcome, verdict="wrong_edit", damage="text", reason=None)
        return outcome

    return rewritten(base, tmp_path / "wrong", change)


@pytest.mark.slow
def test_two_runs_of_the_same_come_out_the_same(editgauge: Program) -> None:
    for name in ("one", "two"):
        assert editgauge("run", "smoke", "-q", "-j", 1, "-s", EXACT, "-o", name).returncode == 0
    done = editgauge("compare", "one", "two")
    assert done.returncode == 0
    assert done.stdout.endswith("The gate passes.\n")


def test_where_nothing_turned_the_gate_passes(exact: Path) -> None:
    done = call("compare", exact, exact)
    assert done.exit_code == 0
    assert "Nothing turned: cascade/exact had the same outcomes on " in done.stdout
    assert done.stdout.endswith("The gate passes.\n")
    assert done.stderr.startswith("note: Latencies are compared roughly, by CPU time, and on nights not at all")


def test_new_wrong_edits_end_in_exit_code_1_with_the_reasons(base: Path, wrong: Path) -> None:
    done = call("compare", base, wrong)
    assert done.exit_code == 1
    assert done.stderr == ""
    head, *_ = done.stdout.splitlines()
    assert head.split()[:3] == ["strategy", "samples", "worse"]
    assert "correct -> wrong_edit (text)" in done.stdout
    assert "-x = 1\n+x = \\x1b[31m2\n" in done.stdout
    assert "base: the right text, byte for byte" in done.stdout
    assert "The gate fails, for 2 reasons:" in done.stdout
    assert "  wrong_edit: cascade/exact: " in done.stdout
    assert "cascade/exact is significantly worse" in done.stdout


def test_a_gate_fails_on_what_it_is_asked_to(base: Path, tmp_path: Path) -> None:
    first = next(row.sample_id for row in outcomes(base) if row.strategy == EXACT and row.verdict == "correct")

    def missed(outcome: Outcome) -> Outcome:
        return replace(outcome, verdict="missed", reason="no_match") if outcome.sample_id == first else outcome

    run = rewritten(base, tmp_path / "run", missed)
    assert call("compare", base, run).exit_code == 0
    assert call("compare", base, run, "--fail-on", "regression").exit_code == 1
    assert call("compare", base, run, "--fail-on", "regression", "-s", "replacer/*").exit_code == 1
    assert call("compare", run, base, "--fail-on", "regression").exit_code == 0
    assert call("compare", base, run, "--fail-on", "wrong_edit", "--fail-on", "crash").exit_code == 0


def test_never_is_for_looking_only(base: Path, wrong: Path) -> None:
    done = call("compare", base, wrong, "--fail-on", "never")
    assert done.exit_code == 0
    assert done.stdout.endswith("No gate was applied.\n")
    assert call("compare", base, wrong, "--fail-on", "never", "--fail-on", "crash").exit_code == 2


@pytest.mark.parametrize("rule", ["broken", pytest.param("other_tree", marks=pytest.mark.slow)])
def test_a_gate_fails_on_a_new_wrong_edit_of_a_severity(rule: str, tmp_path: Path) -> None:
    right = write_run(tmp_path / "right", {EXACT: "cccc"}, severity="broken")
    broken = write_run(tmp_path / "broken", {EXACT: "ccwc"}, severity="broken", given="x = (\n")
    silent = write_run(tmp_path / "silent", {EXACT: "ccwc"}, severity="other_tree", given="x = 5\n")
    old = write_run(tmp_path / "old", {EXACT: "ccwc"}, given="x = 5\n")
    bad, other = (broken, silent) if rule == "broken" else (silent, broken)
    done = call("compare", right, bad, "--fail-on", rule)
    assert (done.exit_code, f"severity {rule}" in done.output) == (1, True)
    assert call("compare", other, bad, "--fail-on", rule).exit_code == 1
    for base, run in ((right, other), (bad, bad), (bad, right), (right, old)):
        assert call("compare", base, run, "--fail-on", rule).exit_code == 0
    assert call("compare", right, bad).exit_code == 1


def test_a_slower_strategy_fails_beyond_the_tolerance(base: Path, tmp_path: Path) -> None:
    def slow(outcome: Outcome) -> Outcome:
        if outcome.strategy == EXACT and outcome.latency_ns is not None:
            assert outcome.cpu_ns is not None
            return replace(outcome, latency_ns=3 * outcome.latency_ns, cpu_ns=3 * outcome.cpu_ns)
        return outcome

    run = rewritten(base, tmp_path / "run", slow)
    done = call("compare", base, run)
    assert done.exit_code == 1
    assert "latency: cascade/exact: takes 3.00 times as long" in done.stdout
    assert call("compare", base, run, "--latency-tolerance", 2.5).exit_code == 0


def test_a_slower_machine_does_not(base: Path, tmp_path: Path) -> None:
    def slow(outcome: Outcome) -> Outcome:
        slower = (taken and 3 * taken for taken in (outcome.latency_ns, outcome.cpu_ns))
        return replace(outcome, **dict(zip(("latency_ns", "cpu_ns"), slower, strict=True)))

    assert call("compare", base, rewritten(base, tmp_path / "run", slow)).exit_code == 0


def test_the_defaults_are_those_of_the_gate() -> None:
    options = {option.name: option for option in main.commands["compare"].params}
    assert options["latency_tolerance"].default == Gate().latency_tolerance
    assert options["limit"].default == N_DIFFS
    choices = options["rules"].type
    assert isinstance(choices, click.Choice)
    assert list(choices.choices) == [*CHOICES, "never"]
    told = (options["rules"].help or "").partition("Default: ")[2].partition(". Others")[0]
    assert set(told.split(", ")) == set(DEFAULT)


def test_json_is_one_document(base: Path, wrong: Path) -> None:
    done = call("compare", base, wrong, "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert (told["schema_version"], told["passed"]) == (1, False)
    assert done.stderr.startswith("The gate fails, for 2 reasons:\n")
    assert done.stdout == call("compare", base, wrong, "--output-format", "json").stdout


def test_junit_goes_to_a_file(base: Path, wrong: Path, tmp_path: Path) -> None:
    done = call("compare", base, wrong, "--output-format", "junit", "-o", tmp_path / "out" / "junit.xml")
    assert (done.exit_code, done.stdout) == (1, "")
    root = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    assert {suite.get("name") for suite in root} == {EXACT, "replacer/simple"}
    assert int(root.get("failures", 0)) > 0


def test_a_table_goes_to_a_file_as_it_goes_to_a_pipe(base: Path, wrong: Path, tmp_path: Path) -> None:
    piped = call("compare", base, wrong)
    done = call("compare", base, wrong, "-o", tmp_path / "table.txt")
    assert done.stdout == ""
    assert (tmp_path / "table.txt").read_text() == piped.stdout


def test_how_many_diffs_there_are_is_for_the_user_to_say(base: Path, wrong: Path) -> None:
    assert call("compare", base, wrong, "-n", 2).stdout.count("+++ b/a.py") == 2
    none = call("compare", base, wrong, "-n", 0).stdout
    assert "+++" not in none
    assert none.count("correct -> wrong_edit (text), under cascade/exact") > 2


def test_in_a_job_on_github_the_summary_and_the_annotations_need_no_flag(
    base: Path, wrong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# What came before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = call("compare", base, wrong, "--json")
    json.loads(done.stdout)
    assert done.stderr.count("::error title=editgauge ") == 10
    text = summary.read_text()
    assert text.startswith("# What came before\n## ❌")
    assert text.endswith("\n")
    assert call("compare", base, wrong, "--output-format", "github").stderr.count("::error") == 0
    summary.write_text("x" * (SUMMARY_LIMIT - 1500))
    call("compare", base, wrong)
    assert SUMMARY_LIMIT - 1500 < summary.stat().st_size < SUMMARY_LIMIT
    assert "*Left out, for a comment has a limit: " in summary.read_text()[-400:]


def test_a_summary_that_cannot_be_written_is_a_warning(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "summary.md"))
    done = call("compare", base, base)
    assert done.exit_code == 0
    assert "warning: the job summary cannot be written: No such file" in done.stderr


def test_a_strategy_that_only_the_baseline_has_fails_unless_told(base: Path, exact: Path) -> None:
    done = call("compare", base, exact)
    assert done.exit_code == 1
    assert f"note: Not compared, since only in {base}: replacer/simple." in done.stderr
    told = "  gone: replacer/simple: is in the baseline and not here; if that is meant: --gone replacer/simple"
    assert done.stdout.splitlines()[-2:] == ["The gate fails, for 1 reason:", told]
    assert call("compare", base, exact, "--gone", "replacer/simple").exit_code == 0
    assert call("compare", base, exact, "-s", "cascade/exact").exit_code == 0
    assert call("compare", base, exact, "--fail-on", "never").exit_code == 0
    assert call("compare", base, exact, "--fail-on", "crash").exit_code == 1
    back = call("compare", base, base, "--gone", "replacer/simple")
    assert back.exit_code == 1
    assert "gone: replacer/simple: is here, though --gone replacer/simple says that it is not" in back.stdout
    assert call("compare", exact, base).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["base"],
        ["base", "nowhere"],
        ["base", "other"],
        ["base", "base", "-s", "nope"],
        ["base", "base", "--fail-on", "luck"],
        ["base", "base", "--gone", "nope"],
        ["base", "base", "--latency-tolerance", "-1"],
        ["base", "base", "-n", "-1"],
        ["base", "base", "--output-format", "sarif"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_two_lines_on_stderr_and_exit_code_2(
    arguments: list[str], base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(base.parent)
    if "other" in arguments and not Path("other").exists():
        assert call("run", "smoke", "-q", "-j", 1, "-n", 3, "-s", EXACT, "-o", "other").exit_code == 0
    done = call("compare", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: ")
    assert remedy.startswith("  ")


# `editgauge compare RUN`: the strategies of one run, as a user compares them.

EXACT_NAME, REFERENCE = "cascade/exact", "cascade/reference"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("between") / "run"
    strategies = [EXACT_NAME, REFERENCE, "cascade/opencode_1_17", "begin_patch/*"]
    chosen = [argument for name in strategies for argument in ("-s", name)]
    assert call("run", "smoke", "-q", "-j", 1, *chosen, "-o", folder).exit_code == 0
    return folder


def test_two_strategies_with_table_diffs_and_advice(run: Path) -> None:
    done = call("compare", run, "--between", EXACT_NAME, REFERENCE, "-n", 2)
    assert done.exit_code == 0
    answer, _, head, *_ = done.stdout.splitlines()
    assert answer.startswith(f"Take {REFERENCE} if a wrong edit is less bad than ")
    assert head.split()[:4] == ["first", "second", "samples", "both"]
    assert f"ONLY {EXACT_NAME} is right, not {REFERENCE} (" in done.stdout
    assert f"{EXACT_NAME}: rightly refused (no_match)" in done.stdout
    assert f"{REFERENCE}: wrong, by " in done.stdout
    assert "\n+++ b/" in done.stdout
    assert "more: -n shows more of them" in done.stdout


def test_the_option_takes_names_and_globs_before_and_after_the_run(run: Path) -> None:
    one = call("compare", run, "--between", "cascade/*", "-n", 0)
    other = call("compare", "-n", "0", run, "--between", EXACT_NAME, "--between", REFERENCE, "--json")
    assert one.exit_code == other.exit_code == 0
    assert "cascade/opencode_1_17" in one.stdout
    (pair,) = json.loads(other.stdout)["pairs"]
    assert (pair["first"], pair["second"]) == (EXACT_NAME, REFERENCE)
    tally = pair["tally"]
    assert sum(tally.values()) == tally["both_right"] + pair["right"]["n"] - tally["both_right"]
    assert pair["discordant"]["only_first"]["n"] == tally["only_first"]
    assert pair["discordant"]["only_first"]["samples"] == []


def test_a_matrix_of_all_strategies_or_some(run: Path, tmp_path: Path) -> None:
    done = call("compare", run, "--matrix", "-s", "cascade/*")
    assert done.exit_code == 0
    assert [line.split()[1] for line in done.stdout.splitlines()[2:5]] == [
        REFERENCE, "cascade/opencode_1_17", EXACT_NAME,
    ]  # fmt: skip
    path = tmp_path / "matrix.json"
    assert call("compare", run, "--matrix", "--json", "-o", path).exit_code == 0
    found = json.loads(path.read_text())["matrix"]
    assert len(found["cells"]) == len(found["strategies"]) == 6


def test_a_selection_sees_damage_and_properties(run: Path) -> None:
    done = call("compare", run, "--between", EXACT_NAME, REFERENCE, "-k", "damage=unasked and label:refuse", "--json")
    (pair,) = json.loads(done.stdout)["pairs"]
    assert pair["tally"]["only_second"] == pair["tally"]["both_right"] == 0
    assert pair["tally"]["only_first"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--between", EXACT_NAME], "--between needs two strategies"),
        (["--between"], "requires an argument"),
        (["--between", EXACT_NAME, "cascade/refrence"], "Did you mean cascade/reference"),
        (["--between", EXACT_NAME, "begin_patch/strict"], "have no sample in common"),
        (["--between", EXACT_NAME, REFERENCE, "-s", EXACT_NAME], "-s and --between both name strategies"),
        (["--between", EXACT_NAME, REFERENCE, "-k", "langauge:go"], "Did you mean language"),
        (["--between", EXACT_NAME, REFERENCE, "-k", "nothing-like-it"], "No sample is selected"),
        (["--matrix", "-k", "python"], "-k needs --between"),
        ([], "One run is named"),
        (["--matrix", "--fail-on", "never"], "--fail-on is for two runs"),
        (["--matrix", "--output-format", "junit"], "--output-format junit is for two runs"),
    ],
)
def test_what_makes_no_sense_is_said(run: Path, arguments: list[str], says: str) -> None:
    assert says in mistake("compare", run, *arguments)


def test_two_runs_have_no_pairs_of_strategies(run: Path) -> None:
    for options in (["--between", EXACT_NAME, REFERENCE], ["--matrix"]):
        assert "is for one run, and 2 are named" in mistake("compare", run, run, *options)
    assert "No run is named" in call("compare").stderr
    assert "Name the run first: compare RUN --between A B." in call("compare", "--between", EXACT_NAME, run).stderr
