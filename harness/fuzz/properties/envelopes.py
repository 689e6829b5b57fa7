"""Properties of envelopes read leniently: they mean what the strict reading says, with any habit of models added."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from random import Random

from corpora.sample import Sample
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.placing.candidates import BY_ORDER
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.properties.property import Apply, Property, files_after
from harness.strategies.strategy import by_path

_ENVELOPE = frozenset({"begin_patch"})
_LENIENT = ("begin_patch/lenient",)
_SIGNS = ("+", "-", "@", "*", "\\")
"""A context line whose text begins with one of these says something else without its leading space."""
_LOOSE_HEAD = re.compile(r"@@ (?:[-.+, 0-9]|lines? |.*@@\s*$)", re.IGNORECASE)
"""An `@@` line that the lenient reading does not take for a line of the file."""
_QUOTED = re.compile(r": *[`'\" ]|[`'\" ]\s*$")
_ENVELOPE_HABITS = ("blank_after_head", "blank_above_head", "empty_head", "bare_blank", "no_space", "prefix", "environment")


def lenient_as_strict(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """What the strict reading applies, the lenient one applies with the same result."""
    strict = apply_begin_patch(by_path(sample.before), sample.patch or "", reading="strict")
    if isinstance(strict, Rejected) or _has_loose_meaning(sample.patch or ""):
        return None
    if isinstance(result, Rejected):
        return f"strict applies it, lenient refuses: {result.message}"
    return None if files_after(sample, result) == strict.files else "lenient makes another change than strict"


def habits_change_nothing(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A habit of models, added to a patch that the strict reading applies, is refused or changes nothing."""
    patch = sample.patch or ""
    strict = apply_begin_patch(by_path(sample.before), patch, reading="strict")
    if isinstance(strict, Rejected) or _has_loose_meaning(patch):
        return None
    del result
    rng = Random(repr(patch))  # Seeds are encoded, and lone surrogates can't be.
    habits = rng.sample(_ENVELOPE_HABITS, rng.randint(1, 3))
    other = apply(replace(sample, patch=_with_habits(patch, habits, rng)))
    if isinstance(other, Rejected) or files_after(sample, other) == strict.files:
        return None
    return f"applied otherwise than by the strict reading, with {', '.join(habits)}"


def _has_loose_meaning(patch: str) -> bool:
    """Whether a patch says something to the lenient reading that it does not say to the strict one."""
    lines = patch.split("\n")
    paths = [line for line in lines if line.startswith("*** ") and _QUOTED.search(line.replace(": ", ":", 1))]
    return bool(paths) or "<<<<<<<" in patch or ">>>>>>>" in patch or any(map(_LOOSE_HEAD.match, lines))


def _with_habits(patch: str, habits: list[str], rng: Random) -> str:
    out: list[str] = []
    lines = patch.split("\n")
    for n, line in enumerate(lines):
        is_update = _is_in_update(lines, n)
        if is_update and line.startswith("@@"):
            out += [""] if "blank_above_head" in habits and lines[n - 1][:1] in ("+", "-", " ") else []
            out += ["@@", ""] if "empty_head" in habits and rng.random() < 0.5 else []
            out += [line, ""] if "blank_after_head" in habits and lines[n + 1][:1] in ("-", " ") else [line]
        elif is_update and line == " " and "bare_blank" in habits and _is_inner(lines, n):
            out.append("")
        elif is_update and line[:1] == " " and "no_space" in habits and line[1:2] not in ("", *_SIGNS):
            out.append(line[1:] if line[1:].strip() else line)
        elif line.startswith("*** Update File: ") and "prefix" in habits and "/" not in line:
            out.append(line.replace(": ", ": a/", 1))
        else:
            out.append(line)
        if n == 0 and "environment" in habits:
            out.append("*** Environment ID: e")
    return "\n".join(out)


def _is_in_update(lines: list[str], n: int) -> bool:
    header = next((line for line in reversed(lines[:n]) if line.startswith("*** ")), "")
    return not header.startswith(("*** Add", "*** Delete", "*** Begin"))


def _is_inner(lines: list[str], n: int) -> bool:
    """Whether a line of a hunk has lines of context or removed ones right above and below it."""
    return all(one[:1] in ("-", " ") and one.strip() for one in (lines[n - 1], lines[n + 1]))


def placed_in_order(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """Where the order of the hunks of a file has placed one of them, they all stand in that order."""
    if not isinstance(result, Applied):
        return None
    del sample
    group: list[int] = []
    by_order = False
    for one, other in pairwise((*result.landings, None)):
        assert one is not None
        group.append(one.line)
        by_order = by_order or BY_ORDER in one.notes
        if other is None or other.path != one.path or other.hunk <= one.hunk:
            if by_order and group != sorted(group):
                return f"the hunks of {one.path} stand at lines {group}, and one was placed by their order"
            group, by_order = [], False
    return None


_OF_ENVELOPES = (
    Property(lenient_as_strict, _ENVELOPE, _LENIENT),
    Property(habits_change_nothing, _ENVELOPE, _LENIENT, applies_again=True),
    Property(placed_in_order, _ENVELOPE, _LENIENT),
)
