"""Labels of edits that failed: by the file text alone, or by a later edit that is a retry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from rapidfuzz.fuzz import ratio

from corpora.importers.session import Attempt
from editcore.anchors import READINGS
from editcore.anchors.calls import Anchor, Call
from editcore.errors import PatchError
from editcore.formats import ANCHORED_FORMATS
from editcore.text.diff import unified_diff
from editcore.text.keys import SQUEEZED
from editcore.types import Edit

# Edits that must be refused, by the edit and the file text alone.

_bare = SQUEEZED.of


def refusal_source(attempt: Attempt, texts: Iterable[str], n_found: int) -> str | None:
    """The label source of a failed edit that must be refused. None if the file texts do not make that certain.

    `n_found` is the number of places of the search text; 2 means two or more.
    """
    edits = attempt.edits or ()
    if edits and all(edit.old_string == edit.new_string != "" for edit in edits):
        return "identical"
    if n_found == 2 and attempt.outcome == "ambiguous" and not any(edit.occurrence for edit in edits):
        return "exact_ambiguous"
    (text, *others) = [*texts] or [""]
    if attempt.outcome == "no_match" and edits and not others and all(_is_applied(edit, text) for edit in edits):
        return "already_applied"
    return None


def _is_applied(edit: Edit, text: str) -> bool:
    """True if the text has the new text once and none of the removed lines. Whitespace does not count for lines."""
    old, new = _lines(edit.old_string), _lines(edit.new_string)
    standing = Counter(_lines(text))
    goes, comes = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if edit.replace_all or not old or not comes or _bare(edit.old_string) in _bare(text):
        return False
    # Where its first line stands twice, the edit may be about the other place.
    return standing.keys().isdisjoint(goes) and standing[old[0]] < 2 and text.count(edit.new_string.strip("\n")) == 1


def _lines(text: str) -> list[str]:
    return list(filter(None, map(_bare, text.split("\n"))))


# Corrections: a later edit with the same new text and another search text.
#
# A model whose search text was not found writes it again. If the new text is unchanged, the model wants the same
# result, unless it also meant other lines of the file. The words exclude that: the later edit removes no word that the
# earlier one lacks, and the file has no line that only the earlier one shows.

_WORD = re.compile(r"\w+|[^\w\s]")
_ALIKE = 70
"""The percentage of equal characters from which one name is a misspelling of another."""
_MOST_COMPARED = 2_000_000
"""The number of pairs of a file line and a search line beyond which words are not compared."""


def is_corrected(failed: Attempt, retried: Attempt, text: str) -> bool:
    """True if the later edit is the failed one with a corrected search text. Both were made for `text`."""
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
    """True if the retry removes no other words, and the file has no line that only the failed edit shows."""
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
    """True if two lines have half of the words of the shorter one in common."""
    some, others = _words(one), _words(other)
    return 2 * (some & others).total() >= min(some.total(), others.total())


def _other_words(failed: str, retried: str, text: str) -> bool:
    """True if the lines differ from the retry's by a few misspelled words, and no other place is as near."""
    wrong, right = ([_WORD.findall(line) for line in side.strip("\n").split("\n")] for side in (failed, retried))
    lines = text.split("\n")
    if len(wrong) != len(right) or len(lines) * len(wrong) > _MOST_COMPARED or not _are_near(wrong, right):
        return False
    shown = [_WORD.findall(line) for line in lines]
    n_places = sum(_are_near(wrong, shown[at : at + len(wrong)]) for at in range(len(shown) - len(wrong) + 1))
    return n_places == 1


def _are_near(some: list[list[str]], others: list[list[str]]) -> bool:
    """True if the lines have equally many words each, and fewer than half of them differ by a misspelling."""
    return all(map(_is_near, some, others))


