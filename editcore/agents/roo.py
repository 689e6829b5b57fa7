"""Roo Code's multi-search-replace, Zoo Code's edit_file, and a replacement within stated lines.

Roo Code, with the confidence that ships (1.0), and with 0.9, the lowest its settings advised:

    :start_line:12    above the search text, with `:end_line:14` and a line of seven dashes: states where to search
    |12 | a|12 | b|   line numbers are stripped if every line has one, and the first states the line, too
    stated line       taken if it is similar enough, else 40 lines around it are searched; without it, the whole file
    windows           of as many lines as the search text, from the middle of the file outward
    similarity        1 - Levenshtein distance / longer length, of the texts with quotes and runs of whitespace folded
    second try        without line numbers, also if not every line has one

The new lines are indented as the first matched line, and lose whitespace at their ends. A blank search text is
refused. Edits are applied in the order of their stated lines, which are counted in the file as it was.

zoo           exact; the search text with any whitespace for its own, and line breaks only for line breaks; its words
              with any whitespace between. A step that finds more places than are expected is passed over.
stated_lines  exact between the lines that `:start_line:` and `:end_line:` state; antigravity, with line feeds for CRLF
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from operator import itemgetter

from editcore.agents.matching import Work, squeezed_places, within
from editcore.agents.rule import Rule
from editcore.agents.runner import (
    CRLF_IF_ANY,
    CRLF_IF_FIRST,
    Given,
    Span,
    Steps,
    exact,
    not_found,
    nothing_sought,
    spans_of,
    that_differ,
    unchanged,
)
from editcore.errors import PatchError
from editcore.text.whitespace import SPACES_AND_TABS, WHITESPACE, indent, trim, words
from editcore.types import Applied, Edit, EditResult

_BUFFER = 40
"""Lines above and below a stated line that are searched."""
_FOLDED = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "…": "...", "—": "-", "–": "-"})
_NUMBERED = re.compile(r"^[ \t]*+\d++[ \t]++\|(?!\|)[ \t]?(.*)$")
_LOOSELY_NUMBERED = re.compile(r"^[ \t]*+(?:\d++[ \t])?\|[ \t](.*)$")
_LINE = re.compile(r"\r?\n")
_HEADER = re.compile(
    r"(?::start_line:[ \t]*(?P<line>\d{1,9})\s*\n)?(?::end_line:[ \t]*(?P<end>\d{1,9})\s*\n)?(?:-------[ \t\r]*\n)?"
)


def _folded(line: str) -> str:
    return " ".join(words(line.translate(_FOLDED)))


def _without_numbers(text: str, pattern: re.Pattern[str]) -> str:
    lines = [(found[1] if (found := pattern.match(line)) else line) for line in _LINE.split(text)]
    return ("\r\n" if "\r\n" in text else "\n").join(lines)


def _all_numbered(text: str) -> bool:
    return all(_NUMBERED.match(line) for line in _LINE.split(text))


def _outward(start: int, end: int, size: int) -> Iterator[int]:
    """First lines of windows, from the middle outward: the next one above, then the next one below."""
    left = (start + end) // 2
    right = left + 1
    while left >= start or right <= end - size:
        if left >= start:
            yield left
            left -= 1
        if right <= end - size:
            yield right
            right += 1


class _File:
    """The folded lines of a file, for many comparisons of windows."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = [_folded(line) for line in lines]
        self._filled = list(accumulate((bool(line) for line in self.lines), initial=0))
        self._sizes = list(accumulate(map(len, self.lines), initial=0))

    def size(self, start: int, end: int) -> int:
        """The length of `text(start, end)`."""
        end = min(end, len(self.lines))
        filled = self._filled[end] - self._filled[start]
        return self._sizes[end] - self._sizes[start] + max(filled - 1, 0)

    def text(self, start: int, end: int) -> str:
        return " ".join(filter(None, self.lines[start:end]))


def _best(file: _File, find: Sequence[str], starts: Iterable[int], least: float, work: Work) -> int | None:
    """The first line of the most similar window that begins at one of `starts`; None if none reaches `least`."""
    wanted, size = " ".join(filter(None, map(_folded, find))), len(find)
    if not wanted:
        return None  # Any window of blank lines: the program takes one, and inserts there.
    best, found = -1.0, None
    for at in starts:
        work.spend(20)
        longest = max(file.size(at, at + size), len(wanted))
        most = int((1 - max(least, best)) * longest + 1e-9)
        if abs(file.size(at, at + size) - len(wanted)) > most:
            continue
        work.spend(size)
        distance = within(file.text(at, at + size), wanted, most, work)
        if distance is not None and 1 - distance / longest > best:
            best, found = 1 - distance / longest, at
            if not distance:
                break
    return found


def _put(lines: list[str], at: int, find: list[str], new: list[str]) -> list[str]:
    """The lines with the found ones replaced by `new`, indented as the first of them."""
    theirs, ours = indent(lines[at], SPACES_AND_TABS) if at < len(lines) else "", indent(find[0], SPACES_AND_TABS)
    put = []
    for line in new:
        own = indent(line, SPACES_AND_TABS)
        deeper = len(own) - len(ours)
        before = theirs[: max(len(theirs) + deeper, 0)] if deeper < 0 else theirs + own[len(ours) :]
        put.append(before + line.strip())
    return [*lines[:at], *put, *lines[at + len(find) :]]


