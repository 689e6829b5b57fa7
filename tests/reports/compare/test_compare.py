"""Two runs of the same samples: pairs, what turned, the tests, and the gate."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from editcore.errors import UsageError
from reports.compare.comparison import Comparison, Turn, compare
from reports.compare.gate import Gate, Rule, failures, with_latencies
from reports.page.document import write_page
from reports.runs.manifest import read_manifest, write_manifest
from reports.runs.run_folder import RunFolder
from reports.views.comparison_wording import points, sentence
from tests.reports.compare.compared import SIMPLE, A, B, compared, only, turns
from tests.twins import write_run

MINE = "cmd/mine"

# What turned


_GRAVE = {"c": 0, "r": 0, "u": 0, "m": 1, "w": 2, "x": 3, "t": 4}


_EVERY = list(product(_GRAVE, _GRAVE))


@pytest.fixture(scope="module")
def every_pair(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Every verdict and what may become of it, each as a strategy of one sample."""
    folder = tmp_path_factory.mktemp("every")
    verdicts = ({f"cascade/{before}{after}": (before, after)[side] for before, after in _EVERY} for side in (0, 1))
    return compared(folder, *verdicts)


@pytest.mark.parametrize(("before", "after"), _EVERY)
def test_a_pair_turns_worse_or_better_with_the_gravity_of_its_verdict(
    every_pair: Comparison, before: str, after: str
) -> None:
    rise = _GRAVE[after] - _GRAVE[before]
    same = Turn.SAME if before == after else Turn.CHANGED
    expected = Turn.WORSE if rise > 0 else Turn.BETTER if rise < 0 else same
    found = [pair.turn for pair in every_pair.turned if pair.strategy == f"cascade/{before}{after}"]
    assert found == ([expected] if expected != Turn.SAME else [])
    (one,) = (one for one in every_pair.strategies if one.strategy == f"cascade/{before}{after}")
    assert (one.n_worse, one.n_better, one.n_changed) == tuple(
        int(expected == turn) for turn in (Turn.WORSE, Turn.BETTER, Turn.CHANGED)
    )
    assert one.n_newly_wrong == (after == "w" != before)
    assert one.n_newly_failed == (after in "xt" and rise > 0)


def test_a_wrong_edit_that_is_wrong_in_another_way_is_changed(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "ww"})
    assert compare(RunFolder(base), RunFolder(write_run(tmp_path / "same", {A: "ww"}))).turned == []
    found = compare(RunFolder(base), RunFolder(write_run(tmp_path / "run", {A: "ww"}, given="something else\n")))
    assert turns(found) == [("s0000", "changed"), ("s0001", "changed")]
    assert only(found).status == Turn.SAME
    assert failures(found, Gate(frozenset(Rule))) == []


def test_the_sides_say_what_happened(tmp_path: Path) -> None:
    (pair, other) = compared(tmp_path, {A: "cm"}, {A: "wx"}).turned
    assert (pair.base.verdict, pair.base.replacer, pair.run.verdict, pair.run.damage) == (
        "correct", "simple", "wrong_edit", "text",
    )  # fmt: skip
    assert (other.base.reason, other.run.error, other.run.reason) == ("no_match", "ValueError: no", None)
    assert (pair.newly_wrong, pair.newly_failed) == (True, False)
    assert (other.newly_wrong, other.newly_failed) == (False, True)


def test_worse_ones_come_first_and_silent_damage_before_all(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "mccccc", B: "cccwcc"}, {A: "cmwxtc", B: "ccwccc"})
    assert [(pair.sample_id, pair.strategy, pair.run.verdict) for pair in found.turned] == [
        ("s0002", A, "wrong_edit"),
        ("s0002", B, "wrong_edit"),
        ("s0003", A, "crashed"),
        ("s0004", A, "timed_out"),
        ("s0001", A, "missed"),
        ("s0003", B, "correct"),
        ("s0000", A, "correct"),
    ]


def test_the_order_of_rows_and_parts_does_not_matter(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "cmw", B: "ccc"}, ids=["z", "y", "x"])
    run = write_run(tmp_path / "run", {B: "ccm", A: "wmc"}, ids=["x", "y", "z"])
    assert turns(compare(RunFolder(base), RunFolder(run))) == [("z", "worse")]


# Which runs can be compared


