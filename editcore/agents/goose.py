"""Goose's str_replace, with the tolerance that it has for characters that models cannot copy.

Evidence: documented. The rule:

    exact    counted without overlap
    folded   |a  |“b”|  quotes, dashes and no-break spaces as ASCII; then whole lines without spaces at their ends

Policy: unique. Nothing is re-indented; line endings are the file's where the texts of the edit have none.

Known failure: indentation that differs is refused, which is most of what exact match misses.
"""

from __future__ import annotations

from editcore.agents.habits import STRICT
from editcore.agents.matching.folding import PUNCTUATION
from editcore.agents.matching.results import not_found, nothing_sought, replaced, several, unchanged
from editcore.agents.matching.windows import places, span
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.text.document import Document
from editcore.text.line_index import block_starts
from editcore.types import Edit, EditResult


def goose(text: str, edit: Edit) -> EditResult:
    """Goose: exact and unique, else unique with look-alike characters folded and whitespace at line ends ignored."""
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    if old == new:
        raise unchanged()
    for step, table in (("exact", {}), ("folded", PUNCTUATION)):
        whole, find = (text.translate(table), old.translate(table)) if table else (text, old)
        found = [(at, at + len(find)) for at in places(whole, find)]
        if len(found) > 1:
            raise several(text, found, step)
        if found:
            return replaced(text, *found[0], new, step)
    document, lines = Document(text), old.removesuffix("\n").split("\n")
    starts = list(block_starts(map(_folded, document.lines), [_folded(line) for line in lines]))
    spans = [span(document, at, len(lines)) for at in starts]
    if not spans:
        raise not_found()
    if len(spans) > 1:
        raise several(text, spans, "line_ends")
    return replaced(text, *spans[0], new.removesuffix("\n") if old.endswith("\n") else new, "line_ends")


def _folded(line: str) -> str:
    return line.translate(PUNCTUATION).rstrip()


_ON_BYTES = Declared(STRICT, Source(None, "block/goose crates/goose-mcp/src/developer/edit.rs", "cc96ae08"))
GOOSE = (AgentRule("goose", "Goose 2026", "documented", "unique", in_turn(goose), on_bytes=_ON_BYTES),)
