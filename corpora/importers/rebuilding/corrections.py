"""Whether a later edit with the identical new text is provably an earlier, failed one with its search text corrected.

A model whose search text was not found writes it again. If it leaves the new text as it was, it wants the same result,
unless it also meant other lines of the file. That is excluded word by word: the later edit gives nothing up that the
earlier one does not show, and leaves no line in the file that the earlier one shows.
"""

from __future__ import annotations

import re
from collections import Counter

from rapidfuzz.fuzz import ratio

from corpora.importers.session import Attempt
from editcore.text.keys import SQUEEZED
from editcore.types import Edit

_WORD = re.compile(r"\w+|[^\w\s]")
_bare = SQUEEZED.of
_ALIKE = 70
"""Percent of the characters of two names that agree where one is a slip for the other."""
_MOST_COMPARED = 2_000_000
"""Pairs of a line of the file and a line of the search text; larger edits are not compared word by word."""


def is_corrected(failed: Attempt, retried: Attempt, text: str) -> bool:
    """Whether the later edit is the failed one, its search texts corrected; `text` is that of the file for both."""
    pairs = list(zip(failed.edits or (), retried.edits or (), strict=False))
    if not pairs or len(failed.edits or ()) != len(retried.edits or ()) or failed.format != retried.format:
        return False
    if all(one.old_string == other.old_string for one, other in pairs):
        return False
    return all(one == other or _is_correction(one, other, text) for one, other in pairs)


def _is_correction(failed: Edit, retried: Edit, text: str) -> bool:
    if failed.replace_all or retried.replace_all or failed.occurrence is not None or retried.occurrence is not None:
        return False
    if failed.new_string != retried.new_string or not failed.new_string.strip() or not failed.old_string.strip():
        return False
    return _same_words(failed, retried, text) or _other_words(failed.old_string, retried.old_string, text)


def _same_words(failed: Edit, retried: Edit, text: str) -> bool:
    """Whether the words that the retry gives up are in the failed edit, none of whose lines stays in the file."""
    if _words(retried.old_string) - _words(retried.new_string) - _words(failed.old_string):
        return False
    if not all(map(_overlap, _ends(failed.old_string), _ends(retried.old_string))):
        return False
    wrong = Counter(map(_bare, failed.old_string.split("\n"))) - Counter(map(_bare, retried.old_string.split("\n")))
    del wrong[""]
    words = re.findall(r"\w+", "\n".join(line for line in failed.old_string.split("\n") if _bare(line) in wrong))
    known = {*_words(retried.old_string), *_words(retried.new_string)}
    return wrong.keys().isdisjoint(map(_bare, text.split("\n"))) and known.issuperset(words)


def _ends(text: str) -> tuple[str, str]:
    """The first and the last line that is not blank."""
    lines = [line for line in text.split("\n") if line.strip()]
    return (lines[0], lines[-1]) if lines else ("", "")


def _overlap(one: str, other: str) -> bool:
    """Whether two lines have half of the words of the shorter one in common."""
    some, others = _words(one), _words(other)
    return 2 * (some & others).total() >= min(some.total(), others.total())


def _other_words(failed: str, retried: str, text: str) -> bool:
    """Whether each line has a few slips for words of the retry's, one for one, and no other place is as near."""
    wrong, right = ([_WORD.findall(line) for line in side.strip("\n").split("\n")] for side in (failed, retried))
    lines = text.split("\n")
    if len(wrong) != len(right) or len(lines) * len(wrong) > _MOST_COMPARED or not _are_near(wrong, right):
        return False
    shown = [_WORD.findall(line) for line in lines]
    n_places = sum(_are_near(wrong, shown[at : at + len(wrong)]) for at in range(len(shown) - len(wrong) + 1))
    return n_places == 1


def _are_near(some: list[list[str]], others: list[list[str]]) -> bool:
    """Whether lines have equally many words each, of which fewer than half differ, and these are slips."""
    return all(map(_is_near, some, others))


def _is_near(one: list[str], other: list[str]) -> bool:
    if len(one) != len(other):
        return False
    differ = [(word, its) for word, its in zip(one, other, strict=True) if word != its]
    return not differ or (2 * len(differ) < len(one) and all(map(_is_slip, differ)))


def _is_slip(words: tuple[str, str]) -> bool:
    """Whether two words are both numbers or marks, or spelled much alike."""
    if any(word[0].isalpha() or word[0] == "_" for word in words):
        return ratio(*words) >= _ALIKE
    return True


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))
