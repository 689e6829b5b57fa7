"""OpenCode's edit tool at five times, and agents that grew out of it or call its replacers with guards or otherwise.

opencode_0_5    six replacers, thresholds 0.0 and 0.3                                     0.5.29
opencode_1_0    nine replacers, the same thresholds: the cascade `reference`              1.0.0 to 1.15
opencode_1_17   the cascade `opencode_1_17`: thresholds 0.65, window and size guard
opencode_exact  the second edit tool in 1.18: exact
opencode_2      exact; folded (quotes, dashes and spaces as ASCII); whole lines, also without whitespace at their
                right
mimo            exact; the nine replacers only write hints of refusals

opencode_guarded   exact · line_trimmed · block_anchor · whitespace_normalized · indentation_flexible ·
                   escape_normalized · trimmed_boundary · context_aware
                   `block_anchor` needs a similarity of 0.65 and a block within a quarter of the lines. A size guard
                   refuses candidates that are much larger than the search text.
zero               exact · line_trimmed · whitespace_normalized · indentation_flexible · escape_normalized ·
                   trimmed_boundary, with the same size guard
                   If all lines of the place are indented further by the same whitespace, the new text is too.
maki               exact · line_trimmed · block_anchor (0.0 and 0.3) · whitespace_normalized ·
                   indentation_flexible · escape_normalized (also unescapes the new text) ·
                   trimmed_boundary · context_aware
                   If all places begin a line, each indentation of the search text is replaced by the file's in the
                   new text. A deeper line keeps what it has beyond the deepest known indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import islice

from editcore.agents.matching import PUNCTUATION, anchored_block, span, standing
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Given, Read, Span, Steps, ended_like_the_file, exact, in_turn, spans_of
from editcore.cascade import OPENCODE_1_17, REFERENCE, Cascade
from editcore.errors import PatchError
from editcore.replacers import REPLACERS
from editcore.replacers.escape_normalized import unescape
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from editcore.text.line_index import apart, block_starts
from editcore.text.lines import BOM
from editcore.text.whitespace import SPACES_AND_TABS, WHITESPACE, indent, trim
from editcore.types import Edit, EditResult, Reason

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


_GUARDED = (
    "line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible", "escape_normalized",
    "trimmed_boundary", "context_aware",
)  # fmt: skip
_ZERO = ("line_trimmed", "whitespace_normalized", "indentation_flexible", "escape_normalized", "trimmed_boundary")
_MAKI = ("line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible")
_MAKI_LATE = ("trimmed_boundary", "context_aware")
_GUARD = SizeGuard()
_indent = partial(indent, of=SPACES_AND_TABS)


def _check_size(found: str, find: str) -> None:
    """Raise PatchError if the candidate `found` is much larger than the search text."""
    if _GUARD.refuses(found, find):
        message = "old_string would replace a much larger block: read it again and give it whole."
        raise PatchError(message, reason=Reason.DISPROPORTIONATE)


def _guarded(given: Given, name: str) -> Found | None:
    text = given.text
    if name == "block_anchor":
        block = anchored_block(given.document, given.old, given.work, single=0.65, several=0.65, window=0.25)
        candidates: Iterable[str] = () if block is None else (block,)
    else:
        candidates = REPLACERS[name](given.document, given.old)
    by_offset: dict[int, str] = {}
    for one in standing(candidates, text, given.work):
        by_offset[text.find(one)] = one
        if len(by_offset) > 1 and not given.every:
            raise given.several([(at, at + len(found)) for at, found in by_offset.items()])
    if not by_offset:
        return None
    found = next(iter(by_offset.values()))
    _check_size(found, given.old)
    return Found(spans_of(text, found), given.new)


def _in_crlf(text: str, edit: Edit) -> Read:
    """The edit with CRLF in its texts, if the file has CRLF and the search text neither has it nor occurs as it is."""
    old, new = edit.old_string, edit.new_string
    if old not in text and "\r\n" in text and "\r\n" not in old:
        old = old.replace("\n", "\r\n")
        # A new text with CRLF is left alone where the search text is found so; where it is looked for, it is not.
        new = new if "\r\n" in new and old in text else new.replace("\n", "\r\n")
    return Read(text, old, new)


def _zero(given: Given, name: str) -> Found | None:
    text, find = given.text, given.old
    if name in ("whitespace_normalized", "trimmed_boundary") and not trim(find):
        return None  # Of whitespace nothing is left to look for.
    found = list(islice(standing(REPLACERS[name](given.document, find), text), 2))
    if not found:
        return None
    spans = [(text.find(one), text.find(one) + len(one)) for one in found]
    if len(found) > 1 and not given.every:
        raise given.several(spans)
    _check_size(found[0], find)
    if not given.every and text.find(found[0], spans[0][0] + 1) >= 0:
        given.doubt = given.several(spans)
        return None
    return Found(spans_of(text, found[0]), _adapted(found[0], find, given.new))


def _adapted(found: str, find: str, new: str) -> str:
    """The new text, indented further as the place is, and with the carriage return that the place ends in."""
    further = _further(found.split("\n"), find.removesuffix("\n").split("\n"))
    if further:
        new = "\n".join([further + line if trim(line) else line for line in new.split("\n")])
    return new + "\r" if found.endswith("\r") and not new.endswith("\r") else new


def _further(place: list[str], find: list[str]) -> str | None:
    """The whitespace by which all lines of `place` are indented further than in `find`; None if it differs."""
    if len(place) != len(find):
        return None
    further: str | None = None
    for its, own in zip(place, find, strict=True):
        if not trim(its) and not trim(own):
            continue
        its_indent, own_indent = (_indent(line.removesuffix("\r")) for line in (its, own))
        if not its_indent.endswith(own_indent):
            return None
        more = its_indent[: len(its_indent) - len(own_indent)]
        if further is not None and more != further:
            return None
        further = more
    return further


def _maki(given: Given, name: str) -> Found | None:
    text, find, new = given.text, given.old, given.new
    candidates: Iterable[str] = ()
    if name == "exact":
        candidates = (find,)
    elif name == "escape_normalized":
        plain = unescape(find)
        if plain != find:
            candidates, find, new = REPLACERS[name](given.document, plain), plain, unescape(new)
    elif name == "block_anchor":
        block = anchored_block(given.document, find, given.work, single=0.0, several=0.3)
        candidates = () if block is None else (block,)
    else:
        candidates = REPLACERS[name](given.document, find)
    for one in standing(candidates, text, given.work):
        spans = spans_of(text, one)
        if len(spans) == 1 or given.every:
            begins = all(not at or text[at - 1] == "\n" for at, _ in spans)
            return Found(spans, _re_indented(one, find, new) if begins else new)
        given.doubt = given.doubt or given.several(spans)
    return None


def _re_indented(place: str, find: str, new: str) -> str:
    """The new text, with each indentation of the search text replaced by the same line's indentation in the place."""
    its, own = place.split("\n"), find.split("\n")
    known: dict[str, str] = {}
    for line, sought in zip(its, own, strict=False):
        is_same = len(its) == len(own) or line.strip() == sought.strip()
        if is_same and line.strip() and sought.strip():
            known.setdefault(_indent(sought), _indent(line))
    lines = new.split("\n")
    if all(mine == theirs for mine, theirs in known.items()) or all(
        _indent(line) in known.values() for line in lines if line.strip()
    ):
        return new
    return "\n".join([_moved(line, known) if line.strip() else line for line in lines])


def _moved(line: str, known: dict[str, str]) -> str:
    own = _indent(line)
    deepest = max((one for one in known if own.startswith(one)), key=len, default=None)
    return line if deepest is None else known[deepest] + line[len(deepest) :]


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
    "opencode_guarded": Steps(
        {"exact": exact, **{name: partial(_guarded, name=name) for name in _GUARDED}},
        reading=ended_like_the_file,
        refuses=("identical", "empty"),
        work="opencode_guarded",
    ),
    "zero": Steps(
        {"exact": exact, **{name: partial(_zero, name=name) for name in _ZERO}},
        reading=_in_crlf,
        refuses=("empty",),
        must_change=True,
    ),
    "maki": Steps(
        {name: partial(_maki, name=name) for name in ("exact", *_MAKI, "escape_normalized", *_MAKI_LATE)},
        refuses=("empty",),
        work="maki",
    ),
}
