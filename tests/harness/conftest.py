from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.harness.program import Program, run_in


@pytest.fixture
def editgauge(tmp_path: Path) -> Program:
    """Runs `editgauge` with some arguments, in a folder of its own, to its end."""
    return partial(run_in, tmp_path)
