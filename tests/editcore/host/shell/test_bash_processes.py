"""When a command in a shell ends, and what is left of it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psutil
import pytest

from tests.editcore.host.conftest import Project
from tests.editcore.host.shell.listening import told


def is_gone(pid: int) -> bool:
    """Whether it has ended within a second: a signal takes its time."""
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.01)
    return False


_BEFORE_IT_ENDS = 25
"""Seconds; what is waited for in vain would take 30."""


@contextmanager
def nothing_left() -> Iterator[None]:
    """No descriptor and no child more than before, ended or not."""
    us = psutil.Process()
    before = us.num_fds(), us.children()
    yield
    # There may be fewer: what earlier tests had open goes when it is collected.
    assert us.num_fds() <= before[0]
    assert us.children() == before[1]


def test_a_shell_that_can_not_be_started_is_an_error_of_the_disk(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project.root))
    with nothing_left():
        message = project.refused("bash", None, command="true")
    assert message == "The command could not be started (no such file or directory): nothing was run; try again."


def test_after_the_timeout_it_is_ended_and_what_it_printed_is_kept(project: Project) -> None:
    with nothing_left():
        start = time.monotonic()
        result = project.done("bash", command="echo before; sleep 30", timeout=500)
        assert 0.5 <= time.monotonic() - start < _BEFORE_IT_ENDS
    assert result.output == "before\n(ended after 500 ms: give a longer timeout if needed)"
    assert result.metadata["exit"] is None


def test_the_timeout_ends_grandchildren_that_hold_the_pipe_and_take_no_notice(project: Project) -> None:
    child = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(os.getpid(), flush=True)"
    command = f'(trap "" TERM; "{sys.executable}" -S -c "{child}; time.sleep(30)") & echo $!; wait'
    with nothing_left():
        start = time.monotonic()
        result = project.done("bash", command=command, timeout=500)
        assert time.monotonic() - start < _BEFORE_IT_ENDS
    pids = [int(line) for line in result.output.splitlines()[:-1]]
    assert len(set(pids)) >= 1
    assert all(map(is_gone, pids))


def test_a_command_can_say_something_while_it_is_ended(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcore.host.shell.bash._GRACE", 20)
    command = "trap 'echo bye; exit' TERM; echo hi; while :; do :; done"
    result = project.done("bash", command=command, timeout=500)
    assert result.output.startswith("hi\nbye\n(ended after 500 ms")


def test_a_shell_that_closes_its_outputs_is_waited_for_and_timed(project: Project) -> None:
    result = project.done("bash", command="exec >&- 2>&-; sleep 0.2; exit 4")
    assert result.output == "(exit code 4)"
    assert project.done("bash", command="exec >&- 2>&-; sleep 30", timeout=200).metadata["exit"] is None


@pytest.mark.parametrize("child", ["sleep 30", "while :; do echo more; sleep 0.01; done", "sleep 30 >/dev/null 2>&1"])
def test_a_child_in_the_background_is_ended_with_the_shell(project: Project, child: str) -> None:
    with nothing_left():
        start = time.monotonic()
        result = project.done("bash", command=f"({child}) & echo $!; exit 9")
        assert time.monotonic() - start < _BEFORE_IT_ENDS
    assert result.metadata["exit"] == 9
    (pid,) = (int(word) for word in result.output.split() if word.isdigit())
    assert is_gone(pid)


def test_what_a_child_prints_shortly_after_the_shell_is_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcore.host.shell.bash._LINGER", 20)
    assert project.done("bash", command="(sleep 0.1; echo late) &").output == "late\n"


def test_a_daemon_that_holds_the_pipe_does_not_hang_the_tool(project: Project) -> None:
    start = time.monotonic()
    result = project.done("bash", command="setsid sleep 30 & echo $!; sleep 0.1")
    assert time.monotonic() - start < _BEFORE_IT_ENDS
    os.kill(int(result.output), signal.SIGKILL)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, ValueError])
def test_whatever_is_raised_meanwhile_ends_the_command(project: Project, raised: type[BaseException]) -> None:
    pids: list[int] = []

    def listen(_: str, metadata: Mapping[str, Any]) -> None:
        if metadata["output"]:
            pids.extend(map(int, metadata["output"].split()))
            raise raised

    with nothing_left():
        with pytest.raises(raised):
            told(project, "sleep 30 & echo $$ $!; wait", listen)
        assert len(pids) == 2
        assert all(map(is_gone, pids))


def test_an_interrupt_from_the_keyboard_ends_the_command(project: Project) -> None:
    pids: list[int] = []
    is_up = threading.Event()

    def listen(_: str, metadata: Mapping[str, Any]) -> None:
        pids.extend(map(int, metadata["output"].split()))
        if pids:
            is_up.set()

    def interrupt() -> None:
        is_up.wait(10)
        signal.raise_signal(signal.SIGINT)

    # Who runs the tests in the background has them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    try:
        with nothing_left():
            thread.start()
            with pytest.raises(KeyboardInterrupt):
                told(project, "echo $$; sleep 30", listen)
            thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert is_gone(pids[0])


def test_several_threads_run_commands_at_once(project: Project) -> None:
    def run(n: int) -> str:
        """Waits for the next one, and the last for the first."""
        command = f"touch {n}; until [ -e {(n + 1) % 8} ]; do sleep 0.01; done; echo {n}"
        return project.done("bash", command=command, description=str(n), timeout=60_000).output

    with nothing_left(), ThreadPoolExecutor(8) as threads:
        assert list(threads.map(run, range(8))) == [f"{n}\n" for n in range(8)]


def test_a_host_that_ignores_its_children_gets_the_output(project: Project) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert project.done("bash", command="echo x").output == "x\n"
    finally:
        signal.signal(signal.SIGCHLD, before)
