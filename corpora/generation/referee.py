"""A second judge of labels: it sees the finished sample only, and compares texts by brute force, place by place.

It shares no code and no idea with what made the sample or with what is measured on it. A sample on which it does not
agree is not kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from html import unescape

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.fuzz import partial_ratio, ratio
from rapidfuzz.process import cdist

from corpora.sample import Sample
from editcore.types import Edit

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
_ESCAPE = re.compile(r"\\+[nrt]|\\+")
_LINE_FEED = re.compile(r"\\+n")
_FOLDED = str.maketrans("‘’“”„–—−…", '\'\'"""---.')

_SLIP, _MOVED = 70, 50
"""A lost line is as like what the patch says of it, and a moved file as like what it was, at least; 0 to 100."""


def objection(sample: Sample) -> str | None:
    """Why the label is not certain; None where it is."""
    if sample.label == "apply":
        if sample.edits and len(sample.edits) == 1 and len(sample.target or ()) == 1:
            return _objection_to_edit(sample)
        return _objection_to_patch(sample)
    if sample.label == "refuse":
        return _objection_to_refusal(sample)
    return None


def _objection_to_edit(sample: Sample) -> str | None:
    """The changed region must be where the find is best explained, and nothing else of its size as good."""
    assert sample.edits
    assert sample.target
    before, after = sample.before[0].content, sample.target[0].content
    (edit,) = sample.edits
    find, new = edit.old_string, edit.new_string
    if before == after:
        return "the target is the file as it was"
    if edit.replace_all:
        return None if before.replace(find, new) == after else "replacing all gives another text"
    if not find.strip():
        return "there is nothing to find"
    at = before.find(find)
    if at >= 0:
        if before.find(find, at + 1) >= 0:
            return "the find stands there twice"
        return None if before[:at] + new + before[at + len(find) :] == after else "to the letter it gives another text"
    if _occurs_twice(_normalized(find), "".join(_normalized_lines(before))):
        return "the find stands there twice but for blanks"
    earliest, latest, n_lines = _changed_lines(before, after, edit)
    if earliest < 0:
        return "the target holds what the edit does not say"
    alike = _likeness(_normalized(find), before, n_lines)
    here = alike[earliest : latest + 1].max(initial=0)
    elsewhere = max(alike[: max(earliest - n_lines + 1, 0)].max(initial=0), alike[latest + n_lines :].max(initial=0))
    return "another place is as like the find" if here <= elsewhere else None


def _occurs_twice(find: str, text: str) -> bool:
    at = text.find(find)
    return at >= 0 and text.find(find, at + 1) >= 0


