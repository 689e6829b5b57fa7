"""What a run is made on: the machine, and the commit of the folder it is started in."""

from __future__ import annotations

import os
import platform
import subprocess
import sys


def machine() -> dict[str, object]:
    """The system, its processors and the Python that editgauge runs on."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "n_cores": os.cpu_count(),
    }


def git_commit() -> str | None:
    """The commit of the git repository that editgauge is run in, if it is in one."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None
