"""Edits that overlap what others have written since the session read the file: both versions are shown, and a choice.

    session a read the file:  lines 3-4 become 1 line
    session b wrote since:    line 4 becomes 2 lines         they overlap: `conflict` is asked

`force` writes a's lines over b's, and keeps b's other changes. `skip` drops the edit, `manual` leaves both versions to
the user. Any other answer refuses, and so does a context that asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editcore.errors import WorkspaceError
from editcore.host.tool import CONFLICT, Context, PermissionRequest
from editcore.host.workspace import Workspace
from editcore.host.workspace.conflicts import RESOLUTIONS, Conflict, LineEdit, Tracker
from editcore.host.workspace.ledger import Ledger, line_edits
from editcore.host.workspace.plan import Decide
from editcore.quoting import shown
from editcore.text.lines import with_feeds
from editcore.types import Applied, EditResult, Reason, Rejected

_MAY_OVERLAP = (Reason.STALE_READ, Reason.NO_MATCH, Reason.AMBIGUOUS)
"""Reasons for which an edit is refused whose place was changed by somebody else."""
_MAX_SHOWN = 10_000
"""Characters of both versions that the model gets."""


@dataclass(frozen=True, slots=True)
class _Edited:
    """One file of the edit, made on the text that the session had read."""

    path: str
    now: str | None
    """None where the edit makes a new file."""
    wanted: str | None
    """The text that the edit would have given to the file as it was read; None to delete it."""
    changes: Tracker
    """What others have written since."""
    edits: tuple[LineEdit, ...]
    conflicts: tuple[Conflict, ...]

    @property
    def forced(self) -> str:
        """The text of now with the edit written over it."""
        if self.now is None:
            return self.wanted or ""
        lines = with_feeds(self.now)
        for edit in self.edits:
            at = self.changes.settle(edit, resolution="force").edit
            last = at.end_line >= len(lines)
            content = edit.content if last or not edit.content or edit.content.endswith("\n") else f"{edit.content}\n"
            lines[at.start_line - 1 : at.end_line] = with_feeds(content)
            self.changes.record_written(edit)
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class Overlaps:
    """What one call's refused changes overlap."""

    ledger: Ledger
    context: Context
    workspace: Workspace
    found: list[Mapping[str, Any]]
    """Gets an entry for each overlap: path, lines, and both versions."""

    def settle(self, paths: Collection[str], decide: Decide, refused: Rejected) -> Decide | None:
        """What to decide instead of a refusal whose cause is an overlap; None where that is not its cause.

        Asks for `conflict`. Raises Cancelled where the call is cancelled meanwhile.
        """
        files = self._edited(paths, decide) if refused.reason in _MAY_OVERLAP else ()
        conflicts = [(self.workspace.name(one.path), conflict) for one in files for conflict in one.conflicts]
        if not conflicts:
            return None
        self.found[:] = [_described(path, conflict) for path, conflict in conflicts]
        both = "\n".join(conflict.with_markers for _, conflict in conflicts)
        named = tuple(dict.fromkeys(path for path, _ in conflicts))
        metadata = {"conflicts": list(self.found), "with_markers": both}
        choice = self.context.choose(PermissionRequest(CONFLICT, named, (), metadata, RESOLUTIONS))
        if choice != "force":
            rejected = _refusal(choice, conflicts, both)
            return lambda _: rejected
        now = {one.path: one.now for one in files}
        forced = {one.path: one.forced for one in files if one.wanted is not None}

        def write(texts: Mapping[str, str]) -> EditResult:
            if any(texts.get(path) != text for path, text in now.items()):
                return Rejected(
                    Reason.STALE_READ, f"{shown(named[0])} changed again meanwhile: read it again, then edit it."
                )
            kept = {path: text for path, text in texts.items() if path not in now}
            return Applied(next(iter(forced.values()), None), files={**kept, **forced})

        return write

    def _edited(self, paths: Collection[str], decide: Decide) -> tuple[_Edited, ...]:
        """The files that the edit would have changed, had nobody else; none where nobody else has."""
        session, root = self.context.session_id, self.workspace.root
        now, bases = {}, {}
        for path in paths:
            try:
                now[path] = self.workspace.read(path)
            except WorkspaceError:
                continue
            base = self.ledger.base(session, f"{root}/{path}")
            bases[path] = now[path] if base is None else base
        if bases == now:
            return ()
        mine = decide(bases)
        if isinstance(mine, Rejected):
            return ()
        after = mine.files or {}
        found = [_Edited(path, None, text, Tracker(), (), ()) for path, text in after.items() if path not in bases]
        for path, base in bases.items():
            wanted = after.get(path)
            if wanted == base:
                continue
            changes = self.ledger.changes(session, f"{root}/{path}", base=base, now=now[path])
            edits = _joined(line_edits(f"{root}/{path}", session, base, wanted or ""), base, changes)
            lines = with_feeds(now[path])
            conflicts = tuple(one for edit in edits if (one := _conflict(edit, changes, lines)) is not None)
            found.append(_Edited(path, now[path], wanted, changes, edits, conflicts))
        return tuple(found)


