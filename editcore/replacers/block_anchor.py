"""Replacers that compare the first and the last line: `block_anchor`, `context_aware`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, islice
from math import ceil, floor

from editcore.replacers.search import Pair, search
from editcore.text import distances
from editcore.text.document import Document, lines_trimmed_to
from editcore.text.whitespace import trim

_LONG, _HINT = 256, 31
"""For lines of at least this many characters, the edit distance is first computed up to this many edits."""
_ENORMOUS, _PIECE = 16_384, 4_096
"""Lines longer than this are compared in pieces of this many characters, since exact distances take seconds."""
_MANY, _VERY_MANY = 16, 512
"""For more pairs than this, lines are trimmed once for the document, and comparisons are remembered."""
_WORK, _WORK_PER_LINE = 20_000, 50
"""Work on choosing among many pairs: at most so many comparisons of lines, and so many for each line of both texts."""
_CELLS = 8_192
"""Cells of an edit distance that are as much work as one comparison."""
_REMEMBERED = 100_000
"""Comparisons of two lines that are remembered, at most."""
_MAX_RUNS, _UNIT = 8, 1 << 30
"""Upper bounds are computed for a search text of at most so many runs of equal lines, in units of 1 / 2**30."""


def block_anchor(
    document: Document, find: str, *, single_similarity: float = 0.0, several_similarity: float = 0.3,
    size_window: float | None = None, anchor_rarity: float = 0.0,
) -> Iterator[str]:  # fmt: skip
    """The block that begins and ends like the search text, line by line trimmed, and is most like it; one at most.

    Forgives anything between the anchors (the first and the last line), within the thresholds. Third in the order.
    For a search text of three lines or more. Each line equal to the first anchor is paired with the nearest last
    anchor two or more lines below. The only pair needs `single_similarity`, the best of several pairs
    `several_similarity`. With a `size_window` of 0.25, only blocks within a quarter of the search text's line count
    (at least one line) are pairs at all. With an `anchor_rarity` of 0.2, one of the two anchors must match no more
    than five lines of the document, so that `}` alone anchors nothing. Similarity is the mean over middle lines, by
    position, of 1 - edit distance / longer length, in code points; 0 for a pair of blank lines, 1 without a middle.
    Where thousands of long blocks share one last anchor, comparing all of them could take time quadratic in the text:
    if more than 16 pairs need over 20,000 comparisons, plus 50 for each line of both texts, nothing is offered.

        find     |def f():         content  |def f():
                 |    x = 1                 |    x = 2
                 |    return x              |    return x        <- all three lines

    Known false positive: nothing is compared when the search text is two lines and a line feed.

        find     |start            content  |start
                 |end                       |IMPORTANT           <- deleted
                 |                          |end
    """
    sought = search(document, find)
    pairs = sought.anchor_pairs()
    n_lines = len(sought.wanted)
    if size_window is not None:
        slack = max(1, floor(n_lines * size_window))
        pairs = [pair for pair in pairs if abs(pair.n_lines - n_lines) <= slack]
    if not pairs or (anchor_rarity > 0 and not _rare(document, sought.wanted, anchor_rarity)):
        return
    text = document.text
    if len(pairs) == 1:
        pair = pairs[0]
        if single_similarity <= 0 or _reaches(text[pair.start : pair.end], sought.wanted, single_similarity):
            yield text[pair.start : pair.end]
        return
    best = _most_similar(document, pairs, sought.wanted, several_similarity)
    if best is not None:
        yield text[best.start : best.end]


def _rare(document: Document, wanted: list[str], rarity: float) -> bool:
    most = floor(1 / rarity + 1e-9)
    return any(
        sum(1 for _ in islice(lines_trimmed_to(document.text, anchor), most + 1)) <= most
        for anchor in {wanted[0], wanted[-1]}
    )


def block_similarity(block: str, find: str) -> float:
    """How alike the middles of two blocks of lines are, as `block_anchor` measures it; 0 to 1."""
    wanted = [trim(line) for line in find.split("\n")]
    if not find or find.endswith("\n"):
        wanted.pop()
    lines = block.split("\n")
    n_middle = min(len(wanted), len(lines)) - 2
    return _similarity(lines[1 : n_middle + 1], wanted) if n_middle > 0 else 1.0


def _term(line: str, wanted: str) -> float:
    """1 for equal trimmed lines, 0 for two blank ones."""
    line = trim(line)
    if line == wanted:
        return 1.0 if line else 0.0
    longer = max(len(line), len(wanted))
    return 1 - _distance(line, wanted) / longer


def _distance(line: str, wanted: str) -> int:
    """Levenshtein's distance in code points; of enormous lines the sum over pieces, which is no less."""
    length = max(len(line), len(wanted))
    if length <= _ENORMOUS:
        # The hint makes long, similar lines linear; for short ones it would only cost.
        hint = _HINT if length > _LONG else None
        return distances.edit_distance(line, wanted, score_hint=hint)
    return sum(
        distances.edit_distance(line[at : at + _PIECE], wanted[at : at + _PIECE]) for at in range(0, length, _PIECE)
    )


