"""A directory in which files are edited: boundary, locks, atomic writes, backups, read ledger, conflicts."""

from __future__ import annotations

from editcore.workspace.changes import Approve, ChangeResult, Event, Proposal
from editcore.workspace.modes import MODES, WRITES_NOTHING, Mode
from editcore.workspace.plan import Changed, Limits
from editcore.workspace.workspace import Workspace

__all__ = [
    "MODES",
    "WRITES_NOTHING",
    "Approve",
    "ChangeResult",
    "Changed",
    "Event",
    "Limits",
    "Mode",
    "Proposal",
    "Workspace",
]
