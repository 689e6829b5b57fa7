"""Agents that call OpenCode's replacers with guards, or in an order of their own.

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

from collections.abc import Iterable
from functools import partial
from itertools import islice

from editcore.agents.matching import anchored_block, standing
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Given, Read, Steps, ended_like_the_file, exact, spans_of
from editcore.errors import PatchError
from editcore.replacers import REPLACERS
from editcore.replacers.escape_normalized import unescape
from editcore.replacers.size_guard import SizeGuard
from editcore.text.whitespace import SPACES_AND_TABS, indent, trim
from editcore.types import Edit, Reason

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
