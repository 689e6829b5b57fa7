"""Places: the lines of a file that stand for those of a search text."""

from __future__ import annotations

from dataclasses import dataclass

from editcore.text.view import FileView


@dataclass(frozen=True, slots=True)
class Place:
    """The solid lines of a file that stand for those of a search text, in groups of as few lines as possible."""

    view: FileView
    """The file, with tables of the lines about the place at least; the numbers of its lines are of these."""
    groups: tuple[tuple[range, range], ...]
    """Solid lines of the search text, and those of the file that stand for them; in order, without gaps."""

    @property
    def there(self) -> range:
        """All solid lines of the file."""
        return range(self.groups[0][1].start, self.groups[-1][1].stop)

    @property
    def span(self) -> tuple[int, int]:
        """The offsets in the view of its lines, without the line feed of the last."""
        return self.view.span(self.there)


def line_by_line(view: FileView, at: int, n: int) -> Place:
    """The place where `n` solid lines of the search text stand one by one from solid line `at` of the file."""
    return Place(view, tuple([(range(k, k + 1), range(at + k, at + k + 1)) for k in range(n)]))
