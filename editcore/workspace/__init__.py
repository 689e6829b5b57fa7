"""A directory in which files are edited: boundary, locks, atomic writes, backups, read ledger, conflicts."""

from __future__ import annotations

from editcore.workspace.plan import Changed, Limits
from editcore.workspace.workspace import (
    MODES,
    WRITES_NOTHING,
    Approve,
    ChangeResult,
    Event,
    Mode,
    Proposal,
    Workspace,
)

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
