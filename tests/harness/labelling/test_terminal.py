"""A sitting in a real terminal: tmux presses the keys, and the process is killed in the middle."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora.readings.readings_file import answers
from tests.harness.labelling.test_case import edit
from tests.samples import write_jsonl

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


class Terminal:
    """A tmux server of its own, with one window."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "tmux"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=self.environment).stdout

    def start(self, *command: str) -> None:
        """Run a command in a new window, which stays open when it ends."""
        self("new-session", "-d", "-x", "120", "-y", "45", *command, ";", "set", "remain-on-exit", "on")

    def see(self, text: str) -> str:
        """The screen, as soon as it shows a text."""
        for _ in range(1200):  # A busy machine takes a while to start the program.
            screen = self("capture-pane", "-p")
            if text in screen:
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{text!r} is not on the screen:\n{screen}")

    def has_ended(self) -> bool:
        """Whether the command has ended."""
        return self("display-message", "-p", "#{pane_dead}").strip() == "1"

    def press(self, *keys: str) -> None:
        self("send-keys", *keys)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal(tmp_path)
    try:
        yield found
    finally:
        subprocess.run(["tmux", "-S", str(found.socket), "kill-server"], capture_output=True, check=False)


def test_a_sitting_that_is_killed_goes_on_where_it_was(terminal: Terminal, tmp_path: Path) -> None:
    samples = [edit(n, f"    return {1 + n % 2} ", "    return 3\x1b[31m") for n in range(4)]
    corpus = write_jsonl(tmp_path / "mine.jsonl", samples)
    before = corpus.read_bytes()
    command = [sys.executable, "-m", "harness", "label", str(corpus), "-s", "cascade/reference", "--reader", "jane"]
    terminal.start(*command)
    screen = terminal.see("1 of 4 (0 answered)")
    assert "return 3\\x1b[31m" in screen
    terminal.press("1")
    terminal.see("2 of 4 (1 answered)")
    terminal.press("r")
    terminal.see("Why should it be refused?")
    terminal.press("1")
    terminal.see("3 of 4 (2 answered)")
    os.kill(int(terminal("display-message", "-p", "#{pane_pid}")), signal.SIGKILL)
    while not terminal.has_ended():
        time.sleep(0.1)
    terminal("kill-server")
    assert [one.answer for one in answers(tmp_path / "mine.jane.readings").values()] == ["apply", "refuse"]
    terminal.start(*command)
    terminal.see("3 of 4 (2 answered)")
    terminal.press("u")
    terminal.see("2 of 4 (1 answered)")
    terminal.press("q")
    terminal.see("1 of 4 samples answered")
    assert [one.answer for one in answers(tmp_path / "mine.jane.readings").values()] == ["apply"]
    assert corpus.read_bytes() == before
