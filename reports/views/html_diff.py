"""Untrusted texts as HTML in which invisible characters are drawn: whitespace, control characters.

A wrong edit often differs from the right answer in invisible characters only. Spaces and tabs are kept, so that the
text can be copied; characters without a glyph are replaced by their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from markupsafe import Markup, escape

LONG_LINE = 400
"""Characters; of a longer line, only the part around the difference is shown."""
_AROUND = 80
"""Characters shown before and after the difference of a long line."""
_CONTEXT = 3
"""Equal lines shown around a difference."""

_ODD = re.compile(
    "(?P<tab>\t+)"
    # C0 and C1 controls, spaces that look alike, invisible joiners, direction overrides, surrogates.
    "|(?P<odd>[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u3000\ufeff\ud800-\udfff])"
    "|(?P<spaces>^ +| +(?=\r?$))"
)
_LETTERS = {"\0": "NUL", "\a": "BEL", "\b": "BS", "\v": "VT", "\f": "FF", "\r": "CR", "\x1b": "ESC"}
_OddSpan = tuple[int, int, str]


def visible(text: str) -> str:
    """A name or path with each invisible character replaced by its code point, as in `U+202E`."""
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(lambda found: _code_point(found[0]) if found.lastgroup == "odd" else found[0], text)


def text_html(text: str, *, limit: int) -> Markup:
    """A text as HTML with its invisible characters drawn, cut after `limit` characters."""
    lines = text[:limit].split("\n")
    shown = Markup("\n").join(_cut_line(line, 0, 0, leading_spaces=False) for line in lines)
    if len(text) > limit:
        shown += _note(f"{len(text) - limit:,} characters more")
    return shown


def diff_html(expected: str, given: str, *, first_line: int, limit: int) -> Markup:
    """A unified diff from the right text to the given one as HTML, the differing part of a line in bold.

    Lines beyond `limit` characters of HTML are counted only.
    """
    shown = Markup()
    size, n_left_out = 0, 0
    for row in _rows(_lines(expected), _lines(given), first_line):
        if size < limit:
            shown += row
            size += len(row)
        else:
            n_left_out += 1
    if n_left_out:
        shown += _note(f"{n_left_out:,} lines more")
    return shown


def _lines(text: str) -> list[str]:
    """Lines with their line endings; unlike `splitlines()`, only a line feed ends a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _rows(expected: list[str], given: list[str], first_line: int) -> Iterator[Markup]:
    matcher = SequenceMatcher(None, expected, given, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield Markup("<em>@@ line {} @@</em>").format(first_line + group[0][1])
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for line in expected[i1:i2]:
                    body = _cut_line(line.removesuffix("\n"), 0, 0, leading_spaces=False)
                    yield Markup("<span> ") + body + Markup("</span>")
            else:
                yield from _changed(expected[i1:i2], given[j1:j2])


def _changed(removed: list[str], added: list[str]) -> Iterator[Markup]:
    """Removed lines, then added ones; if there are as many of both, each is compared with its counterpart."""
    paired = len(removed) == len(added)
    for lines, others, tag, sign in ((removed, added, "del", "-"), (added, removed, "ins", "+")):
        for i, line in enumerate(lines):
            start, end = _differing_part(line, others[i]) if paired else (0, 0)
            body = _cut_line(line.removesuffix("\n"), start, end, leading_spaces=True)
            ending = Markup() if line.endswith("\n") else _note("no newline")
            yield Markup(f"<{tag}>{sign}") + body + ending + Markup(f"</{tag}>")


def _differing_part(line: str, other: str) -> tuple[int, int]:
    """The range in which a line differs from its counterpart; empty if they have little in common."""
    shorter = min(len(line), len(other))
    start = next((i for i in range(shorter) if line[i] != other[i]), shorter)
    tail = next((i for i in range(shorter - start) if line[-1 - i] != other[-1 - i]), shorter - start)
    if 3 * (start + tail) < min(len(line), LONG_LINE):
        return 0, 0
    return start, len(line) - tail


def _cut_line(line: str, start: int, end: int, *, leading_spaces: bool) -> Markup:
    """A line with `start:end` in bold; of a long one the beginning or what lies around that part."""
    if len(line) <= LONG_LINE:
        return _drawn(line, start, end, leading_spaces=leading_spaces)
    first = max(0, start - _AROUND)
    last = min(len(line), first + LONG_LINE)
    before = _note(f"{first:,} characters") if first else Markup()
    after = _note(f"{len(line) - last:,} characters") if last < len(line) else Markup()
    return before + _drawn(line[first:last], start - first, end - first, leading_spaces=leading_spaces) + after


def _drawn(line: str, start: int, end: int, *, leading_spaces: bool) -> Markup:
    """A line with its odd characters drawn and `start:end` in bold; `leading_spaces` draws leading spaces too."""
    if start >= end:
        return Markup("").join(_pieces(line, list(_odd_spans(line, leading_spaces)), 0, len(line)))
    spans = list(_odd_spans(line, leading_spaces))
    parts = [
        *_pieces(line, spans, 0, start),
        Markup("<b>"),
        *_pieces(line, spans, start, min(end, len(line))),
        Markup("</b>"),
        *_pieces(line, spans, end, len(line)),
    ]
    return Markup("").join(parts)


def _odd_spans(line: str, leading_spaces: bool) -> Iterator[_OddSpan]:
    for found in _ODD.finditer(line):
        kind = found.lastgroup or ""
        leading = kind == "spaces" and found.end() < len(line)
        if leading_spaces or not leading:
            yield found.start(), found.end(), kind


def _pieces(line: str, spans: list[_OddSpan], start: int, end: int) -> Iterator[Markup]:
    """The characters from start to end as HTML, each span in its mark."""
    at = start
    for low, high, kind in spans:
        low, high = max(low, start), min(high, end)
        if low >= high:
            continue
        yield escape(line[at:low])
        yield _MARKS[kind](line[low:high])
        at = high
    yield escape(line[at:end])


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _mark(character: str) -> Markup:
    """The usual abbreviation of a control character, since fonts may lack its picture; else its code point."""
    return Markup("<i class=o>{}</i>").format(_LETTERS.get(character) or _code_point(character))


def _note(text: str) -> Markup:
    return Markup("<u>… {} …</u>").format(text)


_MARKS = {
    "spaces": lambda text: Markup("<i>{}</i>").format(text),
    "tab": lambda text: Markup("<i class=t>\t</i>") * len(text),
    "odd": _mark,
}
