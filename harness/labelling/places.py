"""The places of a sample's files that an edit's search text resembles, most similar first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from corpora.sample import Sample
from editcore.types import File

MOST = 3
"""Places shown."""
_LEAST = 0.5
"""Mean similarity of a place's lines to those of the search text, 0 to 1, below which it is not shown."""
_SEARCH_LINES, _FILE_LINES, _LINE = 60, 20_000, 200
"""Lines of the search text, lines of a file, and characters of a line that are compared."""


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
    wanted = [line.strip()[:_LINE] for line in text.strip("\n").split("\n")][:_SEARCH_LINES]
    there = [line.strip()[:_LINE] for line in file.content.split("\n")][:_FILE_LINES]
    scores = _scores(wanted, there)
    found: list[Place] = []
    for at in np.argsort(-scores, kind="stable"):
        if scores[at] < _LEAST or len(found) == MOST:
            break
        first, last = int(at) + 1, min(int(at) + len(wanted), len(there))
        if all(last < place.first or place.last < first for place in found):
            found.append(Place(file.path, first, last, float(scores[at])))
    return found


def _scores(wanted: list[str], there: list[str]) -> npt.NDArray[np.float64]:
    """(n_file_lines,) the mean similarity of the search text's lines to the file's from each line on."""
    lines = list(dict.fromkeys(there))
    number = {line: at for at, line in enumerate(lines)}
    similar = cdist(wanted, lines, scorer=Indel.normalized_similarity, dtype=np.float32, workers=1)
    codes = np.array([number[line] for line in there], dtype=np.intp)
    total = np.zeros(len(there))
    for nth in range(min(len(wanted), len(there))):
        total[: len(there) - nth] += similar[nth, codes[nth:]]
    scores: npt.NDArray[np.float64] = total / len(wanted)
    return scores
