"""Edits of several sessions and processes in the same lines: both versions are shown, and nothing is lost unasked."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context, PermissionRequest, Result
from editcore.host.tools import TOOLS
from editcore.host.workspace import Workspace
from editcore.host.workspace.ledger import Ledger
from tests.editcore.host.conftest import Project
from tests.trees import texts

TEXT = "".join(f"line {n}\n" for n in range(1, 10))


def edit(old: str, new: str) -> dict[str, Any]:
    return {"filePath": "a", "oldString": old, "newString": new}


def as_session(project: Project, session: str, tool: str, /, **params: Any) -> Result:
    project.session = session
    return project.call(tool, **params)


@pytest.fixture
def both(project: Project) -> Project:
    """Two sessions have read the file; the second has changed line 4, and added a line at the top."""
    (project.root / "a").write_text(TEXT)
    for session in ("first", "second"):
        as_session(project, session, "read", filePath="a")
    assert not as_session(project, "second", "edit", **edit("line 4", "theirs")).is_error
    assert not as_session(project, "second", "insert_at", path="a", line=0, content="top").is_error
    return project


THEIRS = "top\n" + TEXT.replace("line 4", "theirs")
MARKED = "<<<<<<< now in the file\ntheirs\n=======\nmine\n>>>>>>> your edit\n"
BOTH = "now in the file:\n|theirs\nyour edit:\n|mine"


def test_an_overlapping_edit_is_refused_and_gets_both_versions(both: Project) -> None:
    result = as_session(both, "first", "edit", **edit("line 4", "mine"))
    assert result.is_error
    assert result.output == (
        "the file was changed since you read it: line 4 as you read it is line 5 now. Write the edit for the file as "
        f"it is now:\n{BOTH}"
    )
    assert result.metadata["reason"] == "stale_read"
    assert result.metadata["conflicts"] == [
        {"path": "a", "by": "second", "first_line": 5, "last_line": 5, "theirs": "theirs\n", "mine": "mine\n"}
    ]
    asked = both.asked[-1]
    assert (asked.permission, asked.patterns, asked.choices) == ("conflict", ("a",), ("skip", "force", "manual"))
    assert asked.metadata["with_markers"] == MARKED
    assert (both.root / "a").read_text() == THEIRS, "yes is not one of the choices"


@pytest.mark.parametrize("context", [Context("first"), Context("first", on_ask=lambda _: False)])
def test_who_is_not_asked_or_says_no_refuses(context: Context, both: Project) -> None:
    result = both.registry.call(both.agent, "edit", context, edit("line 4", "mine"))
    assert result.metadata["reason"] == "stale_read"
    assert result.output.endswith(BOTH)
    assert (both.root / "a").read_text() == THEIRS


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("skip", "the user skipped the edit: continue without it."),
        ("manual", f"the user merges both by hand: read the file again before you edit it.\n{BOTH}"),
    ],
)
def test_an_edit_can_be_skipped_or_left_to_the_user(choice: str, says: str, both: Project) -> None:
    both.answer = lambda request: choice if request.choices else True
    result = as_session(both, "first", "edit", **edit("line 4", "mine"))
    assert result.metadata["reason"] == "not_allowed"
    assert result.output.endswith(f"(line 5); {says}")
    assert (both.root / "a").read_text() == THEIRS


CALLS: dict[str, dict[str, Any]] = {
    "edit": edit("line 4", "mine"),
    "multi_edit": {"filePath": "a", "edits": [{"oldString": "line 4", "newString": "mine"}]},
    "write": {"filePath": "a", "content": TEXT.replace("line 4", "mine")},
    "edit_file": {"path": "a", "old_content": "line 4", "new_content": "mine"},
    "patch_file": {"path": "a", "patch": "@@ -3,3 +3,3 @@\n line 3\n-line 4\n+mine\n line 5\n"},
    "edit_patch": {"patch": "*** Begin Patch\n*** Update File: a\n@@\n-line 4\n+mine\n*** End Patch\n"},
}


@pytest.mark.parametrize("tool", CALLS)
def test_force_writes_over_theirs_and_keeps_their_other_changes(tool: str, both: Project) -> None:
    both.answer = lambda request: "force" if request.choices else True
    result = as_session(both, "first", tool, **CALLS[tool])
    assert not result.is_error, result.output
    assert (both.root / "a").read_text() == THEIRS.replace("theirs", "mine")
    assert [one.permission for one in both.asked[-2:]] == ["conflict", "edit"]
    again = as_session(both, "first", "edit", **edit("mine", "again"))
    assert not again.is_error, "it is in no conflict with itself"
    assert (both.root / "a").read_text() == THEIRS.replace("theirs", "again"), "and merged with their other changes"


@pytest.mark.parametrize("tool", CALLS)
def test_every_tool_is_refused_with_both_versions(tool: str, both: Project) -> None:
    result = as_session(both, "first", tool, **CALLS[tool])
    assert result.is_error
    assert "theirs" in result.output
    assert "mine" in result.output
    assert (both.root / "a").read_text() == THEIRS


def test_force_makes_the_other_changes_of_a_patch_too(both: Project) -> None:
    (both.root / "other").write_text("1\n")
    both.answer = lambda request: "force" if request.choices else True
    sections = "*** Update File: a\n@@\n-line 4\n+mine\n*** Update File: other\n@@\n-1\n+2\n*** Add File: new\n+n\n"
    result = as_session(both, "first", "edit_patch", patch=f"*** Begin Patch\n{sections}*** End Patch\n")
    assert not result.is_error, result.output
    assert texts(both.root) == {"a": THEIRS.replace("theirs", "mine").encode(), "other": b"2\n", "new": b"n\n"}


def test_very_many_changes_are_compared_in_bounded_time(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcore.host.workspace.ledger._MAX_COMPARED", 10_000)
    text = "".join(f"line {n}\n" for n in range(4_000))
    project.lay("a", text)
    (project.root / "a").write_text(text.replace("7", "seven"))
    result = project.call("edit", filePath="a", oldString="line 7\n", newString="mine\n")
    (conflict,) = result.metadata["conflicts"]
    assert (conflict["first_line"], conflict["last_line"], conflict["by"]) == (8, 8, "another process")
    assert conflict["theirs"] == "line seven\n"


def test_two_changes_forced_over_one_of_theirs_are_both_kept(project: Project) -> None:
    project.lay("a", TEXT)
    (project.root / "a").write_text("top\n" + TEXT.replace("line 3\nline 4\nline 5\n", "theirs\n"))
    project.answer = lambda request: "force" if request.choices else True
    edits = [{"oldString": f"line {n}", "newString": f"mine {n}"} for n in (3, 5, 8)]
    project.done("multi_edit", filePath="a", edits=edits)
    mine = TEXT
    for n in (3, 5, 8):
        mine = mine.replace(f"line {n}", f"mine {n}")
    assert (project.root / "a").read_text() == f"top\n{mine}"


def test_what_was_written_several_times_is_shown_as_it_is_now(both: Project) -> None:
    as_session(both, "third", "read", filePath="a")
    assert not as_session(both, "third", "edit", **edit("theirs", "third\nmore")).is_error
    result = as_session(both, "first", "edit", **edit("line 3\nline 4", "line 3\nmine"))
    (conflict,) = result.metadata["conflicts"]
    assert (conflict["by"], conflict["theirs"], conflict["mine"]) == ("second, third", "third\nmore\n", "mine\n")
    assert result.output.endswith("now in the file:\n|third\n|more\nyour edit:\n|mine")


def test_what_another_process_wrote_is_theirs_too(project: Project) -> None:
    project.lay("a", TEXT)
    (project.root / "a").write_text(TEXT.replace("line 4\nline 5\n", ""))
    result = project.call("edit", **edit("line 5", "mine"))
    assert "lines 4 to 5 as you read it are the place above line 4 now" in result.output
    assert result.output.endswith("now in the file: no lines\nyour edit:\n|line 4\n|mine")
    project.answer = lambda request: "force" if request.choices else True
    project.done("edit", **edit("line 5", "mine"))
    assert (project.root / "a").read_text() == TEXT.replace("line 4\nline 5\n", "mine\n")


def test_a_change_while_permission_is_asked_is_found(project: Project) -> None:
    file = project.lay("a", TEXT)

    def answer(request: PermissionRequest) -> bool:
        if request.permission == "edit":
            file.write_text(TEXT.replace("line 4", "theirs"))
        return True

    project.answer = answer
    result = project.call("edit", **edit("line 4", "mine"))
    assert result.metadata["conflicts"][0]["theirs"] == "theirs\n"
    assert file.read_text() == TEXT.replace("line 4", "theirs")


def test_a_change_after_force_was_chosen_is_not_lost(both: Project) -> None:
    file = both.root / "a"

    def answer(request: PermissionRequest) -> bool | str:
        if request.choices:
            file.write_text("third\n")
        return "force" if request.choices else True

    both.answer = answer
    result = as_session(both, "first", "edit", **edit("line 4", "mine"))
    assert result.metadata["reason"] == "stale_read"
    assert "changed again meanwhile" in result.output
    assert file.read_text() == "third\n"


def test_elsewhere_in_the_file_is_no_overlap_and_is_written_beside_theirs(both: Project) -> None:
    result = as_session(both, "first", "edit", **edit("line 8", "mine"))
    assert result.output == (
        "Edit applied successfully: line 9.\n"
        "Note: others changed a since you last saw it (- is a line that went):\n1: top\n- line 4\n5: theirs"
    )
    assert (both.root / "a").read_text() == THEIRS.replace("line 8", "mine")
    assert "conflict" not in [one.permission for one in both.asked]
    # The session knows its own edit now, and theirs, which it was told.
    assert not as_session(both, "first", "edit", **edit("mine", "again")).is_error
    assert as_session(both, "first", "edit", **edit("line 4", "x")).metadata["reason"] == "no_match"
    assert (both.root / "a").read_text() == THEIRS.replace("line 8", "again")


def test_elsewhere_in_the_file_it_is_merged_with_what_another_process_wrote(both: Project) -> None:
    (both.root / "a").write_text(f"{THEIRS}saved by hand\n")
    assert not as_session(both, "first", "edit", **edit("line 8", "mine")).is_error
    assert (both.root / "a").read_text() == f"{THEIRS}saved by hand\n".replace("line 8", "mine")


def test_line_numbers_are_those_of_the_text_that_was_shown(both: Project) -> None:
    assert not as_session(both, "first", "insert_at", path="a", line=5, content="below five").is_error
    # The answer has shown that line 6 is line 8 now, and line 6 is the one above the inserted one.
    assert not as_session(both, "first", "insert_at", path="a", line=8, content="below six").is_error
    wanted = THEIRS.replace("line 5\n", "line 5\nbelow five\n").replace("line 6\n", "line 6\nbelow six\n")
    assert (both.root / "a").read_text() == wanted
    # Two insertions at one place lose nothing.
    assert not as_session(both, "first", "insert_at", path="a", line=0, content="mine too").is_error
    assert (both.root / "a").read_text() == f"mine too\n{wanted}"


def test_numbers_of_lines_that_others_moved_are_those_that_were_shown(both: Project) -> None:
    assert not as_session(both, "first", "edit_file", path="a", old_content="line 8", new_content="mine\n8").is_error
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-mine\n+ours\n*** End Patch\n"
    assert not as_session(both, "first", "edit_patch", patch=patch).is_error
    # Lines are numbered as they were shown, without its own edits and theirs.
    assert not as_session(both, "first", "insert_at", path="a", line=9, content="below nine").is_error
    assert (both.root / "a").read_text() == f"{THEIRS.replace('line 8', 'ours' + chr(10) + '8')}below nine\n"


def test_what_is_not_kept_any_more_is_refused_without_a_comparison(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editcore.host.workspace.ledger._MAX_CHARACTERS", 10)
    project.lay("a", TEXT)
    (project.root / "a").write_text(TEXT.replace("line 4", "theirs"))
    assert project.refused("edit", "stale_read", **edit("line 4", "mine")).endswith("then send the edit again.")


def test_a_file_outside_is_compared_in_the_same_way(project: Project) -> None:
    other = project.root.parent / "other"
    other.mkdir()
    (other / "a").write_text(TEXT)
    project.done("read", filePath=str(other / "a"))
    (other / "a").write_text(TEXT.replace("line 4", "theirs"))
    result = project.call("edit", **{**edit("line 4", "mine"), "filePath": str(other / "a")})
    assert result.metadata["conflicts"][0]["by"] == "another process"


def test_an_edit_of_one_of_the_lines_that_others_changed_does_not_make_the_others_known(project: Project) -> None:
    file = project.lay("a", "f(\n  one\n  two\n  three\n)\n")
    file.write_text("f(\n one\n two\n three\n)\n")
    project.done("edit", filePath="a", oldString="two", newString="2", replaceAll=True)
    project.refused("write", "stale_read", filePath="a", content="f(\n  one\n  2\n  three\n)\n")
    assert file.read_text() == "f(\n one\n 2\n three\n)\n"


def test_each_line_and_border_has_those_who_wrote_there() -> None:
    """Whatever several sessions wrote in turn, a line that one of them wrote names that one, and all before it."""
    rng = random.Random(0)
    for _ in range(200):
        texts, ledger = [[f"{n}\n" for n in range(12)]], Ledger()
        ledger.record_read("reader", "/a", "".join(texts[0]))
        for step in range(rng.randint(1, 6)):
            lines = list(texts[-1])
            at = rng.randint(0, len(lines))
            lines[at : at + rng.randint(0, 3)] = [f"s{step % 2} {step}.{n}\n" for n in range(rng.randint(0, 3))]
            ledger.record_written(f"s{step % 2}", "/a", "".join(texts[-1]), "".join(lines))
            texts.append(lines)
        first, last = ("".join(texts[n]) for n in (0, -1))
        writers = ledger.writers("reader", "/a", base=first, now=last)
        assert len(writers) == 2 * len(texts[-1]) + 1
        for line, who in zip(texts[-1], writers[1::2], strict=True):
            assert line[:2] in who if line[0] == "s" else who == ()
        last = f"{last}by hand\n"
        assert ledger.writers("reader", "/a", base=first, now=last)[-2][-1] == "another process"


# Edits of a file that was changed since it was read: every tool writes what the library's function makes of them.

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
@given(LINES, LINES, st.lists(st.tuples(LINES, LINES), min_size=2, max_size=3))
def test_several_pairs_are_made_or_refused_whatever_their_lengths(
    seen: list[str], live: list[str], edits: list[tuple[list[str], list[str]]]
) -> None:
    pairs = [{"oldString": text(old), "newString": text(new * 3)} for old, new in edits]
    result, after = called(text(seen), text(live), "multi_edit", filePath="f.py", edits=pairs)
    assert not result.is_error or after == text(live)


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
