"""New lines that repeat the lines next to their place."""

from __future__ import annotations

from random import Random

from corpora.mutators.anchors.anchored_edit import AnchoredEdit, mutators, text_of
from corpora.mutators.mutator import DEGREES, Damaged
from editcore.anchors.calls import Change


def echo_above(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The new lines begin with those above the range; degree is their number."""
    above = edit.lines[max(edit.first - 1 - degree, 0) : edit.first - 1]
    return _echoed(edit, above, ())


def echo_below(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The new lines end with those below the range; degree is their number."""
    return _echoed(edit, (), edit.lines[edit.last : edit.last + degree])


def echo_both(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new lines begin with the line above the range, and end with the one below."""
    return _echoed(edit, edit.lines[edit.first - 2 : edit.first - 1], edit.lines[edit.last : edit.last + 1])


def echo_in_insert(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """Lines are put next to a line, and begin or end with that line."""
    kind, beside = random.choice((("after", edit.lines[edit.last - 1]), ("before", edit.lines[edit.first - 1])))
    if not beside.strip():
        return None
    if kind == "after":
        change = Change("after", edit.last, edit.last, (beside, *edit.new))
        target = [*edit.lines[: edit.last], *edit.new, *edit.lines[edit.last :]]
    else:
        change = Change("before", edit.first, edit.first, (*edit.new, beside))
        target = [*edit.lines[: edit.first - 1], *edit.new, *edit.lines[edit.first - 1 :]]
    return edit.written(edit.call(change), target=text_of(target))


def _echoed(edit: AnchoredEdit, above: tuple[str, ...], below: tuple[str, ...]) -> Damaged | None:
    if not any(map(str.strip, (*above, *below))):
        return None
    return edit.written(edit.call(edit.replacing(edit.first, edit.last, (*above, *edit.new, *below))))


MUTATORS = (
    *mutators(echo_above, "tolerate", degrees=DEGREES),
    *mutators(echo_below, "tolerate", degrees=DEGREES),
    *mutators(echo_both, "tolerate"),
    *mutators(echo_in_insert, "tolerate"),
)
