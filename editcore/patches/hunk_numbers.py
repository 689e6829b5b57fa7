"""Line numbers of hunks, turned into context: then a patch means the same in every text that it may be applied to.

    as shown  6 |}      patch  @@ -6,0 +7 @@     the file now  8 |}     the same patch  @@ -8,2 +8,3 @@
              7 |                +log()                        9 |                      }
                                                                                       +log()
                                                                                        (a blank line)

A number means a line of the text that showed it (`Stated`, `editcore.host.as_seen.Numbers`). It counts where a hunk
only adds lines, and where its lines were shown under its numbers. There, as many lines around its place are added as
tell it from all others, and a hunk whose lines have no certain place now is refused. Any other number decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from editcore.stale.trail import plain
from editcore.text.line_index import LineTable
from editcore.text.lines import with_feeds
from editcore.text.whitespace import trim
from editcore.types import Reason, Rejected

_HEADER = re.compile(r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,[0-9]{1,9})? @@(.*)", re.DOTALL)
_UPDATE = "*** Update File: "
_UNNUMBERED = ("@@", "*** Add", "*** Delete", "*** Move")
_BODY = (" ", "+", "-", "\\", "\n", "\r\n")
_NOWHERE = 10_000_000
"""A line number beyond the end of any file."""
_MOST_CONTEXT = 50
"""Lines added above and below a hunk at most."""


class Numbers(Protocol):
    """What the numbers of a session mean in the current text of a file."""

    @property
    def text(self) -> str: ...

    def below(self, line: int) -> int | Rejected:
        """The number now of the line below which lines are that are to follow a line."""

    def block(self, first: int, lines: Sequence[str]) -> tuple[int, int] | Rejected | None:
        """The numbers now of lines, trimmed, that were shown from `first` on; None if no text showed them there."""


class Stated(NamedTuple):
    """The numbers of a text itself."""

    text: str
    shows: Callable[[int, int], bool] | None = None
    """True if the lines from the first number to the second one were shown. Then each hunk must quote such lines."""

    def below(self, line: int) -> int | Rejected:
        return line if self.shows is None else Rejected(Reason.MALFORMED, "The hunk quotes no line.")

    def block(self, first: int, lines: Sequence[str]) -> tuple[int, int] | Rejected | None:
        last = first + len(lines) - 1
        there = with_feeds(plain(self.text))[first - 1 : last]
        is_shown = self.shows is None or self.shows(first, last)
        return (first, last) if is_shown and [*map(trim, there)] == [*lines] else None


class Numbered(NamedTuple):
    """A patch that means the same in every text that it may be applied to."""

    patch: str
    is_placed: bool
    """True if the place of each hunk is known from its number, and its lines are there."""


def with_context(patch: str, numbers: Callable[[str | None], Numbers | None]) -> Numbered | Rejected:
    """The patch with context in place of the numbers that decide; the refusal of a number that cannot be carried.

    `numbers` takes the path that the patch gives, None for a patch without `*** Update File` lines, and returns None
    for a file that does not exist.
    """
    lines, found, path = with_feeds(patch), list[str](), None
    texts: dict[str | None, _Text | None] = {}
    n, placed = 0, list[bool]()
    while n < len(lines):
        header = _HEADER.fullmatch(lines[n])
        if lines[n].startswith(_UPDATE):
            path = lines[n].removeprefix(_UPDATE).strip()
        if header is None:
            found.append(lines[n])
            placed += [False] if lines[n].startswith(_UNNUMBERED) else []
            n += 1
            continue
        if path not in texts:
            one = numbers(path)
            texts[path] = None if one is None else _Text(one)
        body = [*_body(lines, n + 1)]
        text = texts[path]
        hunk = ([lines[n], *body], False) if text is None else text.hunk(header, lines[n], body)
        if isinstance(hunk, Rejected):
            return hunk
        found += hunk[0]
        placed.append(hunk[1])
        n += 1 + len(body)
    return Numbered("".join(found), all(placed) and placed != [])


def _body(lines: Sequence[str], start: int) -> Iterator[str]:
    for n in range(start, len(lines)):
        if not lines[n].startswith(_BODY):
            return
        yield lines[n]


class _Text:
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._lines = [line.removesuffix("\n") for line in with_feeds(plain(numbers.text))]
        self._trimmed = [trim(line) for line in self._lines]
        self._table = LineTable(self._trimmed)

    def hunk(self, header: re.Match[str], written: str, body: Sequence[str]) -> tuple[list[str], bool] | Rejected:
        """The lines of the hunk, as they are to be applied to the text, and whether its place is known."""
        stated, rest, whole = int(header[1]), header[4], [written, *body]
        while body and not body[-1].strip():
            body = body[:-1]  # Blank lines between two hunks.
        old = [trim(line[1:]) for line in body if line[:1] not in "+\\"]
        if not stated or not body:
            return whole, False
        if not old:
            at = self._numbers.below(stated)
            return at if isinstance(at, Rejected) else (self._within(body, at, at, rest), True)
        is_only = len(self._table.places(old, 2)) < 2
        found = self._numbers.block(stated, old)
        if isinstance(found, Rejected):
            return found
        if found is None:
            return whole if is_only else [_header(_NOWHERE, body, rest), *body], False
        return whole if is_only else self._within(body, found[0] - 1, found[1], rest), True

    def _within(self, body: Sequence[str], first: int, last: int, rest: str) -> list[str]:
        """The hunk, whose old lines are `first` to `last`, between lines that tell its place from every other."""
        start, end = first, last
        for _ in range(_MOST_CONTEXT):
            if end > start and len(self._table.places(self._trimmed[start:end], 2)) == 1:
                break
            start, end = max(start - 1, 0), min(end + 1, len(self._lines))
        body = [*body[:-1], f"{body[-1].removesuffix(chr(10))}\n"] if body else []
        above, below = ([f" {line}\n" for line in self._lines[a:b]] for a, b in ((start, first), (last, end)))
        whole = [*above, *body, *below]
        return [_header(start + 1, whole, rest), *whole]


def _header(line: int, body: Sequence[str], rest: str) -> str:
    n_old, n_new = (sum(one[:1] not in signs for one in body) for signs in ("+\\", "-\\"))
    return f"@@ -{line},{n_old} +{line},{n_new} @@{rest}"
