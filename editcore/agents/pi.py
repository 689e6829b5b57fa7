"""pi's edit tool: pi-coding-agent 0.73.1.

Evidence: run (`applyEditsToNormalizedContent`) and read (`edit-diff.ts`). The rule, on text with LF and without a BOM:

    exact    indexOf
    fuzzy    |a  |“b”|  both in NFKC, lines without whitespace at their ends, dashes, quotes and spaces as ASCII

Policy: unique, counted in the folded text even if the exact text is found. All edits are placed in the text as it
was, and may not overlap. Line endings: those of the file's first line, throughout.

Known failure: one fuzzy place rewrites the whole file in its folded form: quotes, dashes and line ends everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from editcore.agents.habits import REPLACED
from editcore.agents.matching import PUNCTUATION
from editcore.agents.rule import AgentRule, Declared, Source
from editcore.agents.runner import not_found, nothing_sought, several, unchanged
from editcore.errors import PatchError
from editcore.text.endings import first_is_crlf, with_crlf
from editcore.text.keys import normal_form
from editcore.text.lines import BOM
from editcore.text.whitespace import WHITESPACE
from editcore.types import Applied, Edit, EditResult, Reason


def folded(text: str) -> str:
    """The text as pi compares it."""
    lines = normal_form(text, "NFKC").split("\n")
    return "\n".join([line.rstrip(WHITESPACE) for line in lines]).translate(PUNCTUATION)


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _placed(text: str, old: str) -> tuple[int, int]:
    at, length = text.find(old), len(old)
    whole, find = folded(text), folded(old)
    if at < 0:
        at, length = whole.find(find), len(find)
    if at < 0:
        raise not_found()
    if (whole.count(find) if find else len(whole) - 1) > 1:
        raise several(text, [(at, at + length)], "fuzzy")
    return at, at + length


def pi(text: str, edits: Sequence[Edit]) -> EditResult:
    """pi: exact, else folded; unique either way; a folded place rewrites the whole file folded."""
    bom, plain = (BOM, text[1:]) if text.startswith(BOM) else ("", text)
    crlf = first_is_crlf(plain)
    plain = _line_feeds(plain)
    pairs = [(_line_feeds(edit.old_string), _line_feeds(edit.new_string)) for edit in edits]
    if not all(old for old, _ in pairs):
        raise nothing_sought()
    is_folded = any(old not in plain for old, _ in pairs)
    base = folded(plain) if is_folded else plain
    placed = sorted((*_placed(base, old), new) for old, new in pairs)
    for one, other in pairwise(placed):
        if one[1] > other[0]:
            raise PatchError("two of the edits overlap: join them in one.", reason=Reason.AMBIGUOUS)
    out, done = [], 0
    for start, end, new in placed:
        out += [base[done:start], new]
        done = end
    content = "".join(out) + base[done:]
    if content == base:
        raise unchanged()
    return Applied(bom + with_crlf(content, crlf), (), "fuzzy" if is_folded else "exact")


_TOOLS = "badlogic/pi-mono packages/coding-agent/src/core/tools"
PI = (
    AgentRule(
        "pi",
        "pi-coding-agent 0.73.1",
        "run",
        "unique",
        pi,
        source=Source(None, f"{_TOOLS}/edit-diff.ts", "0.73.1"),
        on_bytes=Declared(REPLACED, Source("2026-03-15", f"{_TOOLS}/edit.ts (toString of the buffer)", "83378aad")),
    ),
)
