"""The terminal page, driven by keys: the real application, strategies, files and editor, also in a real terminal."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from corpora.readings.readings_file import ReadingsFile, answers
from corpora.sample import Sample
from harness.labelling.page import Page
from harness.labelling.sitting import Sitting
from harness.strategies.registry import select
from tests.harness.labelling.test_sitting import BEFORE, HOSTILE, THREE, edit
from tests.samples import write_jsonl

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
SAMPLES = (edit(0, "    return 2 ", "    return 3"), edit(1, "    return 1 ", "    return 4"), edit(2, "gone", HOSTILE))


def drive(
    path: Path, keys: Sequence[str], *, samples: Sequence[Sample] = SAMPLES, look: Callable[[Page], None] | None = None
) -> Sitting:
    """One sitting: press these keys, then look at the page."""

    async def press_and_look(page: Page) -> None:
        async with page.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            await press(pilot, keys)
            if look:
                look(page)

    with ReadingsFile(path) as file:
        sitting = Sitting(samples, select(THREE), file, "jane", lambda: NOON)
        asyncio.run(press_and_look(Page(sitting)))
    return sitting


async def press(pilot: Pilot[None], keys: Sequence[str]) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def text_of(page: Page, name: str) -> str:
    return "".join(str(one.visual) for one in page.query(f"#{name}, #{name} Static").results(Static))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jane.readings"


def test_a_result_is_right_a_refusal_has_a_reason_and_a_skip_is_no_answer(path: Path) -> None:
    sitting = drive(path, ["1", "r", "2", "s"])
    found = answers(path)
    assert set(found) == {"s0", "s1"}
    assert found["s0"].answer == "apply"
    assert found["s0"].target
    assert found["s0"].target[0].content == BEFORE.replace("return 2", "return 3")
    assert found["s0"].strategies == ("cascade/reference", "cascade/opencode_1_17")
    assert (found["s0"].reader, found["s0"].at) == ("jane", "2026-11-22T12:00:00Z")
    assert (found["s1"].answer, found["s1"].reason) == ("refuse", "ambiguous")
    assert sitting.at == len(SAMPLES)


@pytest.mark.slow
def test_choosing_a_refusal_asks_why_and_escape_goes_back(path: Path) -> None:
    drive(path, ["2", "escape"])
    assert answers(path) == {}
    drive(path, ["2", "1"])
    assert answers(path)["s0"].reason == "absent"


def test_undo_takes_back_the_last_answer_and_shows_its_sample(path: Path) -> None:
    sitting = drive(path, ["1", "1", "u"])
    assert set(answers(path)) == {"s0"}
    assert sitting.at == 1
    assert drive(path, ["u"]).at == 0  # Of an earlier sitting, too.
    assert answers(path) == {}
    drive(path, ["u"], look=lambda page: _shows(page, "said", "There is no answer"))


def _shows(page: Page, name: str, text: str) -> None:
    assert text in text_of(page, name)


@pytest.mark.slow
def test_the_next_sitting_goes_on_where_the_last_one_ended_with_skipped_samples_at_the_end(path: Path) -> None:
    assert drive(path, ["1", "s"]).at == 2
    sitting = drive(path, [])
    assert (sitting.at, sitting.n_answered) == (2, 1)
    assert drive(path, ["r", "1"]).at == 3  # Skipped in this corpus order before it, and offered at the next start.
    assert drive(path, []).at == 1


@pytest.mark.slow
def test_an_answer_to_another_version_of_a_sample_is_no_answer(path: Path) -> None:
    drive(path, ["1"])
    changed = (edit(0, "    return 2 ", "    return 5"), *SAMPLES[1:])
    assert drive(path, [], samples=changed).at == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "kept", "says"),
    [
        ("sed -i s/3/33/", BEFORE.replace("return 2", "return 33"), "the edited result is right"),
        ("sed -i s/3/2/", None, "as they were before the edit"),
        ("false", None, "ended with code 1"),
        ("no-such-editor-at-all", None, "does not start"),
        ("rm", None, "cannot be read back"),
        ("'", None, "does not start"),
    ],
)
def test_the_right_result_is_what_the_editor_leaves(
    path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kept: str | None, says: str
) -> None:
    monkeypatch.setenv("VISUAL", command)
    drive(path, ["e"], look=lambda page: _shows(page, "said", says))
    assert (answers(path)["s0"].target[0].content if kept else answers(path)) == (kept or {})  # type: ignore[index]


@pytest.mark.slow
def test_what_cannot_be_an_answer_is_said(path: Path) -> None:
    same = edit(0, "return 1", "return 1")
    drive(path, ["9"], look=lambda page: _shows(page, "said", "There is no result 9"))
    drive(path, ["n", "n", "n"], look=lambda page: _shows(page, "head", "3 of 3"))
    drive(path, ["p"], samples=[same], look=lambda page: _shows(page, "head", "1 of 1"))
    assert answers(path) == {}


@pytest.mark.slow
def test_at_the_end_no_key_answers_anything(path: Path) -> None:
    drive(path, ["1", "1", "r", "1"])
    before = path.read_bytes()
    drive(path, ["1", "r", "s", "e", "d"], look=lambda page: _shows(page, "head", "3 of 3 answered"))
    assert path.read_bytes() == before


def test_what_a_model_wrote_is_shown_and_not_obeyed(path: Path) -> None:
    def look(page: Page) -> None:
        shown = text_of(page, "edit")
        assert "\\x1b]0;owned" in shown
        assert "[bold red]x[/]" in shown
        assert "\x1b" not in shown

    drive(path, ["n", "n"], look=look)


@pytest.mark.slow
def test_an_answer_that_cannot_be_saved_is_said_and_asked_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    sitting = drive(path, ["1"], look=lambda page: _shows(page, "said", "Not saved: No space left on device"))
    assert sitting.at == 0
    assert answers(path) == {}


def test_a_result_that_was_not_on_the_screen_is_shown_and_not_chosen(path: Path) -> None:
    long = edit(0, "    return 2 ", "    return 3\n" + "".join(f"    # {n}\n" for n in range(60)))
    said: list[str] = []
    drive(path, ["1"], samples=[long], look=lambda page: said.append(text_of(page, "said")))
    assert said == ["Result 1 was not on the screen yet: this is it; press 1 again if it is right."]
    assert answers(path) == {}
    drive(path, ["1", "1"], samples=[long])
    assert answers(path)["s0"].answer == "apply"


# A sitting in a real terminal: tmux presses the keys, and the process is killed in the middle.

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
        """Run a command in a new window, which stays open after the command's end."""
        self("new-session", "-d", "-x", "120", "-y", "45", *command, ";", "set", "remain-on-exit", "on")

    def see(self, text: str) -> str:
        """Wait until the screen shows a text, and return the screen."""
        for _ in range(1200):  # A busy machine takes a while to start the program.
            screen = self("capture-pane", "-p")
            if text in screen:
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{text!r} is not on the screen:\n{screen}")

    def has_ended(self) -> bool:
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
