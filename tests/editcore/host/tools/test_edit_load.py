"""Many threads and processes at once: no edit is lost, none waits for ever, no lock file is one too many."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("more", [[], ["--backups"]], ids=["plain", "backups"])
def test_no_edit_is_lost_among_many_threads_and_processes(more: list[str]) -> None:
    command = [sys.executable, "-m", "tests.editcore.host.tools.edit_load", "--seconds", "3", "--processes", "4"]
    options = ["--threads", "4", "--files", "6", *more]
    ran = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(ran.stdout)
    assert found["applied"] == found["counted"] > 20
    assert set(found["refused"]) <= {"stale_read"}
    # Each edit counts in the same line, so whoever comes too late is shown both versions.
    assert sum(found["conflicts"].values()) == sum(found["refused"].values()) > 0
    assert found["n_lock_files"] <= 6
