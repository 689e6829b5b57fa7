"""Calibration: counts per tier, and confidence fitted without the repository it is checked on."""

from __future__ import annotations

from reports.runs.rows import Outcome, SampleUsed
from reports.statistics.breakdown import calibration

SAMPLES = [SampleUsed(f"s{n}", "str_replace", "apply", repo=f"r{n % 7}") for n in range(70)]


def _outcome(n: int, verdict: str, tier: str | None = "indentation") -> Outcome:
    return Outcome(f"s{n}", "cascade/recommended", verdict, replacer=tier)


def test_only_applied_and_labelled_edits_count() -> None:
    outcomes = [
        _outcome(0, "correct"),
        _outcome(1, "wrong_edit"),
        _outcome(2, "missed", None),
        _outcome(3, "unlabelled"),
    ]
    found = calibration(SAMPLES, outcomes)
    assert found.counts == {"indentation": (1, 1)}
    (row,) = found.reliability
    assert (row.tier, row.n, row.right) == ("indentation", 2, 0.5)


def test_a_tier_that_is_as_good_everywhere_is_calibrated() -> None:
    outcomes = [_outcome(n, "wrong_edit" if n % 10 == 0 else "correct") for n in range(70)]
    found = calibration(SAMPLES, outcomes)
    assert found.error < 0.02
    assert abs(found.reliability[0].stated - 0.9) < 0.02


def test_a_tier_that_fails_in_one_repository_only_is_not() -> None:
    outcomes = [_outcome(n, "wrong_edit" if n % 7 == 0 else "correct") for n in range(70)]
    rows = calibration(SAMPLES, [one for one in outcomes if one.sample_id != "s0"]).reliability
    assert rows[0].stated != rows[0].right


def test_nothing_applied_is_no_error() -> None:
    assert calibration(SAMPLES, []).error == 0


def test_folds_are_those_that_hold_an_edit() -> None:
    outcomes = [_outcome(n, "correct") for n in range(70)]
    assert calibration(SAMPLES, outcomes).n_folds == 4  # Of 5, one has none of the 7 repositories.
    assert calibration(SAMPLES, outcomes, n_folds=10**9).n_folds == 7
    assert calibration(SAMPLES, outcomes[:2], n_folds=100_000).n_folds == 2
    assert calibration(SAMPLES, outcomes[:1]).n_folds == 1
