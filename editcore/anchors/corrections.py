"""What programs with anchored formats correct in the new lines of an edit; one function each.

A correction is a function `(change, lines) -> change`: the change as the call has it, and the lines of the text. They
repair what models often write, and damage what looks like it: each can be left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editcore.anchors.change import Change
from editcore.anchors.hashes import squeezed
from editcore.text.indentation import indent

Correction = Callable[[Change, Sequence[str]], Change]
_H1_PREFIX = re.compile(r"\s*(?:>>>\s*)?[0-9]+:[0-9A-Za-z]{1,16}\|")
_H2_PREFIX = re.compile(r"\s*(?:>>>|>>)?\s*[0-9]+\s*#\s*[A-Z]{2}[|:]")
_PLUS = re.compile(r"\+(?!\+)")
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"))
_LONGEST_REFLOW = 10
"""Lines into which one line is known to be broken."""
_SHORTEST = 6
"""Characters besides whitespace of a line that is known again."""


def strip_prefixes(change: Change, _: Sequence[str]) -> Change:
    """Strips `N:hh|` from all new lines if half of them have it, else one `+` if half of them have that."""
    return _stripped(change, _H1_PREFIX)


def strip_h2_prefixes(change: Change, _: Sequence[str]) -> Change:
    """Strips `N#HH|` from all new lines if half of them have it, else one `+` if half of them have that."""
    return _stripped(change, _H2_PREFIX)


def _stripped(change: Change, prefix: re.Pattern[str]) -> Change:
    said = [line for line in change.new if line]
    for one in (prefix, _PLUS):
        if said and 2 * sum(one.match(line) is not None for line in said) >= len(said):
            return replace(change, new=tuple([one.sub("", line, count=1) if one.match(line) else line
                                              for line in change.new]))  # fmt: skip
    return change


def insert_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the new line next to the anchor if it is the anchor's line again."""
    if change.kind == "replace" or not change.new or not change.is_anchored:
        return change
    at = 0 if change.kind == "after" else -1
    if not _alike(change.new[at], lines[change.first - 1]):
        return change
    return replace(change, new=change.new[1:] if change.kind == "after" else change.new[:-1])


def range_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the first and the last new line if they are, but for whitespace, the lines above and below the range."""
    return _without_echo(change, lines, _alike)


def exact_range_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the first and the last new line if they are exactly the lines above and below the range."""
    return _without_echo(change, lines, str.__eq__) if change.is_range else change


def _without_echo(change: Change, lines: Sequence[str], equal: Callable[[str, str], bool]) -> Change:
    new = change.new
    if change.kind != "replace" or len(new) <= max(1, change.n_lines):
        return change
    if change.first > 1 and equal(new[0], lines[change.first - 2]):
        new = new[1:]
    if new and change.last < len(lines) and equal(new[-1], lines[change.last]):
        new = new[:-1]
    return replace(change, new=new)


def reflow(change: Change, lines: Sequence[str]) -> Change:
    """Joins new lines that are one line of the text, broken at whitespace."""
    if change.kind != "replace":
        return change
    old = lines[change.first - 1 : change.last]
    counts = Counter(map(squeezed, old))
    known = {squeezed(line): line for line in old if len(squeezed(line)) >= _SHORTEST and counts[squeezed(line)] == 1}
    found, at = list[str](), 0
    new = [squeezed(line) for line in change.new]
    while at < len(new):
        n = next((n for n in range(2, _LONGEST_REFLOW + 1) if "".join(new[at : at + n]) in known), 1)
        n = n if at + n <= len(new) else 1
        found.append(change.new[at] if n == 1 else known["".join(new[at : at + n])])
        at += n
    return replace(change, new=tuple(found))


def indentation(change: Change, lines: Sequence[str]) -> Change:
    """Gives new lines without indentation that of the old ones, if they are as many."""
    if change.kind != "replace" or len(change.new) != change.n_lines:
        return change
    old = lines[change.first - 1 : change.last]
    return replace(change, new=tuple([_indented(new, was) for new, was in zip(change.new, old, strict=True)]))


def first_indentation(change: Change, lines: Sequence[str]) -> Change:
    """Gives the first new line the indentation of the first old one, if it has none."""
    if change.kind != "replace" or not change.new:
        return change
    return replace(change, new=(_indented(change.new[0], lines[change.first - 1]), *change.new[1:]))


def merge(change: Change, lines: Sequence[str]) -> Change:
    """Replaces the line above or below too, if the only new line of one line has its text as well."""
    if change.kind != "replace" or change.n_lines != 1 or len(change.new) != 1:
        return change
    new, old = squeezed(change.new[0]), squeezed(lines[change.first - 1])
    for first, last in ((change.first, change.last + 1), (change.first - 1, change.last)):
        if first >= 1 and last <= len(lines) and old:
            upper, lower = squeezed(lines[first - 1]), squeezed(lines[last - 1])
            at = new.find(upper)
            if min(len(upper), len(lower)) >= _SHORTEST and at >= 0 and lower in new[at + len(upper) :]:
                return replace(change, first=first, last=last)
    return change


def split_merged(change: Change, lines: Sequence[str]) -> Change:
    """Breaks the only new line of several where the old lines begin in it, or else at its semicolons."""
    if change.kind != "replace" or len(change.new) != 1 or change.n_lines < 2:
        return change
    new, starts, at = change.new[0], list[int](), 0
    for line in lines[change.first - 1 : change.last]:
        found = new.find(line.strip(), at)
        if found < 0 or not line.strip():
            break
        starts.append(found)
        at = found + len(line.strip())
    if len(starts) == change.n_lines:
        return replace(change, new=tuple([part.rstrip() for part in _parts(new, [0, *starts[1:], len(new)])]))
    pieces = [piece.strip() for piece in new.split(";")]
    pieces = [f"{piece};" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
    return replace(change, new=tuple(pieces)) if len(pieces) == change.n_lines else change


def hyphens(change: Change, lines: Sequence[str]) -> Change:
    """Turns hyphens and dashes of other kinds into `-`, if nothing else would change."""
    old = tuple(lines[change.first - 1 : change.last])
    if change.kind != "replace" or change.new != old:
        return change
    return replace(change, new=tuple([line.translate(_HYPHENS) for line in old]))


def _parts(text: str, bounds: Sequence[int]) -> Iterator[str]:
    return (text[start:end] for start, end in pairwise(bounds))


def _indented(new: str, old: str) -> str:
    return indent(old) + new if new.strip() and not indent(new) else new


def _alike(one: str, other: str) -> bool:
    return squeezed(one) == squeezed(other)


H1_CORRECTIONS: dict[str, Correction] = {
    "strip_prefixes": strip_prefixes,
    "insert_echo": insert_echo,
    "merge": merge,
    "range_echo": range_echo,
    "reflow": reflow,
    "indentation": indentation,
    "hyphens": hyphens,
}
"""Those of oh-my-pi in February 2026, in their order."""
H2_CORRECTIONS: dict[str, Correction] = {
    "strip_prefixes": strip_h2_prefixes,
    "insert_echo": insert_echo,
    "range_echo": exact_range_echo,
    "split_merged": split_merged,
    "reflow": reflow,
    "indentation": indentation,
    "first_indentation": first_indentation,
}
"""Those of oh-my-openagent, in their order."""
