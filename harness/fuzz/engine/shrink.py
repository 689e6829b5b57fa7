"""Shrinking of a failing input: fields, then lines, then characters, as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from harness.fuzz.inputs import Fields

Fails = Callable[[Fields], bool]
"""Whether an input still fails in the same way."""


def shrink(fields: Fields, fails: Fails, *, seconds: float = 5.0) -> Fields:
    """The smallest input found within the time limit that still fails; the input itself if it does not fail."""
    if not fails(fields):
        return fields
    deadline = monotonic() + seconds
    while monotonic() < deadline:
        smaller = _round(fields, fails, deadline)
        if smaller == fields:
            break
        fields = smaller
    return fields


def _round(fields: Fields, fails: Fails, deadline: float) -> Fields:
    """Try every way to make the input smaller once."""
    at = len(fields)
    while at > 3 and monotonic() < deadline:  # A format needs three fields or fewer.
        at -= 1
        without = fields[:at] + fields[at + 1 :]
        fields = without if fails(without) else fields
    for number in range(len(fields)):
        for pieces in (_lines, list):
            above, below = fields[:number], fields[number + 1 :]

            def still(kept: Sequence[str], above: Fields = above, below: Fields = below) -> bool:
                return fails((*above, "".join(kept), *below))

            fields = (*above, "".join(fewer(pieces(fields[number]), still, deadline)), *below)
        fields = _plainer(fields, number, fails, deadline)
    return fields


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.split("\n")[:-1]] + [text.split("\n")[-1]]


def fewer(pieces: Sequence[str], still: Callable[[Sequence[str]], bool], deadline: float) -> Sequence[str]:
    """The pieces that are left when runs of them, long ones first, are removed as long as the rest still fails."""
    size = len(pieces)
    while size:
        at = 0
        while at < len(pieces) and monotonic() < deadline:
            without = [*pieces[:at], *pieces[at + size :]]
            if still(without):
                pieces = without
            else:
                at += size
        size //= 2
    return pieces


def _plainer(fields: Fields, number: int, fails: Fails, deadline: float) -> Fields:
    """The field with its letters replaced by plain ones where it still fails."""
    text = fields[number]
    if len(text) > 200:
        return fields
    for at, plain in _plain_letters(text):
        if monotonic() > deadline:
            break
        if fields[number][at] == plain:
            continue
        changed = fields[number][:at] + plain + fields[number][at + 1 :]
        if fails((*fields[:number], changed, *fields[number + 1 :])):
            fields = (*fields[:number], changed, *fields[number + 1 :])
    return fields


def _plain_letters(text: str) -> Iterator[tuple[int, str]]:
    for at, letter in enumerate(text):
        if letter.isalnum() and letter not in "ab01":
            yield at, "a"
        elif letter not in " \n" and letter.isspace():
            yield at, " "
