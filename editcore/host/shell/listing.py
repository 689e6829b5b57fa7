"""Names in a directory, and all files below it that git does not ignore; and globs. Links are not followed.

Backups of files and their index are left out.

The `.gitignore` files from the workspace's root down apply, the nearest first. Git's other exclude files do not
(`info/exclude`, the user's). An ignored directory that is listed by its own path is listed by its own rules alone.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from editcore.errors import ToolError, WorkspaceError
from editcore.host.cancellation import Cancellation
from editcore.host.host import Host, ResolvedPath
from editcore.host.tool import Context
from editcore.host.workspace import Workspace
from editcore.host.workspace.boundary import INDEX, MAX_DEPTH, directory_of, disk_error
from editcore.quoting import shown
from editcore.types import Reason

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


# Globs are translated to RE2, which matches in linear time whatever the pattern.
_PART = re.compile(
    r"""(?P<directories> (?<![^/{,]) \*\*/ )
      | (?P<all> (?<![^/{,]) \*\* (?![^},]) )
      | (?P<stars> \*+ )
      | (?P<one> \? )
      | \[ (?P<negated> [!^]? ) (?P<members> \]? [^\]]* ) \]
      | \\ (?P<escaped> . )
      | (?P<brace> [{},] )
      | (?P<other> . )""",
    re.VERBOSE | re.DOTALL,
)
_FIXED = {"directories": r"(?:[^/]+/)*", "all": r".+", "stars": r"[^/]*", "one": r"[^/]"}


def compiled_glob(pattern: str) -> Any:
    """The glob as a regular expression, whose `fullmatch` takes a relative POSIX path. Raises ToolError.

    `*` and `?` do not match a slash; `**` as a whole component does. `[...]`, `[!...]` and `{a,b}` work; a backslash
    escapes. A pattern without a slash matches a name at any depth, as in .gitignore.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    anywhere = "" if "/" in pattern else "**/"
    try:
        translated = _translated(anywhere + pattern.removeprefix("./").removeprefix("/"), re2.escape)
        return re2.compile(f"(?s){translated}", options)
    except (re2.error, UnicodeEncodeError) as error:
        raise ToolError(
            f"{shown(pattern)} is not a valid glob: check its brackets and braces, and put a backslash before those "
            "that are meant literally.",
            reason=Reason.MALFORMED,
        ) from error


def _translated(pattern: str, escape: Callable[[str], str]) -> str:
    out, depth = [], 0
    for found in _PART.finditer(pattern):
        kind, text = found.lastgroup or "", found[0]
        if kind == "brace" and (text == "{" or depth):
            depth += {"{": 1, "}": -1, ",": 0}[text]
            out.append({"{": "(?:", "}": ")", ",": "|"}[text])
        elif kind == "members":
            members = "".join(char if char == "-" else escape(char) for char in found["members"])
            out.append(f"[^/{members}]" if found["negated"] else f"[{members}]")
        else:
            out.append(_FIXED.get(kind) or escape(found["escaped"] or text))
    return "".join(out)


Rules: TypeAlias = "tuple[tuple[str, GitIgnoreSpec], ...]"
"""Directories (empty for the root, others end in a slash) with the patterns of their .gitignore, innermost first."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A regular file."""

    path: str
    """Relative to the workspace's root."""
    below: str
    """Relative to the listed directory."""
    name: str
    """For messages, one line: relative to the project's root inside the project, else absolute."""
    mtime_ns: int


def file_or_directory(host: Host, context: Context, path: str) -> tuple[ResolvedPath, bool]:
    """Resolve a path, and return whether it is a directory. Raises ToolError if permission is refused."""
    # This may be checked before permission is asked: it only decides which permission.
    is_directory = os.path.isdir(os.path.normpath(os.path.join(host.workspace.root, path)))
    return (host.directory if is_directory else host.file)(context, path), is_directory


def entries(resolved: ResolvedPath) -> list[str]:
    """The names in a directory without backups, sorted. Names of directories end in a slash."""
    with _opened(resolved) as descriptor, os.scandir(descriptor) as found:
        return sorted(
            shown(one.name, limit=None) + "/" * one.is_dir(follow_symlinks=False)
            for one in found
            if one.name != INDEX and not resolved.workspace.is_backup(posixpath.join(resolved.path, one.name))
        )


