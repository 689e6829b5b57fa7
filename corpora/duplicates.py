"""Samples that occur twice in the corpora of a run.

An id stands for one sample: two different samples with one id could not be told apart in a run folder. A sample that
occurs twice is counted once. Ids are held as hashes, 8 bytes for each sample.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

import numpy as np

from corpora.sample import fingerprint, text_hash
from corpora.segments import Segment, ids, read_segment
from editcore.errors import UsageError
from editcore.quoting import quoted

Repeats = Mapping[str, frozenset[int]]
"""Segment name -> numbers of samples that occurred before."""
NO_REPEATS: Repeats = MappingProxyType({})


def repeats(segments: Iterable[Segment]) -> Repeats:
    """The samples that occurred before in these segments, with the same id and content.

    Malformed samples are none. Raises UsageError where two samples have one id and different contents.
    """
    distinct = list({segment.name: segment for segment in segments}.values())
    hashes = array("Q", (text_hash(sample_id) for segment in distinct for _, sample_id in ids(segment)))
    values, counts = np.unique(np.frombuffer(hashes, dtype=np.uint64), return_counts=True)
    shared = frozenset(values[counts > 1].tolist())
    return _same(distinct, shared) if shared else {}


def _same(segments: Iterable[Segment], shared: Collection[int]) -> Repeats:
    """The repeats among the samples whose ids have these hashes."""
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
