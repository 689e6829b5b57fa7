"""Places: the lines of a file that stand for those of a search text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The solid lines of a file that stand for those of a search text, in groups of as few lines as possible."""

    groups: tuple[tuple[range, range], ...]
    """Solid lines of the search text, and those of the file that stand for them; in order, without gaps."""

    @property
    def there(self) -> range:
        """All solid lines of the file."""
        return range(self.groups[0][1].start, self.groups[-1][1].stop)


def line_by_line(at: int, n: int) -> Place:
    """The place where `n` solid lines of the search text stand one by one from solid line `at` of the file."""
    return Place(tuple([(range(k, k + 1), range(at + k, at + k + 1)) for k in range(n)]))
