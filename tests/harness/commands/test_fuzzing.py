"""`editgauge fuzz` and `editgauge shrink`, as people and scripts use them."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpora.load import load
from editcore.errors import UsageError
from harness.cli import main
from harness.fuzz.drills import DRILLS, select_drills
from harness.fuzz.engine.campaign import Progress
from harness.fuzz.engine.known import kept_findings, known_findings, why
from harness.fuzz.engine.observer import Counted
from harness.fuzz.engine.report import exit_code, line_about, print_campaign
from harness.fuzz.finding import Finding, line_of, read_findings, write_finding
from harness.fuzz.inputs import question_of
from harness.fuzz.target import observe
from harness.fuzz.targets import targets
from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, NewFinding, append_night, fuzz_nights
from reports.runs.manifest import CorpusUsed
from tests.harness.conftest import Program
from tests.harness.program import ROOT, mistake
from tests.twins import write_run

# `editgauge fuzz` and `editgauge shrink`, as people and scripts use them.

EXACT = f"cmd:exact={shlex.join([sys.executable, '-S', str(ROOT / 'tests/harness/exact.py')])}"
CARELESS = """
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    [edit], [file] = request["edits"], request["before"]
    if edit["old_string"] not in file["content"]:
        print(json.dumps({"id": request["id"], "status": "rejected", "reason": "no_match"}), flush=True)
        continue
    content = file["content"].replace(edit["old_string"], edit["new_string"], 1)
    print(json.dumps({"id": request["id"], "status": "applied", "after": [{**file, "content": content}]}), flush=True)
