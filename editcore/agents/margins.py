"""oh-my-pi's replace mode.

Evidence: read (`modes/replace.ts`, 2026) for matching; the re-indentation is inferred.

    exact    indexOf, unique
    fuzzy    windows of as many lines; a line counts with its depth: |1|return x|, dashes, quotes and spaces as ASCII;
             the mean similarity of the lines must reach 0.95 in one window only
             or be at least 0.97, and 0.08 ahead of the next
    without  the same without depths, if the best window with them reaches 0.8

Policy: best with margin. New lines are shifted by the one difference in indentation, if all lines agree on it. Line
endings: those of the file's first line, throughout.

Known failure: lines are compared by their places in the window, so one missing line costs all those below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from editcore.agents.habits import REPLACED
from editcore.agents.matching import PUNCTUATION, Similarities, Work, places, span, within
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced, several, unchanged
from editcore.text.document import Document
from editcore.text.endings import first_is_crlf, line_feeds, with_crlf
from editcore.text.whitespace import SPACES_AND_TABS, indent, indent_width, indented, trim
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult

# qbit's rule of the margin: the most similar window, if it is far enough ahead of the next.
#
# Evidence: inferred from its two numbers (0.85, 0.02).
#
#     exact      unique
#     similar    windows of as many lines; 1 - Levenshtein distance / longer length of the whole text
#                must reach 0.85, and be 0.02 ahead of every window that does not overlap it
#
# Policy: best with margin. Nothing is re-indented; line endings are not touched.
#
# Known failure: a small search text with one character changed is below 0.85; a long one with a wrong line is above it.


def qbit(text: str, edit: Edit, *, similarity: float = 0.85, margin: float = 0.02) -> EditResult:
    """qbit: exact and unique, else the most similar window, at 0.85 and 0.02 ahead of the next."""
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    if old == new:
        raise unchanged()
    exact = [(at, at + len(old)) for at in places(text, old)]
    if len(exact) > 1:
        raise several(text, exact, "exact")
    if exact:
        return replaced(text, *exact[0], new, "exact")
    find = old.removesuffix("\n")
    document, n_lines = Document(text), find.count("\n") + 1
    scores = _scores(document, find, n_lines, max(similarity - margin, 0.0))
    best = max(scores, key=lambda at: (scores[at], -at), default=None)
    if best is None or scores[best] < similarity:
        raise not_found()
    start, end = span(document, best, n_lines)
    rivals = (at for at in scores if abs(at - best) >= n_lines and scores[best] - scores[at] < margin)
    rival = next(rivals, None)
    if rival is not None:
        raise several(text, sorted([(start, end), span(document, rival, n_lines)]), "similar")
    put = new.removesuffix("\n") if old.endswith("\n") else new
    return replaced(text, start, end, put, "similar", similarity=scores[best])


def _scores(document: Document, find: str, n_lines: int, least: float) -> dict[int, float]:
    """First line -> similarity, of the windows of at least this similarity."""
    lengths = list(accumulate((len(line) + 1 for line in document.lines), initial=0))
    scores, work = {}, Work("qbit's search for the most similar window")
    for at in range(len(document.lines) - n_lines + 1):
        work.spend(20)
        longest = max(lengths[at + n_lines] - lengths[at] - 1, len(find))
        most = int((1 - least) * longest + 1e-9)
        if abs(lengths[at + n_lines] - lengths[at] - 1 - len(find)) > most:
            continue
        distance = within(document.text[slice(*span(document, at, n_lines))], find, most, work)
        if distance is not None and longest:
            scores[at] = 1 - distance / longest
    return scores


QBIT = (
    AgentRule(
        "qbit",
        "qbit",
        "inferred",
        "best_with_margin",
        in_turn(qbit),
        (
            Threshold("similarity", 0, 1, (0.7, 0.8, 0.85, 0.9, 0.95, 1.0), "least similarity of a window"),
            Threshold("margin", 0, 1, (0.0, 0.01, 0.02, 0.05, 0.1, 0.3), "lead over every other window"),
        ),
    ),
)


# oh-my-pi's replace mode.
#
# Evidence: read (`modes/replace.ts`, 2026) for matching; the re-indentation is inferred.
#
#     exact    indexOf, unique
#     fuzzy    windows of as many lines; a line counts with its depth: |1|return x|, dashes, quotes and spaces as ASCII;
#              the mean similarity of the lines must reach 0.95 in one window only
#              or be at least 0.97, and 0.08 ahead of the next
#     without  the same without depths, if the best window with them reaches 0.8
#
# Policy: best with margin. New lines are shifted by the one difference in indentation, if all lines agree on it. Line
# endings: those of the file's first line, throughout.
#
# Known failure: lines are compared by their places in the window, so one missing line costs all those below it.

_FALLBACK, _DOMINANT, _AHEAD = 0.8, 0.97, 0.08


class _Best(NamedTuple):
    score: float
    line: int
    second: float
    n_above: int


def _depths(lines: Sequence[str]) -> list[int]:
    """How many steps each line is indented more than the least indented one; 0 for a blank line."""
    widths = [indent_width(line, None) for line in lines]
    filled = [width for line, width in zip(lines, widths, strict=True) if trim(line)]
    least = min(filled, default=0)
    unit = min((width - least for width in filled if width > least), default=1)
    return [int((width - least) / unit + 0.5) if trim(line) else 0 for line, width in zip(lines, widths, strict=True)]


def _compared(lines: Sequence[str], folded: Iterable[str], *, by_depth: bool) -> list[str]:
    if not by_depth:
        return [f"|{line}" for line in folded]
    return [f"{depth}|{line}" for depth, line in zip(_depths(lines), folded, strict=True)]


def _folded(line: str) -> str:
    return " ".join(line.translate(PUNCTUATION).split())


def _best(document: Document, find: Sequence[str], threshold: float, work: Work, *, by_depth: bool) -> _Best:
    """The most similar window, the next score, and how many windows reach the threshold; below 0.8 scores are 0."""
    folded, size = [_folded(line) for line in document.lines], len(find)
    wanted = _compared(find, map(_folded, find), by_depth=by_depth)
    similarities = Similarities(work)
    best = _Best(0.0, -1, 0.0, 0)
    for at in range(len(folded) - size + 1):
        work.spend(60 * size if by_depth else 20 * size)
        window = _compared(document.lines[at : at + size], folded[at : at + size], by_depth=by_depth)
        total, left = 0.0, size * (1 - _FALLBACK) + 1e-6
        for ours, theirs in zip(wanted, window, strict=True):
            one = similarities.of(ours, theirs)
            total += one
            left -= 1 - one
            if left < 0:
                break
        else:
            score, n_above = total / size, best.n_above + (total / size >= threshold)
            if score > best.score:
                best = _Best(score, at, best.score, n_above)
            else:
                best = best._replace(second=max(best.second, score), n_above=n_above)
    return best


def _shifted(window: Sequence[str], find: Sequence[str], new: str) -> str:
    """The new text with the one difference in indentation between file and search text; as it is if there is none."""
    pairs = {
        (indent(theirs, SPACES_AND_TABS), indent(ours, SPACES_AND_TABS))
        for theirs, ours in zip(window, find, strict=True)
        if trim(ours)
    }
    more = {theirs.removesuffix(ours) if theirs.endswith(ours) else None for theirs, ours in pairs}
    less = {ours.removesuffix(theirs) if ours.endswith(theirs) else None for theirs, ours in pairs}
    if len(more) == 1 and None not in more:
        return "\n".join(indented(new.split("\n"), more.pop() or ""))
    if len(less) == 1 and None not in less:
        return "\n".join(line.removeprefix(next(iter(less)) or "") for line in new.split("\n"))
    return new


def oh_my_pi(text: str, edit: Edit, *, similarity: float = 0.95) -> EditResult:
    """oh-my-pi: exact and unique, else the only window of lines whose mean similarity, with depths, reaches 0.95."""
    crlf = first_is_crlf(text)
    text, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
    if not old:
        raise nothing_sought()
    if old == new:
        raise unchanged()
    content, step = _replaced(text, old, new, similarity, replace_all=edit.replace_all)
    return Applied(with_crlf(content, crlf), (), step)


def _replaced(text: str, old: str, new: str, threshold: float, *, replace_all: bool) -> tuple[str, str]:
    found = places(text, old)
    if len(found) > 1 and not replace_all:
        raise several(text, [(at, at + len(old)) for at in found], "exact")
    if found:
        return text.replace(old, new), "exact"
    document, find, work = Document(text), old.split("\n"), Work("oh-my-pi's mean similarity")
    step, best = "fuzzy", _best(document, find, threshold, work, by_depth=True)
    if _FALLBACK <= best.score < threshold:
        step, best = "fuzzy_without_depth", _best(document, find, threshold, work, by_depth=False)
    if best.score < threshold:
        raise not_found()
    start, end = span(document, best.line, len(find))
    if best.n_above > 1 and not (best.score >= _DOMINANT and best.score - best.second >= _AHEAD):
        raise several(text, [(start, end)], step)
    window = document.lines[best.line : best.line + len(find)]
    return text[:start] + _shifted(window, find, new) + text[end:], step


OH_MY_PI = (
    AgentRule(
        "oh_my_pi",
        "oh-my-pi 2026",
        "read",
        "best_with_margin",
        in_turn(oh_my_pi),
        (Threshold("similarity", 0, 1, (0.8, 0.85, 0.9, 0.95, 0.98, 1.0), "least mean similarity of a window"),),
        source=Source("2026", "can1357/oh-my-pi packages/coding-agent, modes/replace.ts", None),
        on_bytes=Declared(
            REPLACED,
            Source(
                "2026-01-19",
                "can1357/oh-my-pi packages/coding-agent/src/core/tools/edit.ts (text() of a Bun file)",
                "adad196f",
            ),
        ),
    ),
)
