"""Nights in a row as a job runs them: real runs of a command whose behaviour changes from one night to the next."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from harness.cli import main
from harness.fuzz.properties import sentences
from harness.run.nightly import FIRST
from reports.history.nights import History
from reports.runs.manifest import read_manifest, write_manifest
from reports.runs.parts import outcomes
from reports.runs.rows import KINDS
from reports.runs.sql import query
from tests.harness.program import call
from tests.harness.run.changing_editor import editor_in
from tests.twins import write_run

MINE = "cmd/mine"
FILES = {*KINDS, "manifest.json", "gate.json", "report.html", "summary.md"}
COMPARED = {"gate.sarif", "junit.xml", "comparison.json"}


pytestmark = pytest.mark.usefixtures("nowhere_near_github")


class Week:
    """Nights over the same samples, on the third of which an exact editor takes to the first of several places."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.nights = folder, folder / "nights"
        self._editor = editor_in(folder)
        self.summary = folder / "github.md"
        # Thrown away half way by a night that was killed meanwhile.
        (self.nights / "nights").mkdir(parents=True)
        (self.nights / "tonight" / "outcomes").mkdir(parents=True)
        github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(self.summary)}
        self.first = self.night("exact")
        self.second = self.night("exact")
        self.third = self.night("hasty", env=github)
        self.fourth = self.night("hasty", "--json")
        self.refused = call("baseline", "accept", "last", "--history", self.nights, "--why", "the first will do")
        accept = ["baseline", "accept", "last", "--history", self.nights, "--why", "the first will do"]
        self.accepted = call(*accept, "--yes")
        self.fifth = self.night("hasty")
        self.sixth = self.night("crashing")
        self.seventh = self.night("crashing", "--fail-on", "never")
        self.eighth = self.night("exact", "-n", 5, "--json")
        self.names = History(self.nights).nights()

    def night(self, mood: str, *options: object, env: dict[str, str] | None = None) -> Result:
        (self.folder / "mood").write_text(mood)
        # Whatever else this machine does meanwhile: what a latency does to a gate has tests of its own.
        options = ("-s", self._editor, "-s", "replacer/simple", "-j", 1, "-q", "--latency-tolerance", 1000, *options)
        arguments = ["nightly", "smoke", "--history", self.nights, *options]
        return CliRunner().invoke(main, [str(argument) for argument in arguments], env=env)

    def of(self, number: int) -> Path:
        """The run folder of a night."""
        return History(self.nights).night(self.names[number - 1])


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Week:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
            patch.delenv(name, raising=False)
        return Week(tmp_path_factory.mktemp("week"))


def verdicts(folder: Path) -> dict[str, str]:
    return {one.sample_id: one.verdict for one in outcomes(folder) if one.strategy == MINE}


@pytest.fixture(scope="module")
def at_fault(week: Week) -> list[str]:
    """The samples that the third night turned."""
    before, after = verdicts(week.of(2)), verdicts(week.of(3))
    ids = sorted(one for one in after if after[one] != before[one])
    assert {(before[one], after[one]) for one in ids} == {("refused", "wrong_edit")}
    return ids


def test_the_first_night_says_that_there_is_no_baseline_and_is_it(week: Week) -> None:
    assert week.first.exit_code == 0
    *rates, last = week.first.stdout.splitlines()
    assert last == f"night {week.names[0]}: there was no baseline; this night is the baseline from now on."
    assert rates[0].startswith("replacer/simple: ")
    assert rates[2].split()[:2] == ["strategy", "samples"]
    assert any(line.startswith(f"{MINE} ") for line in rates)
    assert week.first.stderr == f"night: {week.of(1)}\npage: {week.of(1)}/report.html\n"
    assert {path.name for path in week.of(1).iterdir()} == FILES
    summary = (week.of(1) / "summary.md").read_text()
    assert summary.startswith(
        f"## `night {week.names[0]}`\n\nThere was no baseline; this night is the baseline from now"
    )
    assert f"| `{MINE}` | " in summary
    assert json.loads((week.of(1) / "gate.json").read_text())["baseline"] is None
    assert (History(week.nights).acceptances()[0].night, FIRST) == (week.names[0], "the first night")


