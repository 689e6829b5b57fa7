"""Properties of tolerant readings: a habit of models, added to a patch, does not change what the strict reading
makes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random

from corpora.sample import Sample
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.placing.candidates import BY_ORDER
from editcore.patches.unified_diff import apply_unified_diff
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.properties.property import Apply, Property
from harness.strategies.strategy import by_path, files_after

# Diffs in the tolerant reading

_HEAD = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_MARKS = ("+", "-", " ", "@")
"""An added line that begins with one of these has another meaning without its plus sign."""


def habits_of_diffs_change_nothing(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A habit of models, added to a diff that the strict reading applies, is refused or changes nothing."""
    patch = sample.patch or ""
    if not _HEAD.search(patch) or "\r" in patch or "\\" in patch or not patch.endswith("\n"):
        return None
    strict = apply_unified_diff(by_path(sample.before), patch, strictness="strict")
    del result
    if isinstance(strict, Rejected) or set(strict.files or ()) != by_path(sample.before).keys():
        return None
    if not all(file.content for file in sample.before):
        return None  # The line endings of an empty file are those of the patch.
    plain = apply_unified_diff(by_path(sample.before), patch)
    if isinstance(plain, Rejected) or plain.files != strict.files:
        return None  # Numbers that contradict each other leave more than one reading, without any habit.
    random = Random(repr(patch))  # Seeds are encoded, and lone surrogates can't be.
    names = random.sample(sorted(_DIFF_HABITS), len(_DIFF_HABITS))
    shown = ((name, _DIFF_HABITS[name](patch.split("\n"), random)) for name in names)
    name, written = next((name, written) for name, written in shown if written is not None)
    other = apply(replace(sample, patch="\n".join(written)))
    if isinstance(other, Rejected) or files_after(sample, other) == strict.files:
        return None
    return f"applied otherwise than by the strict reading, with {name.replace('_', ' ')}"


def _in_hunks(lines: list[str]) -> list[bool]:
    """True for each line that belongs to a hunk, by the counts."""
    found: list[bool] = []
    left_old = left_new = 0
    for line in lines:
        inside = left_old > 0 or left_new > 0
        found.append(inside)
        head = None if inside else _HEAD.match(line)
        if head:
            left_old, left_new = (1 if count is None else int(count) for count in head.groups())
        elif inside:
            left_old -= line[:1] != "+"
            left_new -= line[:1] != "-"
    return found


def _numbers_removed(lines: list[str], _: Random) -> list[str]:
    """Every `@@` line is bare."""
    inside = _in_hunks(lines)
    return [line if inside[n] or not _HEAD.match(line) else "@@" for n, line in enumerate(lines)]


def _counts_wrong(lines: list[str], random: Random) -> list[str]:
    """Every count is too large, by the same number on both sides."""
    inside, more = _in_hunks(lines), random.randint(1, 3)

    def larger(head: re.Match[str]) -> str:
        old, new = (1 if count is None else int(count) for count in head.groups())
        starts = re.findall(r"[-+]\d+", head[0])
        return f"@@ {starts[0]},{old + more} {starts[1]},{new + more} @@"

    return [line if inside[n] else _HEAD.sub(larger, line, count=1) for n, line in enumerate(lines)]


def _crlf(lines: list[str], _: Random) -> list[str]:
    """The lines of the patch end in CRLF."""
    return [f"{line}\r" for line in lines[:-1]] + lines[-1:]


def _line_numbers(lines: list[str], _: Random) -> list[str]:
    """Old lines have their line number in front."""
    out, number = [], 0
    for line, inside in zip(lines, _in_hunks(lines), strict=True):
        head = _HEAD.match(line)
        if not inside and head:
            number = int(re.findall(r"\d+", line)[0])
        if inside and line[:1] != "+":
            out.append(f"{line[:1] or ' '}{number}: {line[1:]}")
            number += 1
        else:
            out.append(line)
    return out