def _reaches(block: str, wanted: list[str], threshold: float) -> bool:
    """True if the only pair is similar enough: term / count, added line by line until it is.

    Not the mean: the order of the additions is observable at the threshold.
    """
    lines = block.split("\n")
    n_middle = min(len(wanted), len(lines)) - 2
    if n_middle <= 0:
        return True
    total = 0.0
    for n in range(1, n_middle + 1):
        total += _term(lines[n], wanted[n]) / n_middle
        if total >= threshold:
            return True
    return False


def _similarity(middle: Sequence[str], wanted: list[str], least: float = 0.0) -> float:
    """The terms added in order, then divided by their count; -1 as soon as it is certain to be less than `least`."""
    total, n_middle = 0.0, len(middle)
    # What may still be lost: blank wanted lines count 0 against any line. The margin is for rounding.
    slack = sum(map(bool, wanted[1 : n_middle + 1])) - least * n_middle + 1e-6
    for line, sought in zip(middle, wanted[1:], strict=False):
        if sought:
            term = _term(line, sought)
            total += term
            slack -= 1 - term
            if slack < 0:
                return -1.0
    return total / n_middle


class _Comparisons:
    """Comparisons with one search text; equal lines are compared once, and the work is bounded."""

    __slots__ = ("_terms", "_wanted", "left")

    def __init__(self, wanted: list[str], n_lines: int) -> None:
        self._wanted = wanted
        self._terms: dict[tuple[str, str], float] = {}
        self.left = _WORK + _WORK_PER_LINE * (n_lines + len(wanted))
        """The work that may still be done; negative once that was too much."""

    def similarity(self, middle: Sequence[str], least: float) -> float:
        wanted, terms = self._wanted, self._terms
        total, n_middle = 0.0, len(middle)
        slack = sum(map(bool, wanted[1 : n_middle + 1])) - least * n_middle + 1e-6
        n = 0
        for n, pair in enumerate(zip(middle, wanted[1:], strict=False), 1):
            if pair[1]:
                term = terms.get(pair)
                if term is None:
                    term = self._compared(pair)
                total += term
                slack -= 1 - term
                if slack < 0 or n > self.left:
                    total = -n_middle
                    break
        # The slices and counts above are work too, though little for each line.
        self.left -= n + n_middle // 8
        return total / n_middle

    def upper_term(self, line: str, wanted: str) -> int:
        """The term of two trimmed lines in units, rounded up."""
        pair = line, wanted
        term = self._terms.get(pair)
        return ceil((self._compared(pair) if term is None else term) * _UNIT)

    def _compared(self, pair: tuple[str, str]) -> float:
        self.left -= len(pair[0]) * len(pair[1]) // _CELLS
        term = _term(*pair)
        if len(self._terms) < _REMEMBERED:
            self._terms[pair] = term
        return term


class _UpperBounds:
    """Similarities that no pair's is above, from running sums of the terms of each distinct wanted line.

    A run of equal wanted lines costs a pair two look-ups, however long it is. The sums are whole numbers, each term
    rounded up, so that rounding rules no pair out.
    """

    __slots__ = ("_runs",)

    def __init__(self, runs: list[tuple[int, int, str]], lines: Sequence[str], comparisons: _Comparisons) -> None:
        sums = {
            wanted: list(accumulate((comparisons.upper_term(line, wanted) for line in lines), initial=0))
            for wanted in {text for _, _, text in runs}
        }
        self._runs = [(start, end, sums[wanted]) for start, end, wanted in runs]

    def similarity(self, pair: Pair, n_lines: int) -> float:
        first, n_middle = pair.first_line + 1, min(n_lines, pair.n_lines) - 2
        if n_middle <= 0:
            return 1.0
        total = 0
        for start, end, sums in self._runs:
            if start >= n_middle:
                break
            total += sums[first + min(end, n_middle)] - sums[first + start]
        return total / (_UNIT * n_middle)


