from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from harness.commands.runs.summary import page_progress
from reports.page.document import write_page
from reports.runs.run_folder import RunFolder
from tests.twins import write_run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_says_what_is_being_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path, {"x/a": "cw", "x/b": "cc"})
    terminal = Terminal()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with page_progress(run) as progress:
        write_page(RunFolder(run), run / "report.html", progress=progress)
    assert "samples" in terminal.getvalue()
    assert "packing" in terminal.getvalue()


def test_progress_never_goes_back(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"x/a": "cw", "x/b": "cc"})
    noted: list[tuple[str, float]] = []
    write_page(RunFolder(run), run / "report.html", progress=lambda what, share: noted.append((what, share)))
    stages = list(dict.fromkeys(what for what, _ in noted))
    assert stages == ["outcomes", "rates", "texts", "packing"]
    assert noted == sorted(noted, key=lambda one: (stages.index(one[0]), one[1]))
    assert all(0 <= share <= 1 for _, share in noted)
