"""What rules of several agents share: bounded work, similarity, windows of lines, look-alike characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from rapidfuzz.distance.Levenshtein import distance

from editcore.errors import PatchError
from editcore.text.document import Document
from editcore.text.keys import normal_form
from editcore.text.line_index import occurrences
from editcore.text.whitespace import WHITESPACE, WORD, trim, words
from editcore.types import Reason

# Bounded work: a rule that compares every window of a file with the search text is stopped before it takes long.

STEPS = 20_000_000
"""Steps that a rule may take; a step is about ten nanoseconds."""


class Work:
    """The work that may still be done for one edit."""

    __slots__ = ("_left", "_rule")

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._left = STEPS

    def spend(self, steps: int) -> None:
        """Count some steps. Raises PatchError, which names the rule, if too many were spent."""
        self._left -= steps
        if self._left < 0:
            raise PatchError(
                f"{self._rule} would take over {STEPS:,} steps to compare old_string with this file: "
                "give a shorter old_string.",
                reason=Reason.TOO_LARGE,
            )


# Similarity of two texts by Levenshtein's distance, in bounded work.

_REMEMBERED = 50_000
_BITS = 64
"""Cells of an edit distance that one step computes."""


def within(one: str, other: str, most: int, work: Work) -> int | None:
    """Levenshtein's distance of two texts in code points; None if it is more than `most`."""
    if one == other:
        return 0
    if most <= 0 or abs(len(one) - len(other)) > most:
        return None
    shorter, longer = sorted((len(one), len(other)))
    work.spend(50 + longer // 8 + longer * min(shorter, 2 * most + _BITS) // _BITS)
    found = distance(one, other, score_cutoff=most)
    return None if found > most else found


class Similarities:
    """Similarities of pairs of lines, 1 - distance / longer length, each computed once."""

    __slots__ = ("_known", "_least", "_work")

    def __init__(self, work: Work, *, least: float = 0.0) -> None:
        self._work = work
        self._least = least
        self._known: dict[tuple[str, str], float] = {}

    def of(self, one: str, other: str) -> float:
        """The similarity of two lines; 0 if it is less than the least that counts."""
        if one == other:
            return 1.0
        self._work.spend(10)
        known = self._known.get((one, other))
        if known is None:
            self._work.spend(100)
            longest = max(len(one), len(other))
            found = within(one, other, int((1 - self._least) * longest + 1e-9), self._work)
            known = 0.0 if found is None else 1 - found / longest
            if len(self._known) < _REMEMBERED:
                self._known[one, other] = known
        return known


# A window is as many successive lines of a file as the search text has.


def span(document: Document, first: int, n_lines: int) -> tuple[int, int]:
    """The offsets of a window: the start of its first line, and the end of its last line before the line feed."""
    return document.starts[first], document.starts[first + n_lines] - 1


def places(text: str, find: str) -> list[int]:
    """The ascending offsets of `find` in `text`, without overlap. `find` must not be empty."""
    found = []
    at = text.find(find)
    while at >= 0:
        found.append(at)
        at = text.find(find, at + len(find))
    return found


# Unlike the replacer `block_anchor`, the search for a block between anchors takes two blank lines for equal.


def anchored_block(
    document: Document, find: str, work: Work, *, single: float, several: float, window: float | None = None
) -> str | None:
    """The most similar block of lines that begins and ends like the search text; None if its middle is not similar
    enough.

    `single` is the least mean similarity of middle lines, by position, if the text has one pair of anchors; `several`
    if it has more. `window` is the share of the lines by which a block may be longer or shorter.
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
    """Each line that equals the first wanted one, with the nearest line two or more below that equals the last."""
    ends = [n for n, line in enumerate(document.trimmed) if line == wanted[-1]]
    pairs = []
    for first, line in enumerate(document.trimmed):
        if line == wanted[0] and (at := bisect_left(ends, first + 2)) < len(ends):
            pairs.append((first, ends[at]))
    return pairs


def standing(candidates: Iterable[str], text: str, work: Work | None = None) -> Iterator[str]:
    seen: set[str] = set()
    for one in candidates:
        if one and one not in seen:
            seen.add(one)
            if work:
                work.spend(10 + len(text) // 64)
            if one in text:
                yield one


# Folding: characters that look alike become ASCII, with the way back to the offsets of the text.

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f"
SPACES = "\xa0" + "".join(map(chr, range(0x2002, 0x200B))) + "\u202f\u205f\u3000"

PUNCTUATION: Mapping[int, str] = str.maketrans(
    dict.fromkeys(DASHES, "-")
    | dict.fromkeys(SINGLE_QUOTES, "'")
    | dict.fromkeys(DOUBLE_QUOTES, '"')
    | dict.fromkeys(SPACES, " ")
)
"""Dashes, quotation marks and spaces, each as one ASCII character."""


class Folded:
    """A text in which some characters are replaced by one or more others, and the way back to its offsets."""

    __slots__ = ("_offsets", "text")

    def __init__(self, text: str, table: Mapping[int, str]) -> None:
        self.text = text.translate(table)
        self._offsets: list[int] | None = None
        if len(self.text) != len(text) or any(len(one) != 1 for one in table.values()):
            self._offsets = list(accumulate((len(table.get(ord(one), one)) for one in text), initial=0))

    def offset(self, at: int) -> int:
        """The offset in the text for offset `at` in the folded text. Within a replaced character: of the next one."""
        return at if self._offsets is None else bisect_left(self._offsets, at)

    def first(self, at: int) -> int:
        """The offset in the text of the character that offset `at` of the folded text comes from."""
        return at if self._offsets is None else bisect_right(self._offsets, at) - 1

    def begins(self, at: int) -> bool:
        """True if a character of the text begins at offset `at` of the folded text."""
        return self._offsets is None or self._offsets[min(self.offset(at), len(self._offsets) - 1)] == at


Gap = tuple[int, int, int]
"""Whitespace of a file within a place: the characters of the search text before it, its start and its end."""


def squeezed_places(text: str, needle: str, work: Work) -> Iterator[tuple[int, int, list[Gap]]]:
    """(start, end, gaps) of each place of a text without whitespace, whatever whitespace the file has in it."""
    found = list(WORD.finditer(text))
    ends = list(accumulate(len(one[0]) for one in found))
    for at in occurrences("".join(one[0] for one in found), needle) if needle else ():
        first, last = bisect_right(ends, at), bisect_left(ends, at + len(needle))
        work.spend(10 + 5 * (last - first))
        gaps = [(ends[n] - at, found[n].end(), found[n + 1].start()) for n in range(first, last)]
        yield found[first].end() - (ends[first] - at), found[last].end() - (ends[last] - at - len(needle)), gaps


def first_squeezed(text: str, old: str, *, with_blanks_above: bool = True) -> tuple[int, int] | None:
    """The first place of the search text when no whitespace counts, with the whitespace above it or without."""
    for start, end, _ in squeezed_places(text, "".join(words(old)), Work("the search without whitespace")):
        return (len(text[:start].rstrip(WHITESPACE)) if with_blanks_above else start), end
    return None


# Cline and VS Code Copilot compare lines in NFC, with a few look-alike characters as ASCII, then trimmed.

_LOOK_ALIKES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2018\u2019\u201b", "'")
    | dict.fromkeys("\u00a0\u202f", " ")
)


def canonical(line: str) -> str:
    """The line in NFC, with typographic dashes, quotes and spaces as ASCII."""
    return line if line.isascii() else normal_form(line).translate(_LOOK_ALIKES)


def right_trimmed(line: str) -> str:
    """The canonical line without JavaScript's whitespace at its end."""
    return canonical(line).rstrip(WHITESPACE)


def trimmed(line: str) -> str:
    """The canonical line without JavaScript's whitespace at both ends."""
    return canonical(line).strip(WHITESPACE)
