"""Bytes, mode, owner and attributes that an edit keeps; and the limits of a change."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.workspace import Limits, Workspace
from editcore.types import Applied, Reason
from tests.editcore.host.workspace.changes import AS_ROOT, becomes, refusal, write
from tests.trees import texts, tree


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"a\r\nb\r\n",
        b"a\nb\r\nc\rd",
        b"a\x0cb\x0b\n",
        b"\xef\xbb\xbfa\n",
        b"\xef\xbb\xbf\xef\xbb\xbfa\n",
        "a\u2028b\u2029\x85c\n".encode(),
        "é𝄞\n".encode(),
    ],
)
def test_what_is_not_edited_keeps_its_bytes(data: bytes, workspace: Workspace, root: Path) -> None:
    (root / "a").write_bytes(data)
    outcome = workspace.change("test", {}, ["a"], lambda files: Applied(files={"a": files["a"] + "!"}))
    assert outcome.is_written
    assert (root / "a").read_bytes() == data + b"!"
    assert not workspace.read("a").startswith("\ufeff") or data.startswith(b"\xef\xbb\xbf" * 2)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ("a\n".encode("utf-16-be"), "(a NUL at offset 0)"),
        ("a\n".encode("utf-16-le"), "(a NUL at offset 1)"),
        (b"a\0b\n", "a NUL at offset 1"),
        (b"x" * 8191 + b"\0", "a NUL at offset 8191"),
        (b"\xff\xfea", "a is not utf-16-le, as its byte order mark says"),
        (b"\xff\xfe\0\0\xff\xff\xff\xff", "not utf-32-le"),
    ],
)
def test_a_binary_file_is_refused_unchanged(data: bytes, where: str, workspace: Workspace, root: Path) -> None:
    (root / "a").write_bytes(data)
    before = tree(root)
    result = refusal(write(workspace, {"a": "x\n"}))
    assert result.reason is Reason.NOT_ALLOWED
    assert where in result.message
    assert tree(root) == before


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"caf\xe9\n", b"!"),
        ("\ufeffé\n".encode("utf-16-le"), b"!\0"),
        ("\ufeffé\n".encode("utf-16-be"), b"\0!"),
        ("\ufeffa\n".encode("utf-32-le"), b"!\0\0\0"),
        (b"\xef\xbb\xbf\xff", b"!"),
        (b"\xed\xa0\x80", b"!"),
        (b"\xc0\x80", b"!"),
        ("日本語のテキスト\n".encode("shift_jis"), b"!"),
        (b"x" * 8192 + b"\0\n", b"!"),
    ],
)
def test_a_file_in_another_encoding_stays_in_it(data: bytes, end: bytes, workspace: Workspace, root: Path) -> None:
    (root / "a").write_bytes(data)
    outcome = workspace.change("test", {}, ["a"], lambda files: Applied(files={"a": files["a"] + "!"}))
    assert outcome.is_written
    assert (root / "a").read_bytes() == data + end


def test_half_a_character_is_not_written(workspace: Workspace, root: Path) -> None:
    assert refusal(write(workspace, {"a": "x\n", "b": "\ud83d"})).reason is Reason.MALFORMED
    assert texts(root) == {}


def test_a_moved_file_keeps_its_mode_and_byte_order_mark(workspace: Workspace, root: Path) -> None:
    (root / "a").write_bytes(b"\xef\xbb\xbfx\n")
    (root / "a").chmod(0o755)
    outcome = workspace.change("test", {}, ["a", "b/c"], becomes({"b/c": "y\n"}), moved={"b/c": "a"})
    assert [(one.kind, one.path, one.moved_from) for one in outcome.changes] == [("R", "b/c", "a")]
    assert texts(root) == {"b/c": b"\xef\xbb\xbfy\n"}
    assert stat.S_IMODE((root / "b/c").stat().st_mode) == 0o755
    assert workspace.events[-1].changed_paths == ("a", "b/c")


# Modes, owners, links


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o640, 0o600, 0o4755, 0o2755, 0o666])
def test_the_mode_of_a_file_is_kept(mode: int, workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "a").chmod(mode)
    assert write(workspace, {"a": "y\n"}).is_written
    assert stat.S_IMODE((root / "a").stat().st_mode) == mode


def test_a_new_file_has_the_mode_the_umask_leaves(workspace: Workspace, root: Path) -> None:
    old = os.umask(0o027)
    try:
        assert write(workspace, {"d/a": "y\n"}).is_written
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / "d/a").stat().st_mode) == 0o640


@pytest.mark.skipif(not AS_ROOT, reason="only root gives files away")
def test_the_owner_of_a_file_is_kept(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    os.chown(root / "a", 1234, 2345)
    (root / "a").chmod(0o4755)
    assert write(workspace, {"a": "y\n"}).is_written
    state = (root / "a").stat()
    assert (state.st_uid, state.st_gid, stat.S_IMODE(state.st_mode)) == (1234, 2345, 0o4755)


@pytest.mark.skipif(not AS_ROOT, reason="only root gives files away")
def test_a_program_that_changes_owner_runs_as_nobody_else(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("x\n")
    os.chown(root / "a", 1234, 2345)
    (root / "a").chmod(0o6755)

    def denied(*_: object) -> None:
        raise PermissionError(1, "no")

    monkeypatch.setattr(os, "fchown", denied)
    assert write(workspace, {"a": "y\n"}).is_written
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755


def test_extended_attributes_are_kept(workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_text("x\n")
    try:
        os.setxattr(root / "a", "user.note", b"kept")
    except (AttributeError, OSError):
        pytest.skip("this file system has no extended attributes")
    assert write(workspace, {"a": "y\n"}).is_written
    assert os.getxattr(root / "a", "user.note") == b"kept"

    def unsupported(*_: object) -> list[str]:
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "listxattr", unsupported)
    assert write(workspace, {"a": "z\n"}).is_written
    monkeypatch.delattr(os, "listxattr")
    assert write(workspace, {"a": "x\n"}).is_written


def test_hard_links_are_noted_and_the_other_name_keeps_the_old_text(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    os.link(root / "a", root / "b")
    result = write(workspace, {"a": "y\n"}).result
    assert isinstance(result, Applied)
    assert result.notes == ("a had 2 hard links: the other names keep the old text",)
    assert texts(root) == {"a": b"y\n", "b": b"x\n"}


# Limits


def test_a_huge_file_is_refused_before_it_is_read(workspace: Workspace, root: Path) -> None:
    with open(root / "huge", "wb") as file:
        file.truncate(20 << 30)  # Sparse: it takes no room.
    assert refusal(write(workspace, {"huge": "x\n"})).reason is Reason.TOO_LARGE
    with pytest.raises(WorkspaceError, match="larger than 10,000,000 bytes"):
        workspace.read("huge")


def test_a_file_that_grows_while_it_is_read_is_refused(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("x" * 10)
    workspace = Workspace(root, limits=Limits(file_bytes=10), lock_directory=tmp_path / "locks")
    assert workspace.read("a") == "x" * 10
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, n: real(descriptor, n) or b"more")
    with pytest.raises(WorkspaceError, match="larger than 10 bytes"):
        workspace.read("a")


@pytest.mark.parametrize(
    ("limits", "files"),
    [
        (Limits(file_bytes=4), {"a": "12345"}),
        (Limits(changed_bytes=8), {"a": "12345", "b": "12345"}),
        (Limits(n_files=2), {"a": "1", "b": "2", "c": "3"}),
    ],
)
def test_a_change_has_limits(limits: Limits, files: dict[str, str], root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, limits=limits, lock_directory=tmp_path / "locks")
    assert refusal(write(workspace, files)).reason is Reason.TOO_LARGE
    assert texts(root) == {}
