"""The two cleanups of diff-match-patch: equal parts that are small beside the edits around them become edits.

    "= a" "- bcdef" "= g" "+ hijkl" "= m"      "= a" "- bcdefg" "+ ghijkl" "= m"

Read: diff-match-patch 20241021 (diff_cleanupSemantic, diff_cleanupEfficiency with its cost of 4), and tested beside it.
"""

from __future__ import annotations

import re

from editcore.agents.diffs.line_diff import Part, merged
from editcore.text.diff import common_suffix

_COST = 4


def semantic(parts: list[Part]) -> list[Part]:
    """Without equal parts that are no longer than the edits on either side; edits slid to where words begin."""
    parts, is_changed = _without_short(list(parts))
    return _with_overlaps(_at_boundaries(merged(parts) if is_changed else parts))


def _without_short(parts: list[Part]) -> tuple[list[Part], bool]:
    equal: list[int] = []
    """Indices of equal parts that may go."""
    last = ""
    above, below = [0, 0], [0, 0]
    """Characters that come, and that go, on either side of the last equal part."""
    is_changed, at = False, 0
    while at < len(parts):
        mark, text = parts[at]
        if mark == 0:
            equal.append(at)
            above, below, last = below, [0, 0], text
        else:
            below[mark < 0] += len(text)
            if last and len(last) <= min(max(above), max(below)):
                parts[equal[-1] : equal[-1] + 1] = [(-1, last), (1, last)]
                equal = equal[:-2]
                at = equal[-1] if equal else -1
                above, below, last, is_changed = [0, 0], [0, 0], "", True
        at += 1
    return parts, is_changed


def _at_boundaries(parts: list[Part]) -> list[Part]:
    """Each edit between equal parts slid to where it begins and ends best, the last of equally good places."""
    at = 1
    while at < len(parts) - 1:
        (before, above), (mark, text), (after, below) = parts[at - 1 : at + 2]
        if before == after == 0:
            shared = common_suffix(above, text)
            if shared:
                kept = text[len(text) - shared :]
                above, text, below = above[:-shared], kept + text[:-shared], kept + below
            best, score = (above, text, below), _score(above, text) + _score(text, below)
            while text and below and text[0] == below[0]:
                above, text, below = above + text[0], text[1:] + below[0], below[1:]
                new = _score(above, text) + _score(text, below)
                if new >= score:
                    best, score = (above, text, below), new
            if best[0] != parts[at - 1][1]:
                slid = [(0, best[0]), (mark, best[1]), (0, best[2])]
                parts[at - 1 : at + 2] = [part for part in slid if part[0] or part[1]]
                at += -(not best[0]) - (not best[2])
        at += 1
    return parts


def _score(one: str, two: str) -> int:
    """How good a boundary is between two texts: 6 at an end, 5 at a blank line, ... 0 within a word."""
    if not one or not two:
        return 6
    a, b = one[-1], two[0]
    is_space = (not a.isalnum() and a.isspace(), not b.isalnum() and b.isspace())
    is_break = (is_space[0] and a in "\r\n", is_space[1] and b in "\r\n")
    if (is_break[0] and re.search(r"\n\r?\n$", one)) or (is_break[1] and re.match(r"\r?\n\r?\n", two)):
        return 5
    if any(is_break):
        return 4
    if not a.isalnum() and not is_space[0] and is_space[1]:
        return 3
    if any(is_space):
        return 2
    return 1 if not a.isalnum() or not b.isalnum() else 0


def _with_overlaps(parts: list[Part]) -> list[Part]:
    """Where what goes ends as what comes begins, or the other way, and by half of one of them, that is equal."""
    at = 1
    while at < len(parts):
        (one, old), (two, new) = parts[at - 1 : at + 1]
        if (one, two) == (-1, 1):
            forwards, backwards = _overlap(old, new), _overlap(new, old)
            n = max(forwards, backwards)
            if 2 * n >= min(len(old), len(new)):
                if forwards >= backwards:
                    parts[at - 1 : at + 1] = [(-1, old[: len(old) - n]), (0, new[:n]), (1, new[n:])]
                else:
                    parts[at - 1 : at + 1] = [(1, new[: len(new) - n]), (0, old[:n]), (-1, old[n:])]
                at += 1
            at += 1
        at += 1
    return parts


def _overlap(one: str, two: str) -> int:
    """The most characters with which one text ends and the other begins."""
    return next((n for n in range(min(len(one), len(two)), 0, -1) if one.endswith(two[:n])), 0)


def efficient(parts: list[Part]) -> list[Part]:
    """Without equal parts of under four characters between edits of both kinds."""
    parts = list(parts)
    equal: list[int] = []
    last = ""
    above, below = [False, False], [False, False]
    """Whether something comes, and goes, on either side of the last equal part."""
    is_changed, at = False, 0
    while at < len(parts):
        mark, text = parts[at]
        if mark == 0:
            if len(text) < _COST and any(below):
                equal.append(at)
                above, last = below, text
            else:
                equal, last = [], ""
            below = [False, False]
        else:
            below = [below[0] or mark > 0, below[1] or mark < 0]
            n_kinds = sum(above) + sum(below)
            if last and (n_kinds == 4 or (n_kinds == 3 and 2 * len(last) < _COST)):
                parts[equal[-1] : equal[-1] + 1] = [(-1, last), (1, last)]
                equal, last, is_changed = equal[:-1], "", True
                if all(above):
                    below, equal = [True, True], []
                else:
                    equal = equal[:-1]
                    at = equal[-1] if equal else -1
                    below = [False, False]
        at += 1
    return merged(parts) if is_changed else parts
