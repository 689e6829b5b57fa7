"""The script that says how often intervals of rates hold the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from docs.interval_coverage import STRATEGIES, coverage, main, of_samples
from reports.measurements.interval import clustered
from tests.twins import write_run


def test_a_run_has_a_row_for_each_rate_and_method(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(write_run(tmp_path, dict.fromkeys(STRATEGIES, "cwmrcc"), repos=list("aabbcd")), n_draws=20)
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == ["match", "match", "wrong", "wrong"] * 2
    assert all("60.0 %" in row or "16.7 %" in row for row in rows)


def test_copies_make_single_samples_too_sure_and_clusters_not() -> None:
    own = np.random.default_rng(1).binomial(20, 0.8, 40)
    sums = (own * 50, np.full(40, 1000), np.full(40, 1000))
    assert coverage(sums, of_samples, n_draws=300).held < 0.6
    assert 0.9 < coverage(sums, clustered, n_draws=300).held < 1
    assert coverage(sums, clustered, n_draws=300) == coverage(sums, clustered, n_draws=300)