def _is_near(one: list[str], other: list[str]) -> bool:
    if len(one) != len(other):
        return False
    differ = [(word, its) for word, its in zip(one, other, strict=True) if word != its]
    return not differ or (2 * len(differ) < len(one) and all(map(_is_slip, differ)))


def _is_slip(words: tuple[str, str]) -> bool:
    """True if two words are both numbers or marks, or are spelled much alike."""
    if any(word[0].isalpha() or word[0] == "_" for word in words):
        return ratio(*words) >= _ALIKE
    return True


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))


# Retries: a later edit that succeeded and is the same change.
#
# An edit is reduced to its changes: lines removed, lines added, and the lines next to them. Two edits are the same if
# their changes are equal one by one and each has only one place in the text. Other quoted lines do not count, unless a
# change only adds lines. People who judged such edits did not think them equal if the text lacks a line that the first
# edit quotes.

_BLANKS = re.compile(r"\s+")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_HEADER = re.compile(r"\*\*\* |--- |\+\+\+ |diff --git ")
_ADDED = "*** Add File: "
_ALL = 1 << 30


class _Neighbour(NamedTuple):
    """The nearest line of context that is not blank."""

    line: str = ""
    """Without whitespace; empty if there is none."""
    n_blank: int = 0
    """The number of blank lines between the line and the change."""


class _Change(NamedTuple):
    """A run of replaced, inserted or removed lines. A change without lines is the header of a patch's section."""

    header: str
    removed: tuple[str, ...] = ()
    """Without whitespace."""
    added: tuple[str, ...] = ()
    above: _Neighbour = _Neighbour()
    below: _Neighbour = _Neighbour()

    @property
    def only_adds(self) -> bool:
        """True if the change adds lines to a file and removes none."""
        return bool(self.added) and not self.removed and not self.header.startswith(_ADDED)


def retry_proof(failed: Attempt, retried: Attempt, texts: Iterable[str]) -> str | None:
    """The label source of a failed edit that `retried` retries in the same texts. None if that is not certain."""
    texts = list(texts)
    if proof := same_change(failed, retried, texts):
        return proof
    return "retry_corrected" if len(texts) == 1 and is_corrected(failed, retried, texts[0]) else None


def same_change(failed: Attempt, retried: Attempt, texts: Iterable[str]) -> str | None:
    """The proof that two edits of the same `texts` are one change: `retry` or `retry_repaired`; None without a proof.

    The new lines are equal for `retry`. They differ in whitespace and typographic quotes for `retry_repaired`.
    """
    if failed.format in ANCHORED_FORMATS:
        return "retry" if _is_same_call(failed, retried) else None
    one, other = _changes(failed), _changes(retried)
    if not any(change.removed or change.added for change in one) or len(one) != len(other):
        return None
    pairs = list(zip(one, other, strict=True))
    text = "\0".join(map(_squeezed, texts))
    if any(change.only_adds for change in one) and not _stands_whole(failed, texts):
        return None
    if not all(a.header == b.header and _same_lines(a, b) and _same_place(a, b, text) for a, b in pairs):
        return None
    return "retry" if all((a.removed, a.added) == (b.removed, b.added) for a, b in pairs) else "retry_repaired"


def _is_same_call(failed: Attempt, retried: Attempt) -> bool:
    """True if two calls name the same lines of the same files, by any anchors, and have equal new lines."""
    if retried.format != failed.format:
        return False
    try:
        one, other = (READINGS[call.format](call.patch or "") for call in (failed, retried))
    except PatchError:
        return False
    return [_unhashed(call) for call in one] == [_unhashed(call) for call in other]


def _unhashed(call: Call) -> Call:
    """The call without hashes and tags."""
    edits = [replace(edit, first=_line_of(edit.first), last=_line_of(edit.last)) for edit in call.edits]
    return replace(call, edits=tuple(edits), tag=None)


def _line_of(anchor: Anchor | None) -> Anchor | None:
    return None if anchor is None else Anchor(anchor.line)


