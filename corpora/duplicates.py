"""Duplicates: samples that occur twice in the corpora of a run, and near-duplicates that differ in whitespace only.

An id names one sample: two different samples with one id could not be told apart in a run folder. A sample that
occurs twice is counted once. Ids are held as hashes, 8 bytes for each sample.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from corpora.sample import Sample, fingerprint, right_answers, text_hash
from corpora.segments import Segment, ids, read_segment
from editcore.errors import UsageError
from editcore.quoting import quoted
from editcore.text.diff import common_ends

_LINES_AROUND = 8
"""The number of lines above and below a place that are compared."""


def likeness(sample: Sample) -> int:
    """A 62-bit hash that near-duplicates share.

    Near-duplicates have equal edits and equal lines around the edited place, after each run of whitespace is folded
    into one space. Id, repository, path and label do not count, since a copy has others; text farther away does not
    count.

        one/repo        def total(xs):  return sum(x)       sum(x) -> sum(xs)
        another/repo    def total(xs):      return sum(x)   sum(x) -> sum(xs)      a near-duplicate
        a third         def mean(xs):   return sum(x)       sum(x) -> sum(xs)      none: another function
    """
    parts = [sample.format, *_edit(sample)]
    for text, start, end in _places(sample):
        parts += (text[_above(text, start) : start], text[start:end], text[end : _below(text, end)])
    return text_hash("\0".join(" ".join(part.split()) for part in parts)) >> 2


def _edit(sample: Sample) -> Iterator[str]:
    yield sample.patch or ""
    for edit in sample.edits or ():
        yield from (edit.old_string, edit.new_string, f"{edit.replace_all} {edit.occurrence}")


def _places(sample: Sample) -> Iterator[tuple[str, int, int]]:
    """The edited ranges of the files before: the changes of the right answer; else the search text's longest line;
    else all.
    """
    after = {file.path: file.content for files in right_answers(sample)[:1] for file in files}
    changed = [file for file in sample.before if after.get(file.path) != file.content] if after else []
    for file in changed:
        head, tail = common_ends(file.content, after.get(file.path, ""))
        yield file.content, head, len(file.content) - tail
    for file in () if changed else sample.before:
        longest = max((sample.edits[0].old_string if sample.edits else "").split("\n"), key=len).strip()
        start = file.content.find(longest) if longest else -1
        yield (file.content, start, start + len(longest)) if start >= 0 else (file.content, 0, len(file.content))


def _above(text: str, start: int) -> int:
    for _ in range(_LINES_AROUND + 1):
        start = text.rfind("\n", 0, start) if start > 0 else -1
    return start + 1


def _below(text: str, end: int) -> int:
    for _ in range(_LINES_AROUND + 1):
        end = text.find("\n", end) + 1 or len(text)
    return end


Repeats = Mapping[str, frozenset[int]]
"""Segment name -> numbers of samples that occurred before."""
NO_REPEATS: Repeats = MappingProxyType({})


def repeats(segments: Iterable[Segment]) -> Repeats:
    """The samples of these segments that have the id and content of an earlier sample.

    Malformed samples are ignored. Raises UsageError if two samples have one id and different contents.
    """
    distinct = list({segment.name: segment for segment in segments}.values())
    hashes = array("Q", (text_hash(sample_id) for segment in distinct for _, sample_id in ids(segment)))
    values, counts = np.unique(np.frombuffer(hashes, dtype=np.uint64), return_counts=True)
    shared = frozenset(values[counts > 1].tolist())
    return _same(distinct, shared) if shared else {}


def _same(segments: Iterable[Segment], shared: Collection[int]) -> Repeats:
    """The repeats among the samples whose ids have the hashes `shared`."""
    first: dict[str, tuple[int, str]] = {}
    found: defaultdict[str, set[int]] = defaultdict(set)
    for segment in segments:
        wanted = {number for number, sample_id in ids(segment) if text_hash(sample_id) in shared}
        if not wanted:
            continue
        for number, sample in read_segment(segment, only=wanted, on_bad=lambda _: None):
            place = f"{segment.path}, {segment.unit} {number}"
            content = fingerprint(sample)
            known, where = first.setdefault(sample.id, (content, place))
            if known != content:
                raise UsageError(
                    f"Two different samples have the id {quoted(sample.id)}: {where}, and {place}",
                    "Rename one of them, or run the corpora one at a time.",
                )
            if where != place:
                found[segment.name].add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}
