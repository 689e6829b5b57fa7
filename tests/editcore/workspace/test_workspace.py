"""The rules of a workspace, on a real file system."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.types import Applied, EditResult, Reason, Rejected
from editcore.workspace.locks import N_STRIPES, Locks, stripe
from editcore.workspace.workspace import MODES, ChangeResult, Event, Limits, Workspace
from tests.trees import temporaries, texts, tree

AS_ROOT = os.geteuid() == 0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Workspace:
    return Workspace(root, lock_directory=tmp_path / "locks")


def becomes(texts: Mapping[str, str]) -> Callable[[Mapping[str, str]], EditResult]:
    """The decision that the files are to have these texts, and that the others are to go."""
    return lambda _: Applied(files=dict(texts))


def write(workspace: Workspace, texts: Mapping[str, str], **options: object) -> ChangeResult:
    return workspace.change("test", {}, list(texts), becomes(texts), **options)  # type: ignore[arg-type]


def refusal(outcome: ChangeResult) -> Rejected:
    assert isinstance(outcome.result, Rejected), outcome
    assert not outcome.is_written
    assert "\n" not in outcome.result.message
    return outcome.result


# Paths


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


# Contents


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"a\r\nb\r\n",
        b"a\nb\r\nc\rd",
        b"a\0b\n",
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
        (b"caf\xe9\n", "0xe9 at offset 3"),
        ("a\n".encode("utf-16"), "offset 0"),
        (b"\xef\xbb\xbf\xff", "offset 3"),
        (b"\xed\xa0\x80", "offset 0"),
        (b"\xc0\x80", "offset 0"),
    ],
)
def test_a_file_that_is_not_utf_8_is_refused_unchanged(
    data: bytes, where: str, workspace: Workspace, root: Path
) -> None:
    (root / "a").write_bytes(data)
    before = tree(root)
    result = refusal(write(workspace, {"a": "x\n"}))
    assert result.reason is Reason.NOT_ALLOWED
    assert where in result.message
    assert tree(root) == before


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


# Deciding


def test_nothing_is_written_where_the_decision_is_no(workspace: Workspace, root: Path) -> None:
    no = Rejected(Reason.NO_MATCH, "no")
    assert workspace.change("test", {}, ["a"], lambda _: no) == ChangeResult(no)
    assert texts(root) == {}


def test_a_change_of_nothing_is_refused(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert refusal(write(workspace, {"a": "x\n"})).reason is Reason.IDENTICAL
    assert refusal(workspace.change("test", {}, ["b"], becomes({}))).reason is Reason.IDENTICAL


def test_a_decision_reaches_no_further_than_the_paths_it_was_made_for(workspace: Workspace, root: Path) -> None:
    outcome = workspace.change("test", {}, ["a"], becomes({"a": "x", "b": "y"}))
    assert refusal(outcome).reason is Reason.NOT_ALLOWED
    assert texts(root) == {}


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_path_is_not_a_file_and_a_directory_at_once(dry_run: bool, workspace: Workspace, root: Path) -> None:
    assert refusal(write(workspace, {"a": "x", "a/b/c": "y"}, dry_run=dry_run)).reason is Reason.NOT_ALLOWED
    assert tree(root) == {}


def test_added_modified_and_deleted_files_are_told_apart(workspace: Workspace, root: Path) -> None:
    (root / "m").write_text("x\n")
    (root / "d").write_text("x\n")
    outcome = workspace.change("test", {}, ["a/b/c", "m", "d"], becomes({"a/b/c": "", "m": "y\n"}))
    assert {(one.kind, one.path) for one in outcome.changes} == {("A", "a/b/c"), ("M", "m"), ("D", "d")}
    assert texts(root) == {"a/b/c": b"", "m": b"y\n"}


def test_a_dry_run_touches_nothing(workspace: Workspace, root: Path) -> None:
    (root / "m").write_text("x\n")
    before = tree(root)
    outcome = workspace.change("test", {}, ["n/a", "m"], becomes({"n/a": "1"}), dry_run=True)
    assert not outcome.is_written
    assert [one.kind for one in outcome.changes] == ["A", "D"] or [one.kind for one in outcome.changes] == ["D", "A"]
    assert tree(root) == before
    assert workspace.events[-1].changed_paths == ()


@pytest.mark.parametrize("mode", MODES)
def test_two_of_the_modes_write_nothing_and_say_what_they_would_have(mode: str, root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, mode=mode, lock_directory=tmp_path / "locks")  # type: ignore[arg-type]
    outcome = write(workspace, {f"{n}": "x\n" for n in range(7)})
    if mode not in ("research", "analyze"):
        assert outcome.is_written
        return
    result = refusal(outcome)
    assert result.reason is Reason.NOT_ALLOWED
    assert f"Mode {mode} writes nothing: the change of 0, 1, 2, 3, 4, ..." in result.message
    assert result.proposed is not None
    assert result.proposed.files == {f"{n}": "x\n" for n in range(7)}
    assert len(outcome.changes) == 7
    assert texts(root) == {}
    assert workspace.events[-1].changed_paths == ()
    for undo in (workspace.rollback, workspace.cleanup):
        with pytest.raises(WorkspaceError, match="writes nothing"):
            undo()


def test_a_workspace_needs_a_directory_and_a_mode(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="is not a directory"):
        Workspace(tmp_path / "none")
    with pytest.raises(WorkspaceError, match="choose from research, generate"):
        Workspace(tmp_path, mode="destroy")  # type: ignore[arg-type]


def test_a_root_that_goes_away_is_told(workspace: Workspace, root: Path) -> None:
    root.rmdir()
    with pytest.raises(WorkspaceError, match="The root of the workspace could not be opened"):
        write(workspace, {"a": "x"})
    event = workspace.events[-1]
    assert isinstance(event.result, WorkspaceError)


def test_every_call_is_an_event(root: Path, tmp_path: Path) -> None:
    heard: list[Event] = []
    workspace = Workspace(root, lock_directory=tmp_path / "locks", on_event=heard.append)
    done = workspace.change("tool", {"path": "a"}, ["a"], becomes({"a": "x"}))
    refused = workspace.change("tool", {"path": "../a"}, ["../a"], becomes({}))
    assert list(workspace.events) == heard
    assert heard == [
        Event("tool", {"path": "a"}, done.result, ("a",)),
        Event("tool", {"path": "../a"}, refused.result, ()),
    ]


# Somebody else at work


def test_a_file_that_changed_meanwhile_is_left_as_it_is(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "b").write_text("x\n")

    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "b").write_text("theirs\n")
        return Applied(files={"a": "mine\n", "b": "mine\n"})

    result = refusal(workspace.change("test", {}, ["a", "b"], decide))
    assert result.reason is Reason.STALE_READ
    assert texts(root) == {"a": b"x\n", "b": b"theirs\n"}


def test_a_file_that_appeared_meanwhile_is_left_as_it_is(workspace: Workspace, root: Path) -> None:
    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "b").write_text("theirs\n")
        return Applied(files={"a/a": "mine\n", "b": "mine\n"})

    assert refusal(workspace.change("test", {}, ["a/a", "b"], decide)).reason is Reason.STALE_READ
    assert list(tree(root)) == ["b"]
    assert texts(root) == {"b": b"theirs\n"}


@pytest.mark.parametrize("after", [{}, {"a": "mine\n"}])
def test_a_file_that_went_meanwhile_does_not_come_back(after: dict[str, str], workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")

    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "a").unlink()
        return Applied(files=after)

    assert refusal(workspace.change("test", {}, ["a"], decide)).reason is Reason.STALE_READ
    assert tree(root) == {}


def test_what_killed_processes_left_is_swept_unless_its_lock_is_held(
    workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    (root / "a").write_text("x\n")
    mine, dead, alive = stripe(f"{root}/a"), 0x123, 0x124
    for number in (mine, dead, alive):
        (root / f".editgauge-{number:03x}-0123456789abcdef.tmp").write_text("half")
    (root / ".editgauge-mine").write_text("a user's")
    with Locks(tmp_path / "locks").holding([alive]):
        assert write(workspace, {"a": "y\n"}).is_written
    assert sorted(temporaries(root)) == [".editgauge-124-0123456789abcdef.tmp", ".editgauge-mine"]


# Locks


def test_a_locked_file_is_waited_for_and_then_given_up(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, lock_directory=tmp_path / "locks", lock_timeout=0.02)
    done: list[object] = []

    def other() -> None:
        try:
            done.append(write(workspace, {"a": "x\n"}))
        except WorkspaceError as error:
            done.append(error)

    from threading import Thread

    with Locks(tmp_path / "locks").holding([stripe(f"{root}/a")]):
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert isinstance(done[0], WorkspaceError)
    assert "locked for 0.02 s" in done[0].message
    assert write(workspace, {"a": "x\n"}).is_written


def test_there_are_never_more_lock_files_than_stripes(root: Path, tmp_path: Path) -> None:
    found = {stripe(f"/w/{n}") for n in range(20_000)}
    assert found == set(range(N_STRIPES))
    assert stripe("/w/É") == stripe("/w/e\u0301")
    workspace = Workspace(root, lock_directory=tmp_path / "locks")
    assert write(workspace, {f"{n}": "x" for n in range(100)}).is_written
    assert len(list((tmp_path / "locks").iterdir())) <= 100


def test_locks_lie_outside_of_the_tree_in_a_private_directory(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert write(Workspace(root), {"a": "x\n"}).is_written
    assert set(tree(root)) == {"a"}
    (locks,) = tmp_path.glob("editgauge-locks-*")
    assert stat.S_IMODE(locks.stat().st_mode) == 0o700
    locks.chmod(0o777)
    with pytest.raises(WorkspaceError, match="is not private to this user"):
        write(Workspace(root), {"a": "y\n"})
    shutil.rmtree(locks)
    (tmp_path / "elsewhere").mkdir()
    locks.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="is not private to this user"):
        write(Workspace(root), {"a": "y\n"})
    assert texts(root) == {"a": b"x\n"}


def test_a_lock_directory_that_cannot_be_is_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="lock directory can't be created"):
        write(Workspace(root, lock_directory=tmp_path / "file" / "locks"), {"a": "x\n"})
    locks = tmp_path / "locks"
    (locks / f"{stripe(f'{root}/a'):03x}.lock").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match="lock directory can't be used"):
        write(Workspace(root, lock_directory=locks), {"a": "x\n"})
    assert texts(root) == {}


# Backups


@pytest.fixture
def backed(root: Path, tmp_path: Path) -> Workspace:
    return Workspace(root, backups=True, lock_directory=tmp_path / "locks")


def test_a_backup_is_the_file_before_its_first_edit(backed: Workspace, root: Path) -> None:
    (root / "a").write_bytes(b"\xef\xbb\xbfx\r\n")
    (root / "a").chmod(0o755)
    assert write(backed, {"a": "1"}).is_written
    assert write(backed, {"a": "2"}).is_written
    assert texts(root) == {"a": b"\xef\xbb\xbf2", "a.bak": b"\xef\xbb\xbfx\r\n"}
    assert stat.S_IMODE((root / "a.bak").stat().st_mode) == 0o755
    assert backed.rollback("a") == ("a",)
    assert backed.events[-1] == Event("rollback", {"path": "a"}, Applied(), ("a", "a.bak"))
    assert texts(root) == {"a": b"\xef\xbb\xbfx\r\n"}
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755
    with pytest.raises(WorkspaceError, match="no backup of a"):
        backed.rollback("a")


def test_a_whole_change_is_rolled_back(backed: Workspace, root: Path) -> None:
    for name in ("m", "d", "old"):
        (root / name).write_text(f"{name}\n")
    before = texts(root)
    backed.change(
        "test",
        {},
        ["m", "d", "old", "new", "added"],
        becomes({"m": "1", "new": "old\n", "added": "2"}),
        moved={"new": "old"},
    )
    backed.change("test", {}, ["added"], becomes({}))
    assert set(texts(root)) == {"m", "new", "m.bak", "d.bak", "old.bak"}
    assert set(backed.rollback()) == {"m", "d", "old", "new", "added"}
    assert texts(root) == before
    assert backed.rollback() == ()


def test_cleaning_up_removes_the_backups(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "b").write_text("x\n")
    assert write(backed, {"a": "1", "b": "1", "c": "1"}).is_written
    assert backed.cleanup("a") == ("a",)
    assert set(texts(root)) == {"a", "b", "b.bak", "c"}
    (root / "b.bak").write_text("a user's now")
    assert set(backed.cleanup()) == {"b", "c"}
    assert texts(root) == {"a": b"1", "b": b"1", "b.bak": b"a user's now", "c": b"1"}


def test_the_backup_of_a_user_is_never_written(backed: Workspace, root: Path, tmp_path: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "a.bak").write_text("the user's\n")
    (root / "a.bak.1").symlink_to(tmp_path / "outside")
    assert write(backed, {"a": "1"}).is_written
    assert texts(root) == {"a": b"1", "a.bak": b"the user's\n", "a.bak.2": b"x\n"}
    backed.rollback()
    assert texts(root) == {"a": b"x\n", "a.bak": b"the user's\n"}
    assert not (tmp_path / "outside").exists()


def test_a_backup_does_not_take_a_name_of_the_same_change(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert write(backed, {"a": "1", "a.bak": "2"}).is_written
    assert texts(root) == {"a": b"1", "a.bak": b"2", "a.bak.1": b"x\n"}


@pytest.mark.parametrize("name", ["a", "a.bak"])
def test_a_rollback_loses_nobodys_work(name: str, backed: Workspace, root: Path) -> None:
    for other in ("a", "b"):
        (root / other).write_text("x\n")
    assert write(backed, {"a": "1", "b": "1"}).is_written
    (root / name).write_text("the user's\n")
    before = tree(root)
    with pytest.raises(WorkspaceError, match="not rolled back"):
        backed.rollback()
    assert tree(root) == before


def test_no_backup_is_left_of_an_edit_that_failed(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")

    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "a").write_text("theirs\n")
        return Applied(files={"a": "mine\n"})

    assert refusal(backed.change("test", {}, ["a"], decide)).reason is Reason.STALE_READ
    assert texts(root) == {"a": b"theirs\n"}
    with pytest.raises(WorkspaceError, match="no backup"):
        backed.rollback("a")


def test_a_name_too_long_for_a_backup_is_refused_before_anything_happens(backed: Workspace, root: Path) -> None:
    name = "x" * 253
    (root / name).write_text("x\n")
    assert refusal(write(backed, {name: "1"}, dry_run=True)).reason is Reason.NOT_ALLOWED
    assert refusal(write(backed, {name: "1"})).reason is Reason.NOT_ALLOWED
    assert list(tree(root)) == [name]


# Disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("file systems can't be mounted here; root may")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_every_file_as_it_was(small_disk: Path, tmp_path: Path) -> None:
    workspace = Workspace(small_disk, lock_directory=tmp_path / "locks", backups=True)
    (small_disk / "a").write_text("a\n")
    (small_disk / "b").write_text("b\n")
    n_failed = n_written = 0
    for kilobytes in range(0, 124, 4):
        (small_disk / "filling").write_bytes(b"." * kilobytes * 1024)
        before = texts(small_disk)
        failure = None
        try:
            write(workspace, {"a": "A" * 16_000, "b": "B" * 16_000, "new/c": "C" * 16_000})
        except WorkspaceError as error:
            failure = error
        if failure is None:
            n_written += 1
            workspace.rollback()
        else:
            n_failed += 1
            assert "(no space left on device): free some space and try again; nothing changed." in failure.message
            assert failure.reason is None
        assert texts(small_disk) == before
        assert set(tree(small_disk)) - {"new"} == {"a", "b", "filling"}
    assert n_failed > 5
    assert n_written > 5


def test_a_file_system_that_is_read_only_is_told_by_a_dry_run_too(small_disk: Path, tmp_path: Path) -> None:
    workspace = Workspace(small_disk, lock_directory=tmp_path / "locks")
    (small_disk / "a").write_text("a\n")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    before = tree(small_disk)
    for dry_run in (True, False):
        for files in ({"a": "b\n"}, {"new/file": "b\n"}):
            with pytest.raises(WorkspaceError, match=r"\(read-only file system\): nothing can be written there"):
                write(workspace, files, dry_run=dry_run)
    assert tree(small_disk) == before


def test_an_immutable_file_is_told(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    if shutil.which("chattr") is None or subprocess.run(["chattr", "+i", root / "a"], capture_output=True).returncode:
        pytest.skip("files can't be made immutable here")
    try:
        for dry_run in (True, False):
            with pytest.raises(WorkspaceError, match="ask for the permission"):
                write(workspace, {"a": "y\n"}, dry_run=dry_run)
    finally:
        subprocess.run(["chattr", "-i", root / "a"], check=True)
    assert texts(root) == {"a": b"x\n"}


def test_the_error_of_a_disk_is_one_line_that_says_where_and_what_to_do() -> None:
    from editcore.workspace.boundary import disk_error

    error = disk_error(OSError(5, "Input/output error"), "a\nb\x1b[31m" + "x" * 500)
    assert error.message.isprintable()
    assert len(error.message) < 350
    assert "(input/output error): look at the disk and try again; nothing changed." in error.message
    assert str(error) == error.message
