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
from editcore.anchors.hashes import LETTERS, squeezed
from editcore.text.whitespace import indent, trim

Correction = Callable[[Change, Sequence[str]], Change]
_H2_PREFIX = re.compile(rf"\s*(?:>>>|>>)?\s*[0-9]+\s*#\s*[{LETTERS}]{{2}}\|")
PLUS = re.compile(r"\+(?!\+)")
"""A `+` of a diff."""
_SEMICOLON = re.compile(r";\s+")
_OPERATOR_AT_END = re.compile(r"(?:&&|\|\||\?\?|[?:=,+\-*/.(])\s*$")
_OPERATORS = "|&?"
_NO_OPERATORS = dict.fromkeys(map(ord, _OPERATORS))
_LONGEST_REFLOW = 10
"""Lines into which one line is known to be broken."""
_SHORTEST = 6
"""Characters besides whitespace of a line that is known again."""


def strip_prefixes(change: Change, _: Sequence[str]) -> Change:
    """Strips `N#HH|` from all new lines if half of them have it, else one `+` if half of them have that."""
    said = [line for line in change.new if line]
    for one in (_H2_PREFIX, PLUS):
        if said and 2 * sum(one.match(line) is not None for line in said) >= len(said):
            return replace(change, new=tuple([one.sub("", line, count=1) if one.match(line) else line
                                              for line in change.new]))  # fmt: skip
    return change


def insert_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the new line next to the anchor if it is the anchor's line again, and, above it, not the only one."""
    if change.kind == "replace" or not change.new or not change.is_anchored:
        return change
    at = 0 if change.kind == "after" else -1
    is_only = len(change.new) == 1 and change.kind == "before"
    if is_only or squeezed(change.new[at]) != squeezed(lines[change.first - 1]):
        return change
    return replace(change, new=change.new[1:] if change.kind == "after" else change.new[:-1])


def range_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the first and the last new line if they are exactly the lines above and below the range."""
    new = change.new
    if not change.is_range or change.kind != "replace" or len(new) <= max(1, change.n_lines):
        return change
    if change.first > 1 and new[0] == lines[change.first - 2]:
        new = new[1:]
    if new and change.last < len(lines) and new[-1] == lines[change.last]:
        new = new[:-1]
    return replace(change, new=new)


def reflow(change: Change, lines: Sequence[str]) -> Change:
    """Joins new lines that are one line of the text, broken at whitespace, where none of them is blank."""
    if change.kind != "replace":
        return change
    old = lines[change.first - 1 : change.last]
    counts = Counter(map(squeezed, old))
    known = {squeezed(line): line for line in old if len(squeezed(line)) >= _SHORTEST and counts[squeezed(line)] == 1}
    new = [squeezed(line) for line in change.new]
    broken = [(at, n, text) for at in range(len(new)) for n, text in _runs(new[at:]) if text in known]
    places = Counter(text for _, _, text in broken)
    found = list(change.new)
    for at, n, text in sorted(broken, key=lambda one: -one[0]):
        if places[text] == 1:
            found[at : at + n] = [known[text]]
    return replace(change, new=tuple(found))


def _runs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The number and the text of the first lines together: from two lines to ten, to the first blank one at most."""
    text = ""
    for n, line in enumerate(lines[:_LONGEST_REFLOW], 1):
        if not line:
            return
        text += line
        if n > 1:
            yield n, text


def indentation(change: Change, lines: Sequence[str]) -> Change:
    """Gives new lines without indentation that of the old ones, if they are as many; not a line that only loses it."""
    if change.kind != "replace" or len(change.new) != change.n_lines:
        return change
    old = lines[change.first - 1 : change.last]
    indented = tuple([_indented(new, was) for new, was in zip(change.new, old, strict=True)])
    return _unless_bare(change, lines, replace(change, new=indented))


def first_indentation(change: Change, lines: Sequence[str]) -> Change:
    """Gives the first new line the indentation of the first old one, if it has none, and is another line."""
    if change.kind != "replace" or not change.new:
        return change
    first = _indented(change.new[0], lines[change.first - 1])
    return _unless_bare(change, lines, replace(change, new=(first, *change.new[1:])))


def _unless_bare(change: Change, lines: Sequence[str], indented: Change) -> Change:
    """The change with new lines indented, but for those that are old ones without their indentation."""
    old = lines[change.first - 1 : change.last]
    new = [
        was if n < len(old) and trim(was) == trim(old[n]) else now
        for n, (was, now) in enumerate(zip(change.new, indented.new, strict=True))
    ]
    return replace(change, new=tuple(new))


def _without_operator(line: str) -> str:
    """The line without the operator at its end by which it goes on in the next one."""
    return _OPERATOR_AT_END.sub("", line)


def split_merged(change: Change, lines: Sequence[str]) -> Change:
    """Breaks the only new line of several where the old lines begin in it, or else at its semicolons."""
    if change.kind != "replace" or len(change.new) != 1 or change.n_lines < 2:
        return change
    new, old = change.new[0], [trim(line) for line in lines[change.first - 1 : change.last]]
    if not all(old):
        return change
    starts = _starts(new, old)
    pieces = [trim(piece) for piece in _parts(new, [*starts, len(new)])] if starts else []
    if not pieces or not all(pieces):
        pieces = [f"{piece.rstrip(';')};" for piece in _SEMICOLON.split(new)]
        pieces = [trim(piece) for piece in [*pieces[:-1], pieces[-1][:-1] if not new.endswith(";") else pieces[-1]]]
        pieces = [piece for piece in pieces if piece]
    return replace(change, new=tuple(pieces)) if len(pieces) == len(old) else change


def _starts(text: str, parts: Sequence[str]) -> list[int]:
    """Where parts begin in a text, one after the other: without operators at their end or within, if not as they are.

    None if one of them does not.
    """
    starts, at = list[int](), 0
    for part in parts:
        found, length = text.find(part, at), len(part)
        if found < 0 and (bare := _without_operator(part)) != part:
            found, length = text.find(bare, at), len(bare)
        if found < 0:
            rest = [n for n in range(at, len(text)) if text[n] not in _OPERATORS]
            where = "".join([text[n] for n in rest]).find(part.translate(_NO_OPERATORS))
            found, length = (rest[where - 1] + 1 if where else at) if where >= 0 else -1, len(part)
        if found < 0:
            return []
        starts.append(found)
        at = found + length
    return starts


def _parts(text: str, bounds: Sequence[int]) -> Iterator[str]:
    return (text[start:end] for start, end in pairwise(bounds))


def _indented(new: str, old: str) -> str:
    return indent(old) + new if trim(new) and not indent(new) else new


H2_CORRECTIONS: dict[str, Correction] = {
    "strip_prefixes": strip_prefixes,
    "insert_echo": insert_echo,
    "range_echo": range_echo,
    "split_merged": split_merged,
    "reflow": reflow,
    "indentation": indentation,
    "first_indentation": first_indentation,
}
"""Those of oh-my-openagent, in their order."""
