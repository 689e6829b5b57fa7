"""Edits that overlap others' changes since the session read the file: both versions are shown, to choose from.

    session a read the file:  lines 3-4 become 1 line
    session b wrote since:    line 4 becomes 2 lines         they overlap: the permission `conflict` is asked

`force` writes a's lines over b's, and keeps b's other changes. `skip` drops the edit, `manual` leaves both versions
to the user. Any other answer refuses, and so does a context that asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from editcore.errors import WorkspaceError
from editcore.host.tool import CONFLICT, Context, PermissionRequest
from editcore.host.workspace import Workspace
from editcore.host.workspace.ledger import OTHER_PROCESS, Ledger
from editcore.host.workspace.plan import Decide
from editcore.quoting import shown
from editcore.stale.rule import both_versions
from editcore.text.lines import n_lines, with_feeds
from editcore.text.three_way import Placed, placed
from editcore.types import Applied, EditResult, Reason, Rejected

_RESOLUTIONS = ("skip", "force", "manual")
_MAY_OVERLAP = (Reason.STALE_READ, Reason.NO_MATCH, Reason.AMBIGUOUS)
"""Reasons of refusals that may be caused by somebody else's change of the place."""
_MOST_SHOWN = 5
"""The most overlaps whose two versions the model gets."""


@dataclass(frozen=True, slots=True)
class _Conflict:
    """Lines that others wrote, and an edit that overlaps them; both in the line numbers of the current text."""

    path: str
    place: Placed
    writers: str

    @property
    def with_markers(self) -> str:
        """Both versions between conflict markers, as in a merge."""
        theirs, mine = _ended(self.place.theirs), _ended(self.place.mine)
        return f"<<<<<<< now in the file\n{theirs}=======\n{mine}>>>>>>> your edit\n"

    @property
    def lines(self) -> tuple[int, int]:
        """The lines of the others' version; the last is one less than the first if there are none."""
        return self.place.last - n_lines(self.place.theirs) + 1, self.place.last

    @property
    def described(self) -> Mapping[str, Any]:
        first, last = self.lines
        return {
            "path": self.path, "by": self.writers, "first_line": first, "last_line": last,
            "theirs": self.place.theirs, "mine": self.place.mine,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Edited:
    """One file of the edit, with the edit applied to the text that the session had read."""

    path: str
    now: str | None
    """None if the edit makes a new file."""
    wanted: str | None
    """The text that the edit would have given to the file as it was read; None to delete it."""
    edits: Sequence[Placed] = ()
    conflicts: Sequence[_Conflict] = ()

    @property
    def forced(self) -> str:
        """The current text, in which the lines of the edit replace the lines that it overlaps."""
        if self.now is None:
            return self.wanted or ""
        lines = with_feeds(self.now)
        for one in reversed(self.edits):
            is_at_end = one.last >= len(lines)
            lines[one.first - 1 : one.last] = [one.mine if is_at_end else _ended(one.mine)]
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
        found = [_Edited(path, None, text) for path, text in after.items() if path not in bases]
        for path, base in bases.items():
            wanted = after.get(path)
            if wanted == base:
                continue
            edits = placed(base, wanted or "", now[path])
            writers = self.ledger.writers(session, f"{root}/{path}", base=base, now=now[path])
            conflicts = [
                _Conflict(self.workspace.name(path), one, _named(writers, one, session))
                for one in edits
                if one.has_met and one.theirs != one.mine
            ]
            found.append(_Edited(path, now[path], wanted, edits, conflicts))
        return found


def _named(writers: Sequence[tuple[str, ...]], place: Placed, session: str) -> str:
    """Who else has written the lines of a place, or removed lines there."""
    above = place.last - n_lines(place.theirs)
    found = dict.fromkeys(chain(*writers[2 * above : 2 * place.last + 1]))
    return ", ".join(one for one in found if one != session) or OTHER_PROCESS


def _ended(content: str) -> str:
    return content if content[-1:] in ("", "\n") else f"{content}\n"


def _refusal(choice: str | None, conflicts: Sequence[_Conflict], refused: Rejected) -> Rejected:
    """The refusal of the edit. It shows both versions: `refused` has done so if it has several lines."""
    both = "\n".join(
        both_versions(with_feeds(one.place.theirs), with_feeds(one.place.mine)) for one in conflicts[:_MOST_SHOWN]
    )
    if choice not in ("skip", "manual"):
        return refused if "\n" in refused.message else replace(refused, message=f"{refused.message}\n{both}")
    first, last = conflicts[0].lines
    lines = f"lines {first}-{last}" if last > first else f"line {first}"
    lines = f"lines deleted before line {first}" if last < first else lines
    more = f", and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    what = (
        f"{shown(conflicts[0].path)} was changed since you read it, and the edit overlaps what others have written "
        f"({lines}{more})"
    )
    if choice == "skip":
        return Rejected(Reason.NOT_ALLOWED, f"{what}; the user skipped the edit: continue without it.")
    remedy = "the user merges both by hand: read the file again before you edit it"
    return Rejected(Reason.NOT_ALLOWED, f"{what}; {remedy}.\n{both}")