def _without_header(edit: Edit) -> tuple[int, Edit]:
    """The line that the header above a search text states (0 without one), and the edit without the header."""
    found = _HEADER.match(edit.old_string)
    if not found or not found[0]:
        return 0, edit
    return int(found["line"] or 0), replace(edit, old_string=edit.old_string[found.end() :])


def _edited(lines: list[str], stated: int, edit: Edit, least: float, work: Work) -> list[str]:
    old, new = (text.removesuffix("\n").removesuffix("\r") for text in (edit.old_string, edit.new_string))
    start, end = 0, len(lines)
    if _all_numbered(old) and (not new.strip() or _all_numbered(new)):
        stated = stated or int(old.split("|", 1)[0].strip()[:9])
        old, new = (_without_numbers(text, _NUMBERED) for text in (old, new))
    if stated:
        start = min(max(stated - _BUFFER - 1, 0), end)
        end = min(end, stated + old.count("\n") + 1 + _BUFFER)
    if old == new:
        raise unchanged()
    if not old:
        raise nothing_sought()
    file = _File(lines)
    tried = [(old, new), tuple(_without_numbers(text, _LOOSELY_NUMBERED) for text in (old, new))]
    there = [stated - 1] if 0 < stated <= len(lines) else []
    for number, (find, put) in enumerate(dict.fromkeys(tried)):
        wanted = _LINE.split(find)
        at = _best(file, wanted, there, least, work) if find and not number else None
        if at is None and find:
            at = _best(file, wanted, _outward(start, end, len(wanted)), least, work)
        if at is not None:
            return _put(lines, at, wanted, _LINE.split(put) if put else [])
    raise not_found()


def roo(text: str, edits: Sequence[Edit], *, similarity: float = 1.0) -> EditResult:
    """Roo Code's rule. Edits that fail are left out if another one succeeds."""
    lines, work = _LINE.split(text), Work("Roo Code's search for the most similar window")
    refused: PatchError | None = None
    n_applied, n_before = 0, len(lines)
    for stated, edit in sorted(map(_without_header, edits), key=itemgetter(0)):
        try:
            lines = _edited(lines, stated and stated + len(lines) - n_before, edit, similarity, work)
            n_applied += 1
        except PatchError as error:
            refused = refused or error
    if not n_applied and refused:
        raise refused
    content = ("\r\n" if "\r\n" in text else "\n").join(lines)
    return Applied(content, (), "exact" if similarity >= 1 else "similar")


_RUN = re.compile(f"[{re.escape(WHITESPACE)}]+")


def _spaced(given: Given, *, as_words: bool) -> list[Span]:
    """The places of a search text in which whitespace stands for whitespace.

    The file has it where the search text has it, and nowhere else. A run without a line break stands for spaces and
    tabs. `as_words`: any run stands for any other, and those at the ends are left out.
    """
    text, find = given.text, trim(given.old) if as_words else given.old
    of, blanks = dict[int, str](), 0
    for run in _RUN.finditer(find):
        of[run.start() - blanks] = WHITESPACE if as_words or "\n" in run[0] else SPACES_AND_TABS
        blanks += len(run[0])
    needle = "".join(words(find))
    if not needle:
        return [one.span() for kind in of.values() for one in re.finditer(f"[{re.escape(kind)}]+", text)]
    inner = {at: kind for at, kind in of.items() if 0 < at < len(needle)}
    found, done = list[Span](), 0
    for start, end, gaps in squeezed_places(text, needle, given.work):
        is_spaced = [at for at, _, _ in gaps] == [*inner]
        if start < done or not is_spaced or any(text[a:b].strip(inner[at]) for at, a, b in gaps):
            continue
        given.work.spend((start - done) // 20)
        first = done + len(text[done:start].rstrip(of[0])) if 0 in of else start
        tail = re.compile(f"[{re.escape(of.get(len(needle), ''))}]++").match(text, end) if len(needle) in of else None
        if (0 in of and first == start) or (len(needle) in of and tail is None):
            continue
        done = tail.end() if tail else end
        found.append((first, done))
    return found


def _expected(step: Callable[[Given], list[Span]]) -> Callable[[Given], list[Span]]:
    """The step, which is passed over if it finds several places and one is expected."""

    def found(given: Given) -> list[Span]:
        spans = step(given)
        if len(spans) > 1 and not given.every:
            given.doubt = given.doubt or given.several(spans)
            return []
        return spans

    return found


def _in_stated_lines(given: Given) -> list[Span]:
    stated = _HEADER.match(given.old)
    header, old = (stated[0] if stated else ""), given.old
    first, last = (int((stated and stated[one]) or 0) for one in ("line", "end"))
    starts = given.document.starts
    start = starts[min(max(first - 1, 0), len(starts) - 1)]
    end = starts[min(last, len(starts) - 1)] if last else starts[-1]
    return [one for one in spans_of(given.text, old.removeprefix(header)) if start <= one[0] and one[1] <= end]


RULES: dict[str, Rule] = {
    "roo": roo,
    "roo_0_9": partial(roo, similarity=0.9),
    "zoo": Steps(
        {
            "exact": _expected(exact),
            "spaced": _expected(partial(_spaced, as_words=False)),
            "words": _expected(partial(_spaced, as_words=True)),
        },
        reading=that_differ(CRLF_IF_ANY),
        refuses=("empty",),
        work="Zoo Code's search for words",
    ),
    "stated_lines": Steps({"in_stated_lines": _in_stated_lines}),
    "antigravity": Steps({"in_stated_lines": _in_stated_lines}, reading=CRLF_IF_FIRST),
}
