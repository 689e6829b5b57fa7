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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

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
    runs = result.runs or sorted(run for one in result.landings if one.path == path for run in one.runs)
    if not (result.matches or runs):  # The whole text was written.
        changes = changed_ranges(plain(before), plain(after))
        runs = [(first, last - first + 1, n_lines(new)) for first, last, new in changes]
    found = _spans_of_runs(_Lines(plain(before)), _Lines(plain(after)), runs)
    return found or _spans_of_matches(before, after, result.matches)


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
        for first, last, above, below in reversed(step.runs):
            origins[first:last] = [None] * (below - above)
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
    return tuple(spans) if spans and _fits(old.text, new.text, spans) else None


def _spans_of_matches(before: str, after: str, matches: Iterable[Match]) -> tuple[Replaced, ...] | None:
    marks, old, new = len(before) - len(before.removeprefix(BOM)), plain(before), plain(after)
    spans = [tuple(at - before.count("\r\n", 0, at) - marks for at in (one.start, one.end)) for one in matches]
    if not spans:
        return None
    # Either each span became as much longer as every other, or all of them have the same new text.
    n_grown, n_replaced = len(new) - len(old), sum(end - start for start, end in spans)
    grown, alike = n_grown / len(spans), (n_grown + n_replaced) / len(spans)
    for sizes in ([end - start + grown for start, end in spans], [alike] * len(spans)):
        found = tuple((start, end, int(size)) for (start, end), size in zip(spans, sizes, strict=True))
        if all(size >= 0 and size == int(size) for size in sizes) and _fits(old, new, found):
            return found
    return None


def _fits(old: str, new: str, spans: Iterable[Replaced]) -> bool:
    """True if `new` is `old` with as many characters in place of each span as it says."""
    done = at = 0
    for start, end, size in [*spans, (len(old), len(old), 0)]:
        if start < done or not new.startswith(old[done:start], at):
            return False
        done, at = end, at + start - done + size
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
        first = max(min(bisect_right(self.starts, start), len(self.lines)) - 1, 0)
        return first, max(bisect_left(self.starts, end), first + 1)

    def begins_line(self, at: int) -> bool:
        return at == 0 or self.text[at - 1 : at] == "\n"


class _Step:
    """One change of the file, from a text to the next. A change that nobody recorded replaces the whole text."""

    def __init__(self, before: str, after: str, spans: tuple[Replaced, ...] | None, *, is_own: bool) -> None:
        self.old, self.new = _Lines(before), _Lines(after)
        self._spans = ((0, len(before), len(after)),) if spans is None else spans
        self.is_own, self._is_known = is_own, is_own and spans is not None

    @cached_property
    def _places(self) -> Places:
        return Places(self.old.trimmed, self.new.trimmed)

    @cached_property
    def runs(self) -> list[tuple[int, int, int, int]]:
        """The lines that the replaced spans cover: first, last, and the lines that are there after the change.

        Spans that share a line are in one run. A run of no line is an insertion between two.
        """
        found, by = list[tuple[int, int, int, int]](), 0
        for start, end, size in self._spans:
            first, last = self.old.of(start, end)
            if start == end and self.old.begins_line(start):
                first = last = bisect_left(self.old.starts, start)
            above = bisect_left(self.new.starts, self.old.starts[first] + by)
            if found and first < found[-1][1]:
                first, end_above, above, _ = found.pop()
                last = max(last, end_above)
            by += size - (end - start)
            found.append((first, last, above, bisect_left(self.new.starts, self.old.starts[last] + by)))
        return found

    def carried(self, start: int, end: int) -> Span | None:
        """The span in the text after the change; None if it has no certain place there."""
        by = 0
        for first, last, size in self._spans:
            if last <= start:
                by += size - (last - first)
            elif first < end:
                block = self.old.of(start, end)
                return self._paired(start, end, self._within(*block) if self._is_known else self._places.of(*block).at)
        if self.old.begins_line(start) and not self.new.begins_line(start + by):
            return None
        return start + by, end + by

    def _around(self, first: int, last: int) -> tuple[int, int, int, int]:
        """The lines and all runs that share a line with them; then the lines that are there after the change."""
        near = [one for one in self.runs if one[0] < last and first < one[1]]
        first, last = min([first, *(one[0] for one in near)]), max([last, *(one[1] for one in near)])
        grown = [(start, end, below - above - (end - start)) for start, end, above, below in self.runs]
        # An insertion in front of the first line is above, and one below the last line is below.
        above, below = sum(n for _, end, n in grown if end <= first), sum(n for start, _, n in grown if start < last)
        return first, last, first + above, last + below

    def _within(self, first: int, last: int) -> int | None:
        """The place of a block in which the session has replaced lines."""
        if any(start == end and first < start < last for start, end, *_ in self.runs):
            return None  # Lines were put between these lines.
        start, end, above, below = self._around(first, last)
        old, new = self.old.trimmed[start:end], self.new.trimmed[above:below]
        begins, ends = new[: len(old)] == old, new[len(new) - len(old) :] == old
        if begins != ends:
            return (above if begins else below - len(old)) + first - start
        at = Places(old, new).of(first - start, last - start).at
        return None if at is None else at + above

    def ended(self, start: int, end: int) -> Span | None:
        """The last of the lines that the lines up to the end of a span became; None if that is not known."""
        if not self._is_known:
            return None
        first, line = self.old.of(start, end)
        _, last, above, below = self._around(first, line)
        # The line may still be there, where nothing tells it from another one.
        if line != last or below == 0 or self.old.trimmed[line - 1] in self.new.trimmed[above:below]:
            return None
        return self.new.starts[below - 1], self.new.starts[below]

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
            if not part or before.count(part) != after.count(part):
                return None
            begin = len(part.join(after.split(part)[: before.count(part, 0, begin) + 1]))
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

    @property
    def is_own(self) -> bool:
        """True if nobody but the session has changed the text since it was shown."""
        return all(one.is_own for one in self._steps)

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