def _stands_whole(attempt: Attempt, texts: Iterable[str]) -> bool:
    """True if the files have every line that the edit quotes. These lines are the place of an edit that only adds."""
    standing = {_squeezed(line) for text in texts for line in text.split("\n")}
    quoted = [line for edit in attempt.edits or () for line in edit.old_string.split("\n")]
    if not attempt.edits:
        quoted = [line[1:] for line in (attempt.patch or "").split("\n") if line[:1] == " "]
    return standing.issuperset(map(_squeezed, quoted))


def _same_lines(one: _Change, other: _Change) -> bool:
    """True if two changes remove and add the same lines. Whitespace does not count, except for blank lines."""
    for old, new in ((one.removed, other.removed), (one.added, other.added)):
        squeezed = _squeezed("".join(old))
        if squeezed != _squeezed("".join(new)) or (not squeezed and old != new):
            return False
    return True


def _same_place(one: _Change, other: _Change, text: str) -> bool:
    """True if the text has one place for both changes: the removed lines, with equal neighbours if need be."""
    if one.header.startswith(_ADDED) or not (one.removed or one.added):
        return True
    gone = "".join(one.removed)
    above = one.above.line if one.above == other.above else ""
    below = one.below.line if one.below == other.below else ""
    return any(_stands_once(part, text) for part in (gone, above + gone, gone + below, above + gone + below))


def _stands_once(part: str, text: str) -> bool:
    at = text.find(part) if part else -1
    return at >= 0 and text.find(part, at + 1) < 0


def _changes(attempt: Attempt) -> list[_Change]:
    """The changes of an edit, in order; none if the edit does not show them."""
    edits = attempt.edits or ()
    if any(edit.replace_all or edit.occurrence is not None for edit in edits):
        return []
    if edits:
        return [change for edit in edits for change in _in_hunk("", _as_hunk(edit))]
    is_patch = attempt.format in ("begin_patch", "unified_diff")
    return list(_in_patch((attempt.patch or "").split("\n"))) if is_patch else []


def _as_hunk(edit: Edit) -> list[str]:
    sides = edit.old_string, edit.new_string
    old, new = (side + "\n" if side and not side.endswith("\n") else side for side in sides)
    return unified_diff(old, new, path="", context=_ALL).split("\n")[3:]


def _in_patch(lines: list[str]) -> Iterator[_Change]:
    header = ""
    hunk: list[str] = []
    for line, following in pairwise([*lines, ""]):
        is_header = bool(_HEADER.match(line)) and (line[0] != "-" or following.startswith("+++ "))
        if is_header or line.startswith("@@"):
            yield from _in_hunk(header, hunk)
            hunk = []
        else:
            hunk.append(line)
        if is_header:
            header = line.rstrip()
            yield _Change(header)
    yield from _in_hunk(header, hunk)


def _in_hunk(header: str, lines: Sequence[str]) -> Iterator[_Change]:
    runs = [(changed, list(run)) for changed, run in groupby(lines, key=lambda line: line[:1] in ("+", "-"))]
    for n, (changed, run) in enumerate(runs):
        if changed:
            above = runs[n - 1][1] if n else []
            below = runs[n + 1][1] if n + 1 < len(runs) else []
            removed = tuple(_squeezed(line[1:]) for line in run if line[0] == "-")
            added = tuple(line[1:] for line in run if line[0] == "+")
            yield _Change(header, removed, added, _neighbour(above[::-1]), _neighbour(below))


def _neighbour(context: Sequence[str]) -> _Neighbour:
    n_blank = sum(1 for _ in takewhile(str.isspace, (line + " " for line in context)))
    return _Neighbour(_squeezed(context[n_blank]), n_blank) if n_blank < len(context) else _Neighbour()


def _squeezed(text: str) -> str:
    """The text without whitespace, with ASCII instead of typographic quotes and dashes."""
    return _BLANKS.sub("", text.translate(_QUOTES))
