"""Edits by search text in a call of an anchored format."""

from __future__ import annotations

from editcore.anchors.call import Call
from editcore.apply import apply_edit
from editcore.types import EditResult, Reason, Rejected


def with_text_edits(result: EditResult, call: Call, text: str) -> EditResult:
    """The result for a text with the edits by search text made after it, exactly; one that is refused refuses all."""
    if not call.texts:
        return result
    if isinstance(result, Rejected) and (result.reason is not Reason.IDENTICAL or call.edits):
        return result
    content = text if isinstance(result, Rejected) else result.content
    for edit in call.texts:
        result = apply_edit(content or "", edit, "exact")
        if isinstance(result, Rejected):
            return result
        content = result.content
    return result
