"""OpenCode's edit tool at five times, and MiMo-Code's, which grew out of it.

    opencode_0_5    six replacers, thresholds 0.0 and 0.3                                     0.5.29
    opencode_1_0    nine replacers, the same thresholds: the cascade `reference`              1.0.0 to 1.15
    opencode_1_17   the cascade `opencode_1_17`: thresholds 0.65, window and size guard
    opencode_exact  the second edit tool in 1.18: exact
    opencode_2      exact; whole lines folded (quotes, dashes and spaces as ASCII), without whitespace at their right;
                    two or more such lines, all indented further or less by the same whitespace, and so the new text
    mimo            exact; the nine replacers only write hints of refusals

The first and the last line of a place of `opencode_2` may be cut where the search text is within them as compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editcore.agents.matching import PUNCTUATION, span
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Given, Read, Span, Steps, ended_like_the_file, exact, in_turn
from editcore.cascade import OPENCODE_1_17, REFERENCE, Cascade
from editcore.text.document import Document
from editcore.text.line_index import apart, block_starts
from editcore.text.lines import BOM
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import Edit, EditResult

_FIRST_SIX = Cascade("opencode_0_5", REFERENCE.replacers[:6], summary="The first six replacers, without guards.")
_PATTERN = re.compile(r"\$[$&`']")


def _opencode_1_17(text: str, edit: Edit) -> EditResult:
    _, old, new, _ = ended_like_the_file(text, edit)
    return OPENCODE_1_17.apply(Document(text), Edit(old, new, edit.replace_all, edit.occurrence))


def _expanded(given: Given) -> Found | None:
    """The exact places, with JavaScript's replacement patterns expanded in the new text.

    `$$` is a dollar sign, `$&` the place, "$`" and `$'` the text before and after it.
    """
    text, found = given.text, exact(given)

    def expanded(start: int, end: int) -> str:
        meanings = {"$$": "$", "$&": text[start:end], "$`": text[:start], "$'": text[end:]}
        return _PATTERN.sub(lambda pattern: meanings[pattern[0]], given.new)

    return Found(found, [expanded(*one) for one in found]) if found else None


def _folded_lines(given: Given) -> list[Span]:
    wanted = [_folded(line) for line in given.old.split("\n")]
    return _spans(given.document, [_folded(line) for line in given.document.lines], wanted) if any(wanted) else []


def _shifted_lines(given: Given) -> Found | None:
    wanted = [_folded(line) for line in given.old.split("\n")]
    if not any(wanted) or len(wanted) < 2:
        return None
    document, lines = given.document, [_folded(line) for line in given.document.lines]
    found = _spans(document, [trim(line) for line in lines], [trim(one) for one in wanted])
    shifts = {_shift(lines, document.text.count("\n", 0, start), wanted) for start, _ in found}
    shift = shifts.pop() if len(shifts) == 1 else None
    return Found(found, "\n".join([_shifted(line, *shift) for line in given.new.split("\n")])) if shift else None


def _folded(line: str) -> str:
    return line.translate(PUNCTUATION).rstrip(WHITESPACE)


def _spans(document: Document, lines: Sequence[str], wanted: Sequence[str]) -> list[Span]:
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
    """(indentation to remove, to add) that turns the wanted lines into the place's; None unless one pair fits all."""
    pairs = [(line, own) for line, own in zip(lines[first:], wanted, strict=False) if own.strip()]
    line, own = pairs[0]
    its, mine = (one[: len(one) - len(one.lstrip())] for one in (line, own))
    add, remove = its.removesuffix(mine), mine.removesuffix(its)
    add, remove = (add, "") if its.endswith(mine) else ("", remove) if mine.endswith(its) else (its, mine)
    return (remove, add) if all(_shifted(own, remove, add) == line for line, own in pairs) else None


def _shifted(line: str, remove: str, add: str) -> str:
    return add + line.removeprefix(remove) if line.strip() else line


def _without_mark(text: str, edit: Edit) -> Read:
    # The program drops the mark as it decodes the file, and does not write it again.
    return ended_like_the_file(text.removeprefix(BOM), edit)


def _whole_file(given: Given) -> Found | None:
    return None if given.old else Found([(0, len(given.text))], [given.edit.new_string])


RULES: dict[str, Rule] = {
    "opencode_0_5": in_turn(lambda text, edit: _FIRST_SIX.apply(Document(text), edit)),
    "opencode_1_0": in_turn(lambda text, edit: REFERENCE.apply(Document(text), edit)),
    "opencode_1_17": in_turn(_opencode_1_17),
    "opencode_exact": Steps({"exact": _expanded}, reading=ended_like_the_file, refuses=("empty",)),
    "opencode_2": Steps(
        {"exact": exact, "folded": _folded_lines, "shifted": _shifted_lines},
        reading=ended_like_the_file,
        refuses=("identical", "empty"),
    ),
    "mimo": Steps(
        {
            "whole_file": _whole_file,
            # Only JavaScript's `replaceAll` is called with a pattern here.
            "exact": lambda given: _expanded(given) if given.every else exact(given),
        },
        reading=_without_mark,
        refuses=("identical",),
    ),
}
