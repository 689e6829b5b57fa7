"""What agents had seen of the files of their edits, by their logs.

In each log the file is read, a command changes it, an edit of the old text is refused, and the file is read again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from corpora.importers import IMPORTERS
from corpora.importers.collect import collect
from corpora.load import load
from corpora.sample import Sample
from editcore.types import File
from tests.corpora.importers import databases
from tests.corpora.importers.agent_logs import AGENTS, BEFORE, PATH
from tests.corpora.importers.formats import (
    test_claude_code,
    test_codex,
    test_copilot_cli,
    test_crush,
    test_gemini_cli,
    test_opencode,
    test_pi,
    test_swe_agent,
)
from tests.corpora.importers.logs import write_lines

LATER = BEFORE.replace("x = 1", "x: int = 1")
QUIET, TELLING = "1 file reformatted", "-x = 1\n+x: int = 1"

Write = Callable[[Path, str], object]


def claude_code(folder: Path, printed: str) -> None:
    made = test_claude_code

    def seen(key: str, content: str) -> tuple[object, object]:
        file = {"filePath": PATH, "content": content, "startLine": 1, "numLines": 3, "totalLines": 3}
        return made.use(key, "Read", file_path=PATH), made.result(key, {"file": file})

    write_lines(
        folder / "s.jsonl",
        *seen("r1", BEFORE),
        *(made.use("b", "Bash", command="ruff check --fix"), made.result("b", {"stdout": printed}, printed)),
        made.edit("t1"),
        made.result("t1", "Error: x", "File has been modified since read, either by the user or a linter", failed=True),
        *seen("r2", LATER),
    )


def codex(folder: Path, printed: str) -> None:
    made = test_codex

    def ran(key: str, command: str, said: str) -> tuple[object, object]:
        output = f"Process exited with code 0\nOutput:\n{said}"
        return made.function("exec_command", key, cmd=command), made.output(key, output, "function_call_output")

    write_lines(
        folder / "rollout-1.jsonl",
        *(made.META, made.TURN, *ran("r1", "cat a.py", BEFORE), *ran("b", "ruff check --fix", printed + "\n")),
        made.patch("c1"),
        made.output("c1", f"apply_patch verification failed: Failed to find expected lines in {PATH}:\nx = 1"),
        *ran("r2", "cat a.py", LATER),
    )


def opencode(folder: Path, printed: str) -> None:
    made = test_opencode

    def seen(key: str, text: str) -> object:
        lines = "".join(f"{n:05}| {line}\n" for n, line in enumerate(text.split("\n"), 1))
        output = f"<file>\n{lines}\n(End of file - total 3 lines)\n</file>"
        return made.part("read", {"filePath": PATH}, key, output=output)

    log = made.exported(
        *(seen("r1", BEFORE), made.part("bash", {"command": "ruff check --fix"}, "b", output=printed)),
        made.edit("c1", status="error", error="Could not find oldString in the file."),
        seen("r2", LATER),
    )
    write_lines(folder / "s.json", log)


def pi(folder: Path, printed: str) -> None:
    made = test_pi
    write_lines(
        folder / "s.jsonl",
        *(made.SESSION, made.call("r", "read", path="a.py"), made.result("r", BEFORE)),
        *(made.call("b", "bash", command="ruff check --fix"), made.result("b", printed)),
        *(made.edit("c1"), made.result("c1", "Could not find the exact text in a.py.", failed=True)),
        *(made.call("r2", "read", path="a.py"), made.result("r2", LATER)),
    )


def crush(folder: Path, printed: str) -> None:
    made = test_crush

    def seen(key: str, text: str) -> object:
        listing = "".join(f"     {n}|{line}\n" for n, line in enumerate(text.splitlines(), 1))
        return databases.result(key, f"<file>\n{listing}</file>\n", file_path=PATH, content=text[:-1])

    databases.make(
        folder / ".crush" / "crush.db",
        [databases.call("r1", "view", file_path=PATH)],
        [seen("r1", BEFORE)],
        [databases.call("b", "bash", command="ruff check --fix")],
        [databases.result("b", printed)],
        [made.EDIT],
        [databases.result("c1", "old_string not found in file.", failed=True)],
        [databases.call("r2", "view", file_path=PATH)],
        [seen("r2", LATER)],
        files=[(PATH, BEFORE), (PATH, LATER)],
    )


def swe_agent(folder: Path, printed: str) -> None:
    made = test_swe_agent
    shown = "Here's the result of running `cat -n` on {}:\n     1\t{}\n     2\ty = 1\n     3\t\n"
    missed = "No replacement was performed, old_str `x = 1\ny` did not appear verbatim in a.py."
    steps = [
        made.step(f"str_replace_editor view {PATH}", shown.format(PATH, "x = 1")),
        made.step("ruff check --fix", printed),
        made.step(made.replacing("x = 1", "x = 2"), missed),
        made.step(f"str_replace_editor view {PATH}", shown.format(PATH, "x: int = 1")),
    ]
    write_lines(folder / "demo-1.traj", {"trajectory": steps, "info": {}})


def gemini_cli(folder: Path, printed: str) -> None:
    made = test_gemini_cli
    log = made.session(
        made.call("read_file", {"file_path": PATH}, output=BEFORE),
        made.call("run_shell_command", {"command": "ruff check --fix"}, output=printed),
        made.call("replace", made.ARGS, status="error", error="0 occurrences found") | {"id": "c0"},
        made.call("read_file", {"file_path": PATH}, output=LATER),
    )
    write_lines(folder / "session-1.json", log)


def copilot_cli(folder: Path, printed: str) -> None:
    made = test_copilot_cli
    write_lines(
        folder / "events.jsonl",
        *(made.START, made.start("r", "view", {"path": PATH}), made.done("r", "1. x = 1\n2. y = 1\n3. ")),
        *(made.start("b", "bash", {"command": "ruff check --fix"}), made.done("b", printed)),
        *(made.start("c1", "edit", made.ARGS), made.failed("c1", "No match found")),
        *(made.start("r2", "view", {"path": PATH}), made.done("r2", "1. x: int = 1\n2. y = 1\n3. ")),
    )


LOGS: dict[str, Write] = {
    "claude_code": claude_code,
    "codex": codex,
    "opencode": opencode,
    "pi": pi,
    "crush": crush,
    "swe_agent": swe_agent,
    "gemini_cli": gemini_cli,
    "copilot_cli": copilot_cli,
}


def refused(folder: Path, agent: str, printed: str) -> Sample:
    LOGS[agent](folder, printed)
    collect([(IMPORTERS[agent], folder)], folder / "edits.parquet")
    [sample] = load(folder / "edits.parquet")
    return sample


@pytest.mark.parametrize("agent", LOGS)
def test_an_edit_of_a_file_that_a_command_changed_says_what_was_seen(tmp_path: Path, agent: str) -> None:
    sample = refused(tmp_path, agent, QUIET)
    assert [file.content for file in sample.before] == [LATER]
    assert [file.content for file in sample.seen or ()] == [BEFORE]
    assert (sample.seen or (File("", ""),))[0].path == sample.before[0].path
    assert sample.seen_lines is None
    assert "seen:same" not in sample.tags


@pytest.mark.parametrize("agent", LOGS)
def test_nothing_is_said_where_the_output_of_the_command_shows_the_change(tmp_path: Path, agent: str) -> None:
    sample = refused(tmp_path, agent, TELLING)
    assert [file.content for file in sample.before] == [LATER]
    assert (sample.seen, "seen:same" in sample.tags) == (None, False)


WITHOUT_READS = ("aider", "cline", "zed")
"""Agents whose log in `agent_logs` has no read."""


@pytest.mark.parametrize("agent", AGENTS)
def test_an_edit_of_a_file_as_it_was_read_is_known_to_be_so(tmp_path: Path, agent: str) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    AGENTS[agent][0](folder)
    collect([(IMPORTERS[agent], folder)], tmp_path / "out.jsonl")
    found = list(load(tmp_path / "out.jsonl"))
    assert [("seen:same" in one.tags, one.seen) for one in found if one.before] == [
        (agent not in WITHOUT_READS, None) for one in found if one.before
    ]
