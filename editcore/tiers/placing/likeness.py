"""Likeness: how a place of a file compares with a search text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from editcore.text.view import FileView


@dataclass(frozen=True, slots=True)
class Likeness:
    """A place of the file, and how it compares with the search text; all numbers are of solid lines."""

    view: FileView
    """The file, with tables of the lines about the place; the numbers of its lines are of these."""
    score: float
    """The weight of the equal lines as a share of that of all lines of the search text."""
    pairs: tuple[tuple[int, int], ...]
    """Equal lines, as (of the search text, of the file), ascending in both."""

    @property
    def there(self) -> range:
        """From the first equal line of the file to the last."""
        return range(self.pairs[0][1], self.pairs[-1][1] + 1)

    @property
    def span(self) -> tuple[int, int]:
        """The offsets in the view of its lines, without the line feed of the last."""
        return self.view.span(self.there)

    def runner_up(self, places: Iterable[Likeness]) -> Likeness | None:
        """The first of the places that does not overlap this one."""
        mine = self.there
        return next((one for one in places if one.there.stop <= mine.start or mine.stop <= one.there.start), None)
