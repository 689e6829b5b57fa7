"""Agents that replace the most similar window of lines, if it leads the next one by a margin.

qbit       exact; windows of as many lines as the search text: 1 - Levenshtein distance / longer length of the whole
           text must reach 0.85, and lead every window that does not overlap it by 0.02
oh_my_pi   exact; windows of as many lines, each line folded and with its depth: |1|return x|. The mean similarity
           of the lines must reach 0.95 in one window only, or 0.97 and lead the next one by 0.08. If the best
           window has at least 0.8, the same is tried without depths. New lines are shifted by the one difference
           in indentation, if all lines agree on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from editcore.agents.matching import PUNCTUATION, Similarities, Work, span, within
from editcore.agents.rule import Rule
from editcore.agents.runner import CRLF_IF_FIRST, Found, Given, Steps, exact, several, that_differ
from editcore.text.document import Document
from editcore.text.whitespace import SPACES_AND_TABS, indent, indent_width, indented, trim


def _similar(given: Given) -> Found | None:
    similarity, margin = given.limits["similarity"], given.limits["margin"]
    find, document = given.old.removesuffix("\n"), given.document
    n_lines = find.count("\n") + 1
    scores = _scores(document, find, n_lines, max(similarity - margin, 0.0))
    best = max(scores, key=lambda at: (scores[at], -at), default=None)
    if best is None or scores[best] < similarity:
        return None
    place = span(document, best, n_lines)
    rivals = (at for at in scores if abs(at - best) >= n_lines and scores[best] - scores[at] < margin)
    rival = next(rivals, None)
    if rival is not None:
        raise given.several(sorted([place, span(document, rival, n_lines)]))
    new = given.new.removesuffix("\n") if given.old.endswith("\n") else given.new
    return Found([place], new, similarity=scores[best])


def _scores(document: Document, find: str, n_lines: int, least: float) -> dict[int, float]:
    """First line -> similarity, for each window whose similarity is at least `least`."""
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


_FALLBACK, _DOMINANT, _AHEAD = 0.8, 0.97, 0.08


class _Best(NamedTuple):
    score: float
    line: int
    second: float
    n_above: int


def _depths(lines: Sequence[str]) -> list[int]:
    """The number of levels by which each line is indented more than the least indented one; 0 for a blank line."""
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
    """The most similar window, the second score, and the number of windows that reach the threshold.

    A score below 0.8 counts as 0.
    """
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
    """The new text shifted by the one difference in indentation of window and search text; unchanged without one."""
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


def _fuzzy(given: Given) -> Found | None:
    threshold, document, find = given.limits["similarity"], given.document, given.old.split("\n")
    work = Work("oh-my-pi's mean similarity")
    step, best = "fuzzy", _best(document, find, threshold, work, by_depth=True)
    if _FALLBACK <= best.score < threshold:
        step, best = "fuzzy_without_depth", _best(document, find, threshold, work, by_depth=False)
    if best.score < threshold:
        return None
    place = span(document, best.line, len(find))
    if best.n_above > 1 and not (best.score >= _DOMINANT and best.score - best.second >= _AHEAD):
        raise several(given.text, [place], step)
    window = document.lines[best.line : best.line + len(find)]
    return Found([place], _shifted(window, find, given.new), step)


RULES: dict[str, Rule] = {
    "qbit": Steps({"exact": exact, "similar": _similar}, {"similarity": 0.85, "margin": 0.02}, takes_every=False),
    "oh_my_pi": Steps(
        {"exact": exact, "fuzzy": _fuzzy}, {"similarity": 0.95}, that_differ(CRLF_IF_FIRST), refuses=("empty",)
    ),
}
