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
    assert workspace.events[1].params == {"path": "a", "old_content": "x", "new_content": "z", "occurrence": 1}


# edit_file


@pytest.mark.parametrize(
    ("occurrence", "after", "starts"),
    [
        (1, "X b a b a\n", [0]),
        (2, "a b X b a\n", [4]),
        (3, "a b a b X\n", [8]),
        (-1, "a b a b X\n", [8]),
        (0, "X b X b X\n", [0, 4, 8]),
    ],
)
def test_edit_file_replaces_the_occurrence_asked_for(
    occurrence: int, after: str, starts: list[int], workspace: Workspace, root: Path
) -> None:
    (root / "f").write_text("a b a b a\n")
    result = edit_file(workspace, "f", "a", "X", occurrence=occurrence)
    assert isinstance(result, Applied)
    assert result.content == after == (root / "f").read_text()
    assert [match.start for match in result.matches] == starts


def test_edit_file_counts_occurrences_that_do_not_overlap(workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("aaaaa")
    assert "twice" not in refused(edit_file(workspace, "f", "aa", "b", occurrence=3), Reason.NO_MATCH)
    assert isinstance(edit_file(workspace, "f", "aa", "b", occurrence=0), Applied)
    assert (root / "f").read_text() == "bba"


def test_edit_file_says_how_many_occurrences_there_are(workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("a b a\n")
    assert "occurs 2 times in the file" in refused(edit_file(workspace, "f", "a", "c", occurrence=3), Reason.NO_MATCH)
    assert "occurs once in the file" in refused(edit_file(workspace, "f", "b", "c", occurrence=2), Reason.NO_MATCH)


@pytest.mark.parametrize("occurrence", [-2, True, "1", 1.0, None])
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


def test_edit_file_names_the_nearest_lines_and_what_may_have_been_meant(workspace: Workspace, root: Path) -> None:
    text = "def one():\n    return total\n\ndef two():\n    return totals\n"
    (root / "f").write_text(text)
    result = edit_file(workspace, "f", "def two():\n    return totls", "x")
    assert refused(result, Reason.NO_MATCH) == (
        "old_content was not found. Nearest: line 5 (92%): 'return totals', line 2 (83%): 'return total'. "
        "Did you mean lines 4-5 (98% alike): 'def two():\\n    return totals'? Copy the text from the file."
    )
    assert isinstance(result, Rejected)
    (found,) = result.candidates
    assert text[found.start : found.end] == "def two():\n    return totals"


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("?\nalpha bete", "Did you mean lines 1-2 ("),
        ("gamme", "Did you mean line 2 ("),
        ("gamme\n?\n?", "Did you mean line 2 ("),
        ("0123456789" * 200, "nor any line like it"),
        ("\n\n", "nor any line like it"),
    ],
)
def test_edit_file_suggests_lines_at_the_start_and_at_the_end(
    old: str, message: str, workspace: Workspace, root: Path
) -> None:
    (root / "f").write_text("alpha beta\ngamma")
    assert message in refused(edit_file(workspace, "f", old, "x"), Reason.NO_MATCH)


