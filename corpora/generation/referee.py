"""The referee: checks the labels of finished samples by brute force, place by place.

The referee shares no code and no approach with the mutators or with the strategies that are measured. Samples that it
objects to are dropped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from html import unescape
from itertools import chain

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.fuzz import partial_ratio, ratio
from rapidfuzz.process import cdist

from corpora.sample import Sample
from editcore.formats import ANCHORED_FORMATS
from editcore.text.keys import normal_form
from editcore.types import Edit

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
_ESCAPE = re.compile(r"\\+[nrt]|\\+")
_LINE_FEED = re.compile(r"\\+n")
_FOLDED = str.maketrans("‘’“”„–—−…", '\'\'"""---.')

_SLIP, _MOVED = 70, 50
"""The least similarity (0 to 100) of a removed line to a line of the patch, and of a moved file to its origin."""


def objection(sample: Sample) -> str | None:
    """Why the label is uncertain; None if it is certain."""
    if sample.seen is not None and sample.edits:
        return _objection_to_stale_edits(sample)
    if len(sample.edits or ()) > 1 and sample.label != "unlabelled":
        return _objection_to_list(sample)
    if sample.label == "apply":
        if sample.edits and len(sample.edits) == 1 and len(sample.target or ()) == 1:
            return _objection_to_edit(sample)
        return _objection_to_patch(sample)
    if sample.label == "refuse":
        return _objection_to_refusal(sample)
    return None


def _objection_to_edit(sample: Sample) -> str | None:
    """Object unless the search text fits the changed region best, and better than any other place."""
    assert sample.edits
    assert sample.target
    before, after = sample.before[0].content, sample.target[0].content
    (edit,) = sample.edits
    search, new = edit.old_string, edit.new_string
    if before == after:
        return "the target is the unchanged file"
    if edit.replace_all:
        return None if before.replace(search, new) == after else "replacing all occurrences gives another text"
    if not search.strip():
        return "the search text is blank"
    at, is_notebook = before.find(search), sample.before[0].path.endswith(".ipynb")
    if at < 0 and is_notebook:
        return _objection_to_notebook(before, after, edit)
    if at >= 0:
        if before.find(search, at + 1) >= 0:
            return "the search text occurs twice"
        replaced = before[:at] + new + before[at + len(search) :]
        if replaced != after and is_notebook:
            return _objection_to_notebook(before, after, edit)
        return None if replaced == after else "an exact replacement gives another text"
    if _occurs_twice(_normalized(search), "".join(_normalized_lines(before))):
        return "the search text occurs twice, whitespace ignored"
    earliest, latest, n_lines = _changed_lines(before, after, edit)
    if earliest < 0:
        return "the target has text that the edit lacks"
    alike = _likeness(_normalized(search), before, n_lines)
    here = alike[earliest : latest + 1].max(initial=0)
    elsewhere = max(alike[: max(earliest - n_lines + 1, 0)].max(initial=0), alike[latest + n_lines :].max(initial=0))
    return "another place is as similar to the search text" if here <= elsewhere else None


def _objection_to_notebook(before: str, after: str, edit: Edit) -> str | None:
    """Object unless the target's code is the notebook's code with the edit made in it, JSON syntax ignored."""
    try:
        old, new = ("".join(chain(*(cell["source"] for cell in json.loads(text)["cells"]))) for text in (before, after))
    except (ValueError, LookupError, TypeError):
        return "the target is no notebook"
    was, now, search, written = (
        _normalized(text).replace('"', "").replace(",", "") for text in (old, new, edit.old_string, edit.new_string)
    )
    parts = was.split(search) if search else []
    return None if len(parts) == 2 and written.join(parts) == now else "the target has not what the edit writes"


def _objection_to_list(sample: Sample) -> str | None:
    """Object unless each edit has one place in the result of the earlier edits, and the last result is the target.
    For a refusal, object unless one edit has no single place.
    """
    text, is_surely_gone = sample.before[0].content, False
    for edit in sample.edits or ():
        parts = text.split(edit.old_string)
        if len(parts) == 2:
            text = edit.new_string.join(parts)
        elif sample.label == "apply":
            return "a search text does not occur once in its turn"
        else:
            is_surely_gone |= len(parts) > 2 or _normalized(edit.old_string) not in _normalized(text)
    if sample.label == "refuse":
        return None if is_surely_gone else "each search text occurs once in its turn, whitespace ignored"
    return None if sample.target and text == sample.target[0].content else "the edits leave another text"


def _occurs_twice(search: str, text: str) -> bool:
    at = text.find(search)
    return at >= 0 and text.find(search, at + 1) >= 0