def refusal(base: Path, run: Path, **options: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        compare(RunFolder(base), RunFolder(run), **options)
    return caught.value


def test_runs_of_other_samples_are_refused_with_which_differ(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c" * 6}, ids=list("abcdef"))
    run = write_run(tmp_path / "run", {A: "c" * 3}, ids=list("aby"))
    error = refusal(base, run)
    assert f"4 only in {base} (c, d, e, ...); 1 only in {run} (y)" in error.message
    assert "same corpora" in error.tip


def test_more_samples_in_one_run_are_other_samples(tmp_path: Path) -> None:
    base, run = write_run(tmp_path / "base", {A: "cc"}), write_run(tmp_path / "run", {A: "ccc"})
    assert f"1 only in {run} (s0002)" in refusal(base, run).message


def test_a_strategy_that_took_other_samples_is_refused_too(tmp_path: Path) -> None:
    base, run = write_run(tmp_path / "base", {A: "cc", B: "c "}), write_run(tmp_path / "run", {A: "cc", B: "cc"})
    assert "on more of them" in refusal(base, run).message


def test_the_same_ids_with_other_contents_are_refused(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "ccccc"})
    run = write_run(tmp_path / "run", {A: "ccccc"}, fingerprints={f"s000{n}": n for n in range(1, 5)})
    told = f"{base} and {run} have 4 samples with equal ids and different contents (s0001, s0002, s0003, ...)"
    assert refusal(base, run).message == told


def test_contents_are_compared_where_one_run_has_more_samples_under_other_strategies(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "cc "}, corpus_fingerprint="f1")
    run = {A: "cc ", "unified_diff/strict": "  c"}
    relabelled = write_run(tmp_path / "run", run, corpus_fingerprint="f2", fingerprints={"s0001": 7})
    assert "1 sample with equal ids and different contents (s0001)" in refusal(base, relabelled).message
    same = write_run(tmp_path / "same", run, corpus_fingerprint="f2")
    assert compare(RunFolder(base), RunFolder(same)).notes == compare(RunFolder(base), RunFolder(base)).notes


def test_contents_of_samples_under_other_strategies_do_not_matter(tmp_path: Path) -> None:
    both = {A: "cc ", "unified_diff/strict": "  c"}
    base = write_run(tmp_path / "base", both, corpus_fingerprint="f1")
    run = write_run(tmp_path / "run", both, corpus_fingerprint="f2", fingerprints={"s0002": 9})
    assert only(compare(RunFolder(base), RunFolder(run), strategies=[A])).n_samples == 2
    assert "(s0002)" in refusal(base, run).message


@pytest.mark.parametrize("corpora", [("f1", "f2"), ("f1", None)])
def test_a_run_of_an_earlier_version_is_known_by_its_whole_corpus_alone(
    corpora: tuple[str, str | None], tmp_path: Path
) -> None:
    base = write_run(tmp_path / "base", {A: "cc"}, fingerprints={"s0000": None}, corpus_fingerprint=corpora[0])
    run = write_run(tmp_path / "run", {A: "cc"}, corpus_fingerprint=corpora[1])
    assert refusal(base, run).message.startswith("Nothing tells whether the samples of ")
    assert (
        only(
            compare(RunFolder(base), RunFolder(write_run(tmp_path / "same", {A: "cc"}, corpus_fingerprint="f1")))
        ).n_samples
        == 2
    )


def test_more_strategies_over_the_same_samples_are_fine(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "cc", "replacer/old": "cc"})
    run = write_run(tmp_path / "run", {B: "cc", A: "cm"})
    found = compare(RunFolder(base), RunFolder(run))
    assert [one.strategy for one in found.strategies] == [A]
    assert (found.only_base, found.only_run) == (["replacer/old"], [B])


def test_an_id_that_stands_for_two_samples_is_refused(tmp_path: Path) -> None:
    base, run = (
        write_run(tmp_path / "b", {A: "cm"}, ids=["s", "t"]),
        write_run(tmp_path / "r", {A: "cm"}, ids=["s", "s"]),
    )
    assert refusal(base, run).message == f"{run} has several outcomes of the sample 's' under '{A}'"
    assert refusal(run, base).message == refusal(base, run).message
    with pytest.raises(UsageError, match="several outcomes"):
        write_page(RunFolder(run), tmp_path / "page.html")


def test_an_unfinished_run_is_refused_with_what_to_do(tmp_path: Path) -> None:
    base, run = write_run(tmp_path / "base", {A: "c"}), write_run(tmp_path / "run", {A: "c"}, finished=None)
    assert "not finished" in refusal(base, run).message
    assert f"--resume -o {run}" in refusal(base, run).tip
    assert "not finished" in refusal(run, base).message


def test_runs_without_a_strategy_in_common_are_refused(tmp_path: Path) -> None:
    base, run = write_run(tmp_path / "base", {A: "c"}), write_run(tmp_path / "run", {B: "c"})
    assert "no strategy in common" in refusal(base, run).message
    assert "no strategy in common" in refusal(base, base, strategies=[B]).message


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    assert "not a run folder" in refusal(tmp_path, write_run(tmp_path / "run", {A: "c"})).message


