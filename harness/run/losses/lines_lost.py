"""Lines that a wrong edit destroys: gone, though neither the edit as written nor the right answer removes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from corpora.sample import Sample
from editcore.text.diff import common_ends
from harness.strategies.strategy import by_path


class LinesLost:
    """Counts for one sample. Lines are compared without whitespace around them; blank ones do not count."""

    def __init__(self, sample: Sample) -> None:
        self._before = by_path(sample.before)
        self._given_up, self._wholly = _given_up(sample)

    def count(self, right: Mapping[str, str], given: Mapping[str, str]) -> int:
        """The lines of the files before that are in no file given, beyond those that may go.

        May go: what the right answer lacks too, or what the edit names as old text without naming it as new text,
        whichever is more of a line.
        """
        may_go = _lacking(self._before, right) | self._given_up
        lost = _lacking(self._before, given) - may_go
        return sum(n for line, n in lost.items() if line not in self._wholly)


def _lacking(before: Mapping[str, str], after: Mapping[str, str]) -> Counter[str]:
    """The lines of the files before, with the number of each that the files after have less of.

    Lines at both ends of a file that are the same before and after cancel out, and are not looked at.
    """
    there, left = Counter[str](), Counter[str]()
    for path in {**before, **after}:
        old, new = before.get(path, ""), after.get(path, "")
        start, end = common_ends(old, new)
        start = old.rfind("\n", 0, start) + 1
        end = _whole_lines_at_end(old, end)
        there.update(_lines(old[start : len(old) - end]))
        left.update(_lines(new[start : len(new) - end]))
    return there - left


def _whole_lines_at_end(text: str, end: int) -> int:
    """The length of this end of a text, cut back to begin at a line feed; 0 where it has none."""
    at = text.find("\n", len(text) - end)
    return 0 if at < 0 else len(text) - at


def _lines(text: str) -> Counter[str]:
    found = Counter([line.strip() for line in text.split("\n")])
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
