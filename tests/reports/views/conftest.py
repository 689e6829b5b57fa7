"""A comparison that several tests of formats show."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.compare.comparison import Comparison, compare
from reports.runs.run_folder import RunFolder
from tests.reports.views.terminal import A
from tests.twins import write_run


@pytest.fixture
def found(tmp_path: Path) -> Comparison:
    """30 samples under two strategies: 8 newly wrong and 3 missed under one, one better under the other."""
    base = write_run(tmp_path / "base", {A: "c" * 30, "replacer/b": "m" + "c" * 29})
    run = write_run(tmp_path / "run", {A: "w" * 8 + "m" * 3 + "c" * 19, "replacer/b": "c" * 30})
    return compare(RunFolder(base), RunFolder(run))
