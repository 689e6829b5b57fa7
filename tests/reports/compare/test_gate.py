"""The gate of a comparison: what fails it, and what does not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from reports.compare.comparison import compare
from reports.compare.gate import Failure, Gate, Rule, failures
from reports.views.comparison_wording import gate_lines
from tests.reports.compare.compared import SIMPLE, A, B, compared
from tests.twins import write_run


def kinds(found: list[Failure]) -> list[tuple[str, str]]:
    return [(failure.kind.value, failure.strategy) for failure in found]


def test_one_new_wrong_edit_is_enough(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "c" * 50, B: "w" * 50}, {A: "w" + "c" * 49, B: "c" * 49 + "w"})
    (failure,) = failures(found, Gate())
    assert (failure.kind, failure.strategy, failure.sample_ids) == (Rule.WRONG_EDIT, A, ("s0000",))
    assert failure.message == "1 sample newly edited wrongly"


def test_new_crashes_and_time_outs_fail_and_old_ones_do_not(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "ccxt"}, {A: "xttx"})
    (failure,) = failures(found, Gate())
    assert (failure.kind, failure.sample_ids) == (Rule.CRASH, ("s0000", "s0001"))


def test_becoming_unstable_fails_and_staying_so_does_not(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cwmxf"}, {A: "fffff"})
    (failure,) = failures(found, Gate())
    assert (failure.kind, failure.sample_ids) == (Rule.UNSTABLE, ("s0000", "s0002", "s0003", "s0001"))
    assert failure.message == "4 samples newly answered otherwise when asked again"


def test_a_strategy_that_crashes_where_it_was_right_has_a_lower_match_rate(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c" * 20}, failed_label="apply")
    run = write_run(tmp_path / "run", {A: "x" * 8 + "c" * 12}, failed_label="apply")
    found = failures(compare(base, run), Gate(frozenset({Rule.MATCH_RATE})))
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


def test_latency_fails_with_its_whole_interval_above_what_is_tolerated(tmp_path: Path) -> None:
    verdicts = {SIMPLE: "c" * 30, A: "c" * 30}
    base = write_run(tmp_path / "base", verdicts)
    uneven = [1000, 2000] * 15
    run = write_run(tmp_path / "run", verdicts, latencies={A: uneven})
    ratio = compare(base, run).strategies[1].latency
    assert ratio
    assert ratio.interval
    low = ratio.interval[0] - 1
    assert ratio.value == pytest.approx(math.sqrt(2))
    assert failures(compare(base, run), Gate(latency_tolerance=low + 0.01)) == []
    (failure,) = failures(compare(base, run), Gate(latency_tolerance=low - 0.01))
    assert failure.message.startswith("takes 1.41 times as long (")


def test_the_gate_says_why_it_fails(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "cccc"}, {A: "wwww"})
    lines = list(gate_lines(failures(found, Gate())))
    assert lines[0] == "The gate fails, for 1 reason:"
    assert lines[1].strip() == "wrong_edit: cascade/a: 4 samples newly edited wrongly (s0000, s0001, s0002, ...)"
    assert list(gate_lines([])) == ["The gate passes."]
