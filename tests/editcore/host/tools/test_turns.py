"""No call of a tool keeps other threads from running: a server must hear a cancellation, whatever a model sent.

A regular expression, a sort or a translation lets no other thread run until it returns. The longest such time is
measured in CPU time of the process, between two turns of a thread that only waits for its next: so a busy machine adds
nothing to it, but where it wakes that thread late, and of several tries the shortest counts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from editcore.host.documents.store import Documents
from editcore.host.tools import TOOLS
from tests.editcore.host.conftest import Project

N = 100_000
LONGEST_S = 0.05
MOST_TRIES = 5
RUNS = (
    " ", ".", "\u2026",
    '"', "'", "\\", "\t", "#", "-", "*", "(", "<", "=", "a", "1", "\u0301\u0316", "\n", "\r\n", "\r", "a\n",
    " \n", "| ", "\xa0", "`", "@", "/", "\\n", "&lt;", "a ", "\u201c",
)  # fmt: skip
"""Texts to repeat."""


def calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of every tool with a long text in each of their parameters."""
    for old in (f"a\n...\n{text}x\nq", f"{text}x", f"x{text}", f"a\n{text}\nb"):
        yield "edit", {"filePath": "f", "oldString": old, "newString": "z"}
        yield "multi_edit", {"filePath": "f", "edits": [{"oldString": old, "newString": "z"}]}
        yield "edit_file", {"path": "f", "old_content": old, "new_content": "z"}
    envelope = f"*** Begin Patch\n*** Update File: f\n@@\n-{text}x\n+z\n*** End Patch"
    yield "edit_patch", {"patch": envelope}
    yield "edit_patch", {"patch": text + envelope}
    yield "edit_patch", {"patch": f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{text}x\n+z\n"}
    yield "edit_patch", {"patch": f"--- a/{text}\n+++ b/f\n@@ {text}"}
    yield "patch_file", {"path": "f", "patch": f"@@ -1 +1 @@\n-{text}x\n+z\n"}
    yield "grep", {"pattern": "x" + text[:100], "path": "."}
    yield "glob", {"pattern": text[:1_000]}
    yield "bash", {"command": "true " + text[:10_000]}
    yield "insert_at", {"path": "f", "line": 1, "content": text}
    yield "write", {"filePath": "g", "content": text}
    yield "read", {"filePath": "f"}
    yield "invalid", {"tool": text, "error": text}
    yield "task", {"description": text, "prompt": text, "agent": text}
    yield "rollback", {}
    yield "rollback", {"path": text}
    yield "write", {"filePath": "f", "content": text}
    yield "cleanup", {}
    yield "cleanup", {"path": text}
    for edit in ({"op": "append", "lines": text}, {"op": "replace", "pos": text, "lines": ["z"]}):
        yield "edit_lines", {"filePath": "f", "edits": [edit]}


def document_calls(text: str) -> Iterator[dict[str, Any]]:
    """Calls of `doc_edit` with a long text in each of its parameters."""
    yield {"command": "view"}
    yield {"command": "view", "view_range": [1, 2]}
    for old in (f"{text}x", f"x{text}", f"a\n{text}\nb"):
        yield {"command": "str_replace", "old_str": old, "new_str": "z"}
    yield {"command": "str_replace", "old_str": "\nb\n", "new_str": text}
    yield {"command": "insert", "insert_line": 1, "new_str": text}
    yield {"command": "append", "new_str": text}
    yield {"command": "create", "path": "/other.md", "file_text": text}
    yield {"command": "view", "path": f"/{text}.md"}


def invalid_calls(tool: str, text: str) -> Iterator[Any]:
    """Parameters that no tool takes, as objects and as JSON."""
    names = ("filePath", "path", "patch", "command", "pattern", "tool", "description", "edits")
    yield {text: 1}
    yield {name: [text] for name in names}
    yield {name: ["x"] * N for name in names}
    yield {f"{tool}{number}": number for number in range(N // 10)}
    yield "{" + text
    yield json.dumps(dict.fromkeys(names, text))


def longest_turn(work: Callable[[], object]) -> float:
    """The most CPU time that the process takes between two turns of another thread, in seconds."""
    turns, ended = [0.0], Event()

    def wait() -> None:
        before = time.process_time()
        while not ended.wait(0.0005):
            now = time.process_time()
            turns.append(now - before)
            before = now

    watching = Thread(target=wait)
    watching.start()
    try:
        work()
    finally:
        ended.set()
        watching.join()
    return max(turns)


def test_a_turn_that_is_too_long_is_seen() -> None:
    taken = time.process_time()
    assert min(longest_turn(lambda: sum(range(10_000_000))) for _ in range(2)) > LONGEST_S
    assert time.process_time() > taken


@pytest.fixture
def everything(project: Project, tmp_path: Path) -> Iterator[Project]:
    """The project on a host that offers every tool."""
    url = f"sqlite:///{tmp_path / 'documents.db'}"
    with closing(Documents(url=url, project="p", durable=False)) as documents:
        yield project.with_host(
            backups=True, documents=documents, anchors="hashline_h2", task=lambda _, task: task.prompt
        )


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=ascii)
@pytest.mark.parametrize("is_long", [False, True], ids=["short file", "long file"])
def test_no_call_keeps_other_threads_from_running(everything: Project, run: str, is_long: bool) -> None:
    text = run * (N // len(run))
    body = f"{text}\nb\n{text}" if is_long else "a\nb\nc\n"
    file: Path = everything.root / "f"
    tools = {"doc_edit"}
    for tool, params in calls(text):
        tools.add(tool)

        def once(tool: str = tool, params: dict[str, Any] = params) -> None:
            file.write_text(body, newline="")
            everything.call("read", filePath="f")
            everything.registry.call(everything.agent, tool, everything.context, params)

        assert any(longest_turn(once) < LONGEST_S for _ in range(MOST_TRIES)), (tool, list(params))
    assert tools == TOOLS.keys()
    for number, params in enumerate(document_calls(text)):
        everything.call("doc_edit", command="create", path=f"/{number}.md", file_text=body)

        assert any(
            longest_turn(partial(everything.call, "doc_edit", **{"path": f"/{number}.md", **params})) < LONGEST_S
            for _ in range(MOST_TRIES)
        ), params["command"]


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_no_invalid_call_keeps_other_threads_from_running(everything: Project, tool: str) -> None:
    for run in RUNS:
        for sent in invalid_calls(tool, run * (N // len(run))):

            def once(sent: Any = sent) -> None:
                everything.registry.call(everything.agent, tool, everything.context, sent)

            assert any(longest_turn(once) < LONGEST_S for _ in range(MOST_TRIES)), (run, str(sent)[:40])
