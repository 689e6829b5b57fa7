"""Edits by search text in a call of an anchored format."""

from __future__ import annotations

from editcore.anchors.rules.rule import Given
from editcore.apply import apply_edit
from editcore.types import EditResult, Reason, Rejected


def with_text_edits(result: EditResult, given: Given) -> EditResult:
    """The result with the call's edits by search text made after it, exactly; one that is refused refuses all."""
    if not given.call.texts:
        return result
    if isinstance(result, Rejected) and (result.reason is not Reason.IDENTICAL or given.call.edits):
        return result
    content = given.live if isinstance(result, Rejected) else result.content
    for edit in given.call.texts:
        result = apply_edit(content or "", edit, "exact")
        if isinstance(result, Rejected):
            return result
        content = result.content
    return result
