"""Edits that overlap others' changes since the session read the file: both versions are shown, to choose from.

    session a read the file:  lines 3-4 become 1 line
    session b wrote since:    line 4 becomes 2 lines         they overlap: the permission `conflict` is asked

`force` writes a's lines over b's, and keeps b's other changes. `skip` drops the edit, `manual` leaves both versions
to the user. Any other answer refuses, and so does a context that asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editcore.errors import WorkspaceError
from editcore.host.tool import CONFLICT, Context, PermissionRequest
from editcore.host.workspace import Workspace
from editcore.host.workspace.conflicts import LineEdit, Written, line_edits
from editcore.host.workspace.ledger import Ledger
from editcore.host.workspace.plan import Decide
from editcore.quoting import shown
from editcore.stale.rule import both_versions
from editcore.text.lines import with_feeds
from editcore.types import Applied, EditResult, Reason, Rejected

_RESOLUTIONS = ("skip", "force", "manual")
_MAY_OVERLAP = (Reason.STALE_READ, Reason.NO_MATCH, Reason.AMBIGUOUS)
"""Reasons of refusals that may be caused by somebody else's change of the place."""
_MOST_SHOWN = 5
"""Overlaps of which the model gets both versions."""


@dataclass(frozen=True, slots=True)
class _Conflict:
    """Lines that others wrote, and an edit that overlaps them; both in the line numbers of the current text."""

    path: str
    theirs: LineEdit
    mine: LineEdit

    @property
    def with_markers(self) -> str:
        """Both versions between conflict markers, as in a merge."""
        theirs, mine = _ended(self.theirs.content), _ended(self.mine.content)
        return f"<<<<<<< now in the file\n{theirs}=======\n{mine}>>>>>>> your edit\n"

    @property
    def described(self) -> Mapping[str, Any]:
        theirs = self.theirs
        return {
            "path": self.path, "by": theirs.writer, "first_line": theirs.first, "last_line": theirs.last,
            "theirs": theirs.content, "mine": self.mine.content,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Edited:
    """One file of the edit, with the edit applied to the text that the session had read."""

    path: str
    now: str | None
    """None if the edit makes a new file."""
    wanted: str | None
    """The text that the edit would have given to the file as it was read; None to delete it."""
    changes: Written
    """Others' changes since."""
    edits: tuple[LineEdit, ...]
    conflicts: tuple[_Conflict, ...]

    @property
    def forced(self) -> str:
        """The current text, in which the lines of the edit replace the lines that it overlaps."""
        if self.now is None:
            return self.wanted or ""
        lines = with_feeds(self.now)
        for edit in self.edits:
            at = self.changes.position(edit)
            content = edit.content if at.last >= len(lines) else _ended(edit.content)
            lines[at.first - 1 : at.last] = with_feeds(content)
            self.changes.add(edit)
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The overlaps of one call's refused changes with others' work."""

    ledger: Ledger
    context: Context
    workspace: Workspace
    found: list[Mapping[str, Any]]
    """Gets an entry for each overlap: path, lines and both versions."""

    def settle(self, paths: Collection[str], decide: Decide, refused: Rejected) -> Decide | None:
        """A decision in place of a refusal that is caused by an overlap; None if there is another cause.

        Asks for `conflict`. Raises Cancelled if the call is cancelled meanwhile.
        """
        # A refusal that shows the lines as they are now names the place by number: there is nothing to merge.
        may_overlap = refused.reason in _MAY_OVERLAP and not refused.shown
        files = self._edited(paths, decide) if may_overlap else []
        conflicts = [conflict for one in files for conflict in one.conflicts]
        if not conflicts:
            return None
        self.found[:] = [one.described for one in conflicts]
        both = "\n".join(one.with_markers for one in conflicts)
        named = tuple(dict.fromkeys(one.path for one in conflicts))
        metadata = {"conflicts": list(self.found), "with_markers": both}
        choice = self.context.choose(PermissionRequest(CONFLICT, named, (), metadata, _RESOLUTIONS))
        if choice != "force":
            rejected = _refusal(choice, conflicts, refused)
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

    def _edited(self, paths: Collection[str], decide: Decide) -> list[_Edited]:
        """The files as the edit alone would have changed them; none if nobody else has changed any."""
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
            return []
        mine = decide(bases)
        if isinstance(mine, Rejected):
            return []
        after = mine.files or {}
        found = [_Edited(path, None, text, Written(), (), ()) for path, text in after.items() if path not in bases]
        for path, base in bases.items():
            wanted = after.get(path)
            if wanted == base:
                continue
            changes = self.ledger.changes(session, f"{root}/{path}", base=base, now=now[path])
            edits = _joined(line_edits(session, base, wanted or ""), base, changes)
            lines, name = with_feeds(now[path]), self.workspace.name(path)
            conflicts = tuple(one for edit in edits if (one := _conflict(name, edit, changes, lines)) is not None)
            found.append(_Edited(path, now[path], wanted, changes, edits, conflicts))
        return found


def _ended(content: str) -> str:
    return content if content[-1:] in ("", "\n") else f"{content}\n"


def _conflict(path: str, edit: LineEdit, changes: Written, now: Sequence[str]) -> _Conflict | None:
    """The edit and the current lines that it overlaps, whoever wrote them; None if it overlaps nothing."""
    theirs = changes.overlapped_by(edit)
    if not theirs:
        return None
    mine = changes.position(edit)
    there = [*theirs, *([mine] if mine.first <= mine.last else [])]
    first, last = min(one.first for one in there), max(one.last for one in there)
    writers = ", ".join(dict.fromkeys(one.writer for one in theirs))
    return _Conflict(path, LineEdit(writers, first, last, "".join(now[first - 1 : last])), mine)


def _joined(edits: Iterable[LineEdit], base: str, changes: Written) -> tuple[LineEdit, ...]:
    """The edits, with edits that overlap the same current lines joined, and the lines between them included."""
    lines, joined = with_feeds(base), list[LineEdit]()
    for edit in edits:
        while joined and changes.position(joined[-1]).overlaps(changes.position(edit)):
            above = joined.pop()
            content = "".join([above.content, *lines[above.last : edit.first - 1], edit.content])
            edit = replace(edit, first=above.first, content=content)
        joined.append(edit)
    return tuple(joined)


def _refusal(choice: str | None, conflicts: Sequence[_Conflict], refused: Rejected) -> Rejected:
    """The refusal of the edit. It shows both versions: `refused` has done so if it has several lines."""
    both = "\n".join(
        both_versions(with_feeds(one.theirs.content), with_feeds(one.mine.content)) for one in conflicts[:_MOST_SHOWN]
    )
    if choice not in ("skip", "manual"):
        return refused if "\n" in refused.message else replace(refused, message=f"{refused.message}\n{both}")
    theirs = conflicts[0].theirs
    if theirs.last > theirs.first:
        lines = f"lines {theirs.first}-{theirs.last}"
    else:
        lines = f"line {theirs.first}" if theirs.content else f"lines deleted before line {theirs.first}"
    more = f", and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    what = (
        f"{shown(conflicts[0].path)} was changed since you read it, and the edit overlaps what others have written "
        f"({lines}{more})"
    )
    if choice == "skip":
        return Rejected(Reason.NOT_ALLOWED, f"{what}; the user skipped the edit: continue without it.")
    remedy = "the user merges both by hand: read the file again before you edit it"
    return Rejected(Reason.NOT_ALLOWED, f"{what}; {remedy}.\n{both}")
