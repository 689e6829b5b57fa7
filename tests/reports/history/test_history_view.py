"""What a history tells of nights and samples."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from editcore.errors import UsageError
from harness.cli import main
from reports.compare.gate import Failure, Rule
from reports.history.nights import History, Judged
from reports.history.trends import overview, sparkline, summarised, verdict_changes
from reports.runs.rows import Outcome
from tests.run_parts import write_part
from tests.twins import write_run

A, RECOMMENDED = "cascade/a", "cascade/recommended"
WEEK = [
    {A: "cc", RECOMMENDED: "cm"},
    {A: "cc", RECOMMENDED: "cm"},
    {A: "wc", RECOMMENDED: "cm"},
    {A: "wc", RECOMMENDED: "xm"},
    {A: "c ", RECOMMENDED: "x "},
    {A: "cm", RECOMMENDED: "xm"},
]
COUNTS = {"n_samples": "1", "n_left_out": "0", "n_bad": "0", "strategy_ns": "0", "fingerprint": "0"}


def night(day: int) -> str:
    return f"2026-11-{day:02}T030000Z-plan"


@pytest.fixture
def week(tmp_path: Path) -> History:
    history = History(tmp_path / "nights")
    for day, verdicts in enumerate(WEEK, 1):
        history.add(write_run(tmp_path / str(day), verdicts, created=f"2026-11-{day:02}T03:00:00+00:00"))
    history.accept(night(1), "the first night")
    history.accept(night(2), "as good")
    failure = Failure(Rule.WRONG_EDIT, A, "1 sample newly edited wrongly", ("s0000",))
    history.judge(night(3), Judged(night(2), (failure,)))
    history.judge(night(5), Judged(night(2), (), "other samples"))
    return history


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_sample_turns_on_the_night_it_comes_out_otherwise(week: History) -> None:
    found = verdict_changes(week, "s0000")
    assert [(one.strategy, one.night, one.before, one.verdict, one.replacer) for one in found] == [
        (A, night(1), None, "correct", "simple"),
        (A, night(3), "correct", "wrong_edit", "simple"),
        (A, night(5), "wrong_edit", "correct", "simple"),
        (RECOMMENDED, night(1), None, "correct", "simple"),
        (RECOMMENDED, night(4), "correct", "crashed", None),
    ]
    assert found[1].line() == f"{night(3)}  {A}: correct -> wrong_edit by simple"
    assert found[3].line() == f"{night(1)}  {RECOMMENDED}: first -> correct by simple"


def test_a_night_without_the_sample_turns_nothing(week: History) -> None:
    """The fifth night has the first sample only."""
    assert [(one.night, one.verdict) for one in verdict_changes(week, "s0001") if one.strategy == A] == [
        (night(1), "correct"),
        (night(6), "missed"),
    ]


def test_a_sample_that_no_night_has_is_said_so(week: History) -> None:
    for unknown in ("s9", "", "'; drop table outcomes; --", "\udc80"):
        with pytest.raises(UsageError, match="has a sample"):
            verdict_changes(week, unknown)


def test_an_id_that_two_corpora_share_stands_for_two_samples(tmp_path: Path) -> None:
    history = History(tmp_path / "nights")
    for day, verdicts in enumerate((("correct", "missed"), ("correct", "wrong_edit")), 1):
        run = write_run(tmp_path / str(day), {A: "c"}, created=f"2026-11-{day:02}T03:00:00+00:00")
        write_part(run, "0", [Outcome("twin", A, verdict) for verdict in verdicts], [], metadata=COUNTS)
        history.add(run)
    found = [(one.night, one.before, one.verdict) for one in verdict_changes(history, "twin")]
    assert found == [
        (night(1), None, "correct"),
        (night(1), None, "missed"),
        (night(2), "missed", "wrong_edit"),
    ]


def test_the_nights_at_a_glance(week: History) -> None:
    found = overview(week, summarised(week))
    assert [one.night for one in found] == week.nights()
    assert {one.strategy for one in found} == {RECOMMENDED}
    assert [one.is_baseline for one in found] == [False, True, False, False, False, False]
    first, second, third, fourth, fifth, _ = (one.line() for one in found)
    assert first == f"{night(1)}  {RECOMMENDED}: match rate 50.0 %, wrong rate 0.0 %, 2 samples"
    assert second.endswith("2 samples  baseline")
    assert third.endswith(f"2 samples  FAILED: {A}: 1 sample newly edited wrongly")
    assert fourth.startswith(f"{night(4)}  {RECOMMENDED}: match rate 0.0 %")
    assert fifth.endswith("1 sample  not compared: other samples")


def test_without_the_recommended_the_best_of_the_baseline_stands_for_every_night(tmp_path: Path) -> None:
    """A regression is not hidden by speaking of another strategy from then on."""
    history = History(tmp_path / "nights")
    for day, verdicts in enumerate(({"x/b": "mm", "x/a": "cm"}, {"x/b": "cc", "x/a": "ww"}, {"x/b": "cm"}), 1):
        history.add(write_run(tmp_path / str(day), verdicts, created=f"2026-11-{day:02}T03:00:00+00:00"))
    history.accept(night(1), "the first night")
    assert [one.strategy for one in overview(history, summarised(history))] == ["x/a", "x/a", "x/b"]


def test_without_a_baseline_the_best_of_the_last_night_stands_for_every_night(tmp_path: Path) -> None:
    history = History(tmp_path / "nights")
    history.add(write_run(tmp_path / "run", {"x/b": "mm", "x/a": "cm"}))
    (one,) = overview(history, summarised(history))
    assert one.match_rate
    assert one.wrong_rate
    assert (one.strategy, one.n_samples, one.match_rate.value, one.wrong_rate.value) == ("x/a", 2, 0.5, 0)


def test_a_night_on_which_nothing_ran_is_a_night(tmp_path: Path) -> None:
    history = History(tmp_path / "nights")
    history.add(write_run(tmp_path / "run", {A: ""}))
    (one,) = overview(history, summarised(history))
    assert (one.strategy, one.n_samples) == (None, 0)
    assert one.line() == f"{history.nights()[0]}  no outcomes"


# The command


def test_the_command_prints_a_line_a_night_or_a_turning(week: History) -> None:
    done = call("history", week.folder)
    assert (done.exit_code, done.stderr) == (0, "")
    *nights, empty, of_a, of_reference = done.stdout.splitlines()
    assert [line[:25] for line in nights] == [f"{name}  " for name in week.nights()]
    assert empty == ""
    assert of_a.split()[:3] == [A, "match", "██▁▁█▁"]
    assert of_a.endswith("wrong ▁▁██▁▁ 0.0 % (0.0-65.8)")
    assert of_reference.startswith(f"{RECOMMENDED}  match ")
    done = call("history", week.folder, "s0000")
    assert done.exit_code == 0
    assert f"{night(3)}  {A}: correct -> wrong_edit by simple\n" in done.stdout
    assert re.findall(r"^(\S+)", done.stdout, re.MULTILINE).count(night(2)) == 0


def test_of_a_strategy_the_rates_of_each_night_are_those_of_the_table_and_what_turned_is_named(week: History) -> None:
    done = call("history", week.folder, "-s", A)
    assert (done.exit_code, done.stderr) == (0, "")
    first, *lines = done.stdout.splitlines()
    assert first.startswith(f"{A}  match ")
    assert [line.strip() for line in lines if line.startswith("    ")] == [
        "s0000: correct -> wrong_edit", "s0000: wrong_edit -> correct", "s0001: correct -> missed",
    ]  # fmt: skip
    nights = [line for line in lines if not line.startswith("    ")]
    for name, line in zip(week.nights(), nights, strict=True):
        assert line.startswith(f"{name}  match rate ")
    assert nights[5].startswith(f"{night(6)}  match rate 50.0 % (9.5-90.5), wrong rate 0.0 % (0.0-65.8), 2 samples")
    mistake = call("history", week.folder, "-s", "nope")
    assert (mistake.exit_code, mistake.stdout) == (2, "")
    assert call("history", week.folder, "s0000", "-s", A).exit_code == 2


def test_a_sparkline_shows_little_change_as_little() -> None:
    assert sparkline([0.5] * 3) == "▅▅▅"
    assert sparkline([0.0, None, 1.0]) == "▁·█"
    assert sparkline([0.500, 0.501]) == "▄▅"
    assert sparkline([None]) == "·"
    assert len(sparkline([0.1] * 100)) == 60


def test_json_is_one_document(week: History) -> None:
    told = json.loads(call("history", week.folder, "--json").stdout)
    assert told["schema_version"] == 2
    assert [one["night"] for one in told["nights"]] == week.nights()
    assert [one["strategy"] for one in told["strategies"]] == [A, RECOMMENDED]
    told = json.loads(call("history", week.folder, "-s", A, "--json").stdout)
    assert told["turned"][0] == {
        "strategy": A, "night": night(3), "changes": [["s0000", "correct", "wrong_edit"]],
    }  # fmt: skip
    told = json.loads(call("history", week.folder, "s0001", "--json").stdout)
    assert told["turnings"][0] == {
        "strategy": A, "night": night(1), "before": None, "verdict": "correct", "replacer": "simple",
    }  # fmt: skip


def test_hostile_ids_and_reasons_are_shown_as_escapes(tmp_path: Path) -> None:
    history = History(tmp_path / "nights")
    history.add(write_run(tmp_path / "run", {"x/\x1b[31m": "c"}, ids=["s\x1b[0m\n\u202e"]))
    history.judge(history.nights()[0], Judged(None, (), "\x1b]0;x\x07"))
    for done in (call("history", history.folder), call("history", history.folder, "s\x1b[0m\n\u202e")):
        assert done.exit_code == 0
        assert done.stdout.count("\n") in (1, 3)
        assert done.stdout.replace("\n", "").isprintable()
        assert "\\x1b[31m" in done.stdout


def test_a_damaged_night_is_named(week: History) -> None:
    (path,) = (week.night(night(4)) / "outcomes").iterdir()
    path.write_bytes(path.read_bytes()[:-9])
    for arguments in ([], ["s0000"]):
        done = call("history", week.folder, *arguments)
        assert (done.exit_code, done.stdout) == (2, "")
        assert night(4) in done.stderr.splitlines()[0]


def test_neither_view_needs_duckdb(week: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert call("history", week.folder).exit_code == 0
    assert call("history", week.folder, "s0000").exit_code == 0


@pytest.mark.parametrize("arguments", [["nowhere"], ["empty"], ["nights", "s9"], ["run"]], ids=" ".join)
def test_a_mistake_is_two_lines_on_stderr_and_exit_code_2(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = write_run(Path("run"), {A: "c"})
    History(Path("nights")).add(run)
    Path("empty").mkdir()
    done = call("history", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: ")
    assert remedy.startswith("  ")


def test_the_index_has_every_strategy_and_links_to_nights_that_have_a_page(week: History) -> None:
    (week.night(night(3)) / "report.html").write_text("a page")
    assert call("report", week.folder).exit_code == 0
    page = (week.folder / "index.html").read_text("utf-8")
    assert all(f">{name}<" in page for name in (A, RECOMMENDED))
    assert page.count("<svg") == 4
    assert f'href="nights/night%3D{night(3)}/report.html"' in page
    assert page.count('href="nights/') == 1
    assert "1 sample newly edited wrongly" in page
    assert "not compared: other samples" in page
    assert call("history", week.folder).exit_code == 0  # The index is no night, and in nobody's way.


def test_what_a_name_says_is_no_markup(tmp_path: Path) -> None:
    history = History(tmp_path / "<b>")
    history.add(write_run(tmp_path / "run", {"x/<script>": "cw"}, created="2026-11-01T03:00:00+00:00"))
    assert call("report", history.folder).exit_code == 0
    page = (history.folder / "index.html").read_text("utf-8")
    assert "<script" not in page
    assert "<h1>&lt;b&gt;" in page


@pytest.mark.parametrize("options", [("--format", "md"), ("--against", "."), ("--history", ".")])
def test_a_history_has_an_index_and_nothing_else(week: History, options: tuple[str, ...]) -> None:
    done = call("report", week.folder, *options)
    assert done.exit_code == 2
    assert "is a history of nights" in done.output
