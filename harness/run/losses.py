"""Damage beside the intended change: changed bytes, lost lines, lists made in part, and what only shell commands do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from posixpath import basename

from corpora.sample import Sample
from editcore.shell.careful import dialects_differ
from editcore.text.diff import changed_ranges, common_ends
from editcore.text.encodings import UNLIKE
from editcore.text.lines import BOM
from editcore.types import Edit, EditResult, Rejected
from harness.strategies.shell_strategies import place_of
from harness.strategies.strategy import by_path
from reports.runs.rows import Damage, ListLeft

# Changed bytes: by encoding or line endings, outside the intended lines


_ENDING = re.compile("(\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029])")
"""Every character that some program takes for a line ending and may write otherwise."""


def count_changed_bytes(
    before: str, intended: tuple[int, int], given: str, *, encoding: str | None, has_bytes: bool
) -> int | None:
    """The number of bytes that differ outside `intended`, which are whole lines of the text before.

    None if the words of any other line differ: that is damage to the text. An ASCII line may change its ending and
    byte order marks only. In a file of bytes any other line may change, because a file that is read in a wrong
    encoding and written again changes those lines.
    """
    start, end = intended
    above, below = before[:start], before[end:]
    is_wide = encoding is not None and encoding[:6] in ("utf-16", "utf-32")
    is_other = given.endswith(UNLIKE) or (is_wide and before.startswith(BOM) != given.startswith(BOM))
    given = given.removesuffix(UNLIKE)
    if is_other and is_wide:
        return len((above + below).encode(encoding or "", "surrogatepass"))
    if given.startswith(above) and given.endswith(below) and len(given) >= len(above) + len(below) and not is_other:
        return 0
    head, tail, found = _ENDING.split(above)[:-1], _ENDING.split(below)[1:], _ENDING.split(given)
    n_ends = 0
    if tail and (tail[-1] == "") != (found[-1] == ""):  # The line feed at the end came, or went.
        n_ends, tail, found = 1, _without_end(tail), _without_end(found)
    if len(found) < len(head) + len(tail):
        return None
    pairs = [*zip(head, found, strict=False), *zip(reversed(tail), reversed(found), strict=False)]
    total = n_ends
    for old, new in pairs:
        if old != new:
            if not _same_but_bytes(old, new, has_bytes):
                return None
            total += _n_changed(old, new, encoding)
    return total


def _without_end(pieces: list[str]) -> list[str]:
    return pieces[:-2] if pieces[-1] == "" and len(pieces) > 1 else pieces


def _same_but_bytes(old: str, new: str, has_bytes: bool) -> bool:
    """True if two lines, or two line endings, differ by encoding or line ending at most."""
    if _ENDING.fullmatch(old):
        return _ENDING.fullmatch(new) is not None
    plain = old.replace(BOM, "")
    return plain == new.replace(BOM, "") or (has_bytes and not plain.isascii())


def _n_changed(old: str, new: str, encoding: str | None) -> int:
    codec = encoding or "utf-8"
    left, right = (text.encode(codec, "replace" if encoding else "surrogatepass") for text in (old, new))
    most, size = max(len(left), len(right)), min(len(left), len(right))
    same = next((n for n in range(size) if left[n] != right[n]), size)
    same += next((n for n in range(size - same) if left[-1 - n] != right[-1 - n]), size - same)
    return max(most - same, 1)


# Lost lines: neither the edit as written nor the right answer removes them


class LinesLost:
    """Counts lost lines for one sample. Lines are compared without surrounding whitespace; blank lines do not count."""

    def __init__(self, sample: Sample) -> None:
        self._before = by_path(sample.before)
        self._given_up, self._wholly = _given_up(sample)

    def count(self, right: Mapping[str, str], given: Mapping[str, str]) -> int:
        """The number of lines of the files before that no given file has, without the lines that may go.

        A line may go if the right answer lacks it too, or if the edit names it as old text and not as new text. If
        both hold, the larger number counts.
        """
        may_go = _lacking(self._before, right) | self._given_up
        lost = _lacking(self._before, given) - may_go
        return sum(n for line, n in lost.items() if line not in self._wholly)


def _lacking(before: Mapping[str, str], after: Mapping[str, str]) -> Counter[str]:
    """The lines that the files after have fewer times than the files before, each with the difference.

    The common start and end of a file cancel out and are not looked at.
    """
    there, left = Counter[str](), Counter[str]()
    for path in {**before, **after}:
        old, new = before.get(path, ""), after.get(path, "")
        start, end = common_ends(old, new)
        start = old.rfind("\n", 0, start) + 1  # Whole lines: a line may differ in its middle only.
        at = old.find("\n", len(old) - end)
        end = 0 if at < 0 else len(old) - at
        there.update(_lines(old[start : len(old) - end]))
        left.update(_lines(new[start : len(new) - end]))
    return there - left


def _lines(text: str) -> Counter[str]:
    found = Counter([line.strip() for line in text.split("\n")])
    found.pop("", None)
    return found


def _given_up(sample: Sample) -> tuple[Counter[str], set[str]]:
    """The lines that the edit as written removes, each with its number, and the lines that it removes everywhere."""
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


# Lists of edits with an edit that fails: a strategy should make none of the edits, but may make some


class FailedList:
    def __init__(self, sample: Sample) -> None:
        self._before = sample.before[0].content
        self._first, self._others = _made_in_part(self._before, sample.edits or ())

    @classmethod
    def of(cls, sample: Sample) -> FailedList | None:
        """The failed list of a sample that must be refused; None if the sample cannot tell the ways of failing apart.

        It can if edits that apply surround the first edit that fails.
        """
        if sample.label != "refuse" or len(sample.edits or ()) < 3:
            return None
        found = cls(sample)
        return found if len({found._before, found._first, found._others}) == 3 else None

    def left(self, result: EditResult) -> ListLeft:
        if isinstance(result, Rejected):
            return ListLeft.NOTHING
        text = result.content or "" if result.files is None else next(iter(result.files.values()), "")
        known = {self._before: ListLeft.NOTHING, self._first: ListLeft.FIRST_EDITS, self._others: ListLeft.OTHER_EDITS}
        is_cut = any(one.startswith(text) for one in known)
        return known.get(text, ListLeft.CUT_OFF if is_cut else ListLeft.SOMETHING_ELSE)


def _made_in_part(content: str, edits: tuple[Edit, ...]) -> tuple[str, str]:
    """The text after the edits before the first failing edit, and the text after all edits that do not fail."""
    first, text = None, content
    for edit in edits:
        n = text.count(edit.old_string) if edit.old_string else 0
        if n == 1 or (n and edit.replace_all):
            text = text.replace(edit.old_string, edit.new_string)
        elif first is None:
            first = text
    return text if first is None else first, text


# The kinds of damage that only shell commands do, told from the files before, the right and the given ones.

_QUOTING = str.maketrans(dict.fromkeys("$\\\n\0\r`'\"", ""))


def shell_damage(sample: Sample, right: Mapping[str, str] | None, given: Mapping[str, str]) -> Damage | None:
    """The kind of a wrong result of a shell command; None if it is one that other edits have, too.

    `right` is None if the command should have been refused.
    """
    before = by_path(sample.before)
    if given == before:
        return Damage.NO_OP
    if any(text.strip() and path in given and not given[path].strip() for path, text in before.items()):
        return Damage.EMPTIED
    if dialects_differ(before, sample.patch or "", place_of(sample)):
        return Damage.DIALECT
    if right is None:
        return None
    made = {basename(path) for path in given if path not in before and path not in right}
    if any(basename(path) in made for path in right if given.get(path) == before.get(path)):
        return Damage.WRONG_FOLDER
    if _without_quoting(right) == _without_quoting(given):
        return Damage.GARBLED
    meant, done = _changes(before, right), _changes(before, given)
    if done < meant:
        return Damage.HALF_MADE
    return Damage.TOO_MANY if meant < done else None


def _without_quoting(files: Mapping[str, str]) -> dict[str, str]:
    return {path: text.translate(_QUOTING) for path, text in files.items()}


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> set[tuple[str, int, int, str]]:
    found: set[tuple[str, int, int, str]] = set()
    for path in {**before, **after}:
        for first, last, text in changed_ranges(before.get(path, ""), after.get(path, "")):
            lines = text.splitlines()
            if len(lines) == last - first + 1:  # Each line is a change of its own.
                found |= {(path, first + at, first + at, line) for at, line in enumerate(lines)}
            else:
                found.add((path, first, last, text))
    return found
