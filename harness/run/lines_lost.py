"""Lines that a wrong edit destroys: gone, though neither the edit as written nor the right answer removes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from corpora.sample import Sample


class LinesLost:
    """Counts for one sample. Lines are compared without whitespace around them; blank ones do not count."""

    def __init__(self, sample: Sample) -> None:
        self._before = {file.path: _lines(file.content) for file in sample.before}
        self._given_up, self._wholly = _given_up(sample)

    def count(self, right: Mapping[str, str], given: Mapping[str, str]) -> int:
        """The lines of the files before that are in no file given, beyond those that may go.

        May go: what the right answer lacks too, or what the edit names as old text without naming it as new text,
        whichever is more of a line.
        """
        before, kept, wanted = (
            sum((counted for counted in files), Counter[str]())
            for files in (
                self._before.values(), map(_lines, given.values()), map(_lines, right.values()),
            )
        )  # fmt: skip
        may_go = (before - wanted) | self._given_up
        return sum(n for line, n in (before - kept - may_go).items() if line not in self._wholly)


def _lines(text: str) -> Counter[str]:
    found = Counter(line.strip() for line in text.split("\n"))
    found.pop("", None)
    return found


def _given_up(sample: Sample) -> tuple[Counter[str], set[str]]:
    """The lines that the edit as written removes, with their number; and those that it removes wherever they are."""
    found: Counter[str] = Counter()
    wholly: set[str] = set()
    if sample.edits:
        for edit in sample.edits:
            removed = _lines(edit.old_string) - _lines(edit.new_string)
            found += removed
            wholly |= set(removed) if edit.replace_all else set()
    elif sample.format == "line_range" and sample.line and sample.end_line and sample.before:
        lines = sample.before[0].content.split("\n")[sample.line - 1 : sample.end_line]
        found = _lines("\n".join(lines)) - _lines(sample.patch or "")
    elif sample.patch and sample.format in ("unified_diff", "begin_patch"):
        lines = sample.patch.split("\n")
        minus, plus = ("\n".join(line[1:] for line in lines if line[:1] == mark) for mark in "-+")
        found = _lines(minus) - _lines(plus)
    return found, wholly
