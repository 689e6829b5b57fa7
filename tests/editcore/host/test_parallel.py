"""Several calls at once: in parallel, except calls that touch the same file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editcore.host.registry import Step, canonical
from editcore.host.tools import TOOLS, Agent, Context, Host, PermissionRequest, Registry, Result, Tool
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from tests.editcore.host.conftest import Project, envelope
from tests.trees import texts


def many(project: Project, *calls: tuple[str, dict[str, Any]], context: Context | None = None) -> list[Result]:
    return project.registry.call_many(
        project.agent, [(tool, context or project.context, params) for tool, params in calls]
    )


def test_calls_that_share_no_file_run_at_once_and_are_answered_in_order(project: Project) -> None:
    for name in "abcd":
        project.lay(name, f"{name}\n")
    together = Barrier(4, timeout=20)

    def ask(_: PermissionRequest) -> bool:
        together.wait()  # Each call waits until all of them ask.
        return True

    edits = [("edit", {"filePath": name, "oldString": name, "newString": "x"}) for name in "ab"]
    reads = [("read", {"filePath": name}) for name in "cd"]
    results = many(project, edits[0], reads[0], edits[1], reads[1], context=replace(project.context, on_ask=ask))
    assert [one.title for one in results] == ["a", "c", "b", "d"]
    assert not any(one.is_error for one in results)


def test_calls_of_one_file_keep_their_order_by_whatever_name(project: Project) -> None:
    project.lay("real/a", "0\n", known=False)
    (project.root / "link").symlink_to("real")
    calls: list[tuple[str, dict[str, Any]]] = [("read", {"filePath": "real/a"})]
    for n, name in enumerate(["real/a", "link/a", f"{project.root}/real/../real/a", "./link/a"] * 2):
        calls.append(("edit", {"filePath": name, "oldString": str(n), "newString": str(n + 1)}))
    calls += [
        ("bash", {"command": "cat real/a"}),
        ("edit_patch", {"patch": envelope("*** Update File: a", "@@", "-8", "+9"), "workspace_root": "link"}),
    ]
    calls += [("grep", {"path": "real", "pattern": "9"}), ("write", {"filePath": "real/a", "content": "end\n"})]
    results = many(project, *calls)
    assert [one.output for one in results if one.is_error] == []
    assert results[9].output.startswith("8")
    assert "real/a" in results[11].output
    assert texts(project.root)["real/a"] == b"end\n"


def test_what_is_wrong_with_one_call_is_answered_and_the_others_run(project: Project) -> None:
    results = many(
        project,
        ("no such", {}),
        ("read", {}),
        ("read", {"filePath": "\0"}),
        ("write", {"filePath": "a", "content": "x"}),
    )
    assert [one.is_error for one in results] == [True, True, True, False]
    assert project.registry.call_many(project.agent, []) == []
    json = project.registry.call_many(
        project.agent, [("edit", project.context, "{"), ("read", project.context, '{"filePath": "a"}')]
    )
    assert [one.is_error for one in json] == [True, False]


@dataclass(frozen=True, slots=True)
class Nothing:
    """No parameters."""


def test_a_call_that_raises_begins_no_others_and_its_exception_comes_out(project: Project) -> None:
    def broken(*_: object) -> Result:
        raise RuntimeError("the host's own")

    # What a tool of somebody else's touches is not known: all later calls wait for it.
    project.registry.add("say", lambda *_: Tool("say", "Says.", Nothing, broken))
    with pytest.raises(RuntimeError, match="the host's own"):
        many(
            project,
            ("write", {"filePath": "a", "content": "x"}),
            ("say", {}),
            ("write", {"filePath": "b", "content": "x"}),
        )
    assert set(texts(project.root)) == {"a"}


@pytest.mark.parametrize(
    ("one", "other", "waits"),
    [
        (({"/a"}, True), ({"/a"}, False), True),
        (({"/a"}, False), ({"/a"}, False), False),
        (({"/a"}, True), ({"/ab"}, True), False),
        (({"/a/b"}, True), ({"/a"}, False), True),
        (({"/"}, False), ({"/a"}, True), True),
        ((None, True), ({"/a"}, False), True),
        ((None, True), (set(), False), True),
        ((None, False), ({"/a"}, False), False),
        ((set(), True), ({"/a"}, True), False),
    ],
)
def test_a_call_waits_for_those_that_touch_its_files(one: Any, other: Any, waits: bool) -> None:
    steps = [
        Step(lambda: Result("", ""), None if paths is None else frozenset(paths), writes)
        for paths, writes in (one, other)
    ]
    assert steps[0].waits_for(steps[1]) is steps[1].waits_for(steps[0]) is waits
    assert canonical("/", ["A", "/a", "a\0", "\ud800"]) == {"/a"}


FILES = st.sampled_from(["a", "b", "link"])
CALLS = st.one_of(
    st.tuples(st.just("read"), st.builds(lambda path: {"filePath": path}, FILES)),
    st.tuples(
        st.just("write"), st.builds(lambda path, n: {"filePath": path, "content": f"{n}\n"}, FILES, st.integers(0, 2))
    ),
    st.tuples(
        st.just("edit"),
        st.builds(
            lambda path, n: {"filePath": path, "oldString": str(n), "newString": str(n + 1)}, FILES, st.integers(0, 3)
        ),
    ),
    st.tuples(
        st.just("insert_at"),
        st.builds(lambda path, n: {"path": path, "line": n, "content": "9"}, FILES, st.integers(0, 2)),
    ),
    st.tuples(
        st.just("edit_patch"),
        st.builds(
            lambda path, n: {"patch": envelope(f"*** Update File: {path}", "@@", f"-{n}", f"+{n + 1}")},
            FILES,
            st.integers(0, 3),
        ),
    ),
    st.tuples(st.just("grep"), st.builds(lambda n: {"pattern": str(n)}, st.integers(0, 3))),
)


@given(st.lists(CALLS, min_size=2, max_size=7))
@example([("read", {"filePath": "a"}), ("edit", {"filePath": "link", "oldString": "0", "newString": "1"})] * 3)
def test_many_calls_have_the_results_of_one_after_the_other(calls: list[tuple[str, dict[str, Any]]]) -> None:
    found = []
    for at_once in (False, True):
        with TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "project").mkdir()
            for file in "ab":
                (folder / "project" / file).write_text("0\n")
            (folder / "project" / "link").symlink_to("a")
            workspace = Workspace(folder / "project", lock_directory=folder / "locks", durable=False)
            registry, agent = Registry(Host(workspace, outputs=Outputs(folder / "outputs")), TOOLS), Agent()
            sent = [(tool, Context(), params) for tool, params in calls]
            results = registry.call_many(agent, sent) if at_once else [registry.call(agent, *one) for one in sent]
            found.append(([sorted(one.output.split("\n")) for one in results], texts(folder / "project")))
    assert found[0] == found[1]
