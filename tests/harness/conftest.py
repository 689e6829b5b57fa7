from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.harness.program import Program, call_in


@pytest.fixture
def editgauge(tmp_path: Path) -> Program:
    """Calls `editgauge` with some arguments, in a folder of its own; with `extra`, in a process of its own too."""
    return partial(call_in, tmp_path)
