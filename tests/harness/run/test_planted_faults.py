"""`house` by itself shows a night what is wrong with a strategy: eight faults, each planted since the baseline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.program import install_in, run_in
from tests.harness.run import planted_faults
from tests.harness.run.planted_faults import FAULTS, PLANTED


@pytest.mark.slow
def test_each_planted_fault_fails_the_night_and_the_sound_strategy_does_not(tmp_path: Path) -> None:
    source = Path(planted_faults.__file__).read_text(encoding="utf-8")
    site = install_in(tmp_path / "site", source, **{name: f"others:{name}" for name in ("sound", *FAULTS)})
    # Pairs are enough, and a part of them: each fault but one turns dozens.
    line = ["nightly", "house", "-k", "format=str_replace", "-n", 400, "-s", "others/*"]
    line += ["--history", "nights", "-j", 1, "-q", "--json"]
    baseline = run_in(tmp_path, *line, extra=site)
    assert baseline.returncode == 0, baseline.stderr
    done = run_in(tmp_path, *line, extra=site | {PLANTED: "1"})
    assert done.returncode == 1, done.stderr
    failures = json.loads(done.stdout)["comparison"]["failures"]
    assert {one["strategy"] for one in failures} == {f"others/{name}" for name in FAULTS}