def _likeness(find: str, text: str, n_lines: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """How well every stretch of so many lines explains a find; of equally good ones the tighter is the better."""
    windows, lengths = _windows(text, n_lines)
    slack = np.abs(lengths - len(find)) / (lengths + len(find) + 1.0)
    if n_lines > 1:
        found = cdist([find], windows, scorer=LCSseq.similarity, dtype=np.float32)[0]
    else:
        # Letters of a piece of a line are strewn over any line: only those side by side count.
        found = cdist([find], windows, scorer=partial_ratio, dtype=np.float32)[0] * np.minimum(1, lengths / len(find))
    likeness: np.ndarray[tuple[int], np.dtype[np.float32]] = found - 0.5 * slack.astype(np.float32)
    return likeness


def _changed_lines(before: str, after: str, edit: Edit) -> tuple[int, int, int]:
    """First and last line at which the stretch that was replaced may start, and its number of lines; -1 for none."""
    new = edit.new_string
    ahead, behind = _common_prefix_length(before, after), _common_prefix_length(before[::-1], after[::-1])
    length = len(before) - len(after) + len(new)
    if length >= 0:
        # The new text may begin or end as what is round it: of all its places any may be the one.
        starts = [at for at in range(max(len(before) - behind - length, 0), ahead + 1) if after.startswith(new, at)]
        if starts:
            first, last = (before.count("\n", 0, at) for at in (starts[0], starts[-1]))
            return first, last, before.count("\n", starts[0], starts[0] + length) + 1
    behind = min(behind, len(before) - ahead, len(after) - ahead)
    if not _is_in_new_text(after, ahead, len(after) - behind, new):
        return -1, -1, 0
    # The new text stands there in other words: any stretch that the change touches may be the one that was meant.
    first, last = before.count("\n", 0, ahead), before.count("\n", 0, len(before) - behind)
    n_lines = max(last - first, edit.old_string.count("\n") or len(_LINE_FEED.findall(edit.old_string))) + 1
    return max(first - n_lines + 1, 0), last, n_lines


def _is_in_new_text(after: str, start: int, end: int, new: str) -> bool:
    """Whether the new text holds each line that the target gained."""
    told = _normalized(new)
    ahead = start - after.rfind("\n", 0, start) - 1
    if after[start - ahead : start] == after[end - ahead : end]:
        # The line below begins alike: what was gained starts where its own line does.
        start, end = start - ahead, end - ahead
    return all(_normalized(line) in told for line in after[start:end].split("\n"))


def _common_prefix_length(left: str, right: str) -> int:
    """How many characters two texts have in common at their start; found by halving."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _objection_to_patch(sample: Sample) -> str | None:
    """Every line that the target gains must be written in the patch; every line it loses too, but for a slip."""
    told = _normalized(
        sample.patch or "".join(f"{edit.old_string}\n{edit.new_string}\n" for edit in sample.edits or ())
    )
    before = {file.path: file.content for file in sample.before}
    after = {file.path: file.content for file in sample.target or ()}
    if before == after:
        return "the target is the files as they were"
    gone = [before[path] for path in before.keys() - after.keys()]
    names_lines = sample.format not in ("insert", "line_range")
    for path, text in after.items():
        # Where lines stand does not matter here: only which there are more, and fewer, of.
        origin = before[path] if path in before else _origin(text, gone)
        old, new = (Counter(one.split("\n")) for one in (origin, text))
        if any(_normalized(line) not in told for line in new - old):
            return "a gained line is not in the patch"
        if names_lines and not all(_is_in_patch(_normalized(line), told) for line in old - new):
            return "a lost line is not in the patch"
    return None


def _is_in_patch(line: str, told: str) -> bool:
    return line in told or partial_ratio(line, told) >= _SLIP


def _origin(text: str, gone: list[str]) -> str:
    """What a file that is new was before it was moved; nothing where it was not."""
    likest = max(gone, key=lambda other: ratio(other, text), default="")
    return likest if ratio(likest, text) > _MOVED else ""


def _objection_to_refusal(sample: Sample) -> str | None:
    """What the edit means to replace must not stand in the file as a whole, or stand there more than once."""
    reason = next((tag.removeprefix("refuse:") for tag in sample.tags if tag.startswith("refuse:")), "")
    if not sample.edits:
        return None if reason and sample.patch is not None else "a refusal without a reason"
    before = sample.before[0].content
    text = _collapse_whitespace(before)
    for edit in sample.edits:
        find, meant = edit.old_string, _collapse_whitespace(edit.old_string)
        if not meant or find == edit.new_string:
            return None
        literally = find in before and (edit.replace_all or not _occurs_twice(find, before))
        at = text.find(meant)
        unsure = at >= 0 and not _occurs_twice(meant, text) and _is_whole_word(text, meant, at)
        if not literally and not unsure:
            return None
    return "the find stands in the file once"


def _is_whole_word(text: str, meant: str, at: int) -> bool:
    """Whether no letter or digit touches it: else it is a piece of something else."""
    end = at + len(meant)
    left = at > 0 and text[at - 1].isalnum() and meant[0].isalnum()
    right = end < len(text) and text[end].isalnum() and meant[-1].isalnum()
    return not (left or right)


@lru_cache(maxsize=16)
def _windows(text: str, n_lines: int) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Every stretch of so many lines, bare, by its first line; and how long each is. Short of them at the end."""
    lines = _normalized_lines(text)
    windows = ["".join(lines[at : at + n_lines]) for at in range(len(lines))]
    return windows, np.array([len(window) for window in windows])


@lru_cache(maxsize=16)
def _normalized_lines(text: str) -> list[str]:
    return [_normalized(line) for line in text.split("\n")]


@lru_cache(maxsize=4096)
def _normalized(text: str) -> str:
    """What is left of a text when nothing counts that damage of blanks, escapes, quotes and cases may touch."""
    if "\\" in text:
        text = _ESCAPE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text.translate(_FOLDED)))
    if "&" in text:
        text = unescape(text)
    return "".join(text.split()).lower()


@lru_cache(maxsize=64)
def _collapse_whitespace(text: str) -> str:
    """The text with each run of blanks made one: case, signs and quotes count."""
    return " ".join(text.split())
