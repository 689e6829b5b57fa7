"""An edit of whole lines in an anchored format, and the mutators that damage how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, lines_changed, text_of
from corpora.mutators.mutator import Mutator, Truth, degrees_of, summary_of
from corpora.sample import Format
from editcore.anchors.calls import Change
from editcore.anchors.views import write_call
from editcore.formats import ANCHORED_FORMATS
from editcore.types import File

IN_JSON: tuple[Format, ...] = ("hashline_h2", "exhash")
"""The formats whose calls are JSON, with a hash in each address."""


@dataclass(frozen=True)
class AnchoredEdit:
    """Lines of a file that are replaced, in a format that names lines by their anchors."""

    format: Format
    path: str
    lines: tuple[str, ...]
    """The lines of the file, without line feeds; the file ends in a line feed."""
    first: int
    """1-based."""
    last: int
    """Inclusive; the file has lines below it."""
    new: tuple[str, ...]

    @property
    def text(self) -> str:
        """The file's text, against which the call is written."""
        return text_of(self.lines)

    def replacing(self, first: int, last: int, new: Sequence[str] | None = None) -> Change:
        """The change of the lines `first` to `last` into `new`, by default into the edit's new lines."""
        return Change("replace", first, last, self.new if new is None else tuple(new))

    def call(self, *changes: Change) -> str:
        """The call that makes some changes, by default the intended change. None if the format cannot express them."""
        meant = (self.replacing(self.first, self.last),)
        return write_call(self.format, self.text, changes or meant, path=self.path)

    def after(self, lines: Sequence[str], *, by: int = 0) -> str:
        """The text of `lines` after the edit; the edit's lines are `by` lines lower in `lines`."""
        return text_of([*lines[: self.first - 1 + by], *self.new, *lines[self.last + by :]])

    def written(self, call: str, *, target: str | None = None) -> Damaged:
        """The edit written as `call`; its right answer is the intended one, or `target`."""
        after = self.after(self.lines) if target is None else target
        return Damaged((File(self.path, self.text),), (File(self.path, after),), patch=call)

    def refused(self, call: str, reason: str) -> Damaged:
        """A call that must be refused; its twin is the intended edit."""
        right = self.written(self.call())
        assert right.target is not None
        twin = (right.before, right.target)
        return Damaged(right.before, None, patch=call, twin=twin, twin_patch=right.patch, reason=reason)

    def stale(self, lines: Sequence[str], target: str | None, *, reason: str | None = None) -> Damaged:
        """The intended edit of a file that has the lines `lines` now; without a target, it must be refused."""
        right = self.written(self.call())
        assert right.target is not None
        return Damaged(
            (File(self.path, text_of(lines)),), None if target is None else (File(self.path, target),),
            patch=right.patch, seen=right.before, twin=(right.before, right.target) if target is None else None,
            reason=reason,
        )  # fmt: skip


Damage = Callable[[AnchoredEdit, int, Random], Damaged | None]


def _damaged(format: Format, damage: Damage, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Damage an edit of whole lines that has lines above and below it; None for any other."""
    changed = lines_changed(clean)
    return None if changed is None else damage(AnchoredEdit(format, clean.path, *changed), degree, random)


def anchor_mutators(
    *damages: Damage, truth: Truth = "apply", formats: Sequence[Format] = ANCHORED_FORMATS
) -> Iterator[Mutator[CleanEdit]]:
    """For each function a mutator in each format, named FORMAT_FUNCTION."""
    for damage, format in product(damages, formats):
        name, damages_edit = f"{format.removeprefix('hashline_')}_{damage.__name__}", partial(_damaged, format, damage)
        yield Mutator(name, summary_of(damage), format, damages_edit, truth, degrees=degrees_of(damage))
