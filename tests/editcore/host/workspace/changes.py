"""Changes of a workspace, as tests make them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from editcore.host.workspace.workspace import ChangeResult, Workspace
from editcore.types import Applied, EditResult, Rejected

AS_ROOT = os.geteuid() == 0


def becomes(texts: Mapping[str, str]) -> Callable[[Mapping[str, str]], EditResult]:
    """The decision that the files are to have these texts, and that the others are to go."""
    return lambda _: Applied(files=dict(texts))


def write(workspace: Workspace, texts: Mapping[str, str], **options: object) -> ChangeResult:
    return workspace.change("test", {}, list(texts), becomes(texts), **options)  # type: ignore[arg-type]


def refusal(outcome: ChangeResult) -> Rejected:
    assert isinstance(outcome.result, Rejected), outcome
    assert not outcome.is_written
    assert "\n" not in outcome.result.message
    return outcome.result
