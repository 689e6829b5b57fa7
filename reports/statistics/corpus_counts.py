"""Counts of a corpus's samples by agent, model, format, ..., and of what followed the replies of edit tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import numpy as np

from corpora.importers.replies import Next, Reply
from corpora.sample import Sample, was_seen
from reports.measurements.interval import Estimate, clustered

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


# What replies of edit tools were followed by: shares, with intervals by session.

NEXT: tuple[str, ...] = get_args(Next)


@dataclass(frozen=True, slots=True)
class ReplyShares:
    """The replies of one group, and the shares of what came next."""

    group: tuple[str, ...]
    n: int
    n_sessions: int
    n_looked: int
    """Number of replies after which the agent read the file first."""
    shares: tuple[Estimate, ...]
    """In the order of `NEXT`. Not an estimate of all replies if some have nothing recorded next."""

    def document(self, names: Sequence[str]) -> dict[str, Any]:
        """The shares as a JSON object; `names` are the fields of the group."""
        shares = {
            name: {"share": one.value, "low": one.low, "high": one.high}
            for name, one in zip(NEXT, self.shares, strict=True)
        }
        group = dict(zip(names, self.group, strict=True))
        return {**group, "n": self.n, "n_sessions": self.n_sessions, "n_looked": self.n_looked, "next": shares}


def reply_shares(replies: Iterable[Reply], names: Sequence[str]) -> list[ReplyShares]:
    """The shares for each combination of these fields of a reply, the most frequent first."""
    groups: dict[tuple[str, ...], list[Reply]] = {}
    for reply in replies:
        groups.setdefault(tuple(str(getattr(reply, name)) for name in names), []).append(reply)
    found = [_shares(group, some) for group, some in groups.items()]
    return sorted(found, key=lambda one: (-one.n, one.group))


def _shares(group: tuple[str, ...], replies: Sequence[Reply]) -> ReplyShares:
    _, session = np.unique([reply.session for reply in replies], return_inverse=True)
    asked = np.bincount(session)
    shares = []
    for name in NEXT:
        hits = np.bincount(session, weights=[reply.next == name for reply in replies])
        low, high = clustered(hits, asked)
        shares.append(Estimate(name, "", float(hits.sum() / len(replies)), low, high, len(replies)))
    return ReplyShares(group, len(replies), len(asked), sum(reply.looked for reply in replies), tuple(shares))