"""


@pytest.fixture
def careless(tmp_path: Path) -> str:
    """A strategy that edits the first of several places."""
    (tmp_path / "careless.py").write_text(CARELESS)
    return f"cmd:careless[str_replace]={sys.executable} -S {tmp_path / 'careless.py'}"


@pytest.mark.slow
def test_what_a_command_does_wrong_is_found_made_small_and_known_from_then_on(
    editgauge: Program, careless: str, tmp_path: Path
) -> None:
    fuzz = ["fuzz", "-s", careless, "--engine", "hypothesis", "--runs", 150, "--seconds", 30, "-j", 1, "-q"]
    ran = editgauge(*fuzz)
    assert ran.returncode == 1, ran.stderr
    assert "breaks exact_ambiguity_refused" in ran.stdout
    (path,) = (tmp_path / "fuzz" / "findings").glob("*exact_ambiguity_refused*.jsonl")
    (finding,) = read_findings(path)
    assert sum(map(len, question_of(finding.fields))) < 40
    # It is a sample like any other, and a text case.
    (sample,) = load(path)
    assert sample.edits
    assert "--- content\n" in path.with_suffix(".txt").read_text("utf-8")
    again = editgauge("fuzz", "reproduce", path, "-s", careless)
    assert again.returncode == 1
    assert "still broken" in again.stdout
    mended = editgauge("fuzz", "reproduce", path, "-s", EXACT)
    assert mended.returncode == 0, mended.stdout
    assert "holds now" in mended.stdout
    alone = editgauge("fuzz", "reproduce", path)
    assert alone.returncode == 2
    assert alone.stderr.count("\n") == 2


@pytest.mark.slow
def test_a_difference_between_two_strategies_is_a_finding(editgauge: Program) -> None:
    ran = editgauge("fuzz", "differential", "-s", "replacer/line_trimmed", "-s", "cascade/exact",
                    "--engine", "hypothesis", "--runs", 200, "-j", 1, "-q", "--json")  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    (row,) = json.loads(ran.stdout)["targets"]
    assert row["target"] == "differential"
    found = {finding["property"] for finding in row["new"]}
    assert found
    assert found <= {"applies_what_the_other_refuses", "refuses_what_the_other_applies", "another_result"}
    assert row["n_executions"] > 150


@pytest.mark.slow
def test_where_there_is_nothing_to_find_the_exit_code_is_0(editgauge: Program) -> None:
    ran = editgauge("fuzz", "cascade/exact", "paths", "--engine", "hypothesis", "--runs", 100, "-j", 1, "-q")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [line.split()[:3] for line in ran.stdout.splitlines()[2:]] == [
        ["cascade/exact", "hypothesis", "100"],
        ["paths", "hypothesis", "100"],
    ]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="atheris has wheels for Linux only")
@pytest.mark.parametrize("name", ["begin_patch/strict", "unified_diff/strict", "cascade/exact"])
def test_atheris_reaches_the_floor_of_coverage(name: str, editgauge: Program, tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    ran = editgauge("fuzz", name, "--seconds", 6, "-j", 1, "-q", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (row,) = json.loads(ran.stdout)["targets"]
    assert row["engine"] == "atheris"
    assert row["n_edges"] > row["floor"] > 0
    assert row["per_s"] > 100
    corpus = tmp_path / "fuzz" / "corpus" / name.replace("/", "-")
    n_before = len(list(corpus.iterdir()))
    assert n_before == row["n_inputs"] or n_before > 10
    covered = editgauge("fuzz", "coverage", name, "--html", "html")
    assert covered.returncode == 0, covered.stderr
    assert (tmp_path / "html" / "index.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "No fuzz target is named"),
        (["--seconds", "1"], "No fuzz target is named"),
        (["cascade/nobody"], "There is no fuzz target 'cascade/nobody'"),
        (["cascade/exact", "-s", "cascade/exact"], "exclude each other"),
        (["differential", "-s", "cascade/exact"], "compares two strategies"),
        (["differential", "-s", "cascade/exact", "-s", "insert/line"], "no format in common"),
        (["growth", "cascade/exact"], "Run `editgauge fuzz drill growth`."),
        (["run", "jury"], "Run `editgauge fuzz drill agreement`."),
        (["drill", "jury"], "Run `editgauge fuzz drill agreement`."),
        (["cascade/refernce"], "Did you mean cascade/reference"),
        (["coverag", "paths"], "Did you mean coverage?"),
        (["drill", "growt"], "Did you mean growth?"),
        (["drill", "nobody"], "There is no drill 'nobody'"),
        (["drill", "growth", "--repo", "."], "--repo has no effect on growth"),
        (["drill", "race", "--seed", "3"], "--seed has no effect on race"),
        (["reproduce", "nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["reproduce", "f.jsonl", "--trials", "3"], "No such option"),
    ],
)
def test_a_mistake_is_refused_in_two_lines(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in mistake("fuzz", *arguments)


def test_a_file_that_holds_no_finding_is_refused_by_line(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text('{"id": "x"}\n')
    assert "f.jsonl:1 is not a finding" in mistake("fuzz", "reproduce", tmp_path / "f.jsonl")


@pytest.mark.parametrize(
    ("package", "arguments"),
    [
        ("atheris", ["paths", "--engine", "atheris"]),
        ("hypothesis", ["paths", "--engine", "hypothesis"]),
        ("coverage", ["coverage", "paths"]),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    package: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editcore.errors.find_spec", lambda name: None if name == package else name)
    assert f"needs {package}, which is not installed\n  Install it: pip install 'editgauge[fuzz]'." in mistake(
        "fuzz", *arguments
    )


def test_the_help_of_the_group_lists_its_commands() -> None:
    ran = CliRunner().invoke(main, ["fuzz", "--help"])
    assert ran.exit_code == 0
    listed = re.findall(r"^  (\w+)  +\S", ran.stdout.partition("Commands:")[2], re.MULTILINE)
    assert listed == ["run", "reproduce", "coverage", "drill", "nightly"]


def test_the_help_of_drill_lists_every_drill() -> None:
    ran = CliRunner().invoke(main, ["fuzz", "drill", "--help"])
    assert ran.exit_code == 0
    assert all(f"{name} (" in " ".join(ran.stdout.split()) for name in DRILLS)


def test_a_drill_is_run_with_the_options_it_uses() -> None:
    command = ["fuzz", "drill", "history", "faults", "--repo", str(ROOT), "--runs", "1", "--json", "-q"]
    ran = CliRunner().invoke(main, command)
    assert ran.exit_code == 0, ran.output
    groups = json.loads(ran.stdout)["groups"]
    assert [group["drill"] for group in groups] == ["history", "faults"]
    assert [group["n"] for group in groups] == [1, 1]


def test_of_several_drills_one_that_cannot_be_run_is_skipped(tmp_path: Path) -> None:
    command = ["fuzz", "drill", "history", "race", "--repo", str(tmp_path), "--seconds", "0.01", "--json", "-q"]
    ran = CliRunner().invoke(main, command)
    assert ran.exit_code == 0, ran.output
    assert "history is skipped: " in ran.stderr
    assert {group["drill"] for group in json.loads(ran.stdout)["groups"]} == {"race"}
    alone = CliRunner().invoke(main, ["fuzz", "drill", "history", "--repo", str(tmp_path)])
    assert alone.exit_code == 2
    assert alone.stderr.startswith("error: ")


def test_all_is_every_drill_once() -> None:
    assert [one.name for one in select_drills(["growth", "all"])] == list(DRILLS)


def test_several_workers_of_a_target_are_one_target() -> None:
    counted = {n: Counted(n, 0.0, 0.0, 0.0) for n in (5, 7)}
    one = Progress("paths", "atheris", n_workers=2, counted=counted, n_edges=27, n_inputs=3)
    assert line_about([one]).startswith("paths: 12 executions, 27 edges, 3 inputs, 0 new findings, 0 known")
    other = Progress("protocol", "atheris", counted={1: Counted(1, 0.0, 0.0, 0.0)}, took=[2.0])
    assert line_about([one, other]).startswith("1 of 2 targets, paths: 13 executions")


def test_coverage_below_the_floor_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    counted = {1: Counted(30_000, 1.0, 0.0, 1.0)}
    low = Progress("paths", "atheris", counted=counted, n_edges=3, floor=18, took=[1.0])
    print_campaign([low], Path("fuzz"), as_json=False)
    assert "error: paths: coverage is below its floor: 3 of 18 edges after 30,000 executions" in capsys.readouterr().err
    assert exit_code([low]) == 1


@pytest.mark.slow
def test_hypothesis_ends_when_its_time_is_over(editgauge: Program) -> None:
    ran = editgauge("fuzz", "run", "begin_patch/strict", "--engine", "hypothesis", "--seconds", 2, "-j", 1, "-q")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""


def test_a_finding_that_is_no_sample_is_kept_too(tmp_path: Path) -> None:
    finding = Finding("paths", "paths_stay_inside", "paths", "d", ("../a\ud800",))
    assert list(read_findings(write_finding(finding, tmp_path))) == [finding]


def test_what_is_known_is_broken_still_and_explained() -> None:
    findings = known_findings()
    assert len({finding.key for finding in findings}) == len(findings)
    for finding in findings:
        found = observe(targets()[finding.target], finding.fields, thorough=True)
        assert any((one.property, one.path) == (finding.property, finding.path) for one in found), finding
        assert why(finding), finding


def test_what_was_fixed_holds() -> None:
    findings = list(read_findings(ROOT / "harness" / "fuzz" / "engine" / "fixed.jsonl"))
    assert findings
    for finding in findings:
        found = observe(targets()[finding.target], finding.fields, thorough=True)
        assert not any(one.property == finding.property for one in found), finding


@pytest.mark.slow
def test_nights_are_carried_on_and_told_by_nightly(editgauge: Program, tmp_path: Path) -> None:
    night = FuzzNight(1, "2030-01-01T00:00:00+00:00", {"cascade/exact": FuzzedTarget(5, 1.0, 100)})
    append_night(tmp_path / "fuzz", night)
    found = NewFinding("id-1", "exact_wins", "no_match", "refused <b>")
    append_night(tmp_path / "fuzz", FuzzNight(2, night.ended, {"paths": FuzzedTarget(7, 1.0, new=[found])}))
    assert [one.night for one in fuzz_nights(tmp_path / "fuzz")] == [1, 2]
    ran = editgauge("nightly", "smoke", "-s", "cascade/exact", "-j", 1, "--history", "nights", "--fuzz", "fuzz", "-q")
    assert ran.returncode == 1, ran.stderr
    assert "`paths` breaks `exact_wins` (no\\_match): refused \\<b\\>" in ran.stdout
    (page,) = (tmp_path / "nights").glob("nights/*/report.html")
    assert '"fuzzed":{"night":2,' in page.read_text()
    assert r"refused \u003cb\u003e" in page.read_text()
    assert "breaks `exact_wins`" in page.with_name("summary.md").read_text()


LEFT = Finding("cascade/exact", "exact_wins", "made up", "it was found by a campaign that was killed", ("a", "b", "c"))


@pytest.mark.slow
def test_what_a_killed_campaign_left_is_new_to_the_next_and_known_from_then_on(tmp_path: Path) -> None:
    """A finding of another target counts too, but not for a campaign without a target of its kind."""
    write_finding(LEFT, tmp_path / "findings")
    write_finding(replace(LEFT, target="paths", id=""), tmp_path / "findings")
    fuzz = ["--engine", "hypothesis", "--runs", "5", "-j", "1", "-q", "-o", str(tmp_path), "--json"]
    for expected in (1, 0):
        ran = CliRunner().invoke(main, ["fuzz", "run", "cascade/exact", *fuzz])
        assert ran.exit_code == expected, ran.output
        (row,) = json.loads(ran.stdout)["targets"]
        assert [one["id"] for one in row["new"]] == [LEFT.id] * expected
        assert row["n_executions"] >= 1
    assert CliRunner().invoke(main, ["fuzz", "run", "paths", *fuzz]).exit_code == 1


def test_the_seconds_are_seconds_of_fuzzing(tmp_path: Path) -> None:
    fuzz = ["fuzz", "run", "paths", "--engine", "hypothesis", "--seconds", "0.05", "-q", "-o", str(tmp_path), "--json"]
    ran = CliRunner().invoke(main, fuzz)
    assert ran.exit_code == 0, ran.output
    (row,) = json.loads(ran.stdout)["targets"]
    assert row["n_executions"] > 1
    assert row["start_s"] > row["fuzzing_s"] >= 0.05


@pytest.mark.parametrize("failed", ["a target", "a finding that was left"])
def test_a_night_fails_by_its_fuzzing_and_tells_what_was_left(failed: str, tmp_path: Path) -> None:
    fuzz = tmp_path / "fuzz"
    failure = "ImportError" if failed == "a target" else None
    append_night(fuzz, FuzzNight(1, "2030-01-01T00:00:00+00:00", {"paths": FuzzedTarget(5, 1.0, failure=failure)}))
    nightly = ["nightly", "smoke", "-n", "3", "-s", "cascade/exact", "-j", "1", "-q", "--history", str(tmp_path / "h")]
    if not failure:
        assert CliRunner().invoke(main, [*nightly, "--fuzz", str(fuzz)]).exit_code == 0
        write_finding(LEFT, fuzz / "findings")
    ran = CliRunner().invoke(main, [*nightly, "--fuzz", str(fuzz)])
    assert ran.exit_code == 1
    told = "`paths` could not be fuzzed: ImportError" if failure else "`cascade/exact` breaks `exact_wins` (made up): "
    assert told in ran.stdout
    again = CliRunner().invoke(main, [*nightly, "--fuzz", str(fuzz)])
    assert again.exit_code == int(bool(failure)), "What was told once is known."


def test_a_folder_without_nights_is_refused(tmp_path: Path) -> None:
    ran = CliRunner().invoke(main, ["nightly", "smoke", "--history", str(tmp_path / "nights"), "--fuzz", str(tmp_path)])
    assert ran.exit_code == 2
    assert "has no night of fuzzing" in ran.stderr


@pytest.mark.slow
def test_a_wrong_edit_is_made_small(editgauge: Program, tmp_path: Path) -> None:
    assert editgauge("run", "house", "-s", "cascade/reference", "-j", 1, "-o", "run", "-q").returncode == 0
    query = "select sample_id from outcomes where verdict = 'wrong_edit' and damage = 'indentation' limit 1"
    shown = json.loads(editgauge("sql", query, "run", "--json").stdout)
    (name,) = (row["sample_id"] if isinstance(row, dict) else row[0] for row in shown["rows"])
    ran = editgauge("shrink", "run", name, "-o", "small.jsonl")
    assert ran.returncode == 0, ran.stderr
    assert "--- content\n" in ran.stdout
    (small,) = load(tmp_path / "small.jsonl")
    (whole,) = (one for one in load("house") if one.id == name)
    assert len(small.before[0].content) < len(whole.before[0].content) / 2
    again = json.loads(
        editgauge("run", "small.jsonl", "-s", "cascade/reference", "-j", 1, "-o", "r", "-q", "--json").stdout
    )
    assert again["strategies"][0]["n_wrong"] == 1
    unknown = editgauge("shrink", "run", "nobody")
    assert unknown.returncode == 2
    right = editgauge("shrink", "run", name, "-s", "replacer/simple")
    assert "did not edit" in right.stderr


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (
            ["run", "-s", "cmd:mine=python3 'my edit.py'"],
            "Add -s 'cmd:mine=python3 '\"'\"'my edit.py'\"'\"'' (as the run",
        ),
        (["run"], "Add -s cmd:mine=COMMAND (the run does not say which it was)."),
    ],
)
@pytest.mark.parametrize("named", [[], ["-s", "cmd/mine"]], ids=["unnamed", "by name"])
def test_shrinking_runs_no_command_that_only_the_run_names(
    tmp_path: Path, argv: list[str], told: str, named: list[str]
) -> None:
    run = write_run(
        tmp_path / "run", {"cmd/mine": "w"}, argv=argv, corpora=[CorpusUsed("smoke", 1)], ids=["smoke-simple-right"]
    )
    done = CliRunner().invoke(main, ["shrink", str(run), "smoke-simple-right", *named])
    assert (done.exit_code, done.stdout) == (2, "")
    what, remedy = done.stderr.splitlines()
    assert what == "error: cmd/mine is a command, which is not run unless you name it"
    assert remedy.strip().startswith(told)


@pytest.mark.parametrize("name", ["cmd:mine=cat", "tool/edit@exact"])
def test_a_strategy_for_a_target_is_answered_with_the_option_for_it(name: str) -> None:
    assert (
        mistake("fuzz", name, "--runs", 1).splitlines()[1] == f"  A strategy is fuzzed by -s: editgauge fuzz -s {name}"
    )


# `fuzz reproduce` on files that are no findings: two lines and exit code 2, which no other answer has.

FINDING = {"target": "cascade/exact", "property": "one_span", "path": "p", "detail": "d", "fields": ["a", "b", "c"],
           "format": "str_replace"}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"fields": [1, 2, 3]}, "is not a finding: Expected `str`, got `int` - at `$.fields[0]`"),
        ({"fields": "abc"}, "is not a finding: Expected `array`"),
        ({"target": None}, "is not a finding: Expected `str`, got `null` - at `$.target`"),
        ({"format": "prose"}, "its format 'prose' is not known"),
        ({"format": None, "fields": ["a"]}, "The 1 field of "),
        ({"property": "one_spam"}, "cascade/exact has no property 'one_spam'"),
        ({"property": "second_file_kept"}, "cascade/exact has no property"),
        ({"target": "*"}, "'*' is not a fuzz target of this installation"),
        ({"target": "a\x1b[2J"}, "is not a fuzz target of this installation"),
    ],
)
def test_a_finding_that_says_nothing_is_the_users_mistake(
    changed: dict[str, object], says: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(FINDING) + "\n" + json.dumps(FINDING | changed) + "\n")
    done = mistake("fuzz", "reproduce", path)
    assert says in done
    assert "\x1b" not in done


@pytest.mark.parametrize(
    "line", [b'{"fields":[1,2,3]}', b"{}", b"[]", b"[" * 100_000, b"\xff", b'{"id": 1}', b"9" * 9999]
)
def test_a_line_that_is_no_finding_is_named(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n" + line + b"\n")
    assert "a.jsonl:2 is not a finding" in mistake("fuzz", "reproduce", path)


def test_only_a_regular_file_of_bounded_size_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "large.jsonl").write_bytes(b" " * 101)
    (tmp_path / "there.jsonl").write_text(line_of(Finding(**{**FINDING, "fields": ("a", "b", "c")})))  # type: ignore[arg-type]
    (tmp_path / "link.jsonl").symlink_to("there.jsonl")
    assert len(list(read_findings(tmp_path / "link.jsonl"))) == 1
    monkeypatch.setattr("harness.fuzz.finding._LARGEST", 100)
    for name, says in (
        ("/dev/zero", "it is not a regular file"),
        ("pipe.jsonl", "it is not a regular file"),
        ("large.jsonl", "it has more than 100 bytes"),
        ("none.jsonl", "No such file"),
    ):
        assert f"cannot be read: {says}" in mistake("fuzz", "reproduce", tmp_path / name)
    monkeypatch.undo()
    (tmp_path / "large.jsonl").unlink()
    (tmp_path / "findings").mkdir()
    os.mkfifo(tmp_path / "findings" / "pipe.jsonl")
    with pytest.raises(UsageError, match="it is not a regular file"):  # What a campaign asks before it begins.
        kept_findings(tmp_path)


def test_every_property_that_a_target_checks_is_in_its_table() -> None:
    declared = {name for target in targets().values() for name in target.properties}
    declared |= {
        "applies_what_the_other_refuses",
        "refuses_what_the_other_applies",
    }  # Of two strategies that are named.
    reported: set[str] = set()
    for path in sorted((ROOT / "harness" / "fuzz" / "targets").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Violation":
                reported |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    assert len(reported) > 15
    assert reported <= declared
