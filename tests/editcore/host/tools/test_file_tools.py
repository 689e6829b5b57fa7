"""`edit_file`, `insert_at` and `patch_file`: their answers, and the files on the disk afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.host.tools import edit_file, edit_patch, patch_file
from editcore.host.tools.edit_file import insert_at
from editcore.host.workspace import Workspace
from editcore.patches.line_edits import insert_lines
from editcore.types import Applied, EditResult, Reason, Rejected
from tests.editcore.host.conftest import Project, envelope
from tests.trees import texts, tree


def refused(result: EditResult, reason: Reason) -> str:
    assert isinstance(result, Rejected), result
    assert result.reason is reason
    assert "\n" not in result.message
    return result.message


def test_every_tool_takes_its_arguments_by_name(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    insert_at(workspace=workspace, path="a", line=1, content="y")
    edit_file(workspace=workspace, path="a", old_content="x", new_content="z")
    patch_file(workspace=workspace, path="a", patch="@@ -1 +1 @@\n-z\n+w\n")
    edit_patch(workspace=workspace, patch=envelope("*** Update File: a", "@@", "-w", "+v"))
    assert texts(root) == {"a": b"v\ny\n"}
    assert [event.tool for event in workspace.events] == ["insert_at", "edit_file", "patch_file", "edit.patch"]
    assert all(event.changed_paths == ("a",) for event in workspace.events)
    assert workspace.events[1].params == {"path": "a", "old_content": "x", "new_content": "z", "occurrence": None}


# edit_file


@pytest.mark.parametrize("occurrence", [-2, True, "1", 1.0])
def test_edit_file_refuses_an_occurrence_that_means_nothing(occurrence: int, workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("a\n")
    refused(edit_file(workspace, "f", "a", "b", occurrence=occurrence), Reason.MALFORMED)


def test_edit_file_refuses_what_is_no_edit(workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("a\n")
    before = tree(root)
    refused(edit_file(workspace, "f", "", "b"), Reason.EMPTY)
    refused(edit_file(workspace, "f", "a", "a"), Reason.IDENTICAL)
    refused(edit_file(workspace, "f", 1, "a"), Reason.MALFORMED)  # type: ignore[arg-type]
    refused(edit_file(workspace, "g", "a", "b"), Reason.NOT_FOUND)
    refused(edit_file(workspace, "../f", "a", "b"), Reason.OUTSIDE_WORKSPACE)
    assert tree(root) == before


def test_edit_file_names_the_nearest_line_and_the_first_one_that_differs(workspace: Workspace, root: Path) -> None:
    text = "def one():\n    return total\n\ndef two():\n    return totals\n"
    (root / "f").write_text(text)
    result = edit_file(workspace, "f", "def two():\n    return totls", "x")
    assert refused(result, Reason.NO_MATCH) == (
        "old_content was not found; line 4 holds one of its lines ('def two():'), but line 5 has 'return totals' where "
        "old_content has 'return totls': read the file there and copy the text exactly."
    )


# insert_lines and insert_at


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\nb\n", 3, "There is no line 3, the file has 2 lines"),
        ("a\nb", 3, "the file has 2 lines"),
        ("a\n", -2, "There is no line -2, the file has 1 line:"),
        ("", 1, "the file has 0 lines"),
    ],
)
def test_a_line_that_is_not_there_is_refused_with_how_many_there_are(text: str, line: int, message: str) -> None:
    assert message in refused(insert_lines(text, line, "x"), Reason.NOT_FOUND)


def test_an_insertion_of_nothing_or_nowhere_is_refused() -> None:
    refused(insert_lines("a\n", 1, ""), Reason.EMPTY)
    for line in (True, "1", 1.0, None):
        refused(insert_lines("a\n", line, "x"), Reason.MALFORMED)  # type: ignore[arg-type]
    refused(insert_lines("a\n", 1, None), Reason.MALFORMED)  # type: ignore[arg-type]


ENDS = st.sampled_from(["\n", "\r\n"])
LINES = st.lists(st.text(st.sampled_from("ab \r\u2028"), max_size=3).map(lambda s: s.rstrip("\r")), max_size=5)


@given(LINES, ENDS, st.booleans(), LINES.filter(bool), ENDS, st.integers(-1, 6))
def test_an_insertion_adds_its_lines_and_touches_no_other(
    lines: list[str], end: str, is_ended: bool, content: list[str], other_end: str, line: int
) -> None:
    text = end.join(lines) + (end if lines and (is_ended or not lines[-1]) else "")
    n_lines = len(lines)
    result = insert_lines(text, line, other_end.join(content) + other_end)
    if line > n_lines:
        refused(result, Reason.NOT_FOUND)
        return
    assert isinstance(result, Applied)
    at = n_lines if line == -1 else line
    used = end if text.count("\n") else "\n"
    wanted = used.join([*lines[:at], *content, *lines[at:]])
    if not text or text.endswith("\n"):
        wanted += used
    assert result.content == wanted
    (match,) = result.matches
    assert text[: match.start] == wanted[: match.start]
    assert text[match.end :] == wanted[len(wanted) - len(text) + match.end :]


# patch_file


@pytest.mark.parametrize("mode", ["research", "analyze"])
def test_in_a_mode_that_writes_nothing_the_findings_are_data(mode: str, root: Path, tmp_path: Path) -> None:
    (root / "f").write_text("x\ny\n")
    before = tree(root)
    workspace = Workspace(root, mode=mode, lock_directory=tmp_path / "locks")  # type: ignore[arg-type]
    for result in (
        edit_file(workspace, "f", "x", "z"),
        insert_at(workspace, "f", 0, "z"),
        patch_file(workspace, "f", "@@ -1,2 +1,2 @@\n-x\n+z\n y\n"),
    ):
        refused(result, Reason.NOT_ALLOWED)
        assert isinstance(result, Rejected)
        assert result.proposed is not None
        assert result.proposed.content is not None
        assert result.proposed.content.startswith("z\n")
    assert "old_content was not found" in refused(edit_file(workspace, "f", "absent", "z"), Reason.NO_MATCH)
    answer = edit_patch(envelope("*** Update File: f", "@@", "-x", "+z", "*** Add File: n", "+1"), workspace=workspace)
    assert answer == {
        "ok": False,
        "error": f"Mode {mode} writes nothing: the change of f, n was computed, not written.",
        "findings": {
            "summary": "A 1, M 1, D 0, R 0",
            "changed_paths": ["f", "n"],
            "diff": "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n",
        },
    }
    assert tree(root) == before


_TEN = "".join(f"line {n} of the file\n" for n in range(1, 11))
_ADDING = {"oldString": "line 2 of the file\n", "newString": "line 2 of the file\n" + "more\n" * 5}


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("line 7 of the file\nline 8 of a file\n", "line 8 has 'line 8 of the file' where oldString has"),
        ("more\nMORE\n", "has 'more' where oldString has 'MORE'"),
        ("line 2 of the file\nline 3 of the file\n", "it fits the file as it is, but not the text that"),
    ],
)
def test_a_refusal_in_a_list_of_edits_speaks_of_the_file_on_the_disk(project: Project, old: str, said: str) -> None:
    (project.root / "f").write_text(_TEN)
    project.done("read", filePath="f")
    result = project.call("multi_edit", filePath="f", edits=[_ADDING, {"oldString": old, "newString": "x"}])
    assert result.is_error
    assert said in result.output
    if "MORE" in old:
        assert "Lines are counted in the text that the edits before it leave." in result.output
    assert (project.root / "f").read_text() == _TEN


@pytest.mark.parametrize(("occurrence", "starts"), [(1, [0]), (2, [4]), (3, [8]), (-1, [8]), (0, [0, 4, 8])])
def test_edit_file_returns_where_each_replaced_occurrence_was(
    occurrence: int, starts: list[int], workspace: Workspace, root: Path
) -> None:
    (root / "f").write_text("a b a b a\n")
    result = edit_file(workspace, "f", "a", "X", occurrence=occurrence)
    assert isinstance(result, Applied)
    assert [match.start for match in result.matches] == starts


def test_patch_file_returns_where_its_hunk_landed(workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("a\nb\nc\n")
    result = patch_file(workspace, "f", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
    assert isinstance(result, Applied)
    assert [landing.line for landing in result.landings] == [1]
