"""The places of a search text's lines and words in a document.

Shared by the replacers that compare line by line. Every search goes needle first: it looks for the
longest piece of the search text in the raw text, at the speed of `str.find`, and checks the surroundings of
each hit. If the needle is common and the surroundings are long, it gives up after a bounded amount of work
and continues with tables of the whole document. Both ways are linear in the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain
from typing import NamedTuple

from editcore.text.document import Document, lines_holding, lines_trimmed_to
from editcore.text.line_index import alphabet, block_starts, occurrences
from editcore.text.whitespace import WHITESPACE, trim, words

Span = tuple[int, int]


class Pair(NamedTuple):
    """A first-anchor line and the nearest last-anchor line at least two lines below it."""

    start: int
    """Offset of the first line's start."""
    end: int
    """Offset of the last line's end."""
    first_line: int
    """0-based line."""
    n_lines: int


class Search:
    """A search text with its tables, and its places in one document.

    `lines` are the search text's lines, `wanted` their trimmed texts with one exactly empty last line dropped.
    """

    __slots__ = ("_pairs", "_pending", "_windows", "document", "find", "lines", "wanted")

    needle_budget = 4096
    """Surrounding lines that are compared before tables take over; plus one for every 8 characters of the text."""

    def __init__(self, document: Document, find: str) -> None:
        self.document = document
        self.find = find
        self.lines = find.split("\n")
        self.wanted = [line.strip(WHITESPACE) for line in self.lines]
        if not self.lines[-1]:
            self.wanted.pop()
        self._pairs: list[Pair] | None = None
        self._windows: list[Span] = []
        self._pending: Iterator[Span] | None = None

    @property
    def _budget(self) -> int:
        return self.needle_budget + (len(self.document.text) // 8 if self.needle_budget else 0)

    # Windows: as many whole lines as the search text has

    def trimmed_windows(self) -> Iterator[Span]:
        if self._pending is None:
            self._pending = _trimmed_windows(self.document, self.wanted, self._budget)
        done = 0
        while True:
            if done == len(self._windows):
                window = next(self._pending, None)
                if window is None:
                    return
                self._windows.append(window)
            yield self._windows[done]
            done += 1

    def worded_windows(self) -> Iterator[Span]:
        """The windows of as many lines as the search text that consist of its words; it must have some."""
        return _worded_windows(self.document, words(self.find), len(self.lines), self._budget)

    # Anchors

    def anchor_pairs(self) -> list[Pair]:
        """The pairs of anchors of a search text of three lines or more, by first line; found once and kept."""
        if self._pairs is None:
            self._pairs = list(_anchor_pairs(self.document.text, self.wanted)) if len(self.lines) >= 3 else []
        return self._pairs


def search(document: Document, find: str) -> Search:
    """The `Search` for a search text in a document; the last one is kept, since several replacers use it in turn."""
    last = document._search
    if isinstance(last, Search) and last.find == find:
        return last
    found = Search(document, find)
    document._search = found
    return found


def window_texts(text: str, spans: Iterable[Span]) -> Iterator[str]:
    """The text of each span. Spans in a row that are equally far apart and hold the same share one object.

    So what a thousand overlapping windows hold, all alike, is cut out and compared once.
    """
    window = ""
    last_start = last_end = step = agreed = 0
    for start, end in spans:
        if start - last_start != step or agreed < last_start:
            step, agreed = start - last_start, last_start
        # Up to `agreed`, the text is the same as `step` further on.
        if (
            window
            and end - start == last_end - last_start
            and text[agreed:last_end] == text[agreed + step : last_end + step]
        ):
            agreed = last_end
        else:
            window = text[start:end]
            agreed = start
        yield window
        last_start, last_end = start, end


def _longest(pieces: list[str]) -> int:
    lengths = list(map(len, pieces))
    return lengths.index(max(lengths))


def _trimmed_windows(document: Document, wanted: list[str], budget: int) -> Iterator[Span]:
    if not wanted:
        # An empty search text matches everywhere, before and after each line.
        yield from ((0, 0) for _ in range(document.text.count("\n") + 2))
        return
    key = _longest(wanted)
    if not wanted[key]:
        yield from blank_windows(document, len(wanted))
        return
    text = document.text
    before, after = wanted[:key][::-1], wanted[key + 1 :]
    for start, end in lines_trimmed_to(text, wanted[key]):
        if budget < 0:
            yield from _trimmed_windows_by_table(document, wanted, text.count("\n", 0, start) - key)
            return
        n_below, window_end = _lines_below(text, end, after)
        n_above, window_start = _lines_above(text, start, before) if n_below == len(after) else (0, start)
        budget -= n_below + n_above
        if n_below == len(after) and n_above == len(before):
            yield window_start, window_end


def _lines_below(text: str, end: int, wanted: list[str]) -> tuple[int, int]:
    """How many of the wanted trimmed lines follow the line that ends here, and where the last of them ends."""
    size = len(text)
    for n, line in enumerate(wanted):
        if end == size:
            return n, end
        start = end + 1
        end = text.find("\n", start)
        if end < 0:
            end = size
        if text[start:end].strip(WHITESPACE) != line:
            return n, start - 1
    return len(wanted), end


def _lines_above(text: str, start: int, wanted: list[str]) -> tuple[int, int]:
    """The same upwards from the line that starts here; the wanted lines are given from bottom to top."""
    for n, line in enumerate(wanted):
        if start == 0:
            return n, start
        above = text.rfind("\n", 0, start - 1) + 1
        if text[above : start - 1].strip(WHITESPACE) != line:
            return n, start
        start = above
    return len(wanted), start


def _trimmed_windows_by_table(document: Document, wanted: list[str], from_line: int) -> Iterator[Span]:
    starts, n_lines = document.starts, len(wanted)
    for at in block_starts(document.trimmed, wanted, max(from_line, 0)):
        yield starts[at], starts[at + n_lines] - 1


def blank_windows(document: Document, n_lines: int) -> Iterator[Span]:
    """The windows of so many blank lines, ascending."""
    return _trimmed_windows_by_table(document, [""] * n_lines, 0)


def framed(text: str, start: int, end: int, n_blank: int) -> Iterator[Span]:
    """The whole lines start..end with exactly so many blank lines round them, every way of dividing them, ascending.

    Lines start..end hold the search text's non-blank part; a search text with blank lines at its ends
    matches each window that has enough of them on either side.
    """
    tops, bottoms = [start], [end]
    while len(tops) <= n_blank and tops[-1] > 0:
        above = text.rfind("\n", 0, tops[-1] - 1) + 1
        if trim(text[above : tops[-1] - 1]):
            break
        tops.append(above)
    while len(bottoms) <= n_blank and bottoms[-1] < len(text):
        below = text.find("\n", bottoms[-1] + 1)
        below = len(text) if below < 0 else below
        if trim(text[bottoms[-1] + 1 : below]):
            break
        bottoms.append(below)
    for n_above in range(min(n_blank, len(tops) - 1), -1, -1):
        if n_blank - n_above < len(bottoms):
            yield tops[n_above], bottoms[n_blank - n_above]


def _worded_windows(document: Document, wanted: list[str], n_lines: int, budget: int) -> Iterator[Span]:
    text, split = document.text, document.split
    key = _longest(wanted)
    for start, hit, end in lines_holding(text, wanted[key]):
        if budget < 0:
            yield from _worded_windows_by_table(document, wanted, n_lines, text.count("\n", 0, start))
            return
        # The first hit in the first line that holds the longest word must be that word itself, since
        # no word of the search text is longer; so the words of this line are known.
        first = key - len(split(text[start:hit]))
        here = split(text[start:end])
        if first < 0 or wanted[first : first + len(here)] != here:
            continue
        n_above, top = _words_above(text, split, start, wanted[:first])
        n_below, bottom = _words_below(text, split, end, wanted[first + len(here) :])
        budget -= abs(n_above) + abs(n_below) + len(wanted) // 32  # The words above and below were copied, too.
        n_blank = n_lines - 1 - n_above - n_below
        if n_above >= 0 and n_below >= 0 and n_blank >= 0:
            yield from framed(text, top, bottom, n_blank)


def _words_above(text: str, split: Callable[[str], list[str]], start: int, wanted: list[str]) -> Span:
    """How many lines above hold just the wanted words (minus the lines looked at where they don't), and their start."""
    n, left = 0, len(wanted)
    while left > 0:
        if start == 0:
            return -n - 1, start
        above = text.rfind("\n", 0, start - 1) + 1
        found = split(text[above : start - 1])
        n += 1
        if len(found) > left or wanted[left - len(found) : left] != found:
            return -n, start
        left -= len(found)
        start = above
    return n, start


def _words_below(text: str, split: Callable[[str], list[str]], end: int, wanted: list[str]) -> Span:
    """The same downwards, with the end of the last line."""
    n, done, size = 0, 0, len(text)
    while done < len(wanted):
        if end == size:
            return -n - 1, end
        start = end + 1
        end = text.find("\n", start)
        end = size if end < 0 else end
        found = split(text[start:end])
        n += 1
        if wanted[done : done + len(found)] != found:
            return -n, end
        done += len(found)
    return n, end


def _worded_windows_by_table(document: Document, wanted: list[str], n_lines: int, from_line: int) -> Iterator[Span]:
    """Each distinct wanted word becomes one character, and `str.find` searches the document's string of them."""
    symbols = alphabet(wanted)
    if symbols is None:
        return
    split, starts = document.split, document.starts
    rows = [split(line) for line in document.lines]
    row = "".join([symbols.get(word, "\0") for word in chain.from_iterable(rows)])
    needle = "".join([symbols[word] for word in wanted])
    counts = list(accumulate(map(len, rows), initial=0))
    key, last = _longest(wanted), len(wanted) - 1
    for at in occurrences(row, needle):
        top, bottom = bisect_right(counts, at) - 1, bisect_right(counts, at + last) - 1
        whole = counts[top] == at and counts[bottom + 1] == at + last + 1
        # Hits of the longest word above `from_line` were settled before the tables took over.
        if whole and bottom - top < n_lines and bisect_right(counts, at + key) - 1 >= from_line:
            yield from framed(document.text, starts[top], starts[bottom + 1] - 1, n_lines - 1 - bottom + top)


def _anchor_pairs(text: str, wanted: list[str]) -> Iterator[Pair]:
    first, last = wanted[0], wanted[-1]
    if first not in text:
        return
    closers = list(lines_trimmed_to(text, last))
    if not closers:
        return
    openers = closers if first == last else lines_trimmed_to(text, first)
    nearest, n_closers = 0, len(closers)
    line, counted = 0, 0
    closer_line, closer_counted = 0, 0
    for start, end in openers:
        below = text.find("\n", end + 1) + 1
        if not below or end == len(text):
            return
        while nearest < n_closers and closers[nearest][0] < below:
            nearest += 1
        if nearest == n_closers:
            return
        line += text.count("\n", counted, start)
        closer_start, closer_end = closers[nearest]
        closer_line += text.count("\n", closer_counted, closer_start)
        counted, closer_counted = start, closer_start
        yield Pair(start, closer_end, line, closer_line - line + 1)
