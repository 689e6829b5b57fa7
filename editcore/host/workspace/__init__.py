"""A directory in which files are edited: boundary, locks, atomic writes, backups, read ledger, conflicts."""

from __future__ import annotations

from editcore.host.workspace.changes import Approve, ChangeResult, Event, Proposal
from editcore.host.workspace.modes import MODES, WRITES_NOTHING, Mode
from editcore.host.workspace.plan import Changed, Limits
from editcore.host.workspace.workspace import Workspace

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
