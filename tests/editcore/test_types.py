"""Results as type checkers see them: what a consumer gets needs no check for None."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.harness.program import ROOT


@pytest.mark.slow
def test_a_consumer_passes_mypy_in_strict_mode() -> None:
    line = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", "tests/consumer.py"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
