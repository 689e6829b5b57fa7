"""Where lines of a text that was shown are now, through every change since.

    shown  1 |a      own edit of line 2  1 |a      others  1 |new    line 3 as shown is line 5 now,
           2 |b                          2 |B              2 |a      line 2 as shown is gone
           3 |c                          3 |B2             3 |B
                                         4 |c              4 |B2
                                                           5 |c

A change that was recorded is known: each line outside of its spans is carried by counting. For a change that nobody
recorded, and for lines within the spans of another writer, two texts are compared, and only a place that is certain is
taken (`editcore.stale.places`). Lines that cannot be carried have no place now: whoever counts them is refused.

Texts are compared without byte order marks, and with line feeds alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

from editcore.quoting import quoted
from editcore.stale.places import Places
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM, n_lines, with_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied, Match, Reason, Rejected

Span = tuple[int, int]
"""Offsets in a text, half open."""
Replaced = tuple[int, int, int]
"""Start and end of a span of a text, and the number of characters that were put there."""
_MOST_SOUGHT = 30
"""Lines above and below lines without a place that are tried for one."""


@dataclass(frozen=True, slots=True)
class Change:
    """A recorded change of a text."""

    before: str
    after: str
    spans: tuple[Replaced, ...] | None = None
    """What was replaced, in order; None if that is not known."""
    is_own: bool = True
    """True if the change was made by the session that was shown the text."""


def plain(text: str) -> str:
    """The text as a trail counts it: without its byte order mark, each line with a line feed alone."""
    return line_feeds(text.removeprefix(BOM))


def spans_of(before: str, after: str, result: Applied, path: str) -> tuple[Replaced, ...] | None:
    """What the edit of a file with this result has replaced; None if result and texts do not tell."""
    found = _spans_of_matches(before, after, result.matches)
    runs = result.runs or sorted(run for one in result.landings if one.path == path for run in one.runs)
    if not (result.matches or runs):  # The whole text was written.
        changes = changed_ranges(plain(before), plain(after))
        runs = [(first, last - first + 1, n_lines(new)) for first, last, new in changes]
    return found or _spans_of_runs(_Lines(plain(before)), _Lines(plain(after)), runs)


def runs_through(steps: Iterable[tuple[str, str, Applied]]) -> tuple[tuple[int, int, int], ...]:
    """The lines that edits one after the other change: (text before, text after, result) -> (line, removed, added).

    None if one of the results does not tell what it replaced.
    """
    origins, n_lines = list[int | None](), -1
    for before, after, result in steps:
        spans = _spans_of_matches(before, after, result.matches)
        if spans is None:
            return ()
        step = _Step(plain(before), plain(after), spans, is_own=True)
        if n_lines < 0:
            n_lines = len(step.old.lines)
            origins = [*range(n_lines)]
        for one in reversed(step.regions):
            origins[one.first : one.last] = [None] * (one.below - one.above)
    found, at, n_added = list[tuple[int, int, int]](), 0, 0
    for origin in [*origins, n_lines]:
        if origin is None:
            n_added += 1
            continue
        if n_added or origin > at:
            found.append((at + 1, origin - at, n_added))
        at, n_added = origin + 1, 0
    return tuple(found)


def _spans_of_runs(old: _Lines, new: _Lines, runs: Iterable[tuple[int, int, int]]) -> tuple[Replaced, ...] | None:
    spans, by, end_above = list[Replaced](), 0, 0
    for line, n_removed, n_added in runs:
        first, last = line - 1, line - 1 + n_removed
        if not end_above <= first <= last <= len(old.lines) or first + by + n_added > len(new.lines):
            return None
        size = new.starts[first + by + n_added] - new.starts[first + by]
        spans.append((old.starts[first], old.starts[last], size))
        by, end_above = by + n_added - n_removed, last
    kept = [old.text[end:start] for (_, end, _), (start, _, _) in pairwise([_NONE, *spans, (len(old.text),) * 3])]
    return tuple(spans) if spans and _fits(new.text, kept, [size for *_, size in spans]) else None


_NONE: Replaced = (0, 0, 0)


def _spans_of_matches(before: str, after: str, matches: Iterable[Match]) -> tuple[Replaced, ...] | None:
    marks, old, new = len(before) - len(before.removeprefix(BOM)), plain(before), plain(after)
    spans = [tuple(_plain_offset(before, at) - marks for at in (one.start, one.end)) for one in matches]
    kept = [old[end:start] for (_, end), (start, _) in pairwise([(0, 0), *spans, (len(old), len(old))])]
    n_put = len(new) - sum(map(len, kept))
    if not spans or n_put < 0:
        return None
    # Either each span became as much longer as every other, or all of them have the same new text.
    grown, alike = (n_put - (len(old) - sum(map(len, kept)))) / len(spans), n_put / len(spans)
    for sizes in ([end - start + grown for start, end in spans], [alike] * len(spans)):
        if all(size >= 0 and size == int(size) for size in sizes) and _fits(new, kept, sizes):
            return tuple((start, end, int(size)) for (start, end), size in zip(spans, sizes, strict=True))
    return None


def _plain_offset(text: str, at: int) -> int:
    return at - text.count("\r\n", 0, at)


def _fits(new: str, kept: Sequence[str], sizes: Sequence[float]) -> bool:
    """True if `new` is the kept texts, in order, with as many characters between them as `sizes` says."""
    at = 0
    for text, size in zip(kept, [*sizes, 0], strict=True):
        if not new.startswith(text, at):
            return False
        at += len(text) + int(size)
    return at == len(new)


class _Lines:
    """A text by its lines."""

    def __init__(self, text: str) -> None:
        self.text, self.lines = text, with_feeds(text)
        self.starts = list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def trimmed(self) -> list[str]:
        return [trim(line) for line in self.lines]

    def of(self, start: int, end: int) -> tuple[int, int]:
        """The lines that a span covers, 0-based and half open. An empty span covers the line that it is in."""
        first = min(bisect_right(self.starts, start), len(self.lines)) - 1
        return max(first, 0), max(bisect_left(self.starts, end), first + 1)

    def covered(self, start: int, end: int) -> tuple[int, int]:
        """The lines that a span covers; no line for an empty span between two lines."""
        if start == end and self.begins_line(start):
            return (n := bisect_left(self.starts, start)), n
        return self.of(start, end)

    def begins_line(self, at: int) -> bool:
        return at == 0 or self.text[at - 1 : at] == "\n"


class _Region(NamedTuple):
    """Lines that a change replaced; no line for an insertion between two."""

    first: int
    last: int
    grown: int
    """The number of characters that were added, less those that were removed."""
    above: int
    """The first of the lines that are there after the change."""
    below: int


class _Step:
    """One change of the file, from a text to the next."""

    def __init__(self, before: str, after: str, spans: tuple[Replaced, ...] | None, *, is_own: bool) -> None:
        self.old, self.new, self._spans, self._is_own = _Lines(before), _Lines(after), spans, is_own

    @cached_property
    def _places(self) -> Places:
        return Places(self.old.trimmed, self.new.trimmed)

    def carried(self, start: int, end: int) -> Span | None:
        """The span in the text after the change; None if it has no certain place there."""
        if self._spans is None:
            return self._paired(start, end, self._places.of(*self.old.of(start, end)).at)
        by = 0
        for first, last, size in self._spans:
            if last <= start:
                by += size - (last - first)
            elif first < end:
                return self._carried_within(start, end)
        if self.old.begins_line(start) and not self.new.begins_line(start + by):
            return None
        return start + by, end + by

    def _carried_within(self, start: int, end: int) -> Span | None:
        """The place of a span within lines of which some were replaced."""
        if not self._is_own:
            return self._paired(start, end, self._places.of(*self.old.of(start, end)).at)
        first, last = self.old.of(start, end)
        if any(one.first == one.last and first < one.first < last for one in self.regions):
            return None  # Lines were put between the lines of the span.
        (first, last), (above, below) = self._around(start, end)
        old, new = self.old.trimmed[first:last], self.new.trimmed[above:below]
        begins, ends = new[: len(old)] == old, new[len(new) - len(old) :] == old
        begin, stop = self.old.of(start, end)
        if begins != ends:
            at: int | None = begin - first + (0 if begins else len(new) - len(old))
        else:
            at = Places(old, new).of(begin - first, stop - first).at
        return self._paired(start, end, None if at is None else at + above)

    def ended(self, start: int, end: int) -> Span | None:
        """The last of the lines that the lines up to the end of a span became; None if that is not known."""
        if self._spans is None or not self._is_own:
            return None
        (_, last), (above, below) = self._around(start, end)
        line = self.old.of(start, end)[1] - 1
        # The line may still be there, where nothing tells it from another one.
        if line != last - 1 or below == 0 or self.old.trimmed[line] in self.new.trimmed[above:below]:
            return None
        return self.new.starts[below - 1], self.new.starts[below]

    @cached_property
    def regions(self) -> list[_Region]:
        """The lines that the replaced spans cover; spans that share a line are in one region."""
        found = list[tuple[int, int, int]]()
        for start, end, size in self._spans or ():
            first, last = self.old.covered(start, end)
            grown = size - (end - start)
            if found and first < found[-1][1]:
                above = found.pop()
                first, last, grown = above[0], max(last, above[1]), grown + above[2]
            found.append((first, last, grown))
        regions, by = list[_Region](), 0
        for first, last, grown in found:
            ends = self.old.starts[first] + by, self.old.starts[last] + by + grown
            regions.append(_Region(first, last, grown, *(bisect_left(self.new.starts, at) for at in ends)))
            by += grown
        return regions

    def _around(self, start: int, end: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """The lines of a span and of all regions that share a line with them, before the change and after it."""
        first, last = self.old.of(start, end)
        near = [one for one in self.regions if one.first < last and first < one.last]
        first, last = min([first, *(one.first for one in near)]), max([last, *(one.last for one in near)])
        # An insertion in front of the first line is above, and one below the last line is below.
        up, to = (self.old.starts[n] for n in (first, last))
        up += sum(one.grown for one in self.regions if one.last <= first)
        to += sum(one.grown for one in self.regions if one.first < last)
        return (first, last), (bisect_left(self.new.starts, up), bisect_left(self.new.starts, to))

    def _paired(self, start: int, end: int, at: int | None) -> Span | None:
        """The span in the lines from `at` on, which are those of the span but for whitespace."""
        if at is None:
            return None
        old, new = self.old, self.new
        first, last = old.of(start, end)
        there = new.starts[at], new.starts[at + last - first]
        if (start, end) == (old.starts[first], old.starts[last]):
            return there
        before, after, part = "".join(old.lines[first:last]), new.text[slice(*there)], old.text[start:end]
        begin = start - old.starts[first]
        if before != after:
            n = before.count(part, 0, begin)
            if not part or before.count(part) != after.count(part):
                return None
            begin = -1
            for _ in range(n + 1):
                begin = after.find(part, begin + 1 if begin < 0 else begin + len(part))
        return there[0] + begin, there[0] + begin + len(part)


class Trail:
    """A text as it was shown, and all changes from there to the current text."""

    def __init__(self, shown: str, changes: Iterable[Change], live: str) -> None:
        self.shown, self.live = _Lines(plain(shown)), _Lines(plain(live))
        self._changes = list(changes)

    @property
    def has_own(self) -> bool:
        """True if the session itself has changed the text since it was shown."""
        return any(one.is_own for one in self._changes)

    @cached_property
    def _steps(self) -> list[_Step]:
        return [*self._each_step()]

    def _each_step(self) -> Iterator[_Step]:
        text = self.shown.text
        if text == self.live.text and not self.has_own:
            return  # What others did to it was undone.
        for one in self._changes:
            before, after = plain(one.before), plain(one.after)
            if text != before:
                yield _Step(text, before, None, is_own=False)
            yield _Step(before, after, one.spans, is_own=one.is_own)
            text = after
        if text != self.live.text:
            yield _Step(text, self.live.text, None, is_own=False)

    def span(self, start: int, end: int) -> Span | None:
        """The span of the shown text in the current text; None if it has no certain place."""
        found: Span | None = (start, end)
        for step in self._steps:
            found = step.carried(*found) if found else None
        return found

    def lines(self, first: int, last: int) -> tuple[int, int] | None:
        """Lines of the shown text, 1-based and inclusive, by their numbers now; None if they have no certain place."""
        found = self.span(self.shown.starts[first - 1], self.shown.starts[last])
        return None if found is None else self._numbered(found)

    def border(self, line: int) -> int | None:
        """The number now of the line below which lines are that were to follow a line of the shown text.

        A line that the session itself has replaced is followed by what follows its new lines.
        """
        found: Span | None = (self.shown.starts[line - 1], self.shown.starts[line])
        for step in self._steps:
            found = found and (step.carried(*found) or step.ended(*found))
        return None if found is None else self._numbered(found)[1]

    def around(self, first: int, last: int) -> tuple[int, int]:
        """The current lines between the nearest lines with a certain place above and below; 1-based, inclusive."""
        above, below = range(first - 1, 0, -1), range(last + 1, len(self.shown.lines) + 1)
        start, end = (
            next((found for n in near[:_MOST_SOUGHT] if (found := self.lines(n, n))), None) for near in (above, below)
        )
        first, last = start[1] + 1 if start else 1, end[0] - 1 if end else len(self.live.lines)
        return (first, last) if first <= last + 1 else (1, len(self.live.lines))

    def has_other_brackets(self, first: int, last: int, now: tuple[int, int]) -> bool:
        """True if brackets alone among these lines have another depth now: they may not be those that were shown."""
        pairs = zip(self.shown.lines[first - 1 : last], self.live.lines[now[0] - 1 : now[1]], strict=True)
        respaced = [line for line, other in pairs if line.rstrip() != other.rstrip()]
        return bool(respaced) and not any(map(str.isalnum, "".join(respaced)))

    def _numbered(self, span: Span) -> tuple[int, int]:
        first, last = self.live.of(*span)
        return first + 1, last


def counted_as_seen(
    seen: str, live: str, first: int, last: int, *, is_below: bool = False
) -> tuple[int, int] | Rejected:
    """The numbers in `live` of the lines that are `first` to `last` in the text that was seen; 1-based, inclusive.

    With `is_below`, `first` and `last` are the line below which lines go. Lines that have no certain place, or were
    changed but for whitespace, are refused.
    """
    trail = Trail(seen, (), live)
    if not 1 <= first <= last <= len(trail.shown.lines):
        return Rejected(
            Reason.NOT_FOUND,
            f"There are no lines {first} to {last}: the file as it was seen has {len(trail.shown.lines)}.",
        )
    now = ((at, at) if (at := trail.border(first)) is not None else None) if is_below else trail.lines(first, last)
    if now is not None:
        return now
    start, end = trail.around(first, last)
    there = f"lines {start} to {end} of now are there" if start <= end else f"nothing is below line {end} of now"
    what = f"line {first}" if first == last else f"lines {first} to {last}"
    return Rejected(
        Reason.STALE_READ,
        f"{what} as seen, beginning with {quoted(trail.shown.trimmed[first - 1])}, was changed or deleted since, or "
        f"cannot be told from others; {there}: read the file again, then send the edit again.",
    )
