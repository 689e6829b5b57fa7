"""What replies of edit tools were followed by: shares, with intervals by session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from corpora.importers.replies import Next, Reply
from reports.measurements.interval import Estimate, clustered

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
