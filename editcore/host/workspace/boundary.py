"""The root of a workspace as a boundary: which paths lie inside, and how to open them without leaving it.

A path is opened component by component, each relative to the directory above and never through a symbolic link. A
link swapped in between a check and its use therefore has no effect: opening is the check. Links are refused even if
they point inside the workspace: a tool that follows links calls `followed` first, and opens the result as if a user
had given it. POSIX only.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EACCES, EDQUOT, EFBIG, ELOOP, ENAMETOOLONG, ENOSPC, ENOTDIR, EPERM, EROFS
from functools import partial
from posixpath import dirname

from editcore.errors import WorkspaceError
from editcore.quoting import normal_path, shown
from editcore.types import Reason

_MOST_LINKS = 40
"""Links that are followed for one path, as Linux does."""


def followed(root: str, path: str) -> str:
    """The clean path that a clean path leads to through links, relative to the root; every link in it stays inside.

    The path is returned unchanged if a link leads out of the root (even if another one leads back), in a circle, or
    to the root. A link may lead to a file that does not exist.
    """
    there: list[str] = []
    rest = path.split("/")[::-1]
    n_links = 0
    while rest:
        name = rest.pop()
        if name == ".." and not there:
            return path
        if name == "..":
            there.pop()
        elif name not in ("", "."):
            target = _target("/".join((root, *there, name)))
            if target is None:
                there.append(name)
                continue
            n_links += 1
            if target.startswith("/"):
                there.clear()
                target = target.removeprefix(root.rstrip("/") + "/")
            if n_links > _MOST_LINKS or target.startswith("/"):
                return path
            rest += target.split("/")[::-1]
    return "/".join(there) or path


def _target(path: str) -> str | None:
    """The target of a link; None if the path is no link, or can't be read."""
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None


def refusal(root: str, path: str, link: str) -> str:
    """The message for a clean path that is refused because `link`, the path or a directory above it, is a link."""
    there = _real(os.path.join(root, path))
    is_link = f"{shown(path)} is a symbolic link that"
    what = is_link if link == path else f"{shown(path)} is below the symbolic link {shown(link)}, and"
    if there is None:
        return f"{what} leads in a circle: give the path of a file."
    inside = there.removeprefix(root.rstrip("/") + "/")
    if inside != there:
        return f"{what} stands for {shown(inside)}: give that path."
    return f"{what} stands for {shown(there)}, outside of the workspace: give that path, if it is the one you mean."


