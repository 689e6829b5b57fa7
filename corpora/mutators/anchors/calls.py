"""Calls in anchored formats that name wrong lines, repeat lines, or have marks in their new lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, given, lines_changed, needs, text_of
from corpora.mutators.mutator import Mutator, Truth, degrees_of, named, summary_of
from corpora.sample import Format
from editcore.anchors.calls import Change
from editcore.anchors.views import anchor_of, show, shown_lines, write_call
from editcore.formats import ANCHORED_FORMATS
from editcore.types import File

# An edit of whole lines in an anchored format, and the mutators that damage how it is written.

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
    """Damage an edit of whole lines that has lines above and below it; Unfit for any other."""
    return damage(AnchoredEdit(format, clean.path, *given(lines_changed(clean))), degree, random)


def anchor_mutators(
    *damages: Damage, truth: Truth = "apply", formats: Sequence[Format] = ANCHORED_FORMATS
) -> Iterator[Mutator[CleanEdit]]:
    """For each function a mutator in each format, named FORMAT_FUNCTION."""
    for damage, format in product(damages, formats):
        name, damages_edit = f"{format.removeprefix('hashline_')}_{damage.__name__}", partial(_damaged, format, damage)
        yield Mutator(name, summary_of(damage), format, damages_edit, truth, degrees=degrees_of(damage))


# Wrong lines: a range ends too early or too late, is reversed, or has a count for its end.


def reversed_ends(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The range ends above its start."""
    needs(edit.first < edit.last)
    return edit.refused(edit.call(edit.replacing(edit.last, edit.first)), "reversed")


