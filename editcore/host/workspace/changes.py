"""What a change of files is to those who decide it, approve it and are told of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from editcore.errors import WorkspaceError
from editcore.host.workspace.plan import Changed
from editcore.text.diff import unified_diff
from editcore.types import EditResult, Rejected

Decide = Callable[[Mapping[str, str]], EditResult]
"""Path -> text of the existing files -> the result, with all files after it in `Applied.files`. Pure."""


@dataclass(frozen=True)
class Proposal:
    """A change that is about to be written, for approval."""

    tool: str
    before: Mapping[str, str]
    """Path -> text of the existing files."""
    after: Mapping[str, str]
    """Path -> text of the files after the change."""
    changes: tuple[Changed, ...]
    above: str = ""
    """The directory of the files where they are named by absolute paths; empty where by those from the root."""

    def name(self, path: str) -> str:
        """The name of one of its paths for those who are told of it."""
        return os.path.join(self.above, path)

    @cached_property
    def diff(self) -> str:
        """The unified diff of all files, sorted by path. A moved file is a removal and an addition."""
        paths = sorted({*self.before, *self.after})
        return "".join(
            unified_diff(self.before.get(path, ""), self.after.get(path, ""), path=self.name(path)) for path in paths
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that it removes and adds, whatever is around them and wherever they stand."""
        return tuple(line for line in self.diff.split("\n") if line.startswith(("+", "-")))


Approve = Callable[[Proposal], Rejected | None]
"""Returns a refusal, or None to approve."""


Settle = Callable[[Collection[str], Decide, Rejected], Decide | None]
"""Paths of a refused change, what decided it, and the refusal -> what decides another try, or None. No lock is held."""


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """The result of `Workspace.change`."""

    result: EditResult
    changes: tuple[Changed, ...] = ()
    """What was changed; in a dry run, and in a mode that writes nothing, what would have been."""
    is_written: bool = False
    before: Mapping[str, str] = field(default_factory=dict)
    """Path -> text of the existing files that the change names, as they were; empty where it was refused."""


@dataclass(frozen=True, slots=True)
class Event:
    """A tool call, or a successful `rollback` or `cleanup`, for a user interface to show."""

    tool: str
    params: Mapping[str, object]
    result: EditResult | WorkspaceError
    changed_paths: tuple[str, ...] = ()
    """Old and new path of a moved file; empty where nothing was written. Absolute in a view of another root."""
