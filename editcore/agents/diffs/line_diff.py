"""The diff of two texts as diff-match-patch makes it: the parts that stay, go and come.

    |abc|  |axc|    "= a" "- b" "+ x" "= c"

Read: diff-match-patch 20241021 (diff_main without its line mode), and tested beside it. Equal ends are taken first,
then a text that contains the other, then the middle of Myers' shortest path. The package's shortcut by a shared half
changes nothing for aider's texts, which are lines, one character for each.
"""

from __future__ import annotations

from collections.abc import Iterator

from editcore.agents.matching import Work
from editcore.text.diff import common_ends

Part = tuple[int, str]
"""(mark, text). The mark is -1 for a text that goes, 0 for one that stays, 1 for one that comes."""


def difference(one: str, two: str, work: Work) -> list[Part]:
    """The parts of the diff of two texts, in order. No two parts that follow each other have the same mark."""
    if one == two:
        return [(0, one)] if one else []
    work.spend(100 + len(one) + len(two))
    head, tail = common_ends(one, two)
    end_one, end_two = len(one) - tail, len(two) - tail
    parts = [(0, one[:head]), *_middle(one[head:end_one], two[head:end_two], work), (0, one[end_one:])]
    return merged([part for part in parts if part[1]])


def _middle(one: str, two: str, work: Work) -> list[Part]:
    """The parts of two texts that share neither a start nor an end."""
    if not one:
        return [(1, two)]
    if not two:
        return [(-1, one)]
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    mark = -1 if longer is one else 1
    at = longer.find(shorter)
    if at >= 0:
        return [(mark, longer[:at]), (0, shorter), (mark, longer[at + len(shorter) :])]
    if len(shorter) == 1:
        return [(-1, one), (1, two)]
    return _halved(one, two, work)


def _halved(one: str, two: str, work: Work) -> list[Part]:
    """The parts before and after the middle of the shortest path, which is looked for from both ends at once."""
    size_one, size_two = len(one), len(two)
    most = (size_one + size_two + 1) // 2
    delta = size_one - size_two
    ahead, behind = ([-1] * (2 * most + 2) for _ in range(2))
    ahead[most + 1] = behind[most + 1] = 0
    cuts = {True: [0, 0], False: [0, 0]}
    for depth in range(most):
        for is_ahead in (True, False):
            reach, other = (ahead, behind) if is_ahead else (behind, ahead)
            cut = cuts[is_ahead]
            for k in range(-depth + cut[0], depth + 1 - cut[1], 2):
                work.spend(30)
                is_down = k == -depth or (k != depth and reach[most + k - 1] < reach[most + k + 1])
                x = reach[most + k + 1] if is_down else reach[most + k - 1] + 1
                y = x - k
                x, y = _along(one, two, x, y, is_ahead=is_ahead)
                reach[most + k] = x
                # A path that ran off the end of a text is not followed further.
                if x > size_one:
                    cut[1] += 2
                elif y > size_two:
                    cut[0] += 2
                elif (delta % 2 != 0) == is_ahead:
                    j = most + delta - k
                    if 0 <= j < len(other) and other[j] != -1 and x >= size_one - other[j]:
                        if not is_ahead:
                            x = other[j]
                            y = most + x - j
                        return [
                            *difference(one[:x], two[:y], work),
                            *difference(one[x:], two[y:], work),
                        ]
    return [(-1, one), (1, two)]


def _along(one: str, two: str, x: int, y: int, *, is_ahead: bool) -> tuple[int, int]:
    """The end of the equal stretch from (x, y) on. Unless `is_ahead`, both are counted from the ends of the texts."""
    step = 1 if is_ahead else -1
    size_one, size_two = len(one), len(two)
    while x < size_one and y < size_two:
        a, b = (x, y) if step == 1 else (-x - 1, -y - 1)
        if one[a] != two[b]:
            break
        x, y = x + 1, y + 1
    return x, y


def merged(parts: list[Part]) -> list[Part]:
    """The parts with one edit of each kind at one place, and edits slid together where that makes fewer of them."""
    while True:
        parts, is_changed = _slid(_factored(parts))
        if not is_changed:
            return parts


def _factored(parts: list[Part]) -> list[Part]:
    """The parts with the edits of one place joined. A start or end that both edits share becomes an equal part."""
    out: list[Part] = []
    for edits, equal in _runs(parts):
        old, new = edits
        if old and new:
            head, tail = common_ends(old, new)
            _append(out, 0, new[:head])
            equal = new[len(new) - tail :] + equal
            old, new = old[head : len(old) - tail], new[head : len(new) - tail]
        _append(out, -1, old)
        _append(out, 1, new)
        _append(out, 0, equal)
    return out


def _runs(parts: list[Part]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield ((text that goes, text that comes), equal text below) for each place."""
    old = new = ""
    for mark, text in parts:
        if mark:
            old, new = (old + text, new) if mark < 0 else (old, new + text)
        else:
            yield (old, new), text
            old = new = ""
    yield (old, new), ""


def _append(out: list[Part], mark: int, text: str) -> None:
    if text and out and out[-1][0] == mark == 0:
        out[-1] = 0, out[-1][1] + text
    elif text:
        out.append((mark, text))


def _slid(parts: list[Part]) -> tuple[list[Part], bool]:
    """The parts with each edit slid over an equal part that it begins or ends with, and True if one was."""
    is_changed, at = False, 1
    while at < len(parts) - 1:
        (before, above), (mark, text), (after, below) = parts[at - 1 : at + 2]
        if before == after == 0:
            if text.endswith(above):
                parts[at - 1 : at + 2] = [(mark, above + text[: len(text) - len(above)]), (0, above + below)]
                is_changed = True
            elif text.startswith(below):
                parts[at - 1 : at + 2] = [(0, above + below), (mark, text[len(below) :] + below)]
                is_changed = True
        at += 1
    return parts, is_changed


# The two cleanups of diff-match-patch turn equal parts that are small beside the edits around them into edits.
#
#     "= a" "- bcdef" "= g" "+ hijkl" "= m"      "= a" "- bcdefg" "+ ghijkl" "= m"
#
# Read: diff-match-patch 20241021 (diff_cleanupSemantic, diff_cleanupEfficiency with its cost of 4), and tested beside
# it.

_COST = 4


def semantic(parts: list[Part]) -> list[Part]:
    """The parts without equal parts no longer than the edits beside them.

    The package also slides edits to the borders of words, which lines have none of.
    """
    parts, is_changed = _without_short(list(parts))
    return _with_overlaps(merged(parts) if is_changed else parts)


def _without_short(parts: list[Part]) -> tuple[list[Part], bool]:
    equal: list[int] = []
    """Indices of equal parts that may be dropped."""
    last = ""
    above, below = [0, 0], [0, 0]
    """Characters added and removed above the last equal part, and below it."""
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


def _with_overlaps(parts: list[Part]) -> list[Part]:
    """The parts with an equal part made of the overlap of two edits, if it is half as long as one of them."""
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
    return next((n for n in range(min(len(one), len(two)), 0, -1) if one.endswith(two[:n])), 0)


def efficient(parts: list[Part]) -> list[Part]:
    """The parts without equal parts of under four characters between edits of both kinds."""
    parts = list(parts)
    equal: list[int] = []
    last = ""
    above, below = [False, False], [False, False]
    """True for added and for removed text above the last equal part, and below it."""
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
