from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.harness.program import Program, call, call_in


@pytest.fixture
def editgauge(tmp_path: Path) -> Program:
    """Calls `editgauge` with some arguments, in a folder of its own; with `extra`, in a process of its own too."""
    return partial(call_in, tmp_path)


@pytest.fixture(scope="module")
def smoke_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smoke") / "run"
    assert call("run", "smoke", "-q", "-j", 1, "-s", "cascade/*", "-s", "insert/*", "-o", folder).exit_code == 0
    return folder
