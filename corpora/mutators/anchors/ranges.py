"""Wrong lines: ends too early or too late, reversed, a count for an end, numbers without their hash."""

from __future__ import annotations

from random import Random

from corpora.mutators.anchors.anchored_edit import IN_JSON, AnchoredEdit, mutators, text_of
from corpora.mutators.mutator import DEGREES, Damaged
from editcore.anchors.views import anchor_of, shown_lines


def as_meant(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """Nothing is wrong: the lines, and what they become."""
    return edit.written(edit.call())


def reversed_ends(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The range ends above its start."""
    return (
        edit.refused(edit.call(edit.replacing(edit.last, edit.first)), "reversed") if edit.first < edit.last else None
    )


def count_for_end(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The number of lines stands where the last line should, above the start."""
    n = edit.last - edit.first + 1
    return edit.refused(edit.call(edit.replacing(edit.first, n)), "reversed") if 1 < n < edit.first else None


def starts_early(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range has lines above those that are meant, and nothing shows it; degree is their number."""
    return _of_range(edit, edit.first - degree, edit.last)


def starts_late(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range lacks the first lines that are meant, and nothing shows it; degree is their number."""
    return _of_range(edit, edit.first + degree, edit.last)


def ends_early(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range lacks the last lines that are meant, and nothing shows it; degree is their number."""
    return _of_range(edit, edit.first, edit.last - degree)


def ends_late(edit: AnchoredEdit, degree: int, _random: Random) -> Damaged | None:
    """The range has lines below those that are meant, and nothing shows it; degree is their number."""
    return _of_range(edit, edit.first, edit.last + degree)


def _of_range(edit: AnchoredEdit, first: int, last: int) -> Damaged | None:
    """The new lines for another range, as the call says."""
    if not 1 <= first <= last <= len(edit.lines):
        return None
    target = text_of([*edit.lines[: first - 1], *edit.new, *edit.lines[last:]])
    return edit.written(edit.call(edit.replacing(first, last)), target=target)


def number_slipped(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """The number of the first line is too low or too high, and its hash is right; degree is the distance."""
    if edit.first != edit.last:
        return None
    n = edit.first + random.choice((-1, 1)) * degree
    lines = shown_lines(edit.text, edit.format)
    anchor = anchor_of(edit.format, lines, edit.first)
    slipped = anchor.replace(str(edit.first), str(n), 1)
    call = edit.call()
    if not 1 <= n < len(lines) or slipped == anchor_of(edit.format, lines, n):
        return None
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


MUTATORS = (
    *mutators(as_meant, "apply"),
    *mutators(reversed_ends, "refuse"),
    *mutators(count_for_end, "refuse"),
    *mutators(starts_early, "hazard", degrees=DEGREES),
    *mutators(starts_late, "hazard", degrees=DEGREES),
    *mutators(ends_early, "hazard", degrees=DEGREES),
    *mutators(ends_late, "hazard", degrees=DEGREES),
    *mutators(number_slipped, "tolerate", formats=IN_JSON, degrees=DEGREES),
    *mutators(past_end, "refuse", formats=("hashline_h4",), degrees=DEGREES),
    *mutators(phantom_end, "tolerate", formats=("hashline_h2", "hashline_h4")),
)
