"""Warp's search and replace and its envelopes, described from its source. Both compare windows of whole lines:

    numbers        12|a = 1     of the first and the last line of the search text state where to search; all are removed
    exact          |a|b|
    indentation    |  a|    b|  without whitespace at the left
    prefix         |a|b = |     the last line of the search text may be the beginning of a line, if lines are stated
    similar        Jaro-Winkler of the whole windows without indentation, at least 0.9
    substring      a part of one line, ten characters or longer, that occurs once in the file

Each step takes the best window beside the stated lines, else the best window of the file: the most similar; of equal
ones, the one nearest to the stated lines, else the first. Uniqueness is never asked for. Where the last line of the
search text is the beginning of a line, the rest of that line is kept. All edits are placed in the file as it was. One
that overlaps the one above it is dropped in silence.

A hunk of an envelope is placed by `exact`, `indentation` and `similar`, below a line that begins like its `@@` line.
Only its lines from the first to the last changed one are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, eq
from typing import NamedTuple

from rapidfuzz.distance.JaroWinkler import similarity as jaro_winkler

from editcore.agents.envelopes.codex import applied
from editcore.agents.envelopes.sections import Tree
from editcore.agents.matching import Work
from editcore.agents.rule import Rule
from editcore.agents.runner import not_found, nothing_happened, unchanged
from editcore.patches.codex import lines_not_found
from editcore.patches.placing.policy import n_context
from editcore.patches.reading.envelope import parse_codex
from editcore.text.endings import first_is_crlf, line_feeds, with_crlf
from editcore.types import Applied, Edit, EditResult, FilePatch, Hunk, Landing

_NUMBERED = re.compile(r"(\d{1,18})\|")
_SHORTEST_PART = 10
_ABOVE, _BELOW = 1, 3
"""Lines above and below the stated ones that are searched first."""

Score = Callable[[Sequence[str], Sequence[str]], float]
"""(lines of the search text, window) -> similarity."""


class _Delta(NamedTuple):
    first: int
    """0-based."""
    end: int
    lines: list[str]
    step: str


def _lines(text: str) -> list[str]:
    """The lines as Rust's `lines` gives them; one blank line of an empty text."""
    return line_feeds(text).removesuffix("\n").split("\n")


def _is_same(find: Sequence[str], window: Sequence[str]) -> bool:
    return all(one.lstrip() == other.lstrip() for one, other in zip(find, window, strict=True))


def _is_prefix(one: str, other: str) -> bool:
    """True if a line is the beginning of a longer one, indentation aside."""
    one, other = one.lstrip(), other.lstrip()
    return bool(one) and len(other) > len(one) and other.startswith(one)


def _ends_in_prefix(find: Sequence[str], window: Sequence[str]) -> bool:
    return _is_same(find[:-1], window[:-1]) and _is_prefix(find[-1], window[-1])


