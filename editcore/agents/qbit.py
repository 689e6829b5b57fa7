"""qbit's rule of the margin: the most similar window, if it is far enough ahead of the next.

Evidence: inferred from its two numbers (0.85, 0.02).

    exact      unique
    similar    windows of as many lines; 1 - Levenshtein distance / longer length of the whole text
               must reach 0.85, and be 0.02 ahead of every window that does not overlap it

Policy: best with margin. Nothing is re-indented; line endings are not touched.

Known failure: a small search text with one character changed is below 0.85; a long one with a wrong line is above it.
"""

from __future__ import annotations

from itertools import accumulate

from editcore.agents.matching import Work, places, span, within
from editcore.agents.rule import AgentRule, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced, several, unchanged
from editcore.text.document import Document
from editcore.thresholds import Threshold
from editcore.types import Edit, EditResult


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
