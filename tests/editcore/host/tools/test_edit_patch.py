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


@pytest.mark.parametrize("params", [{}, {"patch": ""}, {"patch": "x", "allow": True}, {"patch": 1}, ["patch"]])
def test_there_are_entries_for_a_call_whose_parameters_are_refused(project: Project, params: object) -> None:
    result = project.registry.call(project.agent, "edit_patch", project.context, params)
    assert [one["entry"] for _, one in project.entries] == ["call", "result"]
    (_, call), (_, ended) = project.entries
    assert call["params"] == params
    assert ended == {
        "entry": "result", "tool": "edit_patch", "ok": False, "changed_paths": [], "error": answer_of(result)["error"],
    }  # fmt: skip


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
