"""Strategies of one run against each other: counts by hand, tests by scipy, and what holds for all outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from editcore.errors import UsageError
from reports.compare.between import Together, between, differing
from reports.compare.contrasts import Counted, contrasts_of, matrix
from reports.compare.costs import Standing, choices
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Outcome, SampleUsed, WrongEdit
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import read_grid
from reports.statistics.significance import holm
from reports.views.between_wording import advice, sentence
from tests.run_parts import write_part
from tests.twins import write_run

A, B = "cascade/a", "cascade/b"
# What a strategy does with a sample, in one letter: correct, missed, refused, wrong (two texts), unasked, unlabelled,
# crashed, and nothing at all.
VERDICTS = {"c": "correct", "m": "missed", "r": "refused", "w": "wrong_edit", "v": "wrong_edit", "u": "unlabelled",
            "x": "crashed", "q": "wrong_edit"}  # fmt: skip


def run_of(folder: Path, under: dict[str, str], *, n_repos: int = 3, language: Sequence[str] = ()) -> Path:
    """A run with a letter of `VERDICTS` for each strategy and sample; `-` where it did not run."""
    rows, edits = [], []
    for strategy, letters in under.items():
        for number, letter in enumerate(letters):
            if letter == "-":
                continue
            damage = {"w": "text", "v": "place", "q": "unasked"}.get(letter)
            reason = "no_match" if letter in "mr" else None
            rows.append(Outcome(f"s{number}", strategy, VERDICTS[letter], damage, reason, None, 1, 1000))
            if damage:
                given = f"x = {letter}\n"
                edits.append(WrongEdit(f"s{number}", strategy, damage, None, "a.py", 1, "x = 1\n", given, "edit"))
    n = max(map(len, under.values()))
    samples = [
        SampleUsed(
            f"s{i}", "str_replace", "apply", repo=f"r{i % n_repos}",
            tags=(f"language:{language[i % len(language)]}",) if language else (),
        )
        for i in range(n)
    ]  # fmt: skip
    write_part(folder, "0", rows, edits, samples, metadata={})
    used = [StrategyUsed(name, "1") for name in under]
    write_manifest(
        folder, Manifest(["editgauge"], 0, [CorpusUsed("made", n)], used, 5, "abc", "2026-11-21T03:00:00Z")
    )  # fmt: skip
    return folder


def test_pairs_are_counted_by_hand(tmp_path: Path) -> None:
    """s0 both right, s1-s2 only a, s3 only b, s4 both refused, s5 the same text, s6 other texts, s7 one refused."""
    run_of(tmp_path, {A: "cccmmwwmuxr-", B: "cmwcmwvwucrc"})
    (pair,) = between(RunFolder(tmp_path), [A, B]).pairs
    assert pair.tally.both_right == 2  # s0 and the rightful refusal, s10
    assert (pair.tally.only_first, pair.tally.only_second) == (2, 1)
    assert (pair.tally.wrong_alike, pair.tally.wrong_differently) == (2, 2)
    assert (pair.tally.n, pair.n_unlabelled, pair.n_failed) == (9, 1, 1)
    assert pair.standings == (Standing(A, 3, 2), Standing(B, 2, 4))
    assert pair.discordant[Together.ONLY_FIRST] == (1, 2)
    assert pair.discordant[Together.WRONG_DIFFERENTLY] == (6, 7)
    assert pair.break_even is not None
    assert (pair.break_even.cost, pair.break_even.safer, pair.break_even.keener) == (0.5, A, B)
    assert pair.match_rate is not None
    assert pair.match_rate.n == 8  # Without the rightful refusal.
    assert pair.match_rate.delta == -1 / 8


def test_the_discordant_samples_have_both_outcomes_and_both_texts(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "cw", B: "wv"})
    found = between(RunFolder(tmp_path), [A, B])
    shown = differing(found, found.pairs[0], limit=5)
    (one,) = shown[Together.ONLY_FIRST]
    assert [side.verdict for side in one.sides] == ["correct", "wrong_edit"]
    assert one.edits[0] is None
    assert one.edits[1] is not None
    assert one.edits[1].given == "x = w\n"
    (both,) = shown[Together.WRONG_DIFFERENTLY]
    assert [edit and edit.given for edit in both.edits] == ["x = w\n", "x = v\n"]
    assert differing(found, found.pairs[0], limit=0)[Together.ONLY_FIRST] == []


def test_p_values_are_those_of_scipy_corrected_by_holm(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "c" * 20, B: "m" * 9 + "c" * 11, "cascade/c": "c" * 12 + "m" * 8}, n_repos=20)
    found = between(RunFolder(tmp_path), [A, B, "cascade/c"])
    raw = [
        binomtest(pair.tally.only_first, pair.tally.only_first + pair.tally.only_second).pvalue for pair in found.pairs
    ]
    assert [pair.right and pair.right.p_value for pair in found.pairs] == pytest.approx(raw)
    assert [pair.right and pair.right.p_of_samples for pair in found.pairs] == pytest.approx(holm(raw))
    by_size = sorted(raw)
    smallest = found.pairs[raw.index(by_size[0])].right
    assert smallest is not None
    assert smallest.corrected_p == pytest.approx(3 * by_size[0])


def test_a_difference_over_pairs_can_be_certain_where_the_intervals_of_both_rates_share_values(tmp_path: Path) -> None:
    """60 and 70 of 100 by themselves may be equal; that ten samples turned and none back is no chance."""
    run_of(tmp_path, {A: "c" * 60 + "m" * 40, B: "c" * 70 + "m" * 30}, n_repos=20)
    (pair,) = between(RunFolder(tmp_path), [A, B]).pairs
    assert pair.right is not None
    assert pair.right.is_significant()
    assert pair.right.interval is not None
    assert pair.right.interval[0] > 0
    assert sentence(pair).startswith(f"Take {B} at any cost of a wrong edit: of 100 samples, ")


def test_groups_are_the_pair_again_on_a_part_of_the_samples(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "ccccmm", B: "mcmcmc"}, language=["go", "rust"])
    (pair,) = between(RunFolder(tmp_path), [A, B]).pairs
    by = {one.group: one.tally for one in pair.groups if one.key == "language"}
    assert by["go"].only_first == 2
    assert by["rust"].only_second == 1
    assert {one.key for one in pair.groups} == {"language"}  # All samples have one format, and no mutator.


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "cc--u", B: "--ccu"})
    with pytest.raises(UsageError, match="share samples, but none with a known right answer"):
        between(RunFolder(tmp_path), [A, B])
    with pytest.raises(UsageError, match="no sample in common"):
        between(RunFolder(tmp_path), [A, B], only={"s0"})
    with pytest.raises(UsageError, match="needs two strategies"):
        between(RunFolder(tmp_path), [A])


def test_one_repository_has_no_intervals(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "ccw", B: "mmm"}, n_repos=1)
    (pair,) = between(RunFolder(tmp_path), [A, B]).pairs
    assert pair.right is not None
    assert pair.right.interval is None
    assert pair.break_even is None or pair.break_even.interval is None


def test_a_matrix_counts_each_direction(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "ccmwx", B: "cmmcc", "patch/c": "-----c"})
    found = matrix(read_grid(RunFolder(tmp_path), [A, B, "patch/c"]))
    cell = found.cells[0][1]
    assert cell is not None
    assert (cell.n_only_row, cell.n_only_column, cell.n) == (1, 1, 4)
    assert found.cells[0][0] is None
    assert found.cells[0][2] is None
    assert found.n_pairs == 1


def test_advice_names_the_ranges_of_costs(tmp_path: Path) -> None:
    run_of(tmp_path, {A: "c" * 6 + "m" * 6, B: "c" * 8 + "mmmw", "cascade/c": "c" * 9 + "www"})
    first, *pairs = advice(between(RunFolder(tmp_path), [A, B, "cascade/c"]))
    assert first == (
        "Of all, on the 12 samples that count for each: cascade/c if a wrong edit is as bad as up to 1.5 missed ones; "
        "cascade/b if a wrong edit is as bad as from 1.5 to 3 missed ones; "
        "cascade/a if it is worse than 3 missed ones."
    )
    assert len(pairs) == 3


LETTERS = st.sampled_from("cmrwvuxq-")


@settings(max_examples=12)
@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=30))
def test_the_other_order_is_the_mirror_and_counts_add_up(
    tmp_path_factory: pytest.TempPathFactory, letters: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    run_of(folder, {A: "".join(one for one, _ in letters), B: "".join(other for _, other in letters)})
    try:
        (forth,) = between(RunFolder(folder), [A, B]).pairs
    except UsageError:
        return
    (back,) = between(RunFolder(folder), [B, A]).pairs
    assert (forth.tally.only_first, forth.tally.only_second) == (back.tally.only_second, back.tally.only_first)
    assert forth.tally.wrong_alike == back.tally.wrong_alike
    assert forth.tally.wrong_differently == back.tally.wrong_differently
    assert forth.standings == tuple(reversed(back.standings))
    ranges = [[(set(one.strategies), one.above, one.upto) for one in pair.together] for pair in (forth, back)]
    assert ranges[0] == ranges[1]
    assert forth.break_even == back.break_even
    assert forth.right is not None
    assert back.right is not None
    assert forth.right.delta == -back.right.delta
    assert forth.right.p_value == back.right.p_value
    both = sum(1 for one, other in letters if "-" not in (one, other))
    assert forth.tally.n + forth.n_unlabelled + forth.n_failed == both
    cells = matrix(read_grid(RunFolder(folder), [A, B])).cells
    assert cells[0][1] is not None
    assert cells[0][1].n_only_row == forth.tally.only_first
    assert cells[0][1].n == forth.tally.n


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6),
    st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=97),
)
def test_the_choice_for_a_cost_has_the_least_loss(counts: list[tuple[int, int]], cost: Fraction) -> None:
    standings = [Standing(f"s{number}", *pair) for number, pair in enumerate(counts)]
    found = choices(standings)
    (chosen,) = (one for one in found if one.above < cost and (one.upto is None or cost <= one.upto))
    losses = {one.strategy: one.n_missed + cost * one.n_wrong for one in standings}
    assert all(losses[name] <= min(losses.values()) * (1 + Fraction(1, 10**12)) for name in chosen.strategies)
    assert found[0].above == 0
    assert found[-1].upto is None
    assert all(one.upto == other.above for one, other in pairwise(found))


def test_a_rate_over_nothing_is_absent() -> None:
    none = np.zeros(3, dtype=bool)
    assert contrasts_of([Counted(none, none, none)], [None]) == [None]


def test_a_crash_counts_as_not_right_where_the_run_says_what_is_right(tmp_path: Path) -> None:
    write_run(tmp_path, {A: "cccc" + "x" * 4, B: "cccm" + "c" * 3 + "f"}, failed_label="apply")
    (pair,) = between(RunFolder(tmp_path), [A, B]).pairs
    assert (pair.tally.n, pair.n_failed, pair.n_unlabelled) == (8, 0, 0)
    assert (pair.tally.both_right, pair.tally.only_first, pair.tally.only_second) == (3, 1, 3)
    assert pair.standings == (Standing(A, 4, 0), Standing(B, 1, 1))
