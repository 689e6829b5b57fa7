"""Which samples of a corpus are run: `-k EXPR` selects by id, tags and properties, `-n LIMIT` draws at random.

`--shard I/N` then selects one machine's share of those. The choice depends on the samples only.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import dataclass

import xxhash

from corpora.duplicates import NO_REPEATS, Repeats
from corpora.expression import expression
from corpora.segments import OnBad, Segment, described
from editcore.errors import UsageError
from reports.runs.manifest import MOST_SHARDS

_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Selection:
    """The options `-k`, `-n` and `--seed`."""

    matching: str | None = None
    """The expression of `-k`."""
    limit: int | None = None
    """The largest number of samples from each corpus. Which ones depends on the seed and their ids alone."""
    seed: int = 0
    ids: frozenset[str] | None = None
    """The samples among which is selected; None means all."""

    def choose(
        self, segments: Iterable[Segment], *, repeated: Repeats = NO_REPEATS, on_bad: OnBad | None = None
    ) -> dict[str, frozenset[int]] | None:
        """Segment name -> numbers of its selected samples, for segments with any; None if every sample is selected.

        Of the repeated samples none is selected, if any choice is made. Raises UsageError for a malformed
        expression, and for one with a key that no sample has.
        """
        if self.matching is None and self.limit is None and self.ids is None:
            return None
        matches = expression(self.matching) if self.matching is not None else None
        properties = matches.properties if matches else frozenset[str]()
        found = (
            (self._rank(sample_id), segment.name, number)
            for segment in segments
            for number, sample_id, tags, values in described(segment, properties, on_bad=on_bad)
            if (self.ids is None or sample_id in self.ids)
            and (matches is None or matches(sample_id, tags, values))
            and number not in repeated.get(segment.name, ())
        )
        drawn = found if self.limit is None else iter(heapq.nsmallest(self.limit, found))
        chosen: dict[str, set[int]] = {}
        for _, name, number in drawn:
            chosen.setdefault(name, set()).add(number)
        if matches is not None:
            matches.check_keys(n_selected=sum(map(len, chosen.values())))
        return {name: frozenset(numbers) for name, numbers in chosen.items()}

    def _rank(self, sample_id: str) -> int:
        return xxhash.xxh3_64_intdigest(f"{self.seed}/{sample_id}".encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Shard:
    """`--shard I/N`: the I-th of N consecutive shares of the selected samples. Sizes differ by one at most."""

    index: int
    """1-based."""
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that `I/N` stands for. Raises UsageError."""
        found = _SHARD.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]) <= MOST_SHARDS:
            raise UsageError(f"--shard {text} is not a shard", "Write I/N with I from 1 to N: --shard 2/8.")
        return cls(int(found[1]), int(found[2]))

    def positions(self, n_samples: int) -> range:
        """The 0-based positions of the shard's samples among `n_samples` selected ones."""
        return range(n_samples * (self.index - 1) // self.n, n_samples * self.index // self.n)
