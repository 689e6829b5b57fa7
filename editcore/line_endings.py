"""Edits of a text through its line-feed view, so that neither its line endings nor those of the edit matter."""

from __future__ import annotations

from dataclasses import replace

from editcore.cascade import Cascade
from editcore.text.document import Document
from editcore.text.endings import LineFeedView, line_feeds
from editcore.types import Applied, Edit, EditResult, Rejected


def apply_to_lines(text: str, edit: Edit, cascade: Cascade) -> EditResult:
    """Apply an edit with a cascade to the line-feed view of a text. Line endings of the edit itself do not matter.

    Text that occurs with LF here and with CRLF there occurs twice. The matches of the result are those of the text.
    """
    view = LineFeedView(text)
    plain = replace(edit, old_string=line_feeds(edit.old_string), new_string=line_feeds(edit.new_string))
    result = cascade.apply(Document(view.text), plain)
    if isinstance(result, Rejected):
        return replace(result, candidates=view.matches(result.candidates))
    content = view.replaced(result.matches, plain.new_string)
    return Applied(content, view.matches(result.matches), result.replacer, notes=result.notes)
