"""`editgauge compare RUN`: the strategies of one run, as a user compares them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.program import call

EXACT, REFERENCE = "cascade/exact", "cascade/reference"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("between") / "run"
    strategies = [EXACT, REFERENCE, "cascade/opencode_1_17", "begin_patch/*"]
    chosen = [argument for name in strategies for argument in ("-s", name)]
    assert call("run", "smoke", "-q", "-j", 1, *chosen, "-o", folder).exit_code == 0
    return folder


def test_two_strategies_with_table_diffs_and_advice(run: Path) -> None:
    done = call("compare", run, "--between", EXACT, REFERENCE, "-n", 2)
    assert done.exit_code == 0
    answer, _, head, *_ = done.stdout.splitlines()
    assert answer.startswith(f"Take {REFERENCE} if a wrong edit is less bad than ")
    assert head.split()[:4] == ["first", "second", "samples", "both"]
    assert f"ONLY {EXACT} is right, not {REFERENCE} (" in done.stdout
    assert f"{EXACT}: rightly refused (no_match)" in done.stdout
    assert f"{REFERENCE}: wrong, by " in done.stdout
    assert "\n+++ b/" in done.stdout
    assert "more: -n shows more of them" in done.stdout


def test_the_option_takes_names_and_globs_before_and_after_the_run(run: Path) -> None:
    one = call("compare", run, "--between", "cascade/*", "-n", 0)
    other = call("compare", "-n", "0", run, "--between", EXACT, "--between", REFERENCE, "--json")
    assert one.exit_code == other.exit_code == 0
    assert "cascade/opencode_1_17" in one.stdout
    (pair,) = json.loads(other.stdout)["pairs"]
    assert (pair["first"], pair["second"]) == (EXACT, REFERENCE)
    tally = pair["tally"]
    assert sum(tally.values()) == tally["both_right"] + pair["right"]["n"] - tally["both_right"]
    assert pair["discordant"]["only_first"]["n"] == tally["only_first"]
    assert pair["discordant"]["only_first"]["samples"] == []


def test_a_matrix_of_all_strategies_or_some(run: Path, tmp_path: Path) -> None:
    done = call("compare", run, "--matrix", "-s", "cascade/*")
    assert done.exit_code == 0
    assert [line.split()[1] for line in done.stdout.splitlines()[2:5]] == [
        REFERENCE, "cascade/opencode_1_17", EXACT,
    ]  # fmt: skip
    path = tmp_path / "matrix.json"
    assert call("compare", run, "--matrix", "--json", "-o", path).exit_code == 0
    found = json.loads(path.read_text())["matrix"]
    assert len(found["cells"]) == len(found["strategies"]) == 6


def test_a_selection_sees_damage_and_properties(run: Path) -> None:
    done = call("compare", run, "--between", EXACT, REFERENCE, "-k", "damage=unasked and label:refuse", "--json")
    (pair,) = json.loads(done.stdout)["pairs"]
    assert pair["tally"]["only_second"] == pair["tally"]["both_right"] == 0
    assert pair["tally"]["only_first"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--between", EXACT], "--between needs two strategies"),
        (["--between"], "requires an argument"),
        (["--between", EXACT, "cascade/refrence"], "Did you mean cascade/reference"),
        (["--between", EXACT, "begin_patch/strict"], "have no sample in common"),
        (["--between", EXACT, REFERENCE, "-s", EXACT], "-s and --between both name strategies"),
        (["--between", EXACT, REFERENCE, "-k", "langauge:go"], "Did you mean language"),
        (["--between", EXACT, REFERENCE, "-k", "nothing-like-it"], "No sample is selected"),
        (["--matrix", "-k", "python"], "-k needs --between"),
        ([], "One run is named"),
        (["--matrix", "--fail-on", "never"], "--fail-on is for two runs"),
        (["--matrix", "--output-format", "junit"], "--output-format junit is for two runs"),
    ],
)
def test_what_makes_no_sense_is_said(run: Path, arguments: list[str], says: str) -> None:
    done = call("compare", run, *arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_two_runs_have_no_pairs_of_strategies(run: Path) -> None:
    for options in (["--between", EXACT, REFERENCE], ["--matrix"]):
        done = call("compare", run, run, *options)
        assert done.exit_code == 2
        assert "is for one run, and 2 are named" in done.stderr
    assert "No run is named" in call("compare").stderr
    assert "Name the run first: compare RUN --between A B." in call("compare", "--between", EXACT, run).stderr
