from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from harness import progress
from harness.progress import show_progress
from tests.harness.program import command, environment


def test_elsewhere_than_on_a_terminal_a_line_is_printed_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 9.0, 10.0, 15.0, 30.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    with show_progress() as report:
        for n_done in (0, 1000, 1500, 4000):
            report(n_done, 4000)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "1,000 of 4,000 samples, about 30 s left\n4,000 of 4,000 samples, about 0 s left\n"


def test_nothing_is_printed_where_quiet_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_INTERVAL_S", 0.0)
    with show_progress(quiet=True) as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
@pytest.mark.parametrize(("continuous_integration", "has_bar"), [("", True), ("true", False)])
def test_on_a_terminal_there_is_a_bar_and_stdout_has_the_answer_only(
    tmp_path: Path, continuous_integration: str, has_bar: bool
) -> None:
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        command("run", "smoke", "-s", "cascade/exact", "-o", "run", "--json"),
        env=environment({"CI": continuous_integration, "TERM": "xterm"}),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        encoding="utf-8",
    )
    os.close(theirs)
    seen = b""
    # The end of a terminal is an error on Linux, and nothing to read elsewhere.
    with suppress(OSError):
        while piece := os.read(ours, 4096):
            seen += piece
    os.close(ours)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert (b"60/60" in seen) is has_bar
    assert (b" samples/s" in seen) is has_bar
    assert bool(re.search(rb"0:00:0\d\S* \S*elapsed, .*left", seen)) is has_bar
    assert (b"cascade/exact  " in seen and b"5 correct, 1 wrong, " in seen) is has_bar
    assert json.loads(stdout)
