"""Counts of a corpus's samples by agent, model, format, language, label, drift, ..."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from corpora.sample import Sample, was_seen

COUNTED = ("label", "label_source", "format", "agent", "model", "language", "drift", "mutator", "severity", "seen")
"""The properties that are counted, in the order in which they are shown."""
_SHOWN = 20
"""Number of values of a property that are shown; the rest are counted together."""
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


class StaleShare(NamedTuple):
    """The edits of an agent, by its knowledge of their files."""

    agent: str
    n_stale: int
    """Edits of files that changed since the agent saw them."""
    n_known: int
    """Edits for which the seen files are known."""
    n_edits: int


def stale_shares(samples: Iterable[Sample]) -> list[StaleShare]:
    """The share of stale edits of each agent, the most edits first; agents without known seen files are left out."""
    found: dict[str, Counter[str | None]] = {}
    for sample in samples:
        found.setdefault(sample.provenance.agent or UNKNOWN, Counter())[was_seen(sample)] += 1
    shares = [StaleShare(agent, n["other"], n["other"] + n["same"], n.total()) for agent, n in found.items()]
    return sorted((one for one in shares if one.n_known), key=lambda one: (-one.n_edits, one.agent))


def most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent values with their counts, then all others as one."""
    most = counts.most_common(_SHOWN)
    rest = counts.total() - sum(n for _, n in most)
    return [*most, (f"{len(counts) - len(most)} others", rest)] if rest else most
