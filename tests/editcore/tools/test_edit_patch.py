"""edit.patch: what it answers, and what is on the disk afterwards."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.errors import WorkspaceError
from editcore.patches.begin_patch import apply_begin_patch
from editcore.tools import edit_patch
from editcore.types import Applied
from editcore.workspace import Limits, Workspace
from tests.editcore.tools.conftest import envelope
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
    assert edit_patch(patch, workspace=workspace, allow_delete=True) == {"ok": True, "summary": "A 1, M 1, D 1, R 2"}
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
    (root / "link").symlink_to("f")
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
    assert other == {"ok": False, "error": "workspace_root is not the root of this workspace: leave it out."}
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
        (root / "latin").write_bytes(b"caf\xe9\n")
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