def test_a_night_like_the_first_passes(week: Week) -> None:
    assert week.second.exit_code == 0
    assert week.second.stdout.startswith(f"night {week.names[1]} against {week.names[0]}\n")
    assert "Nothing turned: 2 strategies had the same outcomes on " in week.second.stdout
    assert week.second.stdout.endswith("The gate passes.\n")
    assert '"gate":"pass"' in (week.of(2) / "report.html").read_text()


def test_a_wrong_edit_is_caught_the_very_night_with_the_samples_named(week: Week, at_fault: list[str]) -> None:
    assert len(at_fault) == 3
    assert week.third.exit_code == 1
    told = f"  wrong_edit: {MINE}: 3 samples newly edited wrongly ({', '.join(at_fault)})\n"
    assert week.third.stdout.endswith(f"The gate fails, for 1 reason:\n{told}")
    gate = json.loads((week.of(3) / "gate.json").read_text())
    assert (gate["baseline"], gate["failures"][0]["sample_ids"]) == (week.names[0], at_fault)


def test_it_is_still_caught_the_night_after(week: Week, at_fault: list[str]) -> None:
    """What is wrong does not become the measure by having been wrong yesterday."""
    assert week.fourth.exit_code == 1
    told = json.loads(week.fourth.stdout)
    assert (told["schema_version"], told["night"], told["baseline"]) == (1, week.names[3], week.names[0])
    assert told["not_comparable"] is None
    assert told["comparison"]["failures"][0]["sample_ids"] == at_fault
    assert told["comparison"] == json.loads((week.of(4) / "comparison.json").read_text())


def test_the_history_says_which_night_a_sample_turned(week: Week, at_fault: list[str]) -> None:
    done = call("history", week.nights, at_fault[0])
    assert done.exit_code == 0
    first, third, sixth, *others = (line for line in done.stdout.splitlines() if MINE in line)
    assert first == f"{week.names[0]}  {MINE}: first -> refused"
    assert third == f"{week.names[2]}  {MINE}: refused -> wrong_edit by first"
    assert sixth == f"{week.names[5]}  {MINE}: wrong_edit -> crashed"
    assert all(line.startswith(week.names[7]) for line in others)


def test_the_nights_of_a_strategy_say_which_is_the_baseline_and_which_it_failed(week: Week) -> None:
    lines = call("history", week.nights, "-s", MINE).stdout.splitlines()
    nights = [line for line in lines if line.split()[0] in week.names]
    assert [line.partition(" samples")[2] for line in nights] == [
        "", "", "  FAILED: 3 samples newly edited wrongly", "  baseline  FAILED: 3 samples newly edited wrongly",
        "", "  FAILED: 3 samples newly crashed or timed out", "", "",
    ]  # fmt: skip
    others = call("history", week.nights, "-s", "replacer/simple").stdout
    assert "  baseline\n" in others
    assert "FAILED" not in others


def test_an_accepted_night_is_what_the_next_is_compared_with(week: Week) -> None:
    assert week.accepted.exit_code == 0
    assert week.accepted.stdout.endswith(f"The baseline is {week.names[3]}: the first will do\n")
    assert f"Against {week.names[0]}:\nThe gate fails, for 1 reason:\n  wrong_edit: {MINE}: " in week.accepted.stdout
    assert week.accepted.stdout.startswith("replacer/simple: ")
    assert week.refused.exit_code == 2
    assert week.refused.stderr.splitlines()[0] == "error: This night failed, and there is nobody to ask"
    assert week.fifth.exit_code == 0
    assert week.fifth.stdout.startswith(f"night {week.names[4]} against {week.names[3]}\n")
    assert week.fifth.stdout.endswith("The gate passes.\n")
    shown = call("baseline", "show", "--history", week.nights)
    first, last = shown.stdout.splitlines()
    assert first.endswith(f"  {week.names[0]}  the first night")
    assert last.endswith(f"  {week.names[3]}  the first will do")
    told = json.loads(call("baseline", "show", "--history", week.nights, "--json").stdout)
    assert [one["night"] for one in told["accepted"]] == [week.names[0], week.names[3]]


def test_a_new_crash_is_caught_and_what_the_command_said_is_kept(week: Week, at_fault: list[str]) -> None:
    assert week.sixth.exit_code == 1
    assert f"  crash: {MINE}: 3 samples newly crashed or timed out ({', '.join(at_fault)})\n" in week.sixth.stdout
    said = "".join(path.read_text() for path in (week.of(6) / "stderr").iterdir())
    assert "ValueError: which one?" in said


