"""The gate of a comparison: what fails it, and what does not."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from editcore.errors import UsageError
from reports.compare import gate as module
from reports.compare.comparison import Turn, compare
from reports.compare.gate import (
    CHOICES,
    DEFAULT,
    Failure,
    Gate,
    Rule,
    check_gone,
    failures,
    open_findings,
    with_latencies,
)
from reports.compare.latency import NightlyLatency
from reports.runs.rows import SampleUsed
from reports.runs.run_folder import RunFolder
from reports.views.ci import junit
from reports.views.comparison_wording import gate_lines, groups, heading, latency_text, result_text
from tests.reports.compare.compared import SIMPLE, A, B, compared, only
from tests.twins import write_run


def kinds(found: list[Failure]) -> list[tuple[str, str]]:
    return [(failure.kind.value, failure.strategy) for failure in found]


def test_one_new_wrong_edit_is_enough(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "c" * 50, B: "w" * 50}, {A: "w" + "c" * 49, B: "c" * 49 + "w"})
    (failure,) = failures(found, Gate())
    assert (failure.kind, failure.strategy, failure.sample_ids) == (Rule.WRONG_EDIT, A, ("s0000",))
    assert failure.message == "1 sample newly edited wrongly"


def test_new_crashes_and_time_outs_fail_and_old_ones_do_not(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "ccxxtt"}, {A: "xttxtx"})
    (failure,) = failures(found, Gate())
    assert (failure.kind, failure.sample_ids) == (Rule.CRASH, ("s0000", "s0001", "s0002"))
    assert only(found).n_newly_failed == 3


def test_a_wrong_edit_that_gets_worse_fails(tmp_path: Path) -> None:
    worst = ("same_tree", "broken", "other_tree")
    others = ("broken", "unknown"), ("unknown", "broken"), (None, "broken"), ("broken", "broken")
    for before, after in (*permutations(worst, 2), *others):
        base = write_run(tmp_path / f"base-{before}", {A: "wc"}, severity=before)
        run = write_run(tmp_path / f"run-{after}", {A: "wc"}, severity=after, given="x\n")
        expected = Turn.CHANGED
        if before in worst and after in worst and before != after:
            expected = Turn.WORSE if worst.index(after) > worst.index(before) else Turn.BETTER
        found = compare(RunFolder(base), RunFolder(run))
        assert [pair.turn for pair in found.turned] == [expected], (before, after)
        told = [("worse_edit", A)] if expected == Turn.WORSE else []
        assert kinds(failures(found, Gate())) == told
        assert kinds(failures(found, Gate(DEFAULT - {Rule.WORSE_EDIT}))) == []


@pytest.mark.parametrize("severity", ["same_tree", "unknown"])
def test_a_wrong_edit_that_loses_more_lines_fails(severity: str, tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "cw"}, severity=severity, n_lines_lost=0)
    run = write_run(tmp_path / "run", {A: "cw"}, severity=severity, n_lines_lost=40, given="")
    (failure,) = failures(compare(RunFolder(base), RunFolder(run)), Gate())
    assert (failure.kind, failure.sample_ids) == (Rule.WORSE_EDIT, ("s0001",))
    assert failure.message == "1 sample wrong as before and worse, by severity or lines lost"
    (group,) = groups(compare(RunFolder(base), RunFolder(run)))
    assert heading(group) == f"s0001: wrong_edit (text, {severity}) -> wrong_edit (text, {severity}, 40 lines lost)"
    assert failures(compare(RunFolder(run), RunFolder(base)), Gate()) == []
    milder = write_run(tmp_path / "milder", {A: "cw"}, severity="same_tree", n_lines_lost=41, given="")
    broken = write_run(tmp_path / "broken", {A: "cw"}, severity="broken", n_lines_lost=40, given="")
    assert kinds(failures(compare(RunFolder(broken), RunFolder(milder)), Gate())) == [("worse_edit", A)], (
        "milder, and more lines lost"
    )


def test_where_the_severity_is_known_on_one_side_only_that_is_told(tmp_path: Path) -> None:
    known = write_run(tmp_path / "known", {A: "ww"}, severity="same_tree")
    unknown = write_run(tmp_path / "unknown", {A: "ww"}, severity="unknown", given="")
    told = "The severity of 2 wrong edits is known in one run only: whether they are worse is told by lines lost alone."
    assert told in compare(RunFolder(known), RunFolder(unknown)).notes
    assert told in compare(RunFolder(unknown), RunFolder(known)).notes
    for same in (RunFolder(unknown), RunFolder(known)):
        assert told not in compare(same, same).notes


def test_a_strategy_of_the_baseline_that_is_gone_fails_every_gate(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cc", B: "cc", SIMPLE: "cc"}, {A: "cc", "replacer/renamed": "ww"})
    assert kinds(failures(found, Gate())) == [("gone", B), ("gone", SIMPLE)]
    assert kinds(failures(found, Gate(frozenset({Rule.CRASH}), gone=frozenset({B})))) == [("gone", SIMPLE)]
    assert failures(found, Gate(gone=frozenset({B, SIMPLE}))) == []
    assert failures(found, Gate(gone=frozenset({"*"}))) == []
    assert failures(found, Gate(frozenset())) is None
    assert kinds(failures(found, Gate(gone=frozenset({A, B, SIMPLE})))) == [("gone", A)]
    suites = ElementTree.fromstring(junit(found, failures(found, Gate()), groups(found)))
    assert [(one.get("name"), one.get("failures")) for one in suites] == [(A, "0"), (B, "1"), (SIMPLE, "1")]


def test_only_a_strategy_of_the_baseline_can_be_gone(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c"})
    check_gone(Gate(gone=frozenset({A, "cascade/*"})), RunFolder(base))
    check_gone(Gate(), None)
    with pytest.raises(UsageError, match="--gone cascade/b: the baseline has no such strategy") as caught:
        check_gone(Gate(gone=frozenset({A, "cascade/b"})), RunFolder(base))
    assert caught.value.tip == f"It has {A}."
    with pytest.raises(UsageError, match="--gone cascade/a: there is no baseline"):
        check_gone(Gate(gone=frozenset({A})), None)


def test_every_rule_about_samples_has_its_words() -> None:
    assert {*module._REGRESSIONS, Rule.MATCH_RATE, Rule.LATENCY} == {*CHOICES}


def test_becoming_unstable_fails_and_staying_so_does_not(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cwmxf"}, {A: "fffff"})
    (failure,) = failures(found, Gate())
    assert (failure.kind, failure.sample_ids) == (Rule.UNSTABLE, ("s0000", "s0002", "s0003", "s0001"))
    assert failure.message == "4 samples newly answered otherwise when asked again"


def test_a_strategy_that_crashes_where_it_was_right_has_a_lower_match_rate(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c" * 20}, failed_label="apply")
    run = write_run(tmp_path / "run", {A: "x" * 8 + "c" * 12}, failed_label="apply")
    found = failures(compare(RunFolder(base), RunFolder(run)), Gate(frozenset({Rule.MATCH_RATE})))
    assert found is not None
    assert [failure.message for failure in found] == ["match rate down by 40.0 points (p 0.0078)"]


def test_a_match_rate_fails_only_where_it_is_significantly_down(tmp_path: Path) -> None:
    few = compared(tmp_path / "few", {A: "c" * 20}, {A: "m" * 5 + "c" * 15})
    many = compared(tmp_path / "many", {A: "c" * 20}, {A: "m" * 6 + "c" * 14})
    up = compared(tmp_path / "up", {A: "m" * 20}, {A: "c" * 20})
    assert kinds(failures(few, Gate())) == kinds(failures(up, Gate())) == []
    (failure,) = failures(many, Gate())
    assert (failure.kind, failure.sample_ids) == (Rule.MATCH_RATE, ())
    assert failure.message == "match rate down by 30.0 points (p 0.031)"
    assert kinds(failures(few, Gate(alpha=0.1))) == [("match_rate", A)]


def test_a_regression_is_any_sample_turned_worse(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "ccc"}, {A: "cmw"})
    gate = Gate(frozenset({Rule.REGRESSION}))
    assert [failure.sample_ids for failure in failures(found, gate)] == [("s0002", "s0001")]
    assert kinds(failures(found, Gate(frozenset(Rule)))) == [("wrong_edit", A), ("regression", A)]
    assert failures(found, Gate(frozenset())) is None


def test_the_gate_says_why_it_fails(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cccc"}, {A: "wwww"})
    lines = list(gate_lines(failures(found, Gate())))
    assert lines[0] == "The gate fails, for 1 reason:"
    assert lines[1].strip() == "wrong_edit: cascade/a: 4 samples newly edited wrongly (s0000, s0001, s0002, ...)"
    assert list(gate_lines([])) == ["The gate passes."]


def test_a_strategy_that_fails_the_latency_rule_is_called_slower_beside_it(tmp_path: Path) -> None:
    night = NightlyLatency("cascade/a", 1.61, 1.18, 5, was_slow=True)
    base = write_run(tmp_path / "base", {"cascade/a": "cwm"})
    plain = compare(RunFolder(base), RunFolder(write_run(tmp_path / "run", {"cascade/a": "cwm"})))
    gate = Gate()
    judged = with_latencies(plain, gate, [night])
    (failure,) = failures(judged, gate) or ()
    (row,) = judged.strategies
    assert (result_text(plain.strategies[0]), result_text(row), latency_text(row)) == (
        "same", "slower", "1.61 (noise 1.18)",
    )  # fmt: skip
    assert "takes 1.61 times" in failure.message
    assert "noise explains 1.18" in failure.message
    usual = with_latencies(plain, gate, [replace(night, ratio=1.1)])
    assert (result_text(usual.strategies[0]), latency_text(usual.strategies[0])) == ("same", "1.10 (noise 1.18)")


def test_a_finding_of_fuzzing_that_is_still_wrong_is_a_failure_whatever_the_baseline(tmp_path: Path) -> None:
    found = SampleUsed("s0000", "str_replace", "apply", tags=(f"target:{A}", "property:as_meant", "path:p", "detail:d"))
    samples = (
        found,
        replace(found, sample_id="s0001"),
        replace(found, sample_id="s0002", mutator="two_places"),
        replace(found, sample_id="s0003", tags=()),
    )
    run = write_run(tmp_path, {A: "wmmw", B: "wmmw"}, samples=samples)
    message = "2 findings of fuzzing still edited wrongly"
    assert open_findings(RunFolder(run)) == [Failure(Rule.FINDING, A, message, ("s0000", "s0001"))]
