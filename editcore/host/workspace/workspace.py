"""A directory in which files are edited; the only code that reads and writes them.

`Workspace.change` locks the files, reads them, calls a pure function that decides their new texts, and writes these,
all or nothing. A dry run, and a mode that writes nothing, take the same steps except the last one: they decide
exactly as a real run does (except for a full disk).

- No path leads out of the root or into `.git` (`boundary.py`), and none is opened through a link: tools follow links
  that stay inside with `Workspace.followed`.
- Files are text in any encoding that `editcore.text.encodings` reads, and keep it. Line endings are not changed.
- Each file is replaced atomically, and all of them are undone if one fails (`atomic.py`), under locks (`locks.py`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path

from editcore.errors import WorkspaceError
from editcore.host.cancellation import Cancellation
from editcore.host.workspace.atomic import Replacement, replace_files
from editcore.host.workspace.backups import (
    Backup,
    Read,
    all_entries,
    backup_changes,
    check_backups_stay,
    entry_path,
    entry_removal,
    is_backup,
    read_backup,
    removal_changes,
    remove_empty_index,
    restore_changes,
)
from editcore.host.workspace.boundary import (
    INDEX,
    Snapshot,
    check_writable,
    clean_path,
    directory_of,
    followed,
    is_taken,
    read_file,
    writable_path,
)
from editcore.host.workspace.locks import Locks, stripe
from editcore.host.workspace.plan import (
    MODES,
    WRITES_NOTHING,
    Approve,
    Changed,
    ChangeResult,
    Decide,
    Event,
    Limits,
    Mode,
    Proposal,
    Settle,
    WritePlan,
    check_kinds,
    decoded,
    named,
    plan_writes,
)
from editcore.notebooks import unreadable_after
from editcore.quoting import normal_path, shown
from editcore.types import Applied, Reason, Rejected

_MAX_EVENTS = 1_000
_MOST_QUESTIONS = 5
"""Times that the user is asked about one change. It differs each time if others write meanwhile."""


class Workspace:
    """A directory and the rules by which it is edited. Safe to share between threads.

    In the modes `research` and `analyze` every change is refused, with the result it would have had in
    `Rejected.proposed`. `generate` makes new files only, `modify` changes existing files only, `execute` does both.
    `backups=True` keeps each file as it was before its first edit: see `backups.py`. `durable=False` does not sync to
    the disk. `approve` is called before anything is written, `on_event` after each change; `on_event` must not raise.
    A change after which a notebook cannot be read is refused, unless `any_notebook` allows it. `events` has the last
    1,000 events.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        mode: Mode = "execute",
        backups: bool = False,
        durable: bool = True,
        limits: Limits | None = None,
        lock_directory: Path | None = None,
        lock_timeout: float = 30.0,
        on_event: Callable[[Event], None] | None = None,
        approve: Approve | None = None,
        any_notebook: bool = False,
    ) -> None:
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise WorkspaceError(f"{shown(os.fspath(root))} is not a directory: give the root of the workspace.")
        if mode not in MODES:
            raise WorkspaceError(f"There is no mode {shown(mode)}: choose from {', '.join(MODES)}.")
        self._above = ""  # The root, in a view of another root.
        self.mode: Mode = mode
        self.limits = limits or Limits()
        self.events: deque[Event] = deque(maxlen=_MAX_EVENTS)
        self._durable = durable
        self.backups = backups
        self.any_notebook = any_notebook
        self._locks = Locks(lock_directory, timeout=lock_timeout)
        self._on_event = on_event
        self._approve = approve
        self._answers_at_once: Callable[[Proposal], bool] = lambda _: False
        self._on_written: Callable[[Proposal, Applied], None] | None = None
        self._settle: Settle | None = None
        self._cancellation = Cancellation()

    def with_callbacks(
        self,
        *,
        root: str | os.PathLike[str] | None = None,
        approve: Approve | None = None,
        answers_at_once: Callable[[Proposal], bool] | None = None,
        on_written: Callable[[Proposal, Applied], None] | None = None,
        settle: Settle | None = None,
        cancellation: Cancellation | None = None,
        backups: bool | None = None,
    ) -> Workspace:
        """A view of this workspace, or of another root, whose files then have absolute names.

        `approve` replaces this workspace's. It is called without locks, and the change is decided again afterwards;
        if `answers_at_once` is true for the proposal, the files stay locked instead. `on_written` gets each written
        change, while its files are locked. `settle` is asked about each refused change, and may have another one made
        instead. `cancellation` ends waiting and reading, with Cancelled; writing that has begun is completed.
        """
        other = copy(self)
        if root is not None and (elsewhere := os.path.realpath(root)) != self.root:
            if not os.path.isdir(elsewhere):
                raise WorkspaceError(f"There is no directory {shown(elsewhere)}.", reason=Reason.NOT_FOUND)
            other.root = other._above = elsewhere
        other._approve = approve or self._approve
        other._answers_at_once = answers_at_once or self._answers_at_once
        other._on_written = on_written or self._on_written
        other._settle = settle or self._settle
        other.backups = self.backups if backups is None else backups
        other._cancellation = cancellation or self._cancellation
        return other

    def followed(self, path: str) -> str:
        """The path with its links resolved; unchanged, and then refused, if one leads out of the root."""
        clean = normal_path(path) if isinstance(path, str) else None
        return path if clean is None else followed(self.root, clean)

    def name(self, path: str) -> str:
        """The name of a path in messages: absolute in a view of another root."""
        return os.path.join(self._above, path)

    def is_backup(self, path: str) -> bool:
        """True if a file is an unchanged backup, by the index of this root or of a directory in it."""
        try:
            return is_backup(path, self._snapshot)
        except WorkspaceError:
            return False

    def read(self, path: str) -> str:
        """The text of a file, without its byte order mark. Raises WorkspaceError if it is binary or unreadable."""
        return decoded(self.read_bytes(path), clean_path(path)).text

    def read_bytes(self, path: str) -> bytes:
        found = self._snapshot(clean_path(path))
        if found is None:
            raise WorkspaceError(f"There is no file {shown(path)}.", reason=Reason.NOT_FOUND)
        return found.data

    def change(
        self,
        tool: str,
        params: Mapping[str, object],
        paths: Collection[str],
        decide: Decide,
        *,
        moved: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> ChangeResult:
        """Read the files of these paths, apply `decide` to their texts, write the result, and record an event.

        `moved` maps a new path to the old path of the same file: it keeps the mode and the byte order mark. A refusal
        is returned; raises WorkspaceError if the disk fails.
        """
        try:
            outcome = self._attempt(tool, paths, decide, moved or {}, dry_run=dry_run)
            if isinstance(outcome.result, Rejected) and self._settle is not None and not dry_run:
                settled = self._settle(paths, decide, outcome.result)
                if settled is not None:
                    outcome = self._attempt(tool, paths, settled, moved or {}, dry_run=False)
        except WorkspaceError as error:
            self._record(Event(tool, params, error))
            raise
        touched = [path for one in outcome.changes for path in (one.moved_from, one.path) if path]
        changed = tuple(map(self.name, dict.fromkeys(touched))) if outcome.is_written else ()
        self._record(Event(tool, params, outcome.result, changed))
        return outcome

    def rollback(self, path: str | None = None) -> tuple[str, ...]:
        """Restore a file, by default all edited files, to before the first edit. Returns the paths.

        Raises WorkspaceError, and changes nothing, if somebody else has written to a file or its backup.
        """
        return self._settle_backups("rollback", path, restore_changes)

    def cleanup(self, path: str | None = None) -> tuple[str, ...]:
        """Remove the backup of a file, by default all backups. Returns the paths that can't be rolled back any more.

        A backup that somebody else has written to is left in place.
        """
        return self._settle_backups("cleanup", path, removal_changes)

    def _attempt(
        self, tool: str, paths: Collection[str], decide: Decide, moved: Mapping[str, str], *, dry_run: bool
    ) -> ChangeResult:
        """Make a change. An error that the request caused is returned as a refusal."""
        try:
            return self._change(tool, paths, decide, moved, dry_run=dry_run)
        except WorkspaceError as error:
            if error.reason is None:
                raise
            return ChangeResult(Rejected(error.reason, error.message))

    def _change(
        self, tool: str, paths: Collection[str], decide: Decide, moved: Mapping[str, str], *, dry_run: bool
    ) -> ChangeResult:
        names = sorted({writable_path(path) for path in paths})
        if len(names) > self.limits.n_files:
            raise WorkspaceError(
                f"The change names {len(names)} files; the most is {self.limits.n_files}: send it in parts.",
                reason=Reason.TOO_LARGE,
            )
        approve = None if dry_run or self.mode in WRITES_NOTHING else self._approve
        approved: Proposal | None = None
        for _ in range(_MOST_QUESTIONS):
            with self._holding(map(self._stripe, names)):
                decided = self._decided(tool, names, decide, moved)
                if isinstance(decided, Rejected):
                    return ChangeResult(decided)
                result, planned, proposal = decided
                is_asked = approve is not None and not self._answers_at_once(proposal)
                if is_asked and (approved is None or proposal.lines != approved.lines):
                    # Ask nobody about a change that can't be written.
                    self._carry_out(result, planned, proposal, dry_run=True)
                else:
                    return self._written(result, planned, proposal, None if is_asked else approve, dry_run=dry_run)
            approved = proposal
            refused = approve(proposal) if approve is not None else None
            if refused is not None:
                return ChangeResult(refused)
        return ChangeResult(
            Rejected(
                Reason.STALE_READ,
                f"{shown(names[0])} changed on the disk each time that the change was approved: read it again, then "
                "send the edit again.",
            )
        )

    def _decided(
        self, tool: str, names: Collection[str], decide: Decide, moved: Mapping[str, str]
    ) -> tuple[Applied, WritePlan, Proposal] | Rejected:
        """The decision for the current files, its plan and its proposal. The locks must be held."""
        before = {name: self._snapshot(name) for name in names}
        read = {name: decoded(found.data, name) for name, found in before.items() if found is not None}
        texts = {name: one.text for name, one in read.items()}
        result = decide(texts)
        self._cancellation.check()
        if isinstance(result, Rejected):
            return result
        if not self.any_notebook and (refused := unreadable_after(texts, result.files or {})) is not None:
            return refused
        planned = plan_writes(before, read, result.files or {}, moved, limits=self.limits, stripe=self._stripe)
        if not planned.replacements:
            return Rejected(Reason.IDENTICAL, "the file has this text already: nothing would change.")
        check_backups_stay(planned.replacements, self._snapshot)
        return result, planned, Proposal(tool, texts, result.files or {}, planned.changes, self._above)

    def _written(
        self, result: Applied, planned: WritePlan, proposal: Proposal, approve: Approve | None, *, dry_run: bool
    ) -> ChangeResult:
        """Write a decision. `approve`, if any, asks nobody: it is called here. The locks must be held."""
        if approve is not None:
            self._carry_out(result, planned, proposal, dry_run=True)
            refused = approve(proposal)
            if refused is not None:
                return ChangeResult(refused)
        outcome = self._carry_out(result, planned, proposal, dry_run=dry_run)
        if outcome.is_written and self._on_written is not None:
            self._on_written(proposal, result)
        return outcome

    def _carry_out(self, result: Applied, planned: WritePlan, proposal: Proposal, *, dry_run: bool) -> ChangeResult:
        """Write a plan, unless this is a dry run or the mode writes nothing. The locks must be held."""
        changes = planned.replacements
        for change in changes:
            check_writable(self.root, change.path, is_there=change.before is not None)
        extra = backup_changes(changes, self._snapshot, partial(is_taken, self.root)) if self.backups else ()
        result = replace(result, notes=result.notes + planned.notes)
        if self.mode in WRITES_NOTHING:
            names = named(planned.changes)
            refusal = f"Mode {self.mode} writes nothing: the change of {names} was computed, not written."
            return ChangeResult(Rejected(Reason.NOT_ALLOWED, refusal, proposed=result), proposal)
        check_kinds(self.mode, planned.changes)
        if dry_run:
            return ChangeResult(result, proposal)
        notes = self._write([*extra, *changes])
        return ChangeResult(replace(result, notes=result.notes + notes), proposal, is_written=True)

    def _settle_backups(
        self, tool: str, path: str | None, work: Callable[[Backup, Read, int], list[Replacement]]
    ) -> tuple[str, ...]:
        """Restore or remove backups, all of them or none, and record an event. Returns the paths."""
        if self.mode in WRITES_NOTHING:
            raise WorkspaceError(f"Mode {self.mode} writes nothing.", reason=Reason.NOT_ALLOWED)
        entries = all_entries(self.root) if path is None else [entry_path(clean_path(path))]
        backups = [read_backup(entry, found) for entry in entries if (found := self._snapshot(entry)) is not None]
        if path is not None and not backups:
            raise WorkspaceError(f"There is no backup of {shown(path)}.", reason=Reason.NOT_FOUND)
        stripes = [self._stripe(backup.path) for backup in backups]
        changes: list[Replacement] = []
        with self._holding(stripes):
            for backup, number in zip(backups, stripes, strict=True):
                changes += work(backup, self._snapshot, number)
                changes.append(entry_removal(backup, self._snapshot, number))
        if self._approve is not None and (refused := self._approve(self._proposal(tool, changes))) is not None:
            raise WorkspaceError(refused.message, reason=refused.reason)
        with self._holding(stripes):
            notes = self._write(changes)
        remove_empty_index(self.root)
        changed = tuple(self.name(one.path) for one in changes if not one.path.startswith(f"{INDEX}/"))
        self._record(Event(tool, {"path": path}, Applied(notes=notes), changed))
        return tuple(self.name(backup.path) for backup in backups)

    def _proposal(self, tool: str, changes: Sequence[Replacement]) -> Proposal:
        """The changes as text for approval, without the index of backups."""
        shown_changes = [one for one in changes if not one.path.startswith(f"{INDEX}/")]
        before = {one.path: one.before.data.decode("utf-8", "replace") for one in shown_changes if one.before}
        after = {one.path: one.after.decode("utf-8", "replace") for one in shown_changes if one.after is not None}
        kinds = [
            Changed(one.path, "A" if one.before is None else "D" if one.after is None else "M") for one in shown_changes
        ]
        return Proposal(tool, before, after, tuple(kinds), self._above)

    def _write(self, changes: Sequence[Replacement]) -> tuple[str, ...]:
        return replace_files(self.root, changes, self._locks, durable=self._durable)

    def _holding(self, stripes: Iterable[int]) -> AbstractContextManager[None]:
        return self._locks.holding(stripes, self._cancellation)

    def _stripe(self, name: str) -> int:
        return stripe(f"{self.root}/{name}")

    def _snapshot(self, name: str) -> Snapshot | None:
        try:
            with directory_of(self.root, name) as (directory, leaf):
                check = self._cancellation.check
                return read_file(directory, leaf, name, max_bytes=self.limits.file_bytes, check=check)
        except FileNotFoundError:
            return None

    def _record(self, event: Event) -> None:
        self.events.append(event)
        if self._on_event is not None:
            self._on_event(event)
