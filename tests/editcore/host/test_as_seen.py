"""Edits of a file that was changed since it was read: every tool writes what the library's function makes of them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from editcore import Applied, apply_begin_patch, apply_unified_diff, replace
from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context, Result
from editcore.host.tools import TOOLS
from editcore.host.workspace import Workspace
from editcore.text.diff import unified_diff
from tests.editcore.host.conftest import Project

LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "    c = 3", "d", ""]), max_size=10)


def text(lines: list[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


def called(seen: str, live: str, tool: str, **params: Any) -> tuple[Result, str]:
    """The result of a call on a file that was read and changed since, and the file's text afterwards."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        file = root / "f.py"
        file.write_text(seen)
        registry = Registry(Host(Workspace(root, durable=False, lock_directory=Path(folder) / "locks")), TOOLS)
        context = Context("s")
        assert not registry.call(Agent(), "read", context, {"filePath": "f.py"}).is_error
        file.write_text(live)
        return registry.call(Agent(), tool, context, params), file.read_text()


@settings(max_examples=40)
@given(LINES, LINES, LINES, LINES)
def test_a_pair_is_written_alike_by_every_tool_and_the_function(
    seen: list[str], live: list[str], old: list[str], new: list[str]
) -> None:
    before, now, search, put = map(text, (seen, live, old, new))
    made = replace(now, search, put, seen=before, path="f.py")
    wanted = made.content if isinstance(made, Applied) else now
    pair = {"oldString": search, "newString": put}
    if search and search != put:
        assert called(before, now, "edit", filePath="f.py", **pair)[1] == wanted
        assert called(before, now, "multi_edit", filePath="f.py", edits=[pair])[1] == wanted


@settings(max_examples=40)
@given(LINES, LINES, st.lists(st.tuples(LINES, LINES), min_size=2, max_size=3))
def test_several_pairs_are_made_or_refused_whatever_their_lengths(
    seen: list[str], live: list[str], edits: list[tuple[list[str], list[str]]]
) -> None:
    pairs = [{"oldString": text(old), "newString": text(new * 3)} for old, new in edits]
    result, after = called(text(seen), text(live), "multi_edit", filePath="f.py", edits=pairs)
    assert not result.is_error or after == text(live)


def test_several_pairs_that_move_each_other_are_merged() -> None:
    base = text([f"line_{n} = {n}" for n in range(12)])
    pairs = [("line_2 = 2\n", "new = 0\n" * 30), ("line_8 = 8\n", "")]
    edits = [{"oldString": old, "newString": new} for old, new in pairs]
    result, after = called(base, f"top = 0\n{base}", "multi_edit", filePath="f.py", edits=edits)
    assert not result.is_error, result.output
    assert after == f"top = 0\n{base}".replace("line_2 = 2\n", "new = 0\n" * 30).replace("line_8 = 8\n", "")


@settings(max_examples=40)
@given(LINES, LINES, LINES)
def test_a_patch_is_written_alike_by_its_tool_and_the_function(
    seen: list[str], live: list[str], wanted: list[str]
) -> None:
    before, now, after = map(text, (seen, live, wanted))
    diff = unified_diff(before, after, path="f.py")
    if not diff or not before or not after or before == now:
        return
    body = "\n".join(diff.split("\n")[2:])
    patch = f"*** Begin Patch\n*** Update File: f.py\n{body}*** End Patch\n"
    for tool, apply, params in (
        ("patch_file", apply_unified_diff, {"path": "f.py", "patch": diff}),
        ("edit_patch", apply_begin_patch, {"patch": patch}),
    ):
        made = apply({"f.py": now}, params["patch"], seen={"f.py": before})
        content = (made.files or {}).get("f.py") if isinstance(made, Applied) else now
        assert called(before, now, tool, **params)[1] == content, tool


def test_a_gate_refuses_whatever_changed_also_where_a_place_is_the_same_in_every_text(project: Project) -> None:
    gated = project.with_host(stale="gate")
    for tool, params in (
        ("edit", {"filePath": "a", "oldString": "one", "newString": "1"}),
        ("insert_at", {"path": "a", "line": -1, "content": "end"}),
        ("insert_at", {"path": "a", "line": 1, "content": "below"}),
        ("edit_file", {"path": "a", "old_content": "one", "new_content": "1", "occurrence": 0}),
        ("patch_file", {"path": "a", "patch": "@@ -1 +1 @@\n-one\n+1\n"}),
        ("edit_patch", {"patch": "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** End Patch\n"}),
    ):
        (gated.root / "a").write_text("one\ntwo\n")
        gated.done("read", filePath="a")
        (gated.root / "a").write_text("one\ntwo\nthree\n")
        result = gated.call(tool, **params)
        assert result.metadata["reason"] == "stale_read", tool
        assert (gated.root / "a").read_text() == "one\ntwo\nthree\n", tool