def count_for_end(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The call has the number of lines in place of the last line, which is above the start."""
    n = edit.last - edit.first + 1
    return edit.refused(edit.call(edit.replacing(edit.first, n)), "reversed") if 1 < n < edit.first else None


def starts_early(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range includes lines above the intended ones, and nothing shows it; degree is their number."""
    return _of_range(edit, edit.first - degree, edit.last)


def ends_late(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range includes lines below the intended ones, and nothing shows it; degree is their number."""
    return _of_range(edit, edit.first, edit.last + degree)


def _of_range(edit: AnchoredEdit, first: int, last: int) -> Damaged | None:
    """The new lines for another range; the target is what the call says."""
    needs(1 <= first <= last <= len(edit.lines))
    target = text_of([*edit.lines[: first - 1], *edit.new, *edit.lines[last:]])
    return edit.written(edit.call(edit.replacing(first, last)), target=target)


def number_slipped(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """The number of the first line is too low or too high, and its hash is right; degree is the distance."""
    needs(edit.first == edit.last)
    n = edit.first + random.choice((-1, 1)) * degree
    lines = shown_lines(edit.text, edit.format)
    anchor = anchor_of(edit.format, lines, edit.first)
    slipped = anchor.replace(str(edit.first), str(n), 1)
    call = edit.call()
    needs(1 <= n < len(lines) and slipped != anchor_of(edit.format, lines, n))
    return edit.written(call.replace(f'"{anchor}"', f'"{slipped}"', 1))


def past_end(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range ends below the last line of the file; degree is the difference, less one."""
    last = len(edit.lines) + 1 + degree
    return edit.refused(edit.call().replace(f".={edit.last}:", f".={last}:", 1), "no_such_line")


def phantom_end(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The range of the last lines ends at the empty line that the view shows below them."""
    target = text_of([*edit.lines[: edit.first - 1], *edit.new])
    change = edit.replacing(edit.first, len(edit.lines) + 1)
    return edit.written(edit.call(change), target=target)


# New lines that repeat lines next to their place.


def echo_both(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new lines begin with the line above the range, and end with the one below."""
    return _echoed(edit, edit.lines[edit.first - 2 : edit.first - 1], edit.lines[edit.last : edit.last + 1])


def echo_in_insert(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """Lines are inserted next to a line, and begin or end with a copy of that line."""
    kind, beside = random.choice((("after", edit.lines[edit.last - 1]), ("before", edit.lines[edit.first - 1])))
    needs(beside.strip())
    if kind == "after":
        change = Change("after", edit.last, edit.last, (beside, *edit.new))
        target = [*edit.lines[: edit.last], *edit.new, *edit.lines[edit.last :]]
    else:
        change = Change("before", edit.first, edit.first, (*edit.new, beside))
        target = [*edit.lines[: edit.first - 1], *edit.new, *edit.lines[edit.first - 1 :]]
    return edit.written(edit.call(change), target=text_of(target))


def _echoed(edit: AnchoredEdit, above: tuple[str, ...], below: tuple[str, ...]) -> Damaged | None:
    needs(any(map(str.strip, (*above, *below))))
    return edit.written(edit.call(edit.replacing(edit.first, edit.last, (*above, *edit.new, *below))))


# New lines with marks of a view or a diff, and signs that the grammar does not have.


def pasted_prefixes(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new lines have numbers and hashes in front of them, as the view shows lines."""
    after = edit.after(edit.lines)
    shown = show(after, edit.format, first=edit.first, last=edit.first + len(edit.new) - 1).split("\n")
    return edit.written(edit.call(edit.replacing(edit.first, edit.last, shown[edit.format == "hashline_h4" :])))


def plus_prefixes(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each new line has a + in front of it, as in a diff."""
    return edit.written(edit.call(edit.replacing(edit.first, edit.last, [f"+{line}" for line in edit.new])))


def minus_rows(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The body has the old lines too, with a - in front of them."""
    old = [f"-{line}" for line in edit.lines[edit.first - 1 : edit.last]]
    header, hunk, *body = edit.call().split("\n")
    return edit.written("\n".join([header, hunk, *old, *body]))


def bare_rows(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The rows of the body have no + in front of them."""
    header, hunk, *body = edit.call().split("\n")
    needs(not any(line.startswith(("+", "-", "PUT", "CUT", "[")) for line in edit.new))
    return edit.written("\n".join([header, hunk, *(row.removeprefix("+") for row in body)]))


def range_sign(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The range is written with another sign."""
    sign = random.choice(("-", "..", " - ", "...", "="))
    return edit.written(edit.call().replace(f"{edit.first}.={edit.last}:", f"{edit.first}{sign}{edit.last}:", 1))


def anchor_with_text(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The anchors have the text of their lines behind them, as the view shows it."""
    call = edit.call()
    for n in {edit.first, edit.last}:
        anchor, line = anchor_of(edit.format, [*edit.lines, ""], n), edit.lines[n - 1]
        needs('"' not in line and "\\" not in line and line.isprintable())
        call = call.replace(f'"{anchor}"', f'"{anchor}|{line}"', 1)
    return edit.written(call)


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *anchor_mutators(
        named("as_meant", "The call is right.", lambda edit, *_: edit.written(edit.call())),
    ),
    *anchor_mutators(reversed_ends, count_for_end, truth="refuse"),
    *anchor_mutators(
        starts_early,
        named("starts_late", "The range lacks the first intended lines, and nothing shows it; degree is their number.",
              lambda edit, degree, _: _of_range(edit, edit.first + degree, edit.last)),
        named("ends_early", "The range lacks the last intended lines, and nothing shows it; degree is their number.",
              lambda edit, degree, _: _of_range(edit, edit.first, edit.last - degree)),
        ends_late,
        truth="hazard",
    ),
    *anchor_mutators(number_slipped, truth="tolerate", formats=IN_JSON),
    *anchor_mutators(past_end, truth="refuse", formats=("hashline_h4",)),
    *anchor_mutators(phantom_end, truth="tolerate", formats=("hashline_h2", "hashline_h4")),
    *anchor_mutators(
        named("echo_above", "The new lines begin with the lines above the range; degree is their number.",
              lambda edit, degree, _: _echoed(edit, edit.lines[max(edit.first - 1 - degree, 0) : edit.first - 1], ())),
        named("echo_below", "The new lines end with the lines below the range; degree is their number.",
              lambda edit, degree, _: _echoed(edit, (), edit.lines[edit.last : edit.last + degree])),
        echo_both, echo_in_insert, pasted_prefixes,
        truth="tolerate",
    ),
    *anchor_mutators(plus_prefixes, truth="tolerate", formats=IN_JSON),
    *anchor_mutators(minus_rows, bare_rows, range_sign, truth="tolerate", formats=("hashline_h4",)),
    *anchor_mutators(anchor_with_text, truth="tolerate", formats=("hashline_h2",)),
)  # fmt: skip