def test_never_is_no_gate_and_does_not_say_that_it_passes(week: Week) -> None:
    assert week.seventh.exit_code == 0
    assert week.seventh.stdout.endswith("No gate was applied.\n")
    assert "turned worse" not in week.seventh.stdout
    assert "**No gate was applied.**" in (week.of(7) / "summary.md").read_text()
    assert '"gate":null' in (week.of(7) / "report.html").read_text()
    assert json.loads((week.of(7) / "comparison.json").read_text())["passed"] is None


def test_a_night_of_other_samples_is_kept_and_cannot_be_compared(week: Week) -> None:
    assert week.eighth.exit_code == 2
    told = json.loads(week.eighth.stdout)
    assert "are not of the same samples" in told["not_comparable"]
    assert told["comparison"] is None
    folder, page, what, remedy = week.eighth.stderr.splitlines()
    assert page == f"page: {week.of(8)}/report.html"
    assert folder == f"night: {week.of(8)}"
    assert what.startswith("error: ")
    assert what.endswith(" (the night is kept)")
    accepting = f"editgauge baseline accept {week.names[7]} --history {shlex.quote(str(week.nights))} --why '...'"
    assert remedy.strip() == f"If that is intended: {accepting}"
    assert {path.name for path in week.of(8).iterdir()} == FILES
    why = (week.of(8) / "summary.md").read_text().splitlines()[2]
    assert why.startswith("It cannot be compared with ")
    assert "are not of the same samples" in why
    assert "not compared: " in call("history", week.nights).stdout.splitlines()[7]


def test_what_is_said_of_a_night_lies_beside_it(week: Week, at_fault: list[str]) -> None:
    folder = week.of(3)
    assert {path.name for path in folder.iterdir()} == FILES | COMPARED
    root = ElementTree.parse(folder / "junit.xml").getroot()
    failed = root.findall(f"testsuite[@name='{MINE}']/testcase[failure]")
    assert sorted(case.get("name", "") for case in failed) == at_fault
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("## ❌")
    page = (folder / "report.html").read_text()
    assert f'"comparison":{{"base":"{week.names[0]}"' in page
    assert f'"trends":{{"nights":["{week.names[0]}","{week.names[1]}"' in page
    assert '"comparison":null' in (week.of(1) / "report.html").read_text()
    sentence = next(iter(sentences().values()))
    assert sentence in page


def test_on_github_the_summary_and_the_annotations_need_no_flag(week: Week, at_fault: list[str]) -> None:
    assert week.summary.read_text() == (week.of(3) / "summary.md").read_text()
    errors = [
        line for line in week.third.stderr.splitlines() if line.startswith("::error title=editgauge wrong_edit::")
    ]
    assert len(errors) == 3
    assert all(any(one in line for line in errors) for one in at_fault)


def test_every_night_is_in_the_history_and_nothing_is_left_of_its_making(week: Week) -> None:
    assert len(week.names) == 8
    assert sorted(path.name for path in week.nights.iterdir()) == [".lock", "accepted.jsonl", "nights"]
    lines = call("history", week.nights).stdout.splitlines()[:8]
    assert [line.split()[0] for line in lines] == week.names
    assert ["FAILED" in line for line in lines] == [number in (3, 4, 6) for number in range(1, 9)]
    assert ["  baseline" in line for line in lines] == [number == 4 for number in range(1, 9)]
    asked = "select night, count(*) from outcomes where strategy = 'cmd/mine' and verdict = 'wrong_edit' group by all"
    counts = dict(query(asked, [week.nights]).rows)
    assert counts[week.names[2]] - counts[week.names[1]] == 3


def test_a_night_is_a_run_folder_for_the_other_commands(week: Week, at_fault: list[str]) -> None:
    assert call("compare", week.of(2), week.of(3), "--latency-tolerance", 1000).exit_code == 1
    assert MINE in call("show", week.of(3), at_fault[0]).stdout
    assert call("table", week.of(3), "--by", "label").exit_code == 0