def files_below(resolved: ResolvedPath, cancellation: Cancellation) -> list[Listed]:
    """The files that are not ignored, newest first, then by path. Raises ToolError, WorkspaceError and Cancelled."""
    with _opened(resolved) as descriptor:
        found = list(_walked(resolved, descriptor, cancellation))
    return sorted(found, key=lambda one: (-one.mtime_ns, one.path))


@contextmanager
def _opened(resolved: ResolvedPath) -> Iterator[int]:
    try:
        with directory_of(resolved.workspace.root, posixpath.join(resolved.path, ".")) as (descriptor, _):
            yield descriptor
    except FileNotFoundError as error:
        raise ToolError(
            f"There is no directory {shown(resolved.name)}: give the path of one that exists.", reason=Reason.NOT_FOUND
        ) from error
    except OSError as error:
        raise disk_error(error, resolved.name, what="could not be listed") from error


def _walked(resolved: ResolvedPath, descriptor: int, cancellation: Cancellation) -> Iterator[Listed]:
    start = f"{resolved.path}/" if resolved.path else ""
    rules_of = {start: _rules_above(resolved)}
    # Directories that can't be read, or were deleted meanwhile, are skipped.
    for directory, names, files, here in os.fwalk(".", dir_fd=descriptor):
        cancellation.check()
        below = f"{directory}/"[2:]
        prefix = start + below
        rules = rules_of.pop(prefix)
        if ".gitignore" in files:
            rules = (*_rules_in(resolved.workspace, prefix), *rules)
        too_deep = prefix.count("/") >= MAX_DEPTH - 1
        names[:] = [] if too_deep else [name for name in _listable(names) if not _is_ignored(rules, f"{prefix}{name}/")]
        rules_of.update((f"{prefix}{name}/", rules) for name in names)
        for name in _listable(files):
            cancellation.check()
            if _is_ignored(rules, prefix + name) or resolved.workspace.is_backup(prefix + name):
                continue
            if (mtime_ns := _modified(here, name)) is not None:
                shown_as = shown(posixpath.normpath(posixpath.join(resolved.name, below + name)), limit=None)
                yield Listed(prefix + name, below + name, shown_as, mtime_ns)


def _listable(names: Iterable[str]) -> Iterator[str]:
    """The names without `.git` and the index of backups, and without names that can't be sent in a call."""
    for name in names:
        if name not in (".git", INDEX) and not any("\ud800" <= char <= "\udfff" for char in name):
            yield name


def _modified(directory: int, name: str) -> int | None:
    """The modification time of a regular file, in nanoseconds; None for anything else."""
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except (FileNotFoundError, PermissionError):
        return None
    return found.st_mtime_ns if stat.S_ISREG(found.st_mode) else None


def _rules_above(resolved: ResolvedPath) -> Rules:
    rules: Rules = ()
    prefix = ""
    for name in filter(None, resolved.path.split("/")):
        rules = (*_rules_in(resolved.workspace, prefix), *rules)
        prefix += f"{name}/"
        if _is_ignored(rules, prefix):
            rules = ()
    return rules


def _rules_in(workspace: Workspace, prefix: str) -> Rules:
    """The patterns of a directory's .gitignore; none if it can't be read."""
    from pathspec import GitIgnoreSpec

    try:
        text = workspace.read_bytes(f"{prefix}.gitignore").decode("utf-8-sig", "replace")
    except WorkspaceError:
        return ()
    patterns = [pattern for line in text.replace("\r\n", "\n").split("\n") for pattern in _patterns(line)]
    return ((prefix, GitIgnoreSpec(patterns)),)


def _patterns(line: str) -> Iterable[Any]:
    import re2
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines([line]).patterns
    except (ValueError, re.error, re2.error):
        # Git skips invalid patterns.
        return ()


def _is_ignored(rules: Rules, path: str) -> bool:
    """True if the rules exclude the path. The path of a directory ends in a slash."""
    for prefix, spec in rules:
        ignored = spec.check_file(path.removeprefix(prefix)).include
        if ignored is not None:
            return ignored
    return False
