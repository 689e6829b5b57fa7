"""Paths as logs have them, and as samples show them: relative to the session's folder, naming no machine."""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath

from corpora.importers.session import Attempt

_DRIVE = re.compile(r"[A-Za-z]:/")
_SECTIONS = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_MADE = re.compile(r"^\*\*\* (?:Add File|Move to): (.+?)\s*$", re.MULTILINE)
_HEADERS = re.compile(r"^--- (?:a/)?([^\t\n]+).*\n\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_MADE_BY_DIFF = re.compile(r"^--- /dev/null.*\n\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_NOWHERE = "/dev/null"
_DEPTH = 3
"""So many last parts are kept of a path outside the session's folder."""


def absolute(path: str, cwd: str | None) -> str:
    """The path from the root, its separators POSIX; as it is where no folder is known."""
    path = _posix(path)
    if not is_absolute(path) and cwd:
        path = f"{_posix(cwd)}/{path}"
    return normpath(path)


def is_absolute(path: str) -> bool:
    """Whether a path starts at a root, be it a drive's."""
    return path.startswith("/") or bool(_DRIVE.match(path.replace("\\", "/")))


def shown(path: str, cwd: str | None) -> str:
    """An absolute path as a sample has it: relative to the session's folder, else its last parts."""
    root = normpath(_posix(cwd)).rstrip("/") + "/" if cwd else ""
    if root and path.startswith(root):
        return path[len(root) :]
    parts = [part for part in PurePosixPath(path).parts if part not in ("/", "..") and ":" not in part]
    return "/".join(parts[-_DEPTH:])


def named(attempt: Attempt) -> list[str]:
    """The paths, as written, of the files that an edit is of; each once."""
    if attempt.path is not None:
        return [attempt.path]
    return list(dict.fromkeys([*_in_patch(attempt), *(diff.path for diff in attempt.diffs)]))


def created(attempt: Attempt) -> set[str]:
    """The paths, as written, of the files that a patch makes."""
    pattern = {"begin_patch": _MADE, "unified_diff": _MADE_BY_DIFF}.get(attempt.format)
    return {match[1] for match in pattern.finditer(attempt.patch or "")} if pattern else set()


def patch_shown(attempt: Attempt, cwd: str | None) -> str | None:
    """The patch, its absolute paths made those of the sample's files."""
    patch = attempt.patch
    for name in sorted(_in_patch(attempt), key=len, reverse=True):
        if patch and is_absolute(name):
            patch = patch.replace(name, shown(absolute(name, cwd), cwd))
    return patch


def _in_patch(attempt: Attempt) -> list[str]:
    pattern = {"begin_patch": _SECTIONS, "unified_diff": _HEADERS}.get(attempt.format)
    found = pattern.finditer(attempt.patch or "") if pattern else ()
    return [name for match in found for name in match.groups() if name and name != _NOWHERE]


def _posix(path: str) -> str:
    return (
        path.replace("\\", "/") if "\\" in path and ("/" not in path or _DRIVE.match(path.replace("\\", "/"))) else path
    )


@cache
def _language_of(suffix: str) -> str:
    from pygments.lexers import find_lexer_class_for_filename

    lexer = find_lexer_class_for_filename(f"x{suffix}")
    return str(lexer.aliases[0]) if lexer and lexer.aliases else "other"


def language(path: str) -> str:
    """The language of a file by its name, as pygments calls it; `other` where it has none."""
    return _language_of(PurePosixPath(path).suffix.lower())
