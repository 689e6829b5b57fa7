"""The guard of `bash`: refuses shell edits that were hardly meant, and reports which files a command changed.

A call of an edit tool that matches nothing is refused with a message; `sed -i` that matches nothing ends with exit code
0. `check` refuses it all the same, and every other edit that `editcore.shell.careful` refuses; `refuse` refuses every
edit by a shell command; `allow` checks nothing. Commands whose edits nobody can work out run in all but `refuse`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace

from editcore.errors import ToolError, Unmeasured, WorkspaceError
from editcore.host.host import Host
from editcore.host.tool import Result
from editcore.quoting import shown
from editcore.shell.careful import Machine, careful, diff_of
from editcore.shell.programs import Load, Place
from editcore.types import Applied, Reason, Rejected

_IN_PLACE = re.compile(r"\b(?:sed|perl|ruby)\b[^|;&\n]*\s-\w*i|\bed\s|\bopen\([^)]*['\"][wa]|>[^&]")
_WORD = re.compile(r"[^\s'\"`;&|<>(){}=,]+")
_MAX_WORDS, _MAX_FOLDERS, _MAX_FILES, _MAX_FILE, _MAX_DIFF = 2_000, 4, 50, 1 << 20, 8_000
_REFUSED = (Reason.NO_MATCH, Reason.AMBIGUOUS, Reason.DISPROPORTIONATE, Reason.MALFORMED)
"""Reasons for which a command does not run. That of others (a file that is not there) its own output says."""


class Guard:
    """The guard of one command."""

    def __init__(self, host: Host, command: str, description: str, cwd: str) -> None:
        self._host, self._command, self._description = host, command, description
        self._root = host.workspace.root
        self._cwd = os.path.relpath(cwd, self._root)
        self._known: dict[str, str | None] = {}
        """Path -> text before the command; None for a file that is not there."""

    def check(self) -> None:
        """Raise ToolError for a command that must not run, and note the files that it may change."""
        if self._host.shell_edits == "allow":
            return
        words = list(dict.fromkeys(_WORD.findall(self._command)[:_MAX_WORDS]))
        start = os.path.join(self._root, self._cwd)
        folders = [one for word in words if os.path.isdir(one := os.path.join(start, word))]
        for folder in (start, *folders[:_MAX_FOLDERS]):
            for word in words:
                self._note(os.path.normpath(os.path.join(folder, word)))
        if self._cwd.startswith(".."):
            return
        found = self._worked_out()
        if self._host.shell_edits == "refuse":
            edits = bool(_IN_PLACE.search(self._command)) if found is None else _is_edit(found)
            if edits:
                raise ToolError(
                    "bash: the command edits files, which is not allowed here: nothing was run; use the edit tool.",
                    reason=Reason.NOT_ALLOWED,
                )
        elif isinstance(found, Rejected) and found.reason in _REFUSED:
            raise ToolError(f"bash: {found.message}", reason=found.reason)
        elif isinstance(found, Applied):
            for path in found.files or {}:
                self._known.setdefault(path, None)

    def _worked_out(self) -> Applied | Rejected | None:
        """The result that the command is certain to have; None if it is not known."""
        place = Place("" if self._cwd == "." else self._cwd, self._root)
        load = Load(self._text, lambda path: os.path.isdir(os.path.join(self._root, path)))
        try:
            return careful(
                {}, self._command, meant=self._description,
                machine=Machine(gnu=sys.platform != "darwin", place=place, files=load),
            )  # fmt: skip
        except Unmeasured:
            return None

    def with_changes(self, result: Result) -> Result:
        """The result, which also names the files that the command changed, with a diff."""
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for path, text in self._known.items():
            now = self._readable(path)
            if now != text:
                before |= {} if text is None else {path: text}
                after |= {} if now is None else {path: now}
        paths = sorted({**before, **after})
        if not paths:
            return result
        diff = diff_of(before, after)
        cut = "" if len(diff) <= _MAX_DIFF else f"... ({len(diff):,} characters)\n"
        told = f"The command changed {', '.join(shown(path) for path in paths)}:\n{diff[:_MAX_DIFF]}{cut}"
        metadata: Mapping[str, object] = {**result.metadata, "changed": paths, "diff": diff[:_MAX_DIFF]}
        return replace(result, output=f"{result.output.rstrip()}\n\n{told}", metadata=metadata)

    def _note(self, path: str) -> None:
        """Note the text of a file that the command names, if it is one of the workspace."""
        name = os.path.relpath(path, self._root)
        is_inside = not name.startswith("..") and name not in self._known
        if is_inside and len(self._known) < _MAX_FILES and os.path.isfile(path):
            self._known[name] = self._readable(name)

    def _text(self, path: str) -> str | None:
        """A file's text for the simulation. Raises Unmeasured if it is no text."""
        if not os.path.lexists(os.path.join(self._root, path)):
            return None
        found = self._readable(path)
        if found is None:
            raise Unmeasured(f"{path} is no text, or too large")
        self._known.setdefault(path, found)
        return found

    def _readable(self, path: str) -> str | None:
        try:
            data = self._host.workspace.read_bytes(path)
            return data.decode() if len(data) <= _MAX_FILE else None
        except (WorkspaceError, UnicodeDecodeError):
            return None


def _is_edit(found: Applied | Rejected) -> bool:
    return found.reason in _REFUSED if isinstance(found, Rejected) else True
