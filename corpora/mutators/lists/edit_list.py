"""What a list of edits makes of a text, taken to the letter, and the damaged edit that it is."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged
from editcore.types import Edit, File

_TELLING, _LONGEST = 8, 400


def text_after(content: str, edits: Sequence[Edit]) -> str | None:
    """The text after edits in their order; None where a search text does not occur exactly once in its turn."""
    for edit in edits:
        if edit.old_string == edit.new_string or content.count(edit.old_string) != 1:
            return None
        content = content.replace(edit.old_string, edit.new_string)
    return content


def applied(clean: CleanEdit, *edits: Edit) -> Damaged | None:
    """Edits that all apply; None where one does not, or where nothing has changed after them."""
    target = text_after(clean.content, edits)
    if target is None or target == clean.content:
        return None
    return Damaged((File(clean.path, clean.content),), (File(clean.path, target),), edits)


def refused(clean: CleanEdit, *edits: Edit, reason: str, twin: str = "") -> Damaged | None:
    """Edits of which one does not apply; None where all do. `twin` is a text to which all do, if there is one."""
    if text_after(clean.content, edits) is not None:
        return None
    after = text_after(twin, edits)
    pair = None if after is None else ((File(clean.path, twin),), (File(clean.path, after),))
    return Damaged((File(clean.path, clean.content),), None, edits, twin=pair, reason=reason)


def says_much(line: str) -> bool:
    """Whether a line can be meant by itself: it has letters or digits enough, and is not too long to be changed."""
    return sum(map(str.isalnum, line)) >= _TELLING and len(line) < _LONGEST
