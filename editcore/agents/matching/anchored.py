"""The block between two anchor lines that is most like the search text; two blank lines are alike."""

from __future__ import annotations

from bisect import bisect_left

from editcore.agents.matching.similarity import Similarities
from editcore.agents.matching.work import Work
from editcore.text.document import Document
from editcore.text.whitespace import trim


def anchored_block(
    document: Document, find: str, work: Work, *, single: float, several: float, window: float | None = None
) -> str | None:
    """The block of lines that begins and ends like the search text, and whose middle is alike enough; the best one.

    `single` is the least mean similarity of middle lines, by position, where one pair of anchors is there; `several`
    where there are more. `window` is the share of the lines by which a block may be longer or shorter.
    """
    wanted = [trim(line) for line in find.removesuffix("\n").split("\n")]
    if len(wanted) < 3:
        return None
    pairs = _pairs(document, wanted)
    if window is not None:
        most = max(1, int(len(wanted) * window))
        pairs = [(first, last) for first, last in pairs if abs(last - first + 1 - len(wanted)) <= most]
    similarities = Similarities(work)
    best: tuple[int, int] | None = None
    highest = -1.0
    for first, last in pairs:
        n_middle = min(len(wanted) - 2, last - first - 1)
        work.spend(n_middle)
        middle = zip(document.trimmed[first + 1 : first + 1 + n_middle], wanted[1:], strict=False)
        similarity = sum(similarities.of(*pair) for pair in middle) / n_middle if n_middle else 1.0
        if similarity > highest:
            best, highest = (first, last), similarity
    if best is None or highest < (single if len(pairs) == 1 else several):
        return None
    return document.text[document.starts[best[0]] : document.starts[best[1] + 1] - 1]


def _pairs(document: Document, wanted: list[str]) -> list[tuple[int, int]]:
    """Each line like the first one with the nearest line like the last one, two or more lines below."""
    ends = [n for n, line in enumerate(document.trimmed) if line == wanted[-1]]
    pairs = []
    for first, line in enumerate(document.trimmed):
        if line == wanted[0] and (at := bisect_left(ends, first + 2)) < len(ends):
            pairs.append((first, ends[at]))
    return pairs
