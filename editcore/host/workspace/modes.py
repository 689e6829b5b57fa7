"""The modes of a workspace: which changes each of them makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from editcore.errors import WorkspaceError
from editcore.host.workspace.plan import Changed
from editcore.quoting import shown
from editcore.types import Reason

Mode = Literal["research", "generate", "modify", "execute", "analyze"]
MODES: tuple[Mode, ...] = ("research", "generate", "modify", "execute", "analyze")
WRITES_NOTHING: tuple[Mode, ...] = ("research", "analyze")
"""Modes in which every change is refused, with its result in `Rejected.proposed`."""
_KINDS: Mapping[Mode, str] = {"generate": "A", "modify": "MDR"}
"""The kinds of changes (`Changed.kind`) that a mode makes, where it does not make all."""
_MOST_NAMED = 5


def check_kinds(mode: Mode, changes: Sequence[Changed]) -> None:
    """Raise WorkspaceError for changes that the mode does not make."""
    wrong = [one for one in changes if one.kind not in _KINDS.get(mode, "AMDR")]
    if wrong:
        does = "makes new files only" if mode == "generate" else "changes existing files only"
        how = "exist" if mode == "generate" else "do not exist"
        raise WorkspaceError(
            f"Mode {mode} {does}, and these {how}: {named(wrong)}. Nothing was changed.", reason=Reason.NOT_ALLOWED
        )


def named(changes: Sequence[Changed]) -> str:
    """The paths of changes, for a message: the first five."""
    paths = [shown(one.moved_from or one.path) for one in changes[:_MOST_NAMED]]
    return ", ".join(paths) + (", ..." if len(changes) > _MOST_NAMED else "")