def _upper_bounds(
    pairs: list[Pair], wanted: list[str], lines: Sequence[str], comparisons: _Comparisons
) -> _UpperBounds | None:
    """Upper bounds, where they are less work than the comparisons that they may save."""
    runs: list[tuple[int, int, str]] = []
    start = 0
    for text, equal in groupby(wanted[1:-1]):
        end = start + sum(1 for _ in equal)
        if text:
            runs.append((start, end, text))
        start = end
        if len(runs) > _MAX_RUNS:
            return None
    n_compared = sum(min(pair.n_lines, len(wanted)) for pair in pairs)
    return _UpperBounds(runs, lines, comparisons) if n_compared > 2 * _MAX_RUNS * len(lines) else None


def _most_similar(document: Document, pairs: list[Pair], wanted: list[str], least: float) -> Pair | None:
    """The first of the most similar pairs, if it reaches `least`; None if choosing among many is too much work.

    Pairs of the highest bound and the right size are compared first, so that most others are given up early; of very
    many, equal middles are compared once.
    """
    n_lines = len(wanted)
    lines = document.trimmed if len(pairs) > _MANY else document.lines
    comparisons = _Comparisons(wanted, len(lines)) if len(pairs) > _MANY else None
    best, highest = None, least
    bounds = None if comparisons is None else _upper_bounds(pairs, wanted, lines, comparisons)
    known: dict[tuple[str, ...], float] | None = {} if len(pairs) > _VERY_MANY else None
    upper = [1.0] * len(pairs) if bounds is None else [bounds.similarity(pair, n_lines) for pair in pairs]
    for index in sorted(range(len(pairs)), key=lambda index: (-upper[index], abs(pairs[index].n_lines - n_lines))):
        if upper[index] < highest - 1e-9:
            break
        pair = pairs[index]
        n_middle = min(n_lines, pair.n_lines) - 2
        middle = lines[pair.first_line + 1 : pair.first_line + 1 + n_middle] if n_middle > 0 else []
        if not middle:
            similarity = 1.0
        elif comparisons is None:
            similarity = _similarity(middle, wanted, highest)
        elif known is None:
            similarity = comparisons.similarity(middle, highest)
        else:
            key = tuple(middle)
            if key not in known:
                known[key] = comparisons.similarity(middle, highest)
            similarity = known[key]
            comparisons.left -= n_middle // 8
        if comparisons is not None and comparisons.left < 0:
            return None
        if similarity > highest or (similarity == highest and (best is None or index < best)):
            best, highest = index, similarity
    return None if best is None else pairs[best]


def context_aware(document: Document, find: str) -> Iterator[str]:
    """Every block as long as the search text that begins and ends like it, trimmed, and is at least half equal.

    Forgives half of the middle lines. Eighth in the order. For a search text of three lines or more. Each line equal
    to the first anchor is paired with the nearest last anchor two or more lines below; of the middle lines that
    are not blank in both, half must be equal once trimmed.

        find     |def f():         content  |def f():
                 |    x = 1                 |    x = 1
                 |    y = 2                 |    y = 3
                 |    return                |    return          <- all four lines

    Known false positive: lines that the search text has wrong are overwritten too.

        find     |open             content  |open
                 |keep = 1                  |keep = 1
                 |log(42)                   |drop_tables()       <- gone
                 |close                     |close
    """
    sought = search(document, find)
    text, wanted = document.text, sought.wanted
    for pair in sought.anchor_pairs():
        if pair.n_lines == len(wanted):
            block = text[pair.start : pair.end]
            if _half_equal(block.split("\n")[1:-1], wanted[1:-1]):
                yield block


def _half_equal(lines: list[str], wanted: list[str]) -> bool:
    n_equal = n_compared = 0
    for line, sought in zip(lines, wanted, strict=True):
        line = trim(line)
        if line or sought:
            n_compared += 1
            n_equal += line == sought
    return n_compared == 0 or n_equal / n_compared >= 0.5