def _real(path: str) -> str | None:
    """The path with all links resolved; None if they lead in a circle."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        if error.errno == ELOOP:
            return None
    try:
        return os.path.realpath(path)
    except OSError:
        return path  # A link was exchanged for something else meanwhile.


MAX_DEPTH = 200
MAX_NAME_BYTES = 255
INDEX = ".bak-index"
"""The directory in the root that has the index of backups."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KEPT_ATTRIBUTES = ("user.", "system.posix_acl_")
"""Not `security.`: capabilities of a program are not meant for its next version."""
# Characters that some file systems ignore in a name: `.g\u200cit` is `.git` to them.
_IGNORED = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
_REMEDIES = {
    ENOSPC: "free some space and try again",
    EDQUOT: "free some space and try again",
    EFBIG: "the file would be larger than allowed",
    EROFS: "nothing can be written there",
    EACCES: "ask for the permission to write there",
    EPERM: "ask for the permission to write there",
    ENAMETOOLONG: "give it a shorter name",
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A regular file as it was read."""

    data: bytes
    mode: int
    owner: int
    group: int
    n_links: int
    attributes: tuple[tuple[str, bytes], ...] = ()
    """Extended attributes that a new version of the file keeps."""


class LinkError(WorkspaceError):
    """A path that is refused because it is, or goes through, a symbolic link."""

    def __init__(self, message: str, *, link: str) -> None:
        super().__init__(message, reason=Reason.OUTSIDE_WORKSPACE)
        self.link = link


def disk_error(
    error: OSError, path: str, *, what: str = "could not be written", then: str = "nothing changed"
) -> WorkspaceError:
    """The error for a failed system call, as one line: what failed, where, what to do."""
    remedy = _REMEDIES.get(error.errno or 0, "look at the disk and try again")
    why = (error.strerror or type(error).__name__).lower()
    reason = Reason.NOT_ALLOWED if error.errno == ENAMETOOLONG else None
    return WorkspaceError(f"{shown(path)} {what} ({why}): {remedy}; {then}.", reason=reason)


def clean_path(path: str) -> str:
    """The path in its normal form: POSIX, relative. Raises WorkspaceError if it leads out of the root."""
    if not isinstance(path, str):
        raise WorkspaceError(f"{shown(repr(path))} is not a path: give a string.", reason=Reason.MALFORMED)
    clean = normal_path(path)
    if clean is None:
        raise WorkspaceError(
            f"{shown(repr(path))} is no path inside the workspace, or has '..' in it: give a relative one.",
            reason=Reason.OUTSIDE_WORKSPACE,
        )
    try:
        names = [len(part.encode()) for part in clean.split("/")]
    except UnicodeEncodeError:
        names = []
    if not names or len(names) > MAX_DEPTH or max(names) > MAX_NAME_BYTES:
        raise WorkspaceError(
            f"{shown(path)} can't be the path of a file: give a shorter one, in Unicode.", reason=Reason.NOT_ALLOWED
        )
    return clean


def writable_path(path: str) -> str:
    """The path in its normal form. Raises WorkspaceError if it belongs to git, however spelled, or to the backups."""
    clean = clean_path(path)
    for part in clean.split("/"):
        plain = part.translate(_IGNORED).split(":")[0].rstrip(". ").casefold()
        if plain in (".git", "git~1"):
            raise WorkspaceError(
                f"{shown(path)} belongs to git: nothing may be written there.", reason=Reason.NOT_ALLOWED
            )
    if clean.split("/")[0].translate(_IGNORED).casefold() == INDEX:
        raise WorkspaceError(f"{shown(path)} belongs to the backups: use rollback.", reason=Reason.NOT_ALLOWED)
    return clean


@contextmanager
def directory_of(root: str, path: str, *, made: list[str] | None = None) -> Iterator[tuple[int, str]]:
    """The descriptor of the directory that holds a clean path, and the last name of the path.

    Missing directories are created, and their paths added to `made`; without `made`, raises FileNotFoundError.
    """
    *parents, leaf = path.split("/")
    try:
        above = os.open(root, _DIRECTORY)
    except OSError as error:
        raise disk_error(error, "The root of the workspace", what="could not be opened") from error
    try:
        for depth, name in enumerate(parents, 1):
            below = _entered(above, name, "/".join(parents[:depth]), made)
            _let_go(above)
            above = below
        yield above, leaf
    except LinkError as error:
        plain = path.removesuffix("/.")
        raise LinkError(refusal(root, plain, error.link), link=error.link) from error
    finally:
        _let_go(above)


def _let_go(descriptor: int) -> None:
    """Close a descriptor that was only read from: an error of closing does not matter then."""
    with suppress(OSError):
        os.close(descriptor)


def _entered(above: int, name: str, path: str, made: list[str] | None) -> int:
    try:
        try:
            return os.open(name, _DIRECTORY, dir_fd=above)
        except FileNotFoundError:
            if made is None:
                raise
        with suppress(FileExistsError):  # Another process created it meanwhile.
            os.mkdir(name, dir_fd=above)
            made.append(path)
        return os.open(name, _DIRECTORY, dir_fd=above)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno not in (ELOOP, ENOTDIR):
            raise disk_error(error, path, what="could not be opened") from error
        mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode) or stat.S_ISDIR(mode):  # If it is a directory now, it was a link for a moment.
            raise _link(path) from error
        raise WorkspaceError(
            f"{shown(path)} is not a directory: no file can be in it.", reason=Reason.NOT_ALLOWED
        ) from error


def check_writable(root: str, path: str, *, is_there: bool) -> None:
    """Raise WorkspaceError if a clean path could not be written: a dry run calls it. A full disk is not detected.

    A read-only file is refused although another one could be renamed over it: it was made read-only on purpose.
    """
    while True:
        try:
            with directory_of(root, path) as (directory, name):
                can = partial(os.access, dir_fd=directory, effective_ids=True, follow_symlinks=False)
                # A file that was deleted meanwhile is detected by the comparison before the renaming.
                is_read_only = is_there and not can(name, os.W_OK) and can(name, os.F_OK)
                if is_read_only or not can(".", os.W_OK | os.X_OK):
                    why = EROFS if os.fstatvfs(directory).f_flag & os.ST_RDONLY else EACCES
                    raise disk_error(PermissionError(why, os.strerror(why)), path)
            return
        except FileNotFoundError:
            path, is_there = dirname(path), False


def read_file(
    directory: int, name: str, path: str, *, max_bytes: int, check: Callable[[], None] = lambda: None
) -> Snapshot | None:
    """The file, or None if it does not exist. Raises WorkspaceError for anything but a regular file.

    `check` is called before each MiB is read; an exception of it ends the reading.
    """
    try:
        # Checked before opening, because opening a device can have effects.
        _check(os.stat(name, dir_fd=directory, follow_symlinks=False), path, max_bytes)
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise (_link(path) if error.errno == ELOOP else disk_error(error, path, what="could not be read")) from error
    try:
        found = os.fstat(descriptor)
        _check(found, path, max_bytes)
        data = _read(descriptor, max_bytes + 1, check)
        if len(data) > max_bytes:
            raise _too_large(path, max_bytes)
        mode, attributes = stat.S_IMODE(found.st_mode), _attributes(descriptor)
        return Snapshot(data, mode, found.st_uid, found.st_gid, found.st_nlink, attributes)
    except OSError as error:
        raise disk_error(error, path, what="could not be read") from error
    finally:
        _let_go(descriptor)


def _check(found: os.stat_result, path: str, max_bytes: int) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise _link(path)
    if not stat.S_ISREG(found.st_mode):
        kind = "a directory" if stat.S_ISDIR(found.st_mode) else "a special file"
        raise WorkspaceError(f"{shown(path)} is {kind}: only regular files are edited.", reason=Reason.NOT_ALLOWED)
    if found.st_size > max_bytes:
        raise _too_large(path, max_bytes)


def _link(path: str) -> LinkError:
    return LinkError(f"{shown(path)} is a symbolic link: give the path it stands for.", link=path)


def _too_large(path: str, max_bytes: int) -> WorkspaceError:
    return WorkspaceError(
        f"{shown(path)} is larger than {max_bytes:,} bytes, the most that is edited here.", reason=Reason.TOO_LARGE
    )


def _attributes(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    """The extended attributes to keep; none if the system does not support them."""
    if not hasattr(os, "listxattr"):
        return ()
    try:
        names = [name for name in os.listxattr(descriptor) if name.startswith(_KEPT_ATTRIBUTES)]
        return tuple((name, os.getxattr(descriptor, name)) for name in names)
    except OSError:
        return ()


def is_taken(root: str, path: str) -> bool:
    """True if the clean path exists, whatever its type."""
    try:
        with directory_of(root, path) as (directory, name):
            os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise disk_error(error, path, what="could not be examined") from error
    return True


def same_file(directory: int, name: str, data: bytes) -> bool:
    """True if there is a regular file of that name with exactly these bytes."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode) and _read(descriptor, len(data) + 1) == data
    finally:
        _let_go(descriptor)


def _read(descriptor: int, most: int, check: Callable[[], None] = lambda: None) -> bytes:
    """The rest of a file, up to `most` bytes."""
    pieces = []
    while most > 0:
        check()
        piece = os.read(descriptor, min(most, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
