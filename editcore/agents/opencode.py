"""OpenCode's edit tool at five times, and MiMo-Code's, which grew out of it.

opencode_0_5    six replacers, thresholds 0.0 and 0.3                                     0.5.29
opencode_1_0    nine replacers, the same thresholds: the cascade `reference`              1.0.0 to 1.15
opencode_1_17   the cascade `opencode_1_17`: thresholds 0.65, window and size guard
opencode_exact  the second edit tool in 1.18: exact
opencode_2      exact; folded (quotes, dashes and spaces as ASCII); whole lines, also without whitespace at their
                right
mimo            exact; the nine replacers only write hints of refusals
"""

from __future__ import annotations

import re

from editcore.agents.matching import PUNCTUATION, span
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Given, Read, Span, Steps, ended_like_the_file, exact, in_turn, spans_of
from editcore.cascade import OPENCODE_1_17, REFERENCE, Cascade
from editcore.text.document import Document
from editcore.text.line_index import apart, block_starts
from editcore.text.lines import BOM
from editcore.text.whitespace import WHITESPACE
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
    """The whole lines that are equal, folded and without whitespace at their right.

    A line feed at the end of the search text belongs to the place, which must have one.
    """
    document, is_ended = given.document, given.old.endswith("\n")
    wanted = [line.translate(PUNCTUATION).rstrip(WHITESPACE) for line in given.old.removesuffix("\n").split("\n")]
    lines = [line.translate(PUNCTUATION).rstrip(WHITESPACE) for line in document.lines]
    if document.text.endswith("\n") and lines and not lines[-1]:
        del lines[-1]
    found = []
    for first in apart(block_starts(lines, wanted), len(wanted)):
        start, end = span(document, first, len(wanted))
        if is_ended and end == len(document.text):
            continue
        end += is_ended
        found.append((start, end - (not is_ended and document.text[:end].endswith("\r"))))
    return found


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
        {
            "exact": exact,
            "folded": lambda given: spans_of(given.text.translate(PUNCTUATION), given.old.translate(PUNCTUATION)),
            "lines": _folded_lines,
        },
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