def test_edit_file_on_an_empty_file_finds_nothing(workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("")
    refused(edit_file(workspace, "f", "a", "x"), Reason.NO_MATCH)
    refused(edit_file(workspace, "f", "\n", "x"), Reason.NO_MATCH)


@pytest.mark.parametrize(
    ("text", "old", "new", "occurrence", "after"),
    [
        (b"a\r\nb\r\n", "a\nb", "x\ny", 1, b"x\r\ny\r\n"),
        (b"a\nb\n", "a\r\nb", "x\r\ny", 1, b"x\ny\n"),
        (b"a\r\nb\r\n", "\nb", "\nc\nd", 1, b"a\r\nc\r\nd\r\n"),
        (b"a\r\nb\r\n", "a", "x\ny\r", 1, b"x\r\ny\r\nb\r\n"),
        (b"x\r\ny\r\nq\nx\ny\n", "x\ny", "1\n2", 1, b"1\r\n2\r\nq\nx\ny\n"),
        (b"x\r\ny\r\nq\nx\ny\n", "x\ny", "1\n2", -1, b"x\r\ny\r\nq\n1\n2\n"),
        (b"x\r\ny\r\nq\nx\ny\n", "x\ny", "1\n2", 0, b"1\r\n2\r\nq\n1\n2\n"),
    ],
)
def test_line_endings_make_no_difference_to_edit_file(
    workspace: Workspace, root: Path, text: bytes, old: str, new: str, occurrence: int, after: bytes
) -> None:
    (root / "f").write_bytes(text)
    assert isinstance(edit_file(workspace, "f", old, new, occurrence=occurrence), Applied)
    assert (root / "f").read_bytes() == after


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_what_seems_binary_is_never_edited(workspace: Workspace, root: Path, encoding: str) -> None:
    before = "a = 1\n".encode(encoding)
    (root / "f").write_bytes(before)
    diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    envelope = "*** Begin Patch\n*** Update File: f\n@@\n-a = 1\n+a = 2\n*** End Patch\n"
    for result in (
        edit_file(workspace, "f", "a", "b"),
        insert_at(workspace, "f", 0, "x"),
        patch_file(workspace, "f", diff),
    ):
        assert "is binary" in refused(result, Reason.NOT_ALLOWED)
    answer = edit_patch(envelope, workspace=workspace)
    assert (answer["ok"], "is binary" in str(answer["error"])) == (False, True)
    assert (root / "f").read_bytes() == before


def test_no_text_with_a_nul_is_written(workspace: Workspace, root: Path) -> None:
    (root / "f").write_bytes(b"a\n")
    assert "has a NUL" in refused(edit_file(workspace, "f", "a", "\0"), Reason.MALFORMED)
    assert (root / "f").read_bytes() == b"a\n"


# insert_lines and insert_at


@pytest.mark.parametrize(
    ("text", "line", "content", "after"),
    [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("\ufeffa\n", 0, "x", "\ufeffx\na\n"),
        ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        ("a\nb\n", -1, "x", "a\nb\nx\n"),
        ("a\nb", -1, "x", "a\nb\nx"),
        ("a\nb", 2, "x\n", "a\nb\nx"),
        ("a\nb", 1, "x", "a\nx\nb"),
        ("a", 0, "x", "x\na"),
        ("", 0, "x", "x\n"),
        ("", -1, "x\ny", "x\ny\n"),
        ("\n", -1, "x", "\nx\n"),
        ("a\n", 1, "\n", "a\n\n"),
        ("a\n", 1, "x\n\n", "a\nx\n\n"),
        ("a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"),
        ("a\r\nb", -1, "x", "a\r\nb\r\nx"),
        ("a\nb\r\n", 2, "x\n", "a\nb\r\nx\r\n"),
        ("a\nb\r\n", 0, "x\r\n", "x\na\nb\r\n"),
        ("a\na\na", 3, "x", "a\na\na\nx"),
        ("a\rb\n", 1, "x\ry", "a\rb\nx\ry\n"),
        ("a\nb\n", 1, "x\r", "a\nx\nb\n"),
        ("a\r\nb\r\n", 1, "x\r\r\ny\r", "a\r\nx\r\ny\r\nb\r\n"),
    ],
)
def test_lines_are_inserted_after_a_line(text: str, line: int, content: str, after: str) -> None:
    result = insert_lines(text, line, content)
    assert isinstance(result, Applied)
    assert result.content == after
    (match,) = result.matches
    assert text[: match.start] == after[: match.start]
    assert text[match.end :] == after[len(after) - len(text) + match.end :]


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


def test_insert_at_writes_the_file(workspace: Workspace, root: Path) -> None:
    (root / "f").write_bytes(b"\xef\xbb\xbfa\r\n")
    result = insert_at(workspace, "f", 0, "x")
    assert isinstance(result, Applied)
    assert result.content == "x\r\na\r\n"
    assert (root / "f").read_bytes() == b"\xef\xbb\xbfx\r\na\r\n"
    refused(insert_at(workspace, "f", 9, "x"), Reason.NOT_FOUND)
    refused(insert_at(workspace, "g", 0, "x"), Reason.NOT_FOUND)


# patch_file


@pytest.mark.parametrize("header", ["", "--- a/src/f\n+++ b/src/f\n", "--- src/f\n+++ src/f\n"])
def test_patch_file_applies_a_diff_to_one_file(header: str, workspace: Workspace, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src" / "f").write_text("a\nb\nc\n")
    result = patch_file(workspace, "./src/f", header + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
    assert isinstance(result, Applied)
    assert result.content == "a\nB\nc\n"
    assert [landing.line for landing in result.landings] == [1]
    assert texts(root) == {"src/f": b"a\nB\nc\n"}


def test_patch_file_applies_the_hunk_whose_header_counts_wrong(workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("".join(f"line {n}\n" for n in range(30)))
    result = patch_file(workspace, "f", "@@ -10,7 +10,7 @@\n line 9\n-line 10\n+line ten")
    assert isinstance(result, Rejected)  # It may have been cut off.
    whole = patch_file(workspace, "f", "@@ -10,7 +10,7 @@\n line 11\n-line 12\n+line twelve\n")
    assert isinstance(whole, Applied)
    assert b"line 11\nline twelve\nline 13\n" in texts(root)["f"]


def test_patch_file_makes_a_file(workspace: Workspace, root: Path) -> None:
    assert isinstance(patch_file(workspace, "d/new", "--- /dev/null\n+++ b/d/new\n@@ -0,0 +1 @@\n+x\n"), Applied)
    assert texts(root) == {"d/new": b"x\n"}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b\n", Reason.NOT_FOUND),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b\n", Reason.NOT_FOUND),
        ("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+b\n", Reason.NOT_ALLOWED),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", Reason.NOT_ALLOWED),
        ("diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n", Reason.NOT_ALLOWED),
        ("@@ -1,2 +1,2 @@\n a\n-zz\n+b\n", Reason.NO_MATCH),
        ("no diff at all", Reason.MALFORMED),
        ("", Reason.MALFORMED),
        (None, Reason.MALFORMED),
    ],
)
def test_patch_file_changes_its_file_or_nothing(patch: str, reason: Reason, workspace: Workspace, root: Path) -> None:
    (root / "f").write_text("a\n")
    (root / "other").write_text("a\n")
    before = tree(root)
    refused(patch_file(workspace, "f", patch), reason)
    assert tree(root) == before


def test_patch_file_needs_a_file_unless_it_makes_one(workspace: Workspace) -> None:
    message = refused(patch_file(workspace, "f", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), Reason.NOT_FOUND)
    assert message == "There is no file f: patch one that exists."


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


def test_edit_file_names_a_short_line_that_differs_in_a_curly_quote(project: Project) -> None:
    (project.root / "f").write_text("x = '“”'\n")
    project.call("read", filePath="f")
    old = "x = '\"\"'\nthe longest line is not there"
    result = project.call("edit_file", path="f", old_content=old, new_content="")
    assert "Nearest: line 1 (100%)" in result.output
