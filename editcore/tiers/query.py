"""What every tier gets, and what it finds: an edit with the view of its file (`Query`), and places in that view.

    search text  |a()        file  |x()                Place: search line 0 is file line 1, search line 1 is file line 2
                 |b()              |a()
                                   |b()                Likeness: the same, where only some lines are equal; with a score

Lines are counted without blank lines ("solid lines").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from editcore.text.endings import line_feeds
from editcore.text.keys import FOLDED, folded
from editcore.text.line_index import occurrences
from editcore.text.lines import BOM
from editcore.text.nearby import Sought, Span, sought
from editcore.text.view import FileView, Lines, computed
from editcore.text.whitespace import trim
from editcore.types import MAX_CANDIDATES, Edit, Rejected


@dataclass(frozen=True, slots=True)
class Likeness:
    """A place of the file and its similarity to the search text; line numbers are of solid lines."""

    view: FileView
    """The file, with tables of the lines around the place; line numbers are of these tables."""
    score: float
    """The weight of equal lines, as a share of the weight of all search lines."""
    pairs: tuple[tuple[int, int], ...]
    """Equal lines as (search line, file line), ascending in both."""

    @property
    def there(self) -> range:
        """The file lines from the first equal one to the last."""
        return range(self.pairs[0][1], self.pairs[-1][1] + 1)

    @property
    def span(self) -> tuple[int, int]:
        """The offsets of these lines in the view, without the last line feed."""
        return self.view.span(self.there)

    def runner_up(self, places: Iterable[Likeness]) -> Likeness | None:
        """The first of `places` that does not overlap this place."""
        mine = self.there
        return next((one for one in places if one.there.stop <= mine.start or mine.stop <= one.there.start), None)


@dataclass(frozen=True, slots=True)
class Place:
    """The solid lines of a file that match a search text, in groups of as few lines as possible."""

    view: FileView
    """The file, with tables of at least the lines around the place; line numbers are of these tables."""
    groups: tuple[tuple[range, range], ...]
    """(search lines, file lines that match them), in order, without gaps."""

    @property
    def there(self) -> range:
        """All file lines of the place."""
        return range(self.groups[0][1].start, self.groups[-1][1].stop)

    @property
    def span(self) -> tuple[int, int]:
        """The offsets of these lines in the view, without the last line feed."""
        return self.view.span(self.there)


def line_by_line(view: FileView, at: int, n: int) -> Place:
    """The place where `n` search lines match one by one from solid line `at` of the file."""
    return Place(view, tuple([(range(k, k + 1), range(at + k, at + k + 1)) for k in range(n)]))


_WORD = re.compile(r"\w{4,}")
_MOST_WORDS = 4
_LONGEST_SEARCHED = 20_000
"""Characters of a search text in which words are looked for."""
_SLACK = 2
"""Lines around a place that are examined, besides as many as search text and new text have."""


class Query:
    """An edit without carriage returns and byte order marks, and the view of its file."""

    def __init__(
        self, content: str, edit: Edit, *, whole_lines: bool = False, version: str = "", path: str | None = None,
        literal: bool = False,
    ) -> None:  # fmt: skip
        self.content, self.edit = content, edit
        self.view = FileView(content)
        self.version = version
        """The version of the cascade that decides."""
        self.path = path
        """The name of the file, if known; it tells which lines are comments."""
        self.whole_lines = whole_lines
        """True if search text and new text are whole lines by their format, as in search/replace blocks."""
        self.literal = literal
        """True if the new text is written as it is over an exact place."""
        old, new = line_feeds(edit.old_string), line_feeds(edit.new_string)
        if old.startswith(BOM):
            old, new = old.removeprefix(BOM), new.removeprefix(BOM)
        self.old, self.new = Lines(old), Lines(new)
        self.likely: Sequence[Likeness] | None = None
        """The places most similar to the search text, once `votes` has found them."""
        self.squeezed: tuple[Place | Rejected | None] | None = None
        """The place without whitespace, once `squeezed` has looked for it."""

    @computed
    def sought(self) -> Sought | None:
        """Where the search lines are in the file; None where only tables of all its lines can tell."""
        text, wanted = self.view.text, self.old.keys(FOLDED)
        return sought(text, wanted, self.view.first) if text.isascii() else None

    def around(self, spans: Iterable[Span]) -> FileView:
        """The view with tables of the lines around some spans, as far as a merge there may look."""
        return self.view.around(spans, len(self.old.solid) + len(self.new.solid) + _SLACK)

    @computed
    def exact_places(self) -> list[int]:
        """The first few offsets in the view at which the search text is exact, overlapping ones too.

        With `whole_lines`, only places that are whole lines.
        """
        if not self.old.text:
            return []
        places: Iterator[int] = occurrences(self.view.text, self.old.text)
        if self.whole_lines:
            places = filter(self.stands_in_whole_lines, places)
        return list(islice(places, MAX_CANDIDATES))

    @computed
    def words(self) -> list[str]:
        """The longest words of the search text, folded."""
        found = {word for word in _WORD.findall(folded(self.old.text[:_LONGEST_SEARCHED])) if word.isascii()}
        return sorted(found, key=lambda word: (-len(word), word))[:_MOST_WORDS]

    @computed
    def has_words(self) -> bool:
        """True if the file has the longest words of the search text; otherwise forgiving signs is of no use."""
        return all(self.view.first(word) >= 0 for word in self.words)

    def stands_in_whole_lines(self, at: int) -> bool:
        """True if the exact place at `at` begins and ends with lines."""
        text, end = self.view.text, at + len(self.old.text)
        return (at == 0 or text[at - 1] == "\n") and (end == len(text) or "\n" in (text[end - 1], text[end]))

    def written(self, at: int) -> str:
        """The new text as it is written over the exact place at `at`.

        The line feed at the end of whole lines stays, where the new text has forgotten it: no two lines are joined.
        """
        old, new, text = self.old.text, self.new.text, self.view.text
        if old[-1] != "\n" or not new or new[-1] == "\n" or self.literal:
            return new
        is_whole = old[0] == new[0] == "\n" or not trim(text[text.rfind("\n", 0, at) + 1 : at])
        return new.rstrip("\r") + "\n" if is_whole else new

    @property
    def is_ambiguous(self) -> bool:
        """True if the file has the search text several times, with or without its carriage returns."""
        if len(self.exact_places) > 1:
            return True
        written = self.edit.old_string
        return "\r" in written and not self.whole_lines and len(list(islice(occurrences(self.content, written), 2))) > 1

    def repaired(self, old: str, new: str) -> Query:
        """The same query with another search text and new text."""
        other = Query.__new__(Query)
        other.content, other.edit = self.content, self.edit
        other.view, other.whole_lines, other.version = self.view, self.whole_lines, self.version
        other.path, other.literal = self.path, False
        other.old, other.new = Lines(old), Lines(new)
        other.likely = other.squeezed = None
        return other