def test_the_page_of_a_run_may_begin_with_a_comparison(week: Week, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert call("report", week.of(3), "--against", week.of(2), "-o", page).exit_code == 0
    assert f'"comparison":{{"base":"{week.names[1]}"' in page.read_text()
    assert '"failures":[["wrong_edit",' in page.read_text()
    done = call("report", week.of(3), "--against", week.of(8), "-o", page)
    assert (done.exit_code, done.stdout) == (2, "")
    done = call("report", week.of(3), "--history", tmp_path, "-o", page)
    assert done.stderr.startswith(f"error: {tmp_path} is not a history of nights\n")
    done = call("report", week.of(3), "--history", tmp_path / "none", "-o", page)
    assert done.stderr.startswith(f"error: {tmp_path / 'none'} has no nights\n")


# Strategies that come and go


def test_a_strategy_that_is_missing_tonight_fails_unless_told(tmp_path: Path) -> None:
    arguments = ["nightly", "smoke", "--history", tmp_path / "nights", "-n", 5, "-j", 1, "-q", "-s", "cascade/exact"]
    assert call(*arguments, "-s", "replacer/simple").exit_code == 0
    done = call(*arguments, "--latency-tolerance", 1000)
    assert done.exit_code == 1
    assert "  gone: replacer/simple: is in the baseline and not here; if that is meant: --gone " in done.stdout
    assert re.search(r"^note: Not compared, since only in .*: replacer/simple\.$", done.stderr, re.MULTILINE)
    assert call(*arguments, "--latency-tolerance", 1000, "--gone", "replacer/simple").exit_code == 0
    unknown = call(*arguments, "--gone", "replacer/other")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert unknown.stderr.startswith("error: --gone replacer/other: the baseline has no such strategy\n  It has ")


# Mistakes


def test_any_finished_run_can_become_the_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(Path("runs/one"), {MINE: "cw"})
    name = "2026-11-21T030000Z-plan"
    accept = ["baseline", "accept", "--history", "nights", "--why"]
    assert call(*accept, "known good", "runs/one").stdout.endswith(f"\nThe baseline is {name}: known good\n")
    for again in (name, f"nights/nights/night={name}", "last"):
        told = call(*accept, "\x1b[31m again ", again).stdout
        assert told.endswith(f"\nThe baseline is {name}: \\x1b[31m again\n")
    assert [one.why for one in History(Path("nights")).acceptances()] == ["known good", *["\x1b[31m again"] * 3]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nightly", "smoke"], "Missing option '--history'"),
        (["nightly", "smoke", "--history", "other"], "other is not a history of nights"),
        (["nightly", "smoke", "--history", "other/file"], "is a file"),
        (["nightly", "smoke", "--history", "new", "-k", "nothing-has-this"], "No sample is selected"),
        (["nightly", "smoke", "--history", "new", "-s", "nope"], "There is no strategy 'nope'"),
        (
            ["nightly", "smoke", "--history", "new", "--fail-on", "never", "--fail-on", "crash"],
            "never cannot be combined",
        ),
        (["nightly", "smoke", "--history", "new", "--gone", "cascade/exact"], "there is no baseline"),
        (["baseline", "accept", "last", "--history", "nights"], "Missing option '--why'"),
        (["baseline", "accept", "last", "--history", "nights", "--why", "  "], "--why is empty"),
        (["baseline", "accept", "last", "--history", "new", "--why", "x"], "new has no night 'last'"),
        (["baseline", "accept", "nope", "--history", "nights", "--why", "x"], "nights has no night 'nope'"),
        (["baseline", "accept", "run", "--history", "nights", "--why", "x"], "already has that run"),
        (["baseline", "accept", "unfinished", "--history", "nights", "--why", "x"], "unfinished is not finished"),
        (["baseline", "show", "--history", "nights"], "nights has no baseline yet"),
        (["baseline", "show", "--history", "other"], "other is not a history of nights"),
    ],
)
def test_a_mistake_is_two_lines_on_stderr_and_exit_code_2(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other").mkdir()
    Path("other/file").touch()
    History(Path("nights")).add(write_run(Path("run"), {MINE: "c"}))
    write_run(Path("unfinished"), {MINE: "c"}, finished=None, plan="other")
    done = call(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: ")
    assert told in what
    assert remedy.startswith("  ")
    if Path("new").exists():
        assert call("history", "new").stderr.startswith("error: new has no nights\n")


@pytest.mark.parametrize(
    "lost", ["removed", *(pytest.param(one, marks=pytest.mark.slow) for one in ("emptied", "blank"))]
)
def test_a_history_whose_list_of_accepted_nights_is_lost_takes_no_new_baseline(lost: str, tmp_path: Path) -> None:
    nights = tmp_path / "my nights"
    arguments = ["nightly", "smoke", "-n", 3, "-s", "cascade/exact", "--history", nights, "-q", "-j", 1]
    assert call(*arguments).exit_code == 0
    (first,) = History(nights).nights()
    accepted = nights / "accepted.jsonl"
    kept = accepted.read_text()
    accepted.unlink() if lost == "removed" else accepted.write_text("" if lost == "emptied" else "\n\n")
    done = call(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    what, remedy = done.stderr.splitlines()
    assert what == f"error: {nights} has 1 night and no baseline: its accepted.jsonl is lost"
    command = f"editgauge baseline accept {first} --history {shlex.quote(str(nights))} --why '...'"
    assert remedy == f"  Accept one, and run again: {command}"
    assert History(nights).nights() == [first]
    assert call("baseline", "show", "--history", nights).stderr.splitlines()[1].startswith("  Accept one of its nights")
    accepted.write_text(kept)
    assert call(*arguments).exit_code == 0
    accepted.unlink()
    assert f"accept {first} " in call(*arguments).stderr  # Not the night before, which was compared with it.
    assert call(*shlex.split(command)[1:]).exit_code == 0
    assert call(*arguments).exit_code == 0


def test_a_clock_that_went_back_is_told(tmp_path: Path) -> None:
    what = ["smoke", "-n", 3, "-s", "cascade/exact", "-q", "-j", 1]
    nights, ahead = tmp_path / "nights", tmp_path / "ahead"
    assert call("run", *what, "-o", ahead).exit_code == 0
    write_manifest(ahead, replace(read_manifest(ahead), created="2031-11-21T03:00:00+00:00"))
    assert call("baseline", "accept", ahead, "--history", nights, "--why", "x").exit_code == 0
    for _ in range(2):
        done = call("nightly", *what, "--history", nights)
        assert done.exit_code == 0
        assert f"note: The clock went back: {History(nights).nights()[0]} was added before this night " in done.stderr
    assert call("baseline", "accept", "last", "--history", nights, "--why", "x").exit_code == 0
    assert "The clock went back" not in call("nightly", *what, "--history", nights).stderr
    years = [line[:4] for line in call("history", nights).stdout.splitlines()[:4]]
    assert years[0] == "2031" > years[1] == years[2] == years[3]


def test_a_night_in_which_every_call_crashed_fails_and_is_no_baseline(tmp_path: Path) -> None:
    spec = f"cmd:gone={sys.executable} -c 1/0"
    arguments = ["nightly", "smoke", "-n", "3", "-s", spec, "--history", str(tmp_path / "h"), "-q", "-j", "1"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "not all was measured, so it is not the baseline" in done.stdout
    assert "error: nothing was measured: every call crashed; the first one, of cmd/gone: " in done.stderr
    assert History(tmp_path / "h").baseline() is None
    assert len(History(tmp_path / "h").nights()) == 1
    arguments[5] = "cascade/exact"
    assert call(*arguments).exit_code == 0  # Such a night is none that a baseline could have been.
    assert History(tmp_path / "h").baseline() is not None


def test_a_first_night_in_which_a_strategy_crashed_on_every_sample_fails_and_is_no_baseline(tmp_path: Path) -> None:
    spec = f"cmd:gone={sys.executable} -c 1/0"
    what = ["nightly", "smoke", "-n", 3, "-s", spec, "-s", "cascade/exact", "--history", tmp_path / "h", "-q", "-j", 1]
    done = call(*what)
    assert done.exit_code == 1
    assert "error: cmd/gone was not measured: every call crashed; the first one, of cmd/gone: " in done.stderr
    assert History(tmp_path / "h").baseline() is None
    what[5] = "cascade/recommended"
    assert call(*what).exit_code == 0
    baseline = History(tmp_path / "h").baseline()
    what[5] = spec
    assert "warning: cmd/gone was not measured: every call crashed" in call(*what).stderr
    assert History(tmp_path / "h").baseline() == baseline
