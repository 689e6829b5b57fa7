"""The places of a sample's files that an edit's search text resembles, most similar first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import islice

from corpora.sample import Sample
from editcore.diagnosis import similar_lines
from editcore.text.document import Document
from editcore.text.whitespace import trim
from editcore.types import File

MOST = 3
"""Places shown."""
_LEAST = 0.5
"""Mean similarity of a place's lines to those of the search text, 0 to 1, below which it is not shown."""
_SEARCH_LINES, _FILE_LINES, _VOTES = 60, 20_000, 200
"""Lines of the search text and of the file that are compared, and most lines that one of the search text votes for."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file that resemble a search text."""

    path: str
    first: int
    """1-based."""
    last: int
    similarity: float
    """0 to 1, the mean over the lines; whitespace at their ends does not count."""


def search_texts(sample: Sample) -> list[str]:
    """The texts that an edit says are in the file: search texts, or the old lines of each hunk of a patch."""
    if sample.edits:
        return [edit.old_string for edit in sample.edits if edit.old_string.strip()]
    hunks: list[list[str]] = [[]]
    for line in (sample.patch or "").split("\n"):
        if line.startswith(("@@", "---", "+++", "***", "<<<<<<<", "=======", ">>>>>>>", "diff ")):
            hunks.append([])
        elif line[:1] in (" ", "-"):
            hunks[-1].append(line[1:])
    return [text for hunk in hunks if (text := "\n".join(hunk)).strip()]


def numbered_places(sample: Sample) -> list[Place]:
    """The place that an edit names by line numbers; none for an edit that names none."""
    if sample.line is None or not sample.before:
        return []
    last = sample.end_line if sample.end_line is not None else sample.line
    return [Place(sample.before[0].path, max(sample.line, 1), max(last, 1), 1.0)]


def places(sample: Sample) -> list[Place]:
    """At most `MOST` places for each search text of the first few, in the order of the search texts."""
    found = numbered_places(sample)
    for text in islice(search_texts(sample), 5):
        mine = [place for file in sample.before for place in _places(file, text)]
        found += sorted(mine, key=lambda place: -place.similarity)[:MOST]
    return list(dict.fromkeys(found))


def _places(file: File, text: str) -> list[Place]:
    """The best places, none of which overlaps a better one: each line of the search text votes for where it may be."""
    wanted = [trim(line) for line in text.strip("\n").split("\n")][:_SEARCH_LINES]
    document = Document("\n".join(file.content.split("\n", _FILE_LINES)[:_FILE_LINES]))
    scores: defaultdict[int, float] = defaultdict(float)
    for nth, line in enumerate(wanted):
        for at, similarity in similar_lines(document, line, limit=_VOTES):
            scores[at - nth] += similarity
    found: list[Place] = []
    for at, score in sorted(scores.items(), key=lambda one: (-one[1], one[0])):
        if score < _LEAST * len(wanted) or len(found) == MOST:
            break
        first, last = max(at, 0) + 1, min(at + len(wanted), len(document.lines))
        if all(last < place.first or place.last < first for place in found):
            found.append(Place(file.path, first, last, score / len(wanted)))
    return found
