"""`edit_patch`: its answers, and the files on the disk afterwards."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.errors import WorkspaceError
from editcore.host.cancellation import Cancellation
from editcore.host.tools import PermissionRequest, Result, edit_patch
from editcore.host.workspace import Limits, Workspace
from editcore.patches.begin_patch import apply_begin_patch
from editcore.types import Applied
from tests.editcore.host.conftest import Project, envelope
from tests.trees import texts, tree


def test_edit_patch_sums_up_what_it_did(workspace: Workspace, root: Path) -> None:
    for name in ("m", "d", "r", "rm"):
        (root / name).write_text(f"{name}\nlast\n")
    patch = envelope(
        "*** Add File: new/a", "+x",
        "*** Update File: m", "@@", "-m", "+M",
        "*** Delete File: d",
        "*** Update File: r", "*** Move to: moved/r",
        "*** Update File: rm", "*** Move to: rm2", "@@", "-rm", "+RM",
    )  # fmt: skip
    assert edit_patch(patch, workspace=workspace, allow_delete=True) == {"ok": True, "summary": "A 1, M 2, D 1, R 2"}
    assert texts(root) == {"new/a": b"x\n", "m": b"M\nlast\n", "moved/r": b"r\nlast\n", "rm2": b"RM\nlast\n"}
    event = workspace.events[-1]
    assert set(event.changed_paths) == {"new/a", "m", "d", "r", "moved/r", "rm", "rm2"}
    assert isinstance(event.result, Applied)
    assert event.params["allow_delete"] is True


@pytest.mark.parametrize(
    ("sections", "summary", "after"),
    [
        (["*** Add File: n", "+1", "*** Update File: n", "@@", "-1", "+2"], "A 1, M 0, D 0, R 0", {"n": b"2\n"}),
        (["*** Update File: f", "@@", "-x", "+1", "*** Update File: f", "@@", "-1", "+2"], "A 0, M 1, D 0, R 0", {}),
        (["*** Update File: f", "*** Move to: ./f", "@@", "-x", "+2"], "A 0, M 1, D 0, R 0", {}),
        (["*** Update File: f", "*** Move to: g", "*** Update File: g", "*** Move to: h"], "A 0, M 0, D 0, R 1", None),
        (["*** Add File: n", "+1", "*** Delete File: f"], "A 1, M 0, D 1, R 0", None),
        (["*** Delete File: f", "*** Add File: f", "+2"], "A 0, M 1, D 0, R 0", {}),
        (["*** Update File: f", "*** Move to: g", "*** Add File: f", "+2"], "A 0, M 1, D 0, R 1", None),
        (["*** Add File: n"], "A 1, M 0, D 0, R 0", {"n": b""}),
    ],
)
def test_sections_for_one_file_see_the_ones_before(
    sections: list[str], summary: str, after: dict[str, bytes] | None, workspace: Workspace, root: Path
) -> None:
    (root / "f").write_text("x\n")
    assert edit_patch(envelope(*sections), workspace=workspace, allow_delete=True) == {"ok": True, "summary": summary}
    if after is not None:
        assert texts(root) == (after | {"f": b"x\n"} if after else {"f": b"2\n"})


@pytest.mark.parametrize(
    "sections",
    [
        ["*** Add File: ../x", "+1"],
        ["*** Add File: /x", "+1"],
        ["*** Update File: f", "*** Move to: ../x"],
        ["*** Add File: .git/hooks/x", "+1"],
        ["*** Add File: f", "+1"],
        ["*** Add File: f/below", "+1"],
        ["*** Add File: n", "+1", "*** Add File: n/below", "+1"],
        ["*** Add File: n", "+1", "*** Update File: f", "@@", "-absent", "+2"],
        ["*** Add File: n", "+1", "*** Delete File: f"],
        ["*** Update File: f", "*** Move to: g"],
        ["*** Update File: none", "@@", "-x", "+2"],
        ["*** Update File: f"],
        ["*** Update File: f", "*** Move to: f"],
        ["*** Update File: f", "@@", "-x", "+x"],
        ["*** Update File: link", "@@", "-x", "+2"],
        [],
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_edit_patch_writes_nothing_if_one_section_is_refused(
    sections: list[str], dry_run: bool, workspace: Workspace, root: Path
) -> None:
    (root / "f").write_text("x\n")
    (root / "link").symlink_to("../f")
    before = tree(root.parent)
    allow_move = "*** Move to: g" not in sections
    answer = edit_patch(envelope(*sections), workspace=workspace, allow_move=allow_move, dry_run=dry_run)
    assert set(answer) == {"ok", "error"}
    assert answer["ok"] is False
    assert isinstance(answer["error"], str)
    assert "\n" not in answer["error"]
    after = {name: state for name, state in tree(root.parent).items() if not name.startswith("locks")}
    assert after == before
    assert workspace.events[-1].changed_paths == ()


@pytest.mark.parametrize("patch", ["", "no patch", "*** Begin Patch\n", 7, None])
def test_edit_patch_refuses_what_is_no_patch(patch: str, workspace: Workspace, root: Path) -> None:
    answer = edit_patch(patch, workspace=workspace)
    assert answer["ok"] is False
    assert tree(root) == {}


def test_edit_patch_finds_its_root(
    workspace: Workspace, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = {"ok": True, "summary": "A 1, M 0, D 0, R 0"}
    assert edit_patch(envelope("*** Add File: a", "+1"), workspace_root=root) == done
    assert edit_patch(envelope("*** Add File: b", "+1"), workspace=workspace, workspace_root=str(root)) == done
    monkeypatch.chdir(root)
    assert edit_patch(envelope("*** Add File: c", "+1")) == done
    assert set(texts(root)) == {"a", "b", "c"}
    other = edit_patch(envelope("*** Add File: d", "+1"), workspace=workspace, workspace_root=tmp_path)
    assert set(other) == {"ok", "error"}
    assert "is neither the root of this workspace nor a directory in it: leave it out" in str(other["error"])
    for nowhere in (tmp_path / "none", "a\0b", 7):
        assert edit_patch(envelope("*** Add File: d", "+1"), workspace_root=nowhere)["ok"] is False
    assert set(texts(root)) == {"a", "b", "c"}


def test_edit_patch_answers_for_the_disk_too(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    answer = edit_patch(envelope("*** Add File: a", "+1"), workspace=workspace)
    error = "a could not be written (no space left on device): free some space and try again; nothing changed."
    assert answer == {"ok": False, "error": error}
    event = workspace.events[-1]
    assert isinstance(event.result, WorkspaceError)


def test_edit_patch_has_limits(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, limits=Limits(n_files=1), lock_directory=tmp_path / "locks")
    answer = edit_patch(envelope("*** Add File: a", "+1", "*** Add File: b", "+1"), workspace=workspace)
    assert answer == {"ok": False, "error": "The change names 2 files; the most is 1: send it in parts."}


# Through the registry


DELETION = envelope("*** Delete File: old/d", "*** Update File: m", "@@", "-m", "+M")


def laid(project: Project) -> None:
    project.lay("m", "m\n")
    project.lay("old/d", "d\n")


def answer_of(result: Result) -> dict[str, object]:
    """The answer that the model gets; the metadata has the same."""
    answer: dict[str, object] = json.loads(result.output)
    assert answer.items() <= dict(result.metadata).items()
    assert answer["ok"] is not result.is_error
    return answer


def test_a_deletion_that_nobody_allowed_is_refused_by_name_before_anything_is_written(project: Project) -> None:
    laid(project)
    before = tree(project.root)
    for params in ({}, {"allow_delete": False}, {"dry_run": True}):
        result = project.call("edit_patch", patch=DELETION, **params)
        answer = answer_of(result)
        assert set(answer) == {"ok", "error"}
        assert "deletes old/d" in str(answer["error"])
        assert "allow_delete true" in str(answer["error"])
        assert (result.metadata["reason"], result.metadata["changed_paths"]) == ("not_allowed", [])
    assert tree(project.root) == before
    assert project.asked == []


def test_a_patch_is_answered_as_described_and_says_what_it_changed(project: Project) -> None:
    laid(project)
    before = tree(project.root)
    wanted = {"ok": True, "summary": "A 0, M 1, D 1, R 0", "detail": "m: line 1."}
    dry = project.done("edit_patch", patch=DELETION, allow_delete=True, dry_run=True)
    assert answer_of(dry) == wanted
    assert project.entries[-1][1]["dry_run"] is True
    assert tree(project.root) == before
    assert project.asked == []
    real = project.done("edit_patch", patch=DELETION, allow_delete=True)
    assert answer_of(real) == wanted
    assert texts(project.root) == {"m": b"M\n"}
    assert [one.permission for one in project.asked] == ["edit"]
    assert {**dry.metadata, "dry_run": False} == real.metadata
    assert real.metadata["changed_paths"] == ["m", "old/d"]
    assert [one["file"] for one in real.metadata["filediffs"]] == ["m", "old/d"]


def test_the_answer_says_where_each_file_was_changed_and_what_was_not_found_exactly(project: Project) -> None:
    project.lay("m", "def f():\n    x = 1\n\n\n    y = 1\n")
    project.lay("n", "a\nb\nc\n")
    patch = envelope(
        "*** Update File: m", "@@", "-x = 1", "+x = 2", "@@", "-y = 1", "+y = 2",
        "*** Update File: n", "*** Move to: o", "@@", "-b", "*** Add File: p", "+1",
    )  # fmt: skip
    assert str(answer_of(project.done("edit_patch", patch=patch))["detail"]).split("\n") == [
        "m in 2 places: line 2, line 5.",
        "The match was not exact, but by trimmed. These lines are now:",
        "2:     x = 2",
        "5:     y = 2",
        "o: 1 line removed below line 1.",
    ]


@pytest.mark.parametrize("allowed", [True, False])
def test_a_user_interface_gets_an_entry_for_the_call_and_one_for_its_result(project: Project, allowed: bool) -> None:
    laid(project)
    project.call("edit_patch", patch=DELETION, allow_delete=allowed)
    (_, call), (title, result) = project.entries
    assert (call["entry"], call["tool"], call["params"]["allow_delete"]) == ("call", "edit_patch", allowed)
    assert (result["entry"], result["ok"], result["changed_paths"]) == (
        "result", allowed, ["m", "old/d"] if allowed else [],
    )  # fmt: skip
    assert title == ("A 0, M 1, D 1, R 0" if allowed else "edit_patch")


def test_there_is_an_entry_for_the_result_of_a_disk_that_fails(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid(project)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    result = project.call("edit_patch", patch=DELETION, allow_delete=True)
    assert "free some space" in str(answer_of(result)["error"])
    assert [entry["entry"] for _, entry in project.entries] == ["call", "result"]
    assert project.entries[1][1]["changed_paths"] == []


def test_there_is_an_entry_for_the_result_of_a_call_that_was_cancelled_while_it_asked(project: Project) -> None:
    laid(project)
    cancellation = Cancellation()

    def cancel(_: PermissionRequest) -> bool:
        cancellation.cancel()
        return True

    context = replace(project.context, on_ask=cancel, cancellation=cancellation)
    result = project.registry.call(project.agent, "edit_patch", context, {"patch": DELETION, "allow_delete": True})
    assert result.metadata["reason"] == "cancelled"
    assert [(one["entry"], one.get("ok")) for _, one in project.entries] == [("call", None), ("result", False)]
    assert set(texts(project.root)) == {"m", "old/d"}


@pytest.mark.parametrize("spelling", ["sub", "./sub/", "{root}/sub", "link", ".."])
def test_paths_are_relative_to_a_directory_of_the_project(spelling: str, project: Project) -> None:
    project.lay("sub/a", "x\n")
    (project.root / "link").symlink_to("sub")
    (project.root.parent / "a").write_text("x\n")
    patch = envelope("*** Update File: a", "*** Move to: b/a", "@@", "-x", "+y", "*** Add File: n", "+1")
    result = project.call("edit_patch", patch=patch, workspace_root=spelling.format(root=project.root))
    if spelling == "..":
        assert "neither the root of this workspace nor a directory in it" in str(answer_of(result)["error"])
        assert result.metadata["reason"] == "outside_workspace"
        return
    assert answer_of(result) == {"ok": True, "summary": "A 1, M 1, D 0, R 1", "detail": "sub/b/a: line 1."}
    assert texts(project.root) == {"sub/b/a": b"y\n", "sub/n": b"1\n"}
    assert set(result.metadata["changed_paths"]) == {"sub/a", "sub/b/a", "sub/n"}


@pytest.mark.parametrize("root", ["none", "sub/a", "/", "out", "a\0b", "\ud800", ".git"])
@pytest.mark.parametrize("name", ["x", "../x", "/x", ".git/x"])
def test_no_directory_and_path_lead_out_of_the_project(root: str, name: str, project: Project, tmp_path: Path) -> None:
    project.lay("sub/a", "x\n")
    (project.root / ".git").mkdir()
    (project.root / "out").symlink_to(tmp_path)
    before = tree(tmp_path)
    for workspace_root in (root, "sub" if name != "x" else root):
        patch = envelope(f"*** Add File: {name}", "+1")
        answer_of(result := project.call("edit_patch", patch=patch, workspace_root=workspace_root))
        assert result.is_error
    after = {name: state for name, state in tree(tmp_path).items() if not name.startswith("locks")}
    assert after == before


def test_a_patch_names_no_more_than_it_may(project: Project) -> None:
    patch = envelope("*** Add File: a", "+12", "*** Add File: b", "+1")
    files = answer_of(project.call("edit_patch", patch=patch, max_files=1))
    assert files["error"] == "The patch names 2 files; max_files is 1: raise it, or send the patch in parts."
    size = answer_of(project.call("edit_patch", patch=patch, max_bytes=4))
    assert size["error"] == "The changed files would have 5 bytes; max_bytes is 4: raise it."
    assert texts(project.root) == {}
    project.done("edit_patch", patch=patch, max_files=2, max_bytes=5)


def test_what_is_wrong_with_a_call_or_a_file_is_answered_in_the_same_shape(project: Project) -> None:
    result = project.call("edit_patch", patch=DELETION, allow_deletes=True)
    assert "did you mean allow_delete" in str(answer_of(result)["error"])
    broken = project.done("edit_patch", patch=envelope("*** Add File: a.py", "+def"))
    answer = answer_of(broken)
    assert answer["summary"] == "A 1, M 0, D 0, R 0"
    assert "invalid syntax" in str(answer["diagnostics"])
    project.host.workspace.mode = "analyze"
    findings = answer_of(project.call("edit_patch", patch=envelope("*** Add File: n", "+1")))["findings"]
    assert findings == {
        "summary": "A 1, M 0, D 0, R 0", "changed_paths": ["n"], "diff": "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n",
    }  # fmt: skip


BOM = b"\xef\xbb\xbf"
NAMES = st.sampled_from(["a", "b", "d/c", "d", "../x", ".git/x", "link", "latin"])
LINE = st.sampled_from(["x", "y", "  x", "", "z"])
SECTION = st.one_of(
    st.builds(lambda name, lines: [f"*** Add File: {name}", *("+" + line for line in lines)], NAMES, st.lists(LINE)),
    st.builds(lambda name: [f"*** Delete File: {name}"], NAMES),
    st.builds(
        lambda name, target, hunks: [
            f"*** Update File: {name}",
            *([f"*** Move to: {target}"] if target else []),
            *(line for hunk in hunks for line in ["@@", *hunk]),
        ],
        NAMES,
        st.none() | NAMES,
        st.lists(st.lists(st.builds(str.__add__, st.sampled_from(" +-"), LINE), min_size=1, max_size=4), max_size=2),
    ),
)


@given(st.lists(SECTION, min_size=1, max_size=3), st.booleans(), st.booleans(), st.booleans())
def test_a_dry_run_answers_as_a_real_run_and_touches_nothing(
    sections: list[list[str]], allow_delete: bool, allow_move: bool, backups: bool
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / "root"
        (root / "d").mkdir(parents=True)
        (root / "a").write_bytes(b"x\r\ny\r\n")
        (root / "b").write_bytes(b"\xef\xbb\xbfx\ny\n\nx")
        (root / "d" / "c").write_bytes(b"z\n")
        (root / "latin").write_bytes(b"caf\0\n")
        (root / "link").symlink_to("a")
        shutil.copytree(root, folder / "copy", symlinks=True)
        before = tree(root)
        workspace = Workspace(root, lock_directory=folder / "locks", durable=False, backups=backups)
        patch = envelope(*(line for section in sections for line in section))
        allowed = {"allow_delete": allow_delete, "allow_move": allow_move}
        dry = edit_patch(patch, workspace=workspace, dry_run=True, **allowed)
        assert tree(root) == before
        promised = workspace.events[-1].result
        real = edit_patch(patch, workspace=workspace, **allowed)
        assert dry == real
        assert promised == workspace.events[-1].result
        if real["ok"]:
            files = {name: data for name, data in texts(folder / "copy").items() if name != "latin"}
            plain = {name: data.removeprefix(BOM).decode() for name, data in files.items()}
            wanted = apply_begin_patch(plain, patch, **allowed)
            assert isinstance(wanted, Applied)
            assert wanted.files is not None
            found = {name: data.removeprefix(BOM).decode("latin-1") for name, data in texts(root).items()}
            found = {name: text for name, text in found.items() if name != "latin" and ".bak" not in name}
            assert found == wanted.files
            assert tree(root) != before
            if backups:
                workspace.rollback()
                assert texts(root) == texts(folder / "copy")
        else:
            assert tree(root) == before
