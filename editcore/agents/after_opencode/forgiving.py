"""OpenCode 2's edit tool since 2026-07-28, after `opencode_exact`.

Evidence: documented (the account of the change; its source was not found). An exact place; if there is none:

    folded     lines with typographic quotes, dashes and spaces as ASCII, without whitespace at their ends
    shifted    that, and every line that is not blank further or less indented by the same blanks; two lines or more

Policy: unique, or every place if that is asked for; places do not overlap. Both steps take whole lines, of which the
first and the last may be cut where the search text is within them exactly as compared. The new text is indented by what
the place is. Line endings: those of the edit are made the file's.

Known failure: none recorded; what is within a line and folded differently in length is missed here.
"""

from __future__ import annotations

from collections.abc import Sequence

from editcore.agents.matching.folding import PUNCTUATION
from editcore.agents.matching.results import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.agents.matching.windows import places, span
from editcore.agents.opencode import with_endings
from editcore.agents.rule import AgentRule, Source, in_turn
from editcore.text.document import Document
from editcore.text.line_index import apart, block_starts
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import Edit, EditResult

_Span = tuple[int, int]


def opencode_2(text: str, edit: Edit) -> EditResult:
    """OpenCode 2: exact, then quotes, dashes and line ends folded, then a shifted indentation; one place each."""
    if edit.old_string == edit.new_string:
        raise unchanged()
    if not edit.old_string:
        raise nothing_sought()
    edit = with_endings(text, edit)
    old, new = edit.old_string, edit.new_string
    step, found = "exact", [(at, at + len(old)) for at in places(text, old)]
    if not found:
        step, found, new = _tolerated(text, old, new)
    if len(found) > 1 and not edit.replace_all:
        raise several(text, found, step)
    return replaced_everywhere(text, found, new, step)


def _tolerated(text: str, old: str, new: str) -> tuple[str, list[_Span], str]:
    """The step that finds something, its places, and the new text for them. Raises PatchError."""
    wanted = [_folded(line) for line in old.split("\n")]
    if any(wanted):
        document = Document(text)
        lines = [_folded(line) for line in document.lines]
        if found := _spans(document, lines, wanted):
            return "folded", found, new
        if len(wanted) > 1 and (
            found := _spans(document, [trim(line) for line in lines], [trim(one) for one in wanted])
        ):
            shifts = {_shift(lines, document.text.count("\n", 0, start), wanted) for start, _ in found}
            shift = shifts.pop()
            if not shifts and shift is not None:
                return "shifted", found, "\n".join([_shifted(line, *shift) for line in new.split("\n")])
    raise not_found()


def _folded(line: str) -> str:
    return line.translate(PUNCTUATION).rstrip(WHITESPACE)


def _spans(document: Document, lines: Sequence[str], wanted: Sequence[str]) -> list[_Span]:
    """The places of the wanted lines; a line feed at the end of the search text belongs to the place."""
    is_ended = wanted[-1] == "" and len(wanted) > 1
    block = wanted[:-1] if is_ended else wanted
    found = []
    for first in apart(block_starts(lines, list(block)), len(block)):
        start, end = span(document, first, len(block))
        end += is_ended and end < len(document.text)
        if not is_ended and document.text[:end].endswith("\r"):
            end -= 1
        found.append((start, end))
    return found


def _shift(lines: Sequence[str], first: int, wanted: Sequence[str]) -> tuple[str, str] | None:
    """(indentation to remove, to add) that makes the wanted lines those of the place; None if not one for all."""
    pairs = [(line, own) for line, own in zip(lines[first:], wanted, strict=False) if own.strip()]
    line, own = pairs[0]
    its, mine = (one[: len(one) - len(one.lstrip())] for one in (line, own))
    add, remove = its.removesuffix(mine), mine.removesuffix(its)
    add, remove = (add, "") if its.endswith(mine) else ("", remove) if mine.endswith(its) else (its, mine)
    return (remove, add) if all(_shifted(own, remove, add) == line for line, own in pairs) else None


def _shifted(line: str, remove: str, add: str) -> str:
    return add + line.removeprefix(remove) if line.strip() else line


_SOURCE = Source("2026-07-28", "anomalyco/opencode packages/core/src/tool/edit.ts, pull request 39258", None)
OPENCODE_FORGIVING = (
    AgentRule("opencode_2", "OpenCode 2 since 2026-07-28", "documented", "unique", in_turn(opencode_2), source=_SOURCE),
)