def _conflict(edit: LineEdit, changes: Tracker, now: Sequence[str]) -> Conflict | None:
    """The edit and the lines of now that it overlaps, whoever wrote them; None where it overlaps nothing."""
    found = changes.conflicts(edit)
    if not found:
        return None
    mine = found[0].second
    there = [one.first for one in found] + [mine] * (mine.start_line <= mine.end_line)
    start, end = min(one.start_line for one in there), max(one.end_line for one in there)
    writers = ", ".join(dict.fromkeys(one.first.task_id for one in found))
    return Conflict(LineEdit(edit.path, writers, start, end, "".join(now[start - 1 : end]), mine.seen), mine)


def _joined(edits: Iterable[LineEdit], base: str, changes: Tracker) -> tuple[LineEdit, ...]:
    """The edits, with those made one, and the lines between them, that overlap the same lines of now."""
    lines, joined = with_feeds(base), list[LineEdit]()
    for edit in edits:
        while joined and changes.position(joined[-1]).overlaps(changes.position(edit)):
            above = joined.pop()
            content = "".join([above.content, *lines[above.end_line : edit.start_line - 1], edit.content])
            edit = replace(edit, start_line=above.start_line, content=content)
        joined.append(edit)
    return tuple(joined)


def _described(path: str, conflict: Conflict) -> Mapping[str, Any]:
    theirs, mine = conflict.first, conflict.second
    return {
        "path": path,
        "by": theirs.task_id,
        "first_line": theirs.start_line,
        "last_line": theirs.end_line,
        "theirs": theirs.content,
        "mine": mine.content,
    }


def _refusal(choice: str | None, conflicts: list[tuple[str, Conflict]], both: str) -> Rejected:
    path, conflict = conflicts[0]
    theirs = conflict.first
    if theirs.end_line > theirs.start_line:
        lines = f"lines {theirs.start_line}-{theirs.end_line}"
    else:
        lines = f"line {theirs.start_line}" if theirs.content else f"lines deleted before line {theirs.start_line}"
    more = f", and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    what = (
        f"{shown(path)} is no longer as it was read: the edit overlaps what {shown(theirs.task_id)} has written since "
        f"({lines}{more})"
    )
    if choice == "skip":
        return Rejected(Reason.NOT_ALLOWED, f"{what}; the user skipped the edit: continue without it.")
    if len(both) > _MAX_SHOWN:
        both = f"{both[:_MAX_SHOWN]}\n... cut; read the file for the rest ..."
    if choice == "manual":
        remedy = "the user merges both by hand: read the file again before you edit it"
        return Rejected(Reason.NOT_ALLOWED, f"{what}; {remedy}. Theirs, then yours:\n{both}")
    remedy = "nothing was changed: read it again, then send an edit that keeps both"
    return Rejected(Reason.STALE_READ, f"{what}; {remedy}. Theirs, then yours:\n{both}")
