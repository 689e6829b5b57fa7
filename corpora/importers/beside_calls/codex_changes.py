"""Codex CLI: the changes in a `patch_apply_end` event (0.118 to 0.145-alpha), one per absolute path."""

from __future__ import annotations

import re
from dataclasses import replace
from posixpath import normpath
from typing import Any

from corpora.importers.log import dig, text
from corpora.importers.session import Attempt, RecordedDiff
from editcore.text.diff import unified_diff

_NAMED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)", re.MULTILINE)
_UPWARDS = re.compile(r"^(?:\.\./)+")


def named_files(patch: str) -> list[str]:
    """The files that a patch names, spelled as in the patch."""
    return _NAMED.findall(patch)


def with_changes(attempt: Attempt, changes: dict[str, Any]) -> Attempt:
    """The applied attempt with the diffs of its event; without diffs if one of the changes cannot be read."""
    diffs = [_diff(path, change) for path, change in changes.items()]
    readable = tuple(diff for diff in diffs if diff)
    return replace(attempt, outcome="applied", diffs=readable if len(readable) == len(diffs) else ())


def _diff(path: str, change: Any) -> RecordedDiff | None:
    match dig(change, "type"), dig(change, "content"), dig(change, "unified_diff"):
        case "add", str() as content, _:
            return RecordedDiff(path, unified_diff("", content, path=path))
        case "delete", str() as content, _:
            return RecordedDiff(path, unified_diff(content, "", path=path) or f"--- a/{path}\n+++ /dev/null\n")
        case "update", _, str() as diff:
            return RecordedDiff(path, diff, moved_to=text(dig(change, "move_path")) or None)
    return None


def changes_fit(patch: str, changes: dict[str, Any]) -> bool:
    """Whether changes can be those of a patch: they are of the same files, and all their lines are in the patch."""
    names = {_UPWARDS.sub("", normpath(name)) for name in named_files(patch)}
    if not changes or len(names) != len(changes):
        return False
    if not all(any(path == name or path.endswith("/" + name) for name in names) for path in changes):
        return False
    held = {line[1:].rstrip() for line in patch.splitlines()}
    for change in changes.values():
        added = [line[1:] for line in text(dig(change, "unified_diff")).splitlines() if line.startswith("+")]
        if dig(change, "type") == "add":
            added = text(dig(change, "content")).splitlines()
        if any(line.rstrip() not in held for line in added):
            return False
    return True
