"""Placing the hunks of a diff by their line numbers, as GNU patch 2.7 does. Raises PatchError."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from editcore.errors import PatchError
from editcore.patches.placing.policy import ByNumber, Placed, n_context
from editcore.text.line_index import LineIndex
from editcore.types import FilePatch, Hunk, Reason

_UNDONE = str.maketrans("+-", "-+")


def place_by_number(
    lines: Sequence[str], has_last_newline: bool, section: FilePatch, allowed: ByNumber
) -> list[Placed]:
    """Place each hunk at its stated line or, with `allowed.near`, at the nearest match around it."""
    seeker = LineIndex(lines)
    placed: list[Placed] = []
    offset = floor = 0
    for hunk in section.hunks:
        # The start of an empty range is the line before it.
        stated = (hunk.source_start or 0) - (1 if hunk.old else 0)
        fit = partial(_fit, seeker, has_last_newline, allowed=allowed, stated=stated, offset=offset)
        found = fit(hunk, floor=floor)
        if found is None:
            _check_misfit(fit, hunk, section, placed, floor)
            for fuzz in range(1, allowed.fuzz + 1):
                found = found or fit(hunk, floor=floor, fuzz=fuzz)
        if found is None:
            where = f"at line {stated + 1}" + (" or near it" if allowed.near else "")
            message = f"the hunk does not fit {section.path} {where}: correct its lines and numbers."
            raise PatchError(message, line=hunk.patch_line, reason=Reason.NO_MATCH)
        placed.append(found)
        offset = found.line - stated
        floor = found.line + found.n_old
    return placed


def _check_misfit(
    fit: Callable[..., Placed | None], hunk: Hunk, section: FilePatch, placed: Sequence[Placed], floor: int
) -> None:
    """Raise PatchError for a hunk that was applied before, and for one above the end of the previous hunk."""
    there = None
    if len(hunk.new) > max(len(hunk.old) - 1, 1):
        undone = replace(hunk, lines=tuple(line[0].translate(_UNDONE) + line[1:] for line in hunk.lines))
        there = fit(undone, floor=floor)
    if there is not None:
        message = f"the change stands in {section.path} already, at line {there.line + 1}."
        raise PatchError(message, line=hunk.patch_line, reason=Reason.IDENTICAL)
    above = fit(hunk, floor=0) if placed else None
    if above is not None:
        raise PatchError(
            f"the hunk stands at line {above.line + 1} of {section.path}, above the end of the one before it: "
            "join the two, or put them in the file's order.",
            line=hunk.patch_line,
            reason=Reason.AMBIGUOUS if above.line + above.n_old > placed[-1].line else Reason.MALFORMED,
        )


def _fit(
    seeker: LineIndex,
    has_last_newline: bool,
    hunk: Hunk,
    *,
    allowed: ByNumber,
    stated: int,
    offset: int,
    floor: int,
    fuzz: int = 0,
) -> Placed | None:
    """The place of a hunk from line `floor` on if `fuzz` of its outer context lines may differ; None without one."""
    lead = n_context(hunk.lines)
    trail = n_context(hunk.lines[::-1])
    # As GNU patch: lines are dropped from the longer context first, until both are equally long.
    most = max(lead, trail)
    skip_lead, skip_trail = fuzz + lead - most, fuzz + trail - most
    if fuzz and fuzz > most:
        return None
    # With less context above than below, and number 1, a hunk begins the file.
    at_start = allowed.near and skip_lead < 0 and hunk.source_start is not None and hunk.source_start <= 1
    # Without context below, a hunk reaches the end of the file.
    at_end = skip_trail < 0 if allowed.near else trail == 0 < lead
    skip_lead, skip_trail = max(skip_lead, 0), max(skip_trail, 0)
    cut = hunk if not fuzz else replace(hunk, lines=hunk.lines[skip_lead : len(hunk.lines) - skip_trail])
    old = cut.old
    n_lines = len(seeker.lines)
    last = n_lines - len(old)
    guess = stated + skip_lead + (offset if allowed.near else 0)
    if at_start:
        candidates: Iterator[int] = iter([skip_lead])
    elif at_end and (allowed.near or guess == last):
        candidates = iter([last])
    elif at_end:
        return None
    elif allowed.near:
        candidates = seeker.outward(old, "exact", guess, floor=floor) if old else iter([min(max(guess, 0), n_lines)])
    else:
        candidates = iter([guess])
    for line in candidates:
        if (
            floor <= line <= last
            and seeker.matches_at(old, "exact", line)
            and _newline_agrees(cut, line + len(old) == n_lines, has_last_newline)
        ):
            if allowed.near and line != guess:
                _check_twins(seeker, cut, guess, line, floor)
            notes = (f"fuzz {fuzz}",) if fuzz else ()
            if line != stated + skip_lead:
                notes = (*notes, f"offset {line - stated - skip_lead}")
            return Placed(cut, line, len(old), "exact" if not fuzz else "fuzz", notes=notes)
    return None


def _check_twins(seeker: LineIndex, hunk: Hunk, guess: int, line: int, floor: int) -> None:
    """Raise PatchError if a place that differs only in carriage returns is at least as near to the stated line."""
    if not hunk.old or not seeker.mixes_line_endings:
        return
    for twin in seeker.outward(hunk.old, "line_endings", guess, floor=floor):
        if abs(twin - guess) > abs(line - guess):
            return
        if twin != line and not seeker.matches_at(hunk.old, "exact", twin):
            raise PatchError(
                f"the hunk fits at line {line + 1}, and but for line endings at line {twin + 1}: correct its numbers.",
                line=hunk.patch_line,
                reason=Reason.AMBIGUOUS,
            )


def _newline_agrees(hunk: Hunk, reaches_end: bool, has_last_newline: bool) -> bool:
    """True if the file has its last line feed as the hunk says."""
    if hunk.source_no_newline:
        return reaches_end and not has_last_newline
    # A hunk whose last old line is the file's last must know that it has no line feed.
    return has_last_newline or not reaches_end or not hunk.old