def _likeness(search: str, text: str, n_lines: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """How well each block of n lines explains a search text; of equally good blocks, the shorter one is better."""
    windows, lengths = _windows(text, n_lines)
    slack = np.abs(lengths - len(search)) / (lengths + len(search) + 1.0)
    if n_lines > 1:
        found = cdist([search], windows, scorer=LCSseq.similarity, dtype=np.float32)[0]
    else:
        # A short search text is a subsequence of nearly any line, so only adjacent letters count.
        found = cdist([search], windows, scorer=partial_ratio, dtype=np.float32)[0]
        found = found * np.minimum(1, lengths / len(search))
    likeness: np.ndarray[tuple[int], np.dtype[np.float32]] = found - 0.5 * slack.astype(np.float32)
    return likeness


def _changed_lines(before: str, after: str, edit: Edit) -> tuple[int, int, int]:
    """The first and last line at which the replaced block may start, and its number of lines; -1 for none."""
    new = edit.new_string
    ahead, behind = _common_prefix_length(before, after), _common_prefix_length(before[::-1], after[::-1])
    length = len(before) - len(after) + len(new)
    if length >= 0:
        # The new text may begin or end like the text around it: every place that gives this result counts.
        starts = [at for at in range(max(len(before) - behind - length, 0), ahead + 1) if after.startswith(new, at)]
        if starts:
            first, last = (before.count("\n", 0, at) for at in (starts[0], starts[-1]))
            return first, last, before.count("\n", starts[0], starts[0] + length) + 1
    behind = min(behind, len(before) - ahead, len(after) - ahead)
    if not _is_in_new_text(after, ahead, len(after) - behind, new):
        return -1, -1, 0
    # The target does not have the new text literally: any block that the change touches may be meant.
    first, last = before.count("\n", 0, ahead), before.count("\n", 0, len(before) - behind)
    n_lines = max(last - first, edit.old_string.count("\n") or len(_LINE_FEED.findall(edit.old_string))) + 1
    return max(first - n_lines + 1, 0), last, n_lines


def _is_in_new_text(after: str, start: int, end: int, new: str) -> bool:
    """True if the new text contains each line that the target gained."""
    new_text = _normalized(new)
    ahead = start - after.rfind("\n", 0, start) - 1
    if after[start - ahead : start] == after[end - ahead : end]:
        # The line below begins like the gained text: the gained text starts at its own line.
        start, end = start - ahead, end - ahead
    return all(_normalized(line) in new_text for line in after[start:end].split("\n"))


def _common_prefix_length(left: str, right: str) -> int:
    """The number of characters that two texts share at their start, found by bisection."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _objection_to_patch(sample: Sample) -> str | None:
    """Object unless the patch contains every line that the target gains and, up to slips, every line that it loses."""
    patch_text = _normalized(
        sample.patch or "".join(f"{edit.old_string}\n{edit.new_string}\n" for edit in sample.edits or ())
    )
    before = {file.path: file.content for file in sample.before}
    after = {file.path: file.content for file in sample.target or ()}
    if before == after:
        return "the target is the unchanged files"
    gone = [before[path] for path in before.keys() - after.keys()]
    names_lines = sample.format not in ("insert", "line_range", *ANCHORED_FORMATS)
    for path, text in after.items():
        # The places of lines do not matter here, only how many equal lines there are.
        origin = before[path] if path in before else _origin(text, gone)
        old, new = (Counter(one.split("\n")) for one in (origin, text))
        if any(_normalized(line) not in patch_text for line in new - old):
            return "a gained line is not in the patch"
        if names_lines and not all(_is_in_patch(_normalized(line), patch_text) for line in old - new):
            return "a lost line is not in the patch"
    return None


def _is_in_patch(line: str, patch_text: str) -> bool:
    return line in patch_text or partial_ratio(line, patch_text) >= _SLIP


def _origin(text: str, gone: list[str]) -> str:
    """The text of a new file before it was moved; empty if the file was not moved."""
    likest = max(gone, key=lambda other: ratio(other, text), default="")
    return likest if ratio(likest, text) > _MOVED else ""


def _objection_to_stale_edits(sample: Sample) -> str | None:
    """Object unless the edits fit the seen text, and the target has both changes. For a refusal, object if every edit
    still has its place.
    """
    assert sample.seen
    assert sample.edits
    seen, before = sample.seen[0].content, sample.before[0].content
    mine = seen
    for edit in sample.edits:
        n_places = mine.count(edit.old_string)
        if n_places != 1 and (edit.occurrence is None or n_places < edit.occurrence):
            return "the search text does not occur once in what was seen"
        parts = mine.split(edit.old_string)
        at = edit.occurrence or 1
        mine = edit.new_string.join((edit.old_string.join(parts[:at]), edit.old_string.join(parts[at:])))
    if before == seen:
        return "the file has not changed since it was seen"
    if sample.label == "refuse":
        kept = all(_stands_between_the_same(edit, seen, before) for edit in sample.edits)
        return "the lines stand where they were seen" if kept else None
    after = (sample.target or ())[0].content if sample.target else ""
    if after == before:
        return "the target is the unchanged file"
    # A formatter may change quotes and line breaks: added and removed characters are compared instead of lines.
    of_after, of_before, of_mine, of_seen = (
        Counter(_normalized(text).replace('"', "'")) for text in (after, before, mine, seen)
    )
    both = (of_after - of_before, of_before - of_after) == (of_mine - of_seen, of_seen - of_mine)
    return None if both else "the target has not what both changes make"


def _stands_between_the_same(edit: Edit, seen: str, before: str) -> bool:
    """True if the search text occurs in one place of `before` between the same nonblank lines as in `seen`."""
    search = edit.old_string
    if not search.strip():
        return False
    meant = _lines_beside(seen, _starts(search, seen)[(edit.occurrence or 1) - 1], search)
    return [_lines_beside(before, at, search) for at in _starts(search, before)].count(meant) == 1


def _starts(search: str, text: str) -> list[int]:
    found, at = [], text.find(search)
    while at >= 0:
        found.append(at)
        at = text.find(search, at + 1)
    return found


def _lines_beside(text: str, at: int, search: str) -> tuple[str, str]:
    above, below = text[:at].rstrip().rpartition("\n")[2], text[at + len(search) :].lstrip().partition("\n")[0]
    return above.strip(), below.strip()


def _objection_to_refusal(sample: Sample) -> str | None:
    """Object if the search text occurs in the file exactly once."""
    reason = next((tag.removeprefix("refuse:") for tag in sample.tags if tag.startswith("refuse:")), "")
    if not sample.edits:
        return None if reason and sample.patch is not None else "a refusal without a reason"
    if reason in ("unencodable", "binary"):
        return _objection_to_bytes(sample, reason)
    before = sample.before[0].content
    text = _collapse_whitespace(before)
    for edit in sample.edits:
        search, meant = edit.old_string, _collapse_whitespace(edit.old_string)
        if not meant or search == edit.new_string:
            return None
        literally = search in before and (edit.replace_all or not _occurs_twice(search, before))
        at = text.find(meant)
        unsure = at >= 0 and not _occurs_twice(meant, text) and _is_whole_word(text, meant, at)
        if not literally and not unsure:
            return None
    return "the search text occurs in the file once"


def _objection_to_bytes(sample: Sample, reason: str) -> str | None:
    """Object unless the file is binary, or its encoding lacks a character of the new text."""
    raw = sample.before[0].raw or b""
    if reason == "binary":
        is_marked = raw[:2] in (b"\xff\xfe", b"\xfe\xff") or raw[:4] == b"\0\0\xfe\xff"
        return None if b"\0" in raw[:8192] and not is_marked else "the file is no binary one"
    try:
        "".join(edit.new_string for edit in sample.edits or ()).encode(sample.before[0].encoding or "utf-8")
    except UnicodeEncodeError:
        return None
    return "the encoding has the new text"


def _is_whole_word(text: str, meant: str, at: int) -> bool:
    """True if no letter or digit is next to the match; otherwise the match is a part of a longer word."""
    end = at + len(meant)
    left = at > 0 and text[at - 1].isalnum() and meant[0].isalnum()
    right = end < len(text) and text[end].isalnum() and meant[-1].isalnum()
    return not (left or right)


@lru_cache(maxsize=16)
def _windows(text: str, n_lines: int) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Each block of n lines, normalized, and its length, by its first line; blocks at the end are shorter."""
    lines = _normalized_lines(text)
    windows = ["".join(lines[at : at + n_lines]) for at in range(len(lines))]
    return windows, np.array([len(window) for window in windows])


@lru_cache(maxsize=16)
def _normalized_lines(text: str) -> list[str]:
    return [_normalized(line) for line in text.split("\n")]


@lru_cache(maxsize=4096)
def _normalized(text: str) -> str:
    """The text without everything that damage to whitespace, escapes, quotes and case may change."""
    if "\\" in text:
        text = _ESCAPE.sub("", text)
    if not text.isascii():
        text = normal_form(_INVISIBLE.sub("", text.translate(_FOLDED)), "NFKC")
    if "&" in text:
        text = unescape(text)
    return "".join(text.split()).lower()


@lru_cache(maxsize=64)
def _collapse_whitespace(text: str) -> str:
    """The text with each run of whitespace collapsed to one space; case, punctuation and quotes stay."""
    return " ".join(text.split())
