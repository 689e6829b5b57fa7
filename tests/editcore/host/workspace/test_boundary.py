"""Paths that a workspace accepts: none leads out of it, through a link or into .git."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.workspace import Workspace
from editcore.types import Applied, Reason
from tests.editcore.host.workspace.changes import AS_ROOT, becomes, refusal, write
from tests.trees import texts, tree


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        *(
            (path, Reason.OUTSIDE_WORKSPACE)
            for path in ("", ".", "./", "a/..", "../x", "a/../../x", "../root-secret/x")
        ),
        *((path, Reason.OUTSIDE_WORKSPACE) for path in ("/etc/passwd", "//x", "~/x", "C:/x", "c:\\x", "..\\x", "\\x")),
        *((path, Reason.OUTSIDE_WORKSPACE) for path in ("a\0b", "a/./../../x", "a//../../x")),
        *((path, Reason.NOT_ALLOWED) for path in ("\ud800", "x" * 300, "x/" * 300 + "x", "a/" + "é" * 200)),
        (7, Reason.MALFORMED),
    ],
)
def test_a_path_that_is_none_inside_the_root_is_refused(
    path: str, reason: Reason, workspace: Workspace, root: Path
) -> None:
    (root.parent / "root-secret").mkdir()
    before = tree(root.parent)
    outcome = workspace.change("test", {}, [path], lambda _: Applied(files={path: "x"}))
    assert refusal(outcome).reason is reason
    assert outcome.result.message.isprintable()
    with pytest.raises(WorkspaceError):
        workspace.read(path)
    assert {name: state for name, state in tree(root.parent).items() if not name.startswith("locks")} == before


@pytest.mark.parametrize("path", ["./a//b.txt", "a/./b.txt", "a\\b.txt", "a/b.txt/"])
def test_a_path_may_be_spelled_in_several_ways(path: str, workspace: Workspace, root: Path) -> None:
    outcome = workspace.change("test", {}, [path], becomes({"a/b.txt": "x\n"}))
    assert outcome.is_written
    assert texts(root) == {"a/b.txt": b"x\n"}
    assert workspace.read(path) == "x\n"


@pytest.fixture
def linked(root: Path) -> Path:
    """A directory outside with a file in it, and links to everything from inside."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret\n")
    (root / "inside").mkdir()
    (root / "inside" / "file").write_text("file\n")
    (root / "to_file").symlink_to(outside / "secret")
    (root / "to_directory").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "new")
    (root / "to_inside").symlink_to("inside")
    (root / "inside" / "to_sibling").symlink_to("file")
    (root / "loop").symlink_to("loop")
    return outside


@pytest.mark.parametrize(
    "path",
    [
        "to_file",
        "to_directory",
        "to_directory/secret",
        "to_directory/new",
        "to_directory/a/b",
        "dangling",
        "to_inside/file",
        "inside/to_sibling",
        "loop",
        "loop/x",
    ],
)
def test_no_component_of_a_path_may_be_a_symbolic_link(
    path: str, workspace: Workspace, root: Path, linked: Path
) -> None:
    before = tree(root), tree(linked)
    assert refusal(write(workspace, {path: "x\n"})).reason is Reason.OUTSIDE_WORKSPACE
    assert (tree(root), tree(linked)) == before
    with pytest.raises(WorkspaceError, match="symbolic link"):
        workspace.read(path)


def test_the_root_may_be_reached_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert write(Workspace(tmp_path / "link", lock_directory=tmp_path / "locks"), {"a": "x\n"}).is_written
    assert texts(root) == {"a": b"x\n"}


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".Git\\config",
        "sub/.git/config",
        # What some file systems take for the same.
        ".g\u200cit/x",
        "\ufeff.git/x",
        ".git./x",
        ".git /x",
        "GIT~1/x",
        ".git::$INDEX_ALLOCATION/x",
    ],
)
def test_nothing_in_git_is_written(path: str, workspace: Workspace, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n")
    before = tree(root)
    assert refusal(write(workspace, {path: "x\n"})).reason is Reason.NOT_ALLOWED
    assert tree(root) == before


def test_what_only_looks_like_git_is_written(workspace: Workspace, root: Path) -> None:
    wanted = dict.fromkeys((".gitignore", ".github/x", "git/x", "a.git", ".git-x"), "x\n")
    assert write(workspace, wanted).is_written
    assert set(texts(root)) == set(wanted)


def test_reading_in_git_is_allowed(workspace: Workspace, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: x\n")
    assert workspace.read(".git/HEAD") == "ref: x\n"


@pytest.mark.timeout(20)
def test_only_regular_files_are_touched(workspace: Workspace, root: Path) -> None:
    os.mkfifo(root / "fifo")
    (root / "directory").mkdir()
    (root / "file").write_text("x\n")
    names = ["fifo", "directory", "file/below", "socket"]
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(root)  # The name of a socket has to be short.
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
    if AS_ROOT:
        os.mknod(root / "device", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        names.append("device")
    before = tree(root)
    for name in names:
        assert refusal(write(workspace, {name: "y\n"})).reason is Reason.NOT_ALLOWED
        with pytest.raises(WorkspaceError):
            workspace.read(name)
    assert tree(root) == before


def test_a_file_that_turns_into_a_link_between_two_looks_is_not_followed(
    workspace: Workspace, root: Path, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "file").write_text("x\n")
    real = os.stat
    regular = real(root / "file")
    monkeypatch.setattr(os, "stat", lambda name, **options: regular if name == "to_file" else real(name, **options))
    with pytest.raises(WorkspaceError, match="symbolic link"):
        workspace.read("to_file")
    # And one that is gone at the second look is none.
    monkeypatch.setattr(os, "stat", lambda name, **options: regular if name == "gone" else real(name, **options))
    with pytest.raises(WorkspaceError, match="There is no file gone"):
        workspace.read("gone")
    assert (linked / "secret").read_text() == "secret\n"