def test_only_the_strategies_asked_for_are_compared(tmp_path: Path) -> None:
    base, run = write_run(tmp_path / "base", {A: "cc", B: "cc"}), write_run(tmp_path / "run", {A: "mm", B: "cm"})
    found = compare(RunFolder(base), RunFolder(run), strategies=[B])
    assert [one.strategy for one in found.strategies] == [B]
    assert turns(found) == [("s0001", "worse")]


def test_a_strategy_that_took_no_sample_is_not_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, {A: "  ", B: "cc"}, {A: "  ", B: "cc"})
    assert [one.strategy for one in found.strategies] == [B]
    nothing = compared(tmp_path / "none", {A: "  "}, {A: "  "})
    assert (nothing.strategies, nothing.n_samples) == ([], 0)
    assert sentence(nothing).startswith("Nothing was compared")


def test_another_version_of_a_strategy_is_told(tmp_path: Path) -> None:
    names = [A, *(f"x/{number}" for number in range(4))]
    base = write_run(tmp_path / "base", dict.fromkeys(names, "c"))
    run = write_run(tmp_path / "run", dict.fromkeys(names, "c"))
    manifest = read_manifest(run)
    start = "In another version than in the baseline: "
    for changed, told in (([], None), (names[:1], f"{start}{A}."), (names, f"{start}{A}, x/0, x/1 and 2 more.")):
        used = [replace(one, version="2") if one.name in changed else one for one in manifest.strategies]
        write_manifest(run, replace(manifest, strategies=used))
        assert (
            next((note for note in compare(RunFolder(base), RunFolder(run)).notes if note.startswith(start)), None)
            == told
        )


