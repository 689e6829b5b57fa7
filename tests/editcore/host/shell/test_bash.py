"""Commands run in a real shell: what they print, and what is told of it."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from editcore.host.host import Agent
from editcore.host.shell.bash import BASH, CapturedOutput
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
