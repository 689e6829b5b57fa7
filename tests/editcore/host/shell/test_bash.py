"""Commands run in a real shell: their output, permissions, and the end of their processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest

from editcore.host.host import Agent
from editcore.host.shell.bash import BASH, CapturedOutput
from editcore.host.tool import Context
from tests.editcore.host.conftest import Project
from tests.editcore.host.shell.listening import told


def test_both_outputs_come_in_the_order_in_which_they_were_printed(project: Project) -> None:
    result = project.done("bash", command="for n in 1 2 3; do echo out $n; echo err $n >&2; done", description="Count")
    assert result.output == "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
    assert result.title == "Count"
    assert result.metadata == {"output": result.output, "exit": 0, "description": "Count", "truncated": False}


def test_the_exit_code_is_told_and_is_no_error_of_the_tool(project: Project) -> None:
    result = project.done("bash", command="printf no; exit 3")
    assert result.output == "no\n(exit code 3)"
    assert (result.metadata["exit"], result.metadata["output"], result.title) == (3, "no", "printf no; exit 3")
    assert project.done("bash", command="false").output == "(exit code 1)"
    assert project.done("bash", command="surely-no-such-program").metadata["exit"] == 127


def test_a_shell_that_a_signal_ended_has_the_exit_code_that_shells_give(project: Project) -> None:
    assert project.done("bash", command="kill -9 $$").metadata["exit"] == 128 + signal.SIGKILL


def test_no_output_is_told(project: Project) -> None:
    assert project.done("bash", command="true").output == "(no output)"


def test_there_is_nothing_to_read(project: Project) -> None:
    assert project.done("bash", command="cat; echo end").output == "end\n"


def test_bytes_that_are_no_text_are_replaced(project: Project) -> None:
    assert project.done("bash", command=r"printf '\xff\xc3\xa9\xe6\xbc'").output == "\ufffdé\ufffd"


def test_it_runs_in_the_project_or_in_the_workdir(project: Project) -> None:
    project.lay("below/file", "x")
    assert project.done("bash", command="pwd").output == f"{project.root}\n"
    assert project.done("bash", command="pwd", workdir="below").output == f"{project.root}/below\n"
    assert [one.permission for one in project.asked] == ["bash", "bash"]


def test_a_workdir_that_is_no_directory_is_refused(project: Project) -> None:
    project.lay("file", "x")
    for workdir in ("missing", "file"):
        message = project.refused("bash", "not_found", command="touch ran", workdir=workdir)
        assert message == f"There is no directory {workdir}: nothing was run; give a workdir that exists."
    assert not (project.root / "ran").exists()


@pytest.mark.parametrize("text", ["echo a\0b", "echo \ud800"])
def test_what_no_shell_can_be_given_is_refused(project: Project, text: str) -> None:
    message = project.refused("bash", "malformed", command=text)
    assert message.startswith("bash: command contains a NUL or a lone surrogate: nothing was run")
    assert "workdir contains a NUL" in project.refused("bash", "malformed", command="true", workdir=text)
    assert project.asked == []


def test_a_command_that_is_too_long_is_refused(project: Project) -> None:
    message = project.refused("bash", "too_large", command="#" * 100_001)
    assert message == ("bash: command has 100,001 bytes (limit 100,000): nothing was run; write it to a file first.")
    assert project.done("bash", command="#" * 100_000).output == "(no output)"


def test_where_there_is_no_bash_sh_does_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.root / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(project.root))
    assert project.done("bash", command="echo $0").output.endswith("sh\n")


def test_output_is_seen_before_the_command_ends(project: Project) -> None:
    seen: list[str] = []

    def listen(_: str, metadata: Mapping[str, Any]) -> None:
        seen.append(metadata["output"])
        if "first" in metadata["output"]:
            (project.root / "go").touch()

    command = "echo first; for _ in $(seq 100); do [ -e go ] && echo second && exit; sleep 0.05; done; exit 1"
    assert told(project, command, listen).output == "first\nsecond\n"
    assert seen[0] == ""
    assert seen[-1] == "first\nsecond\n"
    assert "first\n" in seen


def test_who_listens_is_told_ten_times_a_second_at_most_and_once_more(project: Project) -> None:
    calls: list[tuple[float, str, Mapping[str, Any]]] = []
    command = "for n in $(seq 60); do echo $n; sleep 0.01; done"
    told(project, command, lambda *told: calls.append((time.monotonic(), *told)), description="Count")
    times = [at for at, *_ in calls]
    assert 3 <= len(calls) <= (times[-1] - times[0]) / 0.1 + 2
    assert all(later - earlier >= 0.09 for earlier, later in pairwise(times[:-1]))
    assert {title for _, title, _ in calls} == {"Count"}
    assert calls[-1][2]["exit"] == 0
    assert calls[-1][2]["output"].endswith("59\n60\n")
    assert all(metadata["description"] == "Count" for *_, metadata in calls)


def test_a_silent_command_is_not_talked_about(project: Project) -> None:
    calls: list[Any] = []
    told(project, "sleep 0.4", lambda *_: calls.append(_))
    assert len(calls) == 2


def test_while_it_runs_the_last_30_000_characters_are_shown(project: Project) -> None:
    result = project.done("bash", command="seq 20000")
    shown = result.metadata["output"]
    assert shown.startswith("... what came before is left out ...\n")
    assert shown.endswith("\n19999\n20000\n")
    assert len(shown.partition("\n")[2]) == 30_000


def test_of_a_long_output_the_model_gets_the_end_and_the_file_is_whole(project: Project) -> None:
    result = project.done("bash", command="seq 5000; exit 1")
    assert result.output.startswith("... 3,001 lines truncated ...\nThe whole output is in ")
    assert result.output.endswith("4999\n5000\n(exit code 1)")
    whole = Path(result.metadata["output_path"]).read_text()
    assert whole == "".join(f"{n}\n" for n in range(1, 5001)) + "(exit code 1)"


def test_five_megabytes_come_at_once(project: Project) -> None:
    result = project.done("bash", command="head -c 5000000 /dev/zero | tr '\\0' x")
    assert Path(result.metadata["output_path"]).read_text() == "x" * 5_000_000


def test_of_endless_output_the_first_and_the_last_megabytes_are_kept(project: Project) -> None:
    result = project.done("bash", command="echo first; head -c 25000000 /dev/zero | tr '\\0' x; echo last")
    whole = Path(result.metadata["output_path"]).read_text()
    assert whole.startswith("first\nxxx")
    assert whole.endswith("xxxlast\n")
    note = "\n... 15,000,011 bytes were not kept ...\n"
    assert note in whole
    assert len(whole) == 10_000_000 + len(note)


def test_what_is_gathered_is_bounded_and_a_half_character_waits() -> None:
    gathered = CapturedOutput()
    gathered.add(b"\xc3")
    assert (gathered.end, gathered.text) == ("", "\ufffd")
    gathered.add(b"\xa9")
    assert (gathered.end, gathered.text) == ("é", "é")
    gathered.add("😀".encode() * 40_000)
    assert gathered.end == "... what came before is left out ...\n" + "😀" * 30_000


def test_parameters_have_bounds(project: Project) -> None:
    assert "command" in project.refused("bash", "malformed", command="")
    for timeout in (0, 600_001):
        assert "timeout" in project.refused("bash", "malformed", command="true", timeout=timeout)


def test_the_tool_keeps_the_tail(project: Project) -> None:
    tool = BASH(project.host, Agent())
    assert tool is not None
    assert tool.keep == "tail"


# What is asked before a command runs in a shell.


def test_a_workdir_outside_of_the_project_is_asked_for(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.root / "link").symlink_to(tmp_path / "elsewhere")
    for workdir in ("../elsewhere", str(tmp_path / "elsewhere"), "link"):
        project.asked.clear()
        assert project.done("bash", command="touch x; pwd", workdir=workdir).output == f"{tmp_path}/elsewhere\n"
        assert [(one.permission, one.patterns[0]) for one in project.asked] == [
            ("external_directory", f"{tmp_path}/elsewhere/*"),
            ("bash", "touch x"),
        ]


@pytest.mark.parametrize("refused", ["bash", "external_directory"])
def test_without_permission_nothing_runs(project: Project, tmp_path: Path, refused: str) -> None:
    project.answer = lambda request: request.permission != refused
    message = project.refused("bash", "not_allowed", command=f"touch ran; touch {tmp_path}/ran")
    assert message.startswith(f"The permission {refused} was refused for ")
    assert not (project.root / "ran").exists()
    assert not (tmp_path / "ran").exists()


def test_where_nobody_can_be_asked_nothing_runs(project: Project) -> None:
    result = project.registry.call(project.agent, "bash", Context(), {"command": "touch ran"})
    assert result.metadata["reason"] == "not_allowed"
    assert not (project.root / "ran").exists()


def test_the_question_shows_the_command_and_its_parts(project: Project) -> None:
    command = "git status | grep -c M; X=1 npm run test -- -v > log; (ls; ls)"
    project.answer = lambda _: False
    project.refused("bash", "not_allowed", command=command, description="Look")
    (asked,) = project.asked  # The first that is refused.
    assert (asked.permission, asked.patterns, asked.always) == ("edit", ("log",), ("log",))
    project.asked.clear()
    project.answer = lambda request: request.permission == "edit"
    project.refused("bash", "not_allowed", command=command, description="Look")
    asked = project.asked[-1]
    assert asked.patterns == ("git status", "grep -c M", "X=1 npm run test -- -v > log", "ls")
    assert asked.always == ("git status *", "grep *", "X=1 npm run test -- -v > log", "ls *")
    assert asked.metadata == {"command": command, "description": "Look"}


def test_what_a_redirection_writes_is_asked_for_as_an_edit_of_the_file_that_a_link_leads_to(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    (project.root / "link").symlink_to(tmp_path / "there")
    project.answer = lambda request: request.permission != "bash"
    project.refused("bash", "not_allowed", command="ls > a 2>> link/b; ls >&2 >/dev/null")
    assert [(one.permission, one.patterns, one.always) for one in project.asked[:-1]] == [
        ("external_directory", (f"{tmp_path}/there/*",), (f"{tmp_path}/there/*",)),
        ("edit", ("a", f"{tmp_path}/there/b"), ("a", f"{tmp_path}/there/b")),
    ]


@pytest.mark.parametrize(
    "command",
    ["rm $X", "rm {a,../b}", "cat `ls`", "rm .*", "rm */*/*", "cat > $X", "rm 'a", "cd $X; rm a", "ls " + "a" * 10_000],
)
def test_paths_that_are_not_known_are_asked_for_and_never_for_always(project: Project, command: str) -> None:
    project.answer = lambda request: request.permission == "bash"
    project.refused("bash", "not_allowed", command=command)
    (asked,) = project.asked
    assert (asked.permission, asked.patterns, asked.always) == ("external_directory", ("*",), ())


def test_a_glob_is_asked_for_where_the_links_it_matches_lead(project: Project, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (project.root / "link").symlink_to(tmp_path / "there")
    project.answer = lambda request: request.permission == "bash"
    project.refused("bash", "not_allowed", command="cat l*")
    assert project.asked[0].patterns == (f"{tmp_path}/there/*",)


def test_a_directory_with_wildcards_is_never_asked_for_always(project: Project, tmp_path: Path) -> None:
    (tmp_path / "a*").mkdir()
    project.answer = lambda request: request.permission == "bash"
    project.refused("bash", "not_allowed", command="cat '../a*/x'; sed p ../a?/x")
    assert all(one.always == () or one.always == (f"{tmp_path}/*",) for one in project.asked)


def test_words_of_any_command_that_lead_outside_are_asked_for(project: Project, tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    project.answer = lambda request: request.permission == "bash"
    for command in ("sed -i p ../x", "setsid rm ../x", "env rm ../x", "mv --target-directory=.. a", "git -C../ status"):
        project.asked.clear()
        project.refused("bash", "not_allowed", command=command)
        assert project.asked[0].patterns == (f"{tmp_path}/*",), command
    project.answer = lambda _: True
    project.asked.clear()
    project.done("bash", command="echo /x; sed -n /none/p /dev/null")
    assert [one.permission for one in project.asked] == ["bash"]


def test_directories_outside_of_the_project_are_asked_for_first_and_once_each(project: Project, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (project.root / "link").symlink_to(tmp_path / "there")
    project.answer = lambda request: request.permission != "bash"
    command = f"cd ..; rm ../a {tmp_path}/b inside; cp link/x ../none/y; cat {tmp_path}/there >/dev/null; echo > /x/y"
    project.refused("bash", "not_allowed", command=command)
    assert [(one.permission, one.patterns[0]) for one in project.asked[:-1]] == [
        ("external_directory", f"{tmp_path}/*"),
        ("external_directory", f"{tmp_path.parent}/*"),  # After `cd ..`, a path may start from either directory.
        ("external_directory", f"{tmp_path}/there/*"),
        ("external_directory", f"{tmp_path}/link/*"),
        ("external_directory", f"{tmp_path}/none/*"),
        ("external_directory", f"{tmp_path.parent}/none/*"),
        ("external_directory", "/x/*"),
        ("edit", "/x/y"),
    ]
    assert project.asked[-1].permission == "bash"


def test_the_question_for_a_directory_outside_names_the_file_that_the_command_names(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    project.answer = lambda request: request.permission != "bash"
    project.refused("bash", "not_allowed", command=f"cat {tmp_path}/there/a > {tmp_path}/there/b; ls ../there")
    assert [dict(one.metadata) for one in project.asked if one.permission == "external_directory"] == [
        {"filepath": f"{tmp_path}/there/a", "parentDir": f"{tmp_path}/there"}
    ]
    assert [one.metadata["filepath"] for one in project.asked if one.permission == "edit"] == [f"{tmp_path}/there/b"]


# When a command in a shell ends, and what is left of it.


def is_gone(pid: int) -> bool:
    """True if the process ends within a second: a signal takes its time."""
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
