"""A directory in which files are edited: boundary, locks, atomic writes, backups, read ledger, conflicts."""

from __future__ import annotations

from editcore.workspace.plan import Changed, Limits
from editcore.workspace.workspace import (
    MODES,
    WRITES_NOTHING,
    Approve,
    Event,
    Mode,
    Outcome,
    Proposal,
    Workspace,
)

__all__ = [
    "MODES",
    "WRITES_NOTHING",
    "Approve",
    "Changed",
    "Event",
    "Limits",
    "Mode",
    "Outcome",
    "Proposal",
    "Workspace",
]
