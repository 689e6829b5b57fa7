"""Cancelled calls: waiting, searching and running stop, and the result says so."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editcore.errors import Cancelled
from editcore.host.cancellation import Cancellation
from editcore.host.documents.store import Documents
from editcore.host.host import Task
from editcore.host.tool import Context, PermissionRequest, Result
from editcore.host.workspace.locks import stripe
from tests.editcore.host.conftest import Project, replacing
from tests.trees import tree

WITHIN = 0.2
"""Seconds between `cancel` and the result."""
SLACK = 8.0
"""Seconds that a busy machine may add in a test, by letting others run; the CPU time has to be within the limit.

What were not cancelled would take ten, or longer.
"""


@contextmanager
def calling(
    project: Project, tool: str, context: Context, **params: Any
) -> Iterator[list[tuple[float, float, Result]]]:
    """Call a tool in a thread; when it is done, the list has the time, the CPU time and the result."""
    results: list[tuple[float, float, Result]] = []

    def call() -> None:
        result = project.registry.call(project.agent, tool, context, params)
        results.append((time.monotonic(), time.process_time(), result))

    thread = threading.Thread(target=call)
    thread.start()
    yield results
    thread.join(10)
    assert not thread.is_alive()


def cancelled(project: Project, tool: str, context: Context, ready: Callable[[], bool], **params: Any) -> Result:
    """The result of a call that is cancelled as soon as it is ready."""
    with calling(project, tool, context, **params) as results:
        until = time.monotonic() + 10
        while not ready():
            assert time.monotonic() < until
            time.sleep(0.002)
        start, cpu_start = time.monotonic(), time.process_time()
        context.cancellation.cancel()
    end, cpu_end, result = results[0]
    assert end - start < WITHIN + SLACK
    assert cpu_end - cpu_start < WITHIN
    assert result.is_error
    assert result.metadata["reason"] == "cancelled"
    return result


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_command_and_all_it_started_are_ended(project: Project) -> None:
    pids, out = project.root / "pids", project.root / "out"
    command = f"trap '' TERM; sleep 30 & echo $! $$ > {pids}; echo begun; sleep 0.1; touch {out}; sleep 30; touch late"
    result = cancelled(project, "bash", project.context, out.exists, command=command)
    assert result.output == "begun\n(cancelled: the command was ended; what it had done by then was not undone)"
    until = time.monotonic() + 5
    while not all(is_gone(int(pid)) for pid in pids.read_text().split()):
        assert time.monotonic() < until
    assert not (project.root / "late").exists()


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}),
        ("insert_at", {"path": "a", "line": 0, "content": "y"}),
        ("bash", {"command": "touch made"}),
        ("grep", {"pattern": "x"}),
        ("read", {"filePath": "a"}),
    ],
)
def test_nobody_waits_for_a_permission(tool: str, params: dict[str, Any], project: Project) -> None:
    project.lay("a", "x\n")
    before, answer, is_asked = tree(project.root), threading.Event(), threading.Event()

    def on_ask(_: PermissionRequest) -> bool:
        is_asked.set()
        return answer.wait(10)

    result = cancelled(project, tool, replace(project.context, on_ask=on_ask), is_asked.is_set, **params)
    answer.set()
    assert result.output == f"{tool}: the call was cancelled: nothing was done."
    assert tree(project.root) == before


@pytest.mark.parametrize("tool", ["edit", "write", "multi_edit", "edit_file", "patch_file", "insert_at", "edit_patch"])
def test_nobody_waits_for_a_lock_and_nothing_is_written(tool: str, project: Project) -> None:
    project.lay("a", "x\n")
    params = {
        **replacing("a", "x", "y"),
        "write": {"filePath": "a", "content": "y\n"},
        "insert_at": {"path": "a", "line": 0, "content": "y"},
    }
    started = time.monotonic()
    with project.host.workspace._locks.holding([stripe(f"{project.root}/a")]):
        context = project.context
        result = cancelled(project, tool, context, lambda: time.monotonic() > started + 0.1, **params[tool])
    assert "nothing was done" in result.output
    assert tree(project.root).keys() == {"a"}
    assert (project.root / "a").read_text() == "x\n"
    assert not project.call(tool, **params[tool]).is_error


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("read", {"filePath": "a"}),
        ("grep", {"pattern": "x"}),
        ("grep", {"pattern": "x", "path": "a"}),
        ("glob", {"pattern": "*"}),
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}),
        ("bash", {"command": "touch made"}),
    ],
)
def test_what_comes_after_a_cancelled_question_does_nothing(
    tool: str, params: dict[str, Any], project: Project
) -> None:
    project.lay("a", "x\n")
    before, context = tree(project.root), project.context

    def on_ask(_: PermissionRequest) -> bool:
        context.cancellation.cancel()
        return True

    context = replace(context, on_ask=on_ask)
    result = project.registry.call(project.agent, tool, context, params)
    assert (result.is_error, result.metadata["reason"]) == (True, "cancelled")
    assert tree(project.root) == before
    again = project.registry.call(project.agent, tool, context, params)
    assert again.metadata["reason"] == "cancelled"


def test_an_exception_of_the_one_who_is_asked_is_raised_where_the_call_was_made(project: Project) -> None:
    def on_ask(_: PermissionRequest) -> bool:
        raise LookupError("the host's own")

    project.lay("a", "x\n")
    with pytest.raises(LookupError, match="the host's own"):
        project.registry.call(project.agent, "read", replace(project.context, on_ask=on_ask), {"filePath": "a"})


@pytest.mark.parametrize("command", ["append", "create"])
def test_nobody_waits_for_a_database_and_no_edit_is_recorded(command: str, project: Project, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/documents.db"
    with closing(Documents(url=url, durable=False)) as documents, closing(Documents(url=url, durable=False)) as another:
        documents.save("/a.md", "one\n")
        path = "/a.md" if command == "append" else "/b.md"
        params = {"command": command, "path": path, "new_str": "two\n", "file_text": "two\n"}
        with_documents, held, done = project.with_host(documents=documents), threading.Event(), threading.Event()

        def hold(_: object) -> None:
            held.set()
            done.wait(10)

        holder = threading.Thread(target=another._database.write, args=(hold,))
        holder.start()
        held.wait(10)
        started = time.monotonic()
        cancelled(
            with_documents, "doc_edit", with_documents.context, lambda: time.monotonic() > started + 0.1, **params
        )
        done.set()
        holder.join(10)
        documents.save("/c.md", "after the abandoned transaction\n")
        assert documents.names("/") == ("a.md", "c.md")
        assert documents.sessions("/a.md") == ()


def test_what_is_being_committed_is_waited_for() -> None:
    cancellation, committing, steps = Cancellation(), threading.Event(), []

    def work(commit: Callable[[], None]) -> str:
        commit()
        committing.set()
        time.sleep(0.15)
        steps.append("done")
        return "committed"

    threading.Thread(target=lambda: (committing.wait(5), cancellation.cancel())).start()
    assert cancellation.committed(work) == "committed"
    assert steps == ["done"]
    with pytest.raises(Cancelled):
        cancellation.committed(lambda commit: (time.sleep(0.2), commit(), steps.append("late")))
    time.sleep(0.25)
    assert steps == ["done"]


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "params"), [("grep", {"pattern": "never"}), ("glob", {"pattern": "**/never"})])
def test_a_search_of_many_files_stops_in_a_fifth_of_a_second(
    tool: str, params: dict[str, Any], project: Project
) -> None:
    for n in range(30_000):
        if n % 300 == 0:
            (project.root / f"d{n // 300}").mkdir()
        (project.root / f"d{n // 300}" / f"{n}.txt").write_text("text\n")
    os.sync()
    started = time.monotonic()
    cancelled(project, tool, project.context, lambda: time.monotonic() > started + 0.05, **params)


def test_a_task_whose_function_ignores_the_cancellation_is_not_waited_for(project: Project) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(_: Context, task: Task) -> str:
        begun.set()
        go_on.wait(10)
        return task.prompt

    params = {"description": "d", "prompt": "p", "agent": "scout"}
    result = cancelled(project.with_host(task=work), "task", project.context, begun.is_set, **params)
    go_on.set()
    assert result.output.startswith("(cancelled: the answer is not waited for;")