def _similar(least: float, work: Work) -> Score:
    def score(find: Sequence[str], window: Sequence[str]) -> float:
        one, other = ("\n".join([line.lstrip() for line in some]) for some in (find, window))
        work.spend(100 + len(one) * len(other) // 64)
        return jaro_winkler(one, other, score_cutoff=least)

    return score


def _stated(find: str, n_lines: int) -> tuple[tuple[int, int] | None, list[str]]:
    """The stated lines, 0-based and with the end excluded, and the lines of the search text without numbers."""
    lines = _lines(find)
    numbers = [_NUMBERED.match(line) for line in lines]
    if not (numbers[0] and numbers[-1]):
        return None, lines
    start, end = int(numbers[0][1]) - 1, int(numbers[-1][1])
    lines = [line[number.end() :] if number else line for line, number in zip(lines, numbers, strict=True)]
    return ((start, end) if 0 <= start < n_lines and start < end <= n_lines else None), lines


def _best(lines: Sequence[str], find: Sequence[str], score: Score, stated: tuple[int, int] | None) -> int | None:
    """The first line of the best window, among the stated lines if there is one."""
    ranges = [range(len(lines) - len(find) + 1)]
    if stated:
        top, bottom = max(stated[0] - _ABOVE, 0), min(stated[1] + _BELOW, len(lines))
        ranges.insert(0, range(top, bottom - len(find) + 1))
    for starts in ranges:
        scored = [(score(find, lines[at : at + len(find)]), at) for at in starts]
        found = [(-one, abs(at - stated[0]) if stated else 0, at) for one, at in scored if one]
        if found:
            return min(found)[2]
    return None


def _placed(lines: Sequence[str], edit: Edit, least: float, work: Work) -> _Delta | None:
    """The place of an edit and its new lines; None if nothing would change. Raises PatchError without a place."""
    new = [_NUMBERED.sub("", line, count=1) for line in _lines(edit.new_string)]
    if not edit.old_string:
        return _Delta(0, 0, new, "top")
    stated, find = _stated(edit.old_string, len(lines))
    if find == new:
        return None
    steps: dict[str, Score] = {
        "exact": eq,
        "indentation": _is_same,
        "prefix": lambda find, window: stated is not None and _ends_in_prefix(find, window),
        "similar": _similar(least, work),
    }
    for step, score in steps.items():
        work.spend((20 + len(find)) * len(lines))
        at = _best(lines, find, score, stated)
        if at is None:
            continue
        end = at + len(find)
        if lines[at:end] == new:
            return None
        last = lines[end - 1].lstrip()
        if _is_prefix(find[-1], last) and (len(find) == len(new) or find[-1].lstrip() == new[-1].lstrip()):
            new[-1] += last[len(find[-1].lstrip()) :]
        return _Delta(at, end, new if new != [""] else [], step)
    return _part(lines, find, new)


def _part(lines: Sequence[str], find: Sequence[str], new: Sequence[str]) -> _Delta | None:
    text = "\n".join(find)
    at = [n for n, line in enumerate(lines) if text in line]
    if len(text) < _SHORTEST_PART or not text.strip() or len(at) != 1 or lines[at[0]].count(text) != 1:
        raise not_found()
    line = lines[at[0]].replace(text, "\n".join(new))
    return None if line == lines[at[0]] else _Delta(at[0], at[0] + 1, line.split("\n"), "substring")


def _written(text: str, lines: Sequence[str], deltas: Sequence[_Delta]) -> str:
    """The text with its lines replaced. Of two changes that overlap, the lower one is dropped."""
    out, done = list[str](), 0
    for one in sorted(deltas, key=attrgetter("first")):
        if one.first >= done:
            out += [*lines[done : one.first], *one.lines]
            done = one.end
    new = "\n".join([*out, *lines[done:]])
    return with_crlf(new + "\n" * (text.endswith("\n") and new != ""), first_is_crlf(text))


def warp(text: str, edits: Sequence[Edit], *, similarity: float = 0.9) -> EditResult:
    """Warp's rule. An edit that is not found refuses all."""
    lines, work = _lines(text), Work("Warp's search for the most similar window")
    deltas = list(filter(None, [_placed(lines, edit, similarity, work) for edit in edits]))
    if not deltas:
        raise nothing_happened(edits)
    return Applied(_written(text, lines, deltas), (), max(deltas, key=attrgetter("first")).step)


def warp_patch(files: Mapping[str, str], patch: str, *, similarity: float = 0.9) -> EditResult:
    """Warp's rule for envelopes, all or nothing. They are read as Codex reads them."""
    work = Work("Warp's search for the most similar window")

    def updated(text: str, section: FilePatch, tree: Tree) -> str:
        lines, deltas = _lines(text), list[_Delta]()
        for number, hunk in enumerate(section.hunks, 1):
            delta = _hunk(lines, hunk, section.path, similarity, work)
            deltas += [delta] if delta.lines != lines[delta.first : delta.end] else []
            tree.landings.append(Landing(section.path, number, delta.first + 1, delta.step))
        if not deltas and section.move_to is None:
            raise unchanged()
        return _written(text, lines, deltas)

    return applied(files, parse_codex(patch), updated, in_part=False)


def _hunk(lines: Sequence[str], hunk: Hunk, path: str, least: float, work: Work) -> _Delta:
    """The lines that a hunk changes, without its context. Raises PatchError if it has no place."""
    old, new, first = hunk.old, hunk.new, 0
    for anchor in filter(None, map(str.strip, hunk.anchors)):
        named = (n for n in range(first, len(lines)) if lines[n].lstrip().startswith(anchor))
        first = next(named, len(lines)) + 1
    rest = lines[first:]
    scores: dict[str, Score] = {"exact": eq, "indentation": _is_same, "similar": _similar(least, work)}
    work.spend(3 * (20 + len(old)) * len(rest))
    places = ((_best(rest, old, score, None), step) for step, score in scores.items() if old)
    at, step = next((one for one in places if one[0] is not None), (None if old else 0, "top"))
    if at is not None and first <= len(lines):
        above = n_context(hunk.lines)
        below = n_context(hunk.lines[::-1]) if above < len(hunk.lines) else 0
        return _Delta(first + at + above, first + at + len(old) - below, new[above : len(new) - below], step)
    raise lines_not_found(old, path, hunk.patch_line)


RULES: dict[str, Rule] = {"warp": warp, "warp_patch": warp_patch}
