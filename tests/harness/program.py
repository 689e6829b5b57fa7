"""The program as its users run it, also beside a package of somebody else's strategies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from harness.cli import main
from harness.strategies.registry import strategy

ROOT = Path(__file__).parents[2]

Program = Callable[..., subprocess.CompletedProcess[str]]
"""Arguments, and `extra` for the environment -> output and exit code."""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "harness", *map(str, arguments)]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment of the tests, without anybody's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EDITGAUGE", "COV_", "FORCE_"))}
    return kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONUTF8": "1"} | dict(extra or {})


def call(*arguments: object, typed: str | None = None) -> Result:
    """Call `editgauge` in this process; `typed` is the user's input."""
    return CliRunner().invoke(main, list(map(str, arguments)), input=typed)


def mistake(*arguments: object, typed: str | None = None) -> str:
    """Call `editgauge` with a user's mistake. Returns the two lines on stderr, after asserting that there is no other
    output.
    """
    done = call(*arguments, typed=typed)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    *_, what, remedy = done.stderr.splitlines()
    assert what.startswith("error: "), done.stderr
    assert remedy.startswith("  "), done.stderr
    return f"{what}\n{remedy}\n"


def document(*arguments: object) -> dict[str, Any]:
    """Call a command with --json in this process, and return its document."""
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    return found


def run_in(
    folder: Path, *arguments: object, extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `editgauge` in a folder, to its end."""
    return subprocess.run(
        command(*arguments), env=environment(extra), cwd=folder, capture_output=True, encoding="utf-8", check=False
    )


def call_in(
    folder: Path, *arguments: object, extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Call `editgauge` in a folder: in this process, or with `extra` in one of its own."""
    if extra:
        return run_in(folder, *arguments, extra=extra)
    strategy.cache_clear()  # A command's version is that of its files now.
    with chdir(folder):
        done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="editgauge")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def start_in(folder: Path, *arguments: object, extra: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start `editgauge` in a folder, as a terminal would: in a process group of its own, with Ctrl-C working."""
    return subprocess.Popen(
        command(*arguments), env=environment(extra), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def install_in(site: Path, source: str, **points: str) -> dict[str, str]:
    """Install a package of strategies as pip would leave it. Returns the environment that has it."""
    metadata = site / "others-1.2.dist-info"
    metadata.mkdir(parents=True)
    (site / "others.py").write_text(source)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.2\n")
    entries = "".join(f"others/{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[editgauge.strategies]\n{entries}")
    return {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
