"""The answer to the model on an edit: where it was made, and what differed between its text and the file's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from editcore.text.diff import changed_ranges
from editcore.text.lines import Stretches, joined, n_lines, put_in
from editcore.types import Applied

_EXACT = frozenset({"exact", "simple", "multi_occurrence", "line_endings", "insert", "append"})
_DIFFERED = {
    "blank_lines": "blank lines, or whitespace at the ends of lines",
    "indentation": "the indentation",
    "indentation_flexible": "the indentation",
    "look_alikes": "characters that look alike",
    "folded": "characters that look alike",
    "spacing": "spaces within lines",
    "whitespace_normalized": "whitespace",
    "line_breaks": "the places of line breaks",
    "escapes": "escape sequences",
    "escape_normalized": "escape sequences",
    "pasted": "marks that were pasted with the text",
    "elision": "lines that were left out",
    "drift": "some lines",
    "block_anchor": "lines between the first and the last one",
    "context_aware": "some lines",
    "right_trimmed": "whitespace at the ends of lines",
    "trimmed": "whitespace at the ends of lines, or the indentation",
    "line_trimmed": "whitespace at the ends of lines, or the indentation",
    "trimmed_boundary": "whitespace around the text",
}
"""Replacer, tier or equality of lines -> what differed between the text of the edit and the file."""
_MOST_NAMED = 6
"""Changes whose line numbers are listed."""
_MOST_SHOWN, _AT_ENDS = 3, 2
"""A change of more lines than the first number is shown by this many lines at each end."""
_MOST_CHANGES_SHOWN = 2
_LONGEST = 160
"""Characters shown of one line."""


class _Lines(NamedTuple):
    """Changed lines, 1-based, in the numbers of the file after the edit. `last` is `first - 1` for a mere deletion."""

    first: int
    last: int
    n_removed: int


class Where(NamedTuple):
    """Lines of the answer to the model on an edit, and the lines of the file among them."""

    answer: list[str]
    shown: Stretches = ()


def where_applied(
    before: str, after: str, result: Applied, *, around: int | None = 0, what: str = "Edit applied successfully"
) -> Where:
    """Where the edit was applied, and the changed lines if the match was not exact.

    `around` is not 0: the changed lines are always shown, with this many lines on each side. None: the tool shows
    them itself. The first line begins with `what`.
    """
    ranges = changed_ranges(before, after)
    changes = [_Lines(*now, last - first + 1) for (first, last, _), now in zip(ranges, put_in(ranges), strict=True)]
    is_several = max(len(result.matches), len(result.landings), 1) > 1 < len(changes)
    places = f" in {len(changes)} places" if is_several else ""
    named = ", ".join(map(_named, changes[:_MOST_NAMED]))
    more = f" and {len(changes) - _MOST_NAMED} more" if len(changes) > _MOST_NAMED else ""
    lines = [f"{what}{places}{': ' if named else ''}{named}{more}."]
    if around is None:
        return Where(lines)
    if found := inexact(result):
        lines.append(
            f"The match was not exact: {', '.join(dict.fromkeys(map(differed, found)))} differed. These lines are now:"
        )
    numbers = list[int]()
    for change in changes[:_MOST_CHANGES_SHOWN] if found or around else ():
        parts = _parts(change, around, n_lines(after))
        lines += numbered(after, parts)
        numbers += [n for part in parts for n in part]
    return Where(lines, joined((n, n) for n in numbers))


def numbered(text: str, parts: Iterable[Iterable[int]]) -> Iterator[str]:
    """The lines of those numbers, 1-based, each with its number; dots between two parts."""
    rows = text.split("\n")
    for at, part in enumerate(parts):
        if at:
            yield "..."
        for n in part:
            row = rows[n - 1].removesuffix("\r")
            yield f"{n}: {row if len(row) <= _LONGEST else f'{row[:_LONGEST]}...'}"


def differed(finder: str) -> str:
    """What differed where a replacer, named `finder`, matched."""
    return _DIFFERED.get(finder, f"what {finder} ignores")


def is_exact(finder: str | None) -> bool:
    """True if `finder`, the name of a replacer, matches only text that is equal but for line endings."""
    return finder is None or finder in _EXACT


def inexact(result: Applied) -> list[str]:
    """What found the places of an edit, if it allows for differences: names of replacers, tiers or equalities."""
    names = [result.replacer] if result.replacer else [one.equality for one in result.landings]
    return [name for name in dict.fromkeys(names) if not is_exact(name)]


def _named(change: _Lines) -> str:
    if change.last < change.first:
        removed = f"{change.n_removed} line{'s' if change.n_removed > 1 else ''} removed"
        return f"{removed} {f'below line {change.first - 1}' if change.first > 1 else 'at the start'}"
    return f"line {change.first}" if change.first == change.last else f"lines {change.first}-{change.last}"


def _parts(change: _Lines, around: int, last: int) -> list[range]:
    """The numbers of the lines that show a change. Lines in the middle of a long change are left out."""
    start, end = max(change.first - around, 1), min(change.last + around, last) + 1
    if change.last - change.first <= _MOST_SHOWN:
        return [range(start, end)]
    return [range(start, change.first + _AT_ENDS), range(change.last + 1 - _AT_ENDS, end)]