def test_other_time_limits_are_told(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c"})
    write_manifest(run := write_run(tmp_path / "run", {A: "c"}), replace(read_manifest(base), timeout_s=0.5))
    assert any("5 s in the baseline and 0.5 s" in note for note in compare(RunFolder(base), RunFolder(run)).notes)


# Rates


def test_rates_are_over_the_pairs_that_came_back_in_both(tmp_path: Path) -> None:
    one = only(compared(tmp_path, {A: "ccmwWrxcu"}, {A: "cwcwrWcxu"}))
    assert one.match_rate
    assert one.wrong_rate
    assert (one.match_rate.base, one.match_rate.run, one.match_rate.n) == (0.5, 0.5, 4)
    assert (one.match_rate.n_only_base, one.match_rate.n_only_run, one.match_rate.p_value) == (1, 1, None)
    assert (one.wrong_rate.base, one.wrong_rate.run, one.wrong_rate.n) == (2 / 6, 3 / 6, 6)
    assert one.wrong_rate.delta == pytest.approx(1 / 6)
    assert (one.wrong_rate.n_only_base, one.wrong_rate.n_only_run) == (1, 2)


def test_a_rate_over_nothing_is_absent(tmp_path: Path) -> None:
    one = only(compared(tmp_path, {A: "uu"}, {A: "uu"}))
    assert (one.match_rate, one.wrong_rate) == (None, None)
    one = only(compared(tmp_path / "refusals", {A: "rr"}, {A: "rW"}))
    assert one.match_rate is None
    assert one.wrong_rate
    assert one.wrong_rate.run == 0.5


def test_p_values_are_those_of_scipy_corrected_over_the_strategies(tmp_path: Path) -> None:
    base = {"cascade/a": "c" * 40, "cascade/b": "c" * 40, "cascade/c": "c" * 20 + "m" * 20, "cascade/u": "u" * 40}
    run = {
        "cascade/a": "m" * 9 + "c" * 31,
        "cascade/b": "m" * 6 + "c" * 34,
        "cascade/c": "cm" * 20,
        "cascade/u": "u" * 40,
    }
    rates = [one.match_rate for one in compared(tmp_path, base, run).strategies]
    found = [rate for rate in rates if rate]
    alone = [stats.binomtest(0, 9).pvalue, stats.binomtest(0, 6).pvalue, stats.binomtest(10, 20).pvalue]
    assert [rate.p_value for rate in found] == pytest.approx(alone)
    # Three strategies were tested; the one without labels was not.
    assert [rate.corrected_p for rate in found] == pytest.approx([3 * alone[0], 2 * alone[1], 1])


def test_the_interval_is_clustered_by_repository(tmp_path: Path) -> None:
    base, run = {A: "c" * 100}, {A: "m" * 20 + "c" * 80}
    repos = [f"r{i // 20}" for i in range(100)]
    alone = only(compared(tmp_path / "alone", base, run)).match_rate
    together = only(compared(tmp_path / "together", base, run, repos=repos)).match_rate
    single = compared(tmp_path / "single", base, run, repos=["r"] * 100)
    assert alone
    assert together
    assert alone.delta == together.delta == -0.2
    error = math.sqrt(0.2 * 0.8 / 100)
    assert alone.interval == pytest.approx((-0.2 - 1.96 * error, -0.2 + 1.96 * error), abs=0.02)
    # One repository of five lost all: what the others would do is not known.
    assert (together.interval, together.p_value) == (None, None)
    assert together.p_of_samples == alone.p_of_samples < 0.0001
    assert (one := only(single).match_rate)
    assert one.interval == pytest.approx(alone.interval)
    assert any("about edits in it" in note for note in single.notes)


def test_nothing_is_said_of_a_difference_in_few_repositories_but_the_numbers(tmp_path: Path) -> None:
    """Two samples that are lost are no interval from -100 to -100; five are none that excludes 0, with p = 0.06."""
    for n, is_known in ((2, False), (5, False), (6, True)):
        one = only(compared(tmp_path / str(n), {A: "c" * n}, {A: "m" * n})).match_rate
        assert one
        assert (one.interval is not None, one.p_value is not None) == (is_known, is_known)
        assert points(one).startswith("-100.0 (" if is_known else f"+0 -{n}, too few")


def test_a_run_without_samples_takes_each_by_itself(tmp_path: Path) -> None:
    base, run = write_run(tmp_path / "base", {A: "cccc"}), write_run(tmp_path / "run", {A: "cmcm"})
    rate = only(compare(RunFolder(base), RunFolder(run))).match_rate
    for folder in (base, run):
        for part in (folder / "samples").iterdir():
            part.unlink()
    assert only(compare(RunFolder(base), RunFolder(run))).match_rate == rate


@pytest.mark.parametrize(
    ("base", "run", "status"),
    [
        ("c" * 10, "c" * 10, Turn.SAME),
        ("c" * 10, "m" * 6 + "c" * 4, Turn.WORSE),
        ("m" * 6 + "c" * 4, "c" * 10, Turn.BETTER),
        ("m" * 10, "w" * 6 + "m" * 4, Turn.WORSE),
        ("w" * 10, "m" * 6 + "w" * 4, Turn.BETTER),
        ("c" * 10, "m" * 5 + "c" * 5, Turn.UNCLEAR),
        ("m" * 12, "w" * 6 + "c" * 6, Turn.WORSE),
        ("c" * 10, "w" + "c" * 9, Turn.NEWLY_WRONG),
        ("m" * 10 + "c", "c" * 10 + "w", Turn.NEWLY_WRONG),
        ("c" * 10, "x" * 10, Turn.UNCLEAR),
    ],
)
def test_the_word_for_a_strategy_follows_the_tests(tmp_path: Path, base: str, run: str, status: Turn) -> None:
    assert only(compared(tmp_path, {A: base}, {A: run})).status == status


# Latency


def test_latency_is_set_against_the_yardstick_so_that_machines_cancel_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    simple, mine = ([int(n) for n in rng.integers(1000, 90_000, 60)] for _ in range(2))
    verdicts = {SIMPLE: "c" * 60, A: "c" * 60, B: "c" * 60, MINE: "c" * 60}
    times = {SIMPLE: simple, A: mine, B: mine, MINE: mine}
    slower = {name: [factor * n for n in times[name]] for name, factor in {SIMPLE: 3, A: 3, B: 6, MINE: 345}.items()}
    base, run = (
        RunFolder(write_run(tmp_path / name, verdicts, latencies=some, cpus=some, first_cpus=some, n_timed=[4] * 60))
        for name, some in (("base", times), ("run", slower))
    )
    found = with_latencies(compare(base, run), Gate())
    ratios = {one.strategy: one.latency and round(one.latency.ratio, 3) for one in found.strategies}
    assert ratios == {SIMPLE: None, A: 1.0, B: 2.0, MINE: 115.0}
    failed = failures(found, Gate()) or []
    assert [(one.kind, one.strategy) for one in failed] == [(Rule.LATENCY, B), (Rule.LATENCY, MINE)]
    assert failed[0].message.startswith("takes 2.00 times as long as on the baseline; noise explains 1.33")
    # A program waits, so its CPU time tells.
    assert failed[1].message.startswith("takes 115.00 times the CPU time of the baseline")
    # The yardstick serves also where it is not asked for itself.
    assert only(with_latencies(compare(base, run, strategies=[B]), Gate())).latency == found.strategies[2].latency


def test_without_the_yardstick_twice_the_cpu_time_may_be_another_machine(tmp_path: Path) -> None:
    base, run = (
        RunFolder(write_run(tmp_path / name, {A: "cccc"}, cpus={A: [time] * 4}, n_timed=[4] * 4))
        for name, time in (("base", 100), ("run", 200))
    )
    found = with_latencies(compare(base, run), Gate())
    assert any(SIMPLE in note for note in found.notes)
    assert failures(found, Gate()) == []