def _spaces_after_signs(lines: list[str], _: Random) -> list[str] | None:
    inside = _in_hunks(lines)
    if sum([not one and bool(_HEAD.match(line)) for one, line in zip(inside, lines, strict=True)]) > 1:
        return None  # Each hunk would need a removed line, which shows the habit.
    if not any(one and line[:1] == "-" and line[1:].strip() for one, line in zip(inside, lines, strict=True)):
        return None
    return [
        f"{line[0]} {line[1:]}" if one and line[:1] in ("+", "-") and line[1:].strip() else line
        for one, line in zip(inside, lines, strict=True)
    ]


def _line_left_out(lines: list[str], random: Random) -> list[str] | None:
    """A line of context between two others is left out."""
    inside = _in_hunks(lines)
    inner = [
        n
        for n in range(1, len(lines) - 1)
        if all(inside[n - 1 : n + 2]) and all(line[:1] == " " for line in lines[n - 1 : n + 2])
    ]
    if not inner:
        return None
    n = random.choice(inner)
    return [*lines[:n], *lines[n + 1 :]]


def _letters_swapped(lines: list[str], random: Random) -> list[str] | None:
    """Two letters of a line of context are swapped."""
    inside = _in_hunks(lines)
    found = [n for n, line in enumerate(lines) if inside[n] and line[:1] == " " and re.search(r"[a-z]{4}", line)]
    if not found:
        return None
    n = random.choice(found)
    at = random.choice([one.start() for one in re.finditer(r"(?=[a-z]{2})", lines[n])])
    line = lines[n]
    return [*lines[:n], line[:at] + line[at + 1] + line[at] + line[at + 2 :], *lines[n + 1 :]]


def _plus_lost(lines: list[str], random: Random) -> list[str] | None:
    """An added line has lost its plus sign."""
    inside = _in_hunks(lines)
    found = [n for n, line in enumerate(lines) if inside[n] and line[:1] == "+" and line[1:2] not in ("", *_MARKS)]
    if not found:
        return None
    n = random.choice(found)
    return [*lines[:n], lines[n][1:], *lines[n + 1 :]]


_DIFF_HABITS: dict[str, Callable[[list[str], Random], list[str] | None]] = {
    "numbers_removed": _numbers_removed,
    "counts_too_large": _counts_wrong,
    "CRLF": _crlf,
    "line_numbers": _line_numbers,
    "spaces_after_signs": _spaces_after_signs,
    "a_line_left_out": _line_left_out,
    "letters_swapped": _letters_swapped,
    "a_plus_sign_lost": _plus_lost,
}
"""Name -> a function that gives the lines of a right diff that habit; None if the habit does not show."""


# Envelopes in the lenient reading

_ENVELOPE = frozenset({"begin_patch"})
_LENIENT = ("begin_patch/lenient",)
_SIGNS = ("+", "-", "@", "*", "\\")
"""A context line that begins with one of these has another meaning without its leading space."""
_LOOSE_HEAD = re.compile(r"@@ (?:[-.+, 0-9]|lines? |.*@@\s*$)", re.IGNORECASE)
"""An `@@` line that the lenient reading does not take for a line of the file."""
_QUOTED = re.compile(r": *[`'\" ]|[`'\" ]\s*$")
_ENVELOPE_HABITS = (
    "blank_after_head",
    "blank_above_head",
    "empty_head",
    "bare_blank",
    "no_space",
    "prefix",
    "environment",
)


def lenient_as_strict(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The lenient reading applies what the strict reading applies, with the same result."""
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
    """True if a patch has a meaning for the lenient reading that it does not have for the strict reading."""
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
    """True if the lines right above and below a line of a hunk are context lines or removed lines."""
    return all(one[:1] in ("-", " ") and one.strip() for one in (lines[n - 1], lines[n + 1]))


def placed_in_order(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """If the order of a file's hunks has placed one of them, all of them are in that order."""
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


PROPERTIES = (
    Property(lenient_as_strict, _ENVELOPE, _LENIENT),
    Property(habits_change_nothing, _ENVELOPE, _LENIENT, applies_again=True),
    Property(placed_in_order, _ENVELOPE, _LENIENT),
    Property(
        habits_of_diffs_change_nothing, frozenset({"unified_diff"}), ("unified_diff/tolerant",), applies_again=True
    ),
)
