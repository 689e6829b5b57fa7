"""Paths as a log writes them, absolute paths, and paths as samples show them: relative, without the home folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from posixpath import normpath
from typing import Any

from corpora.importers.session import Attempt
from editcore.formats import ANCHORED_FORMATS

_DRIVE = re.compile(r"[A-Za-z]:/")
_SECTIONS = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)|^\*\*\* Move to: (.*\S)", re.MULTILINE)
_MADE = re.compile(r"^\*\*\* (?:Add File|Move to): (.*\S)", re.MULTILINE)
_HEADERS = re.compile(r"^--- (?:a/)?([^\t\n]++).*+\n\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_MADE_BY_DIFF = re.compile(r"^--- /dev/null.*\n\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_TAGGED = re.compile(r"^\[([^\n]+)#[0-9A-Fa-f]{4,8}\][ \t\r]*$|^MV[ \t]+(\S[^\n]*)", re.MULTILINE)
_PATTERNS = {"begin_patch": _SECTIONS, "unified_diff": _HEADERS, "hashline_h4": _TAGGED}
_IN_JSON = ("path", "filePath", "rename", "move")
"""The fields of a call in JSON that contain paths."""
_HOME = re.compile(r"(?:/mnt)?(?:/[A-Za-z]|[A-Za-z]:)?/(?:home|Users)/[^/]+/")
_NOWHERE = "/dev/null"
_DEPTH = 3
"""The number of last parts that are kept of a path outside of the session's folder."""


def absolute(path: str, cwd: str | None) -> str:
    """The absolute path with POSIX separators. A relative path stays relative if no folder is known."""
    path = _posix(path)
    if not is_absolute(path) and cwd:
        path = f"{_posix(cwd)}/{path}"
    return _normal(path)


def is_absolute(path: str) -> bool:
    """True if a path starts at the root, or at the root of a drive."""
    return _posix(path).startswith("/") or bool(_DRIVE.match(_posix(path)))


def is_below(path: str, folder: str) -> bool:
    """True if an absolute path lies in a folder."""
    return path.startswith(_root(folder))


def sample_path(path: str, cwd: str | None) -> str:
    """A path as a sample shows it: relative to the session's folder, else its last parts without the home folder."""
    if cwd and is_below(path, cwd):
        return path[len(_root(cwd)) :]
    home = _HOME.match(path)
    parts = [
        part
        for part in path[home.end() if home else 0 :].split("/")
        if part not in ("", ".", "..") and not part.endswith(":")
    ]
    return "/".join(parts[-_DEPTH:] if is_absolute(path) or path.startswith("..") else parts)


def named(attempt: Attempt) -> list[str]:
    """The files that an edit names, each once, spelled as in the log."""
    if attempt.path is not None:
        return [attempt.path]
    return list(dict.fromkeys([*_in_patch(attempt), *(diff.path for diff in attempt.diffs)]))


def created(attempt: Attempt) -> set[str]:
    """The files that a patch creates or moves to, spelled as in the log."""
    pattern = {"begin_patch": _MADE, "unified_diff": _MADE_BY_DIFF}.get(attempt.format)
    return {match[1] for match in pattern.finditer(attempt.patch or "")} if pattern else set()


def patch_with_sample_paths(attempt: Attempt, cwd: str | None) -> str | None:
    return patch_with_paths(attempt, lambda name: sample_path(absolute(name, cwd), cwd))


def patch_with_paths(attempt: Attempt, renamed: Callable[[str], str]) -> str | None:
    """The patch of an edit with each path replaced by `renamed(path)`."""

    def spelled(match: re.Match[str]) -> str:
        start = match.start()
        text = match[0]
        for group in range(len(match.groups()), 0, -1):
            name = match[group]
            if name and name != _NOWHERE and (new := renamed(name)) != normpath(name):
                text = text[: match.start(group) - start] + new + text[match.end(group) - start :]
        return text

    if fields := _fields(attempt):
        again = {name: renamed(text) if name in _IN_JSON and text else text for name, text in fields.items()}
        return attempt.patch if again == fields else json.dumps(again, ensure_ascii=False)
    pattern = _PATTERNS.get(attempt.format)
    return pattern.sub(spelled, attempt.patch) if pattern and attempt.patch else attempt.patch


def _fields(attempt: Attempt) -> dict[str, Any]:
    """The fields of a call in JSON; none for other formats."""
    if attempt.format not in ANCHORED_FORMATS or attempt.format in _PATTERNS or not attempt.patch:
        return {}
    with suppress(ValueError, RecursionError):
        fields = json.loads(attempt.patch)
        if isinstance(fields, dict) and all(isinstance(fields.get(name, ""), str | None) for name in _IN_JSON):
            return fields
    return {}


def _in_patch(attempt: Attempt) -> list[str]:
    if fields := _fields(attempt):
        return list(dict.fromkeys(fields[name] for name in _IN_JSON if fields.get(name)))
    pattern = _PATTERNS.get(attempt.format)
    found = pattern.finditer(attempt.patch or "") if pattern else ()
    return [name for match in found for name in match.groups() if name and name != _NOWHERE]


def _normal(path: str) -> str:
    path = normpath(path)
    return path[0].upper() + path[1:] if _DRIVE.match(path) else path


def _root(folder: str) -> str:
    return _normal(_posix(folder)).rstrip("/") + "/"


def _posix(path: str) -> str:
    """The path with slashes. A backslash is part of a name only if the path also has slashes, and no drive."""
    slashed = path.replace("\\", "/")
    return slashed if "/" not in path or _DRIVE.match(slashed) else path
