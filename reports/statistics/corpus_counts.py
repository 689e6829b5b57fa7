"""Counts of a corpus's samples by agent, model, format, language, label, drift, ..."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from corpora.sample import Sample, was_seen

COUNTED = ("label", "label_source", "format", "agent", "model", "language", "drift", "mutator", "severity", "seen")
"""The properties that are counted, in the order in which they are shown."""
_SHOWN = 20
"""Values of a property that are shown; the rest are counted together."""
UNKNOWN = "-"


def count_properties(samples: Iterable[Sample]) -> dict[str, Counter[str]]:
    """Property -> value -> number of samples; `-` is an unknown value. Properties that no sample has are missing."""
    found: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
    for sample in samples:
        tags = dict(tag.partition(":")[::2] for tag in reversed(sample.tags))
        for name in COUNTED:
            if name == "seen":
                value = was_seen(sample)
            else:
                value = getattr(sample, name, None) or getattr(sample.provenance, name, None) or tags.get(name)
            found[name][value or UNKNOWN] += 1
    return {name: counts for name, counts in found.items() if set(counts) - {UNKNOWN}}


def most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent values with their counts, then all others as one."""
    most = counts.most_common(_SHOWN)
    rest = counts.total() - sum(n for _, n in most)
    return [*most, (f"{len(counts) - len(most)} others", rest)] if rest else most
