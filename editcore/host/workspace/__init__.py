"""A directory in which files are edited: boundary, locks, atomic writes, backups, read ledger."""

from __future__ import annotations

from editcore.host.workspace.plan import (
    MODES,
    WRITES_NOTHING,
    Approve,
    Changed,
    ChangeResult,
    Event,
    Limits,
    Mode,
    Proposal,
)
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
