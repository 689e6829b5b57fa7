r"""What is meant: results that a reasonable reader accepts, besides the right answers of the sample.

    right  |say("10\u00a0km", last)     given  |say("10 km", last)     accepted: the line is the edit's, spaces aside
    right  |a()                          given  |a()
           |                                    |b()                    accepted: blank lines are the edit's own
           |b()

In a line that the edit changes, either of two ways to write a space, a quote or a dash may stay. A line that the file
had stays as it was, byte for byte. If the edit itself has blank lines, any number of them may stay. Indentation and
words are as in a right answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from unicodedata import normalize

from corpora.sample import Sample, right_answers
from editcore.text.lines import BOM
from editcore.types import Applied
from harness.strategies.strategy import by_path, files_after

# A table of its own: an oracle that folds as the tiers do could not see what is wrong with their folds.
_PLAIN = str.maketrans(
    "\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2014\u2212",
    "''\"\"------",
    "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f",
)
_INVISIBLE = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xAD])


def is_accepted(sample: Sample, result: Applied) -> bool:
    """True if a reasonable reader accepts the files that a result leaves."""
    before, given = by_path(sample.before), files_after(sample, result)
    answers = right_answers(sample) if sample.label == "apply" else ()
    rights = [by_path(files) for files in answers]
    return given in rights or any(_is_alike(sample, before, right, given) for right in rights)


def _is_alike(sample: Sample, before: Mapping[str, str], right: Mapping[str, str], given: Mapping[str, str]) -> bool:
    if right.keys() != given.keys():
        return False
    edit_has_blanks = any(map(_has_blank_lines, _written(sample)))
    return all(_is_text_alike(before.get(path, ""), right[path], given[path], edit_has_blanks) for path in right)


def _written(sample: Sample) -> Iterable[str]:
    """The texts of the edit as it is written."""
    if sample.edits is None:
        return [line[1:] for line in (sample.patch or "").split("\n") if line[:1] in ("+", "-")]
    return [text for edit in sample.edits for text in (edit.old_string, edit.new_string)]


def _has_blank_lines(text: str) -> bool:
    return not all(map(str.strip, text.removesuffix("\n").split("\n")))


def _is_text_alike(before: str, right: str, given: str, edit_has_blanks: bool) -> bool:
    if right == given:
        return True
    if right.startswith(BOM) != given.startswith(BOM) or (before and _endings(given) - _endings(before)):
        return False
    right, given = right.removeprefix(BOM), given.removeprefix(BOM)
    with_blanks = not edit_has_blanks and all(map(str.strip, _changed(before, right)))
    mine, others = _lines(right, with_blanks=with_blanks), _lines(given, with_blanks=with_blanks)
    there = set(before.split("\n"))
    return list(map(_read, mine)) == list(map(_read, others)) and all(
        one == other or one not in there for one, other in zip(mine, others, strict=True)
    )


def _endings(text: str) -> set[str]:
    return {ending for ending, n in (("\r\n", text.count("\r\n")), ("\n", text.count("\n") - text.count("\r\n"))) if n}


def _changed(before: str, right: str) -> list[str]:
    """The lines that an edit changes, and one line on either side."""
    old, new = (text.removesuffix("\n").split("\n") for text in (before, right))
    tail, head = (
        sum(1 for _ in takewhile(bool, map(str.__eq__, one, other)))
        for one, other in ((old[::-1], new[::-1]), (old, new))
    )
    head = min(head, min(len(old), len(new)) - tail)  # Where lines repeat, any of them may be the changed one.
    return old[max(head - 1, 0) : len(old) - tail + 1]


def _lines(text: str, *, with_blanks: bool) -> Sequence[str]:
    """The lines of a text without final line feeds, with or without blank lines."""
    return [line for line in text.rstrip("\r\n").split("\n") if with_blanks or line.strip()]


def _read(line: str) -> tuple[str, str]:
    """The indentation and the plain words of a line."""
    line = line.rstrip()
    return line[: len(line) - len(line.lstrip())], _plain(line)


def _plain(line: str) -> str:
    if not line.isascii():
        line = normalize("NFKC", line.translate(_PLAIN).translate(_INVISIBLE))
    return " ".join(line.split())
