"""What a run is asked to do, and the jobs that follow from it.

`-k EXPR` selects samples by id, tags and properties, `-n LIMIT` draws some at random, and `--shard I/N` takes one
machine's share of those. The choice depends on the samples only.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import xxhash

from corpora.duplicates import NO_REPEATS, Repeats, repeats
from corpora.edit_calls import outcomes_beside
from corpora.expression import expression
from corpora.load import segments
from corpora.sample import SampleError
from corpora.segments import OnBad, Segment, described
from editcore.errors import UsageError
from harness.run.job import Job
from harness.run.repeats import n_repeated, share, share_looked_at
from harness.strategies.strategy import Strategy
from reports.runs.manifest import MOST_SHARDS, CorpusUsed, ShardUsed, Unmeant
from reports.runs.remote import Remote

_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Selection:
    """The options `-k`, `-n` and `--seed`."""

    matching: str | None = None
    """The expression of `-k`."""
    limit: int | None = None
    """The most samples of each corpus. The choice depends on the seed and the sample ids alone."""
    seed: int = 0
    ids: frozenset[str] | None = None
    """The samples to select from; None for all."""

    def choose(
        self, segments: Iterable[Segment], *, repeated: Repeats = NO_REPEATS, on_bad: OnBad | None = None
    ) -> dict[str, frozenset[int]] | None:
        """Segment name -> numbers of its selected samples, without empty segments; None if every sample is selected.

        If any choice is made, no repeated sample is selected. Raises UsageError for a malformed expression, and for
        an expression with a key that no sample has.
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
    """`--shard I/N`: the I-th of N consecutive shares of the selected samples. Their sizes differ by at most one."""

    index: int
    """1-based."""
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse `I/N`. Raises UsageError."""
        found = _SHARD.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]) <= MOST_SHARDS:
            raise UsageError(f"--shard {text} is not a shard", "Write I/N with I from 1 to N: --shard 2/8.")
        return cls(int(found[1]), int(found[2]))

    def positions(self, n_samples: int) -> range:
        """The 0-based positions of the shard among `n_samples` selected samples."""
        return range(n_samples * (self.index - 1) // self.n, n_samples * self.index // self.n)


@dataclass(frozen=True, slots=True)
class Request:
    corpora: Sequence[str]
    strategies: Sequence[Strategy]
    folder: Path | None = None
    """The run folder; None to make one under `runs/`."""
    _: KW_ONLY
    selection: Selection = field(default_factory=Selection)
    n_workers: int | None = None
    """The number of worker processes; None for one per core."""
    timeout_s: float = 5.0
    skip_bad: bool = False
    resume: bool = False
    replace: bool = False
    """True to delete the run in the folder first."""
    argv: Sequence[str] = ()
    shard: Shard | None = None
    """The share of the run to do; None for all of it."""
    scheduler: str | None = None
    """The address of a dask scheduler whose workers do the run; None for this machine."""
    remote: Remote | None = None
    """The URL at which the run folder is kept; `folder` is then its local mirror."""
    max_failed: int | None = None
    """The number of wrong outcomes after which the run stops; None for no limit."""
    n_repeated: int | None = None
    """The samples, for each set of strategies, whose calls are repeated; None for a number by the run's size."""
    known_breaks: KnownBreaks = lambda _: (None, None, None, None)
    """What fuzzing found of each strategy, for the manifest."""

    @property
    def place(self) -> str:
        """The run folder as the user named it."""
        return self.remote.url if self.remote else str(self.folder)


KnownBreaks = Callable[[Strategy], tuple[int | None, dict[str, int] | None, dict[str, int] | None, Unmeant | None]]
"""Strategy -> the number of properties that it promises, the ways in which it breaks each, and counts of drawn edits.

Each is None if the strategy was not fuzzed.
"""


class Planned(NamedTuple):
    """The jobs of a run, or of one shard of it."""

    jobs: list[Job]
    corpora: list[CorpusUsed]
    plan: str
    """A hash of everything that the outcomes depend on."""
    shard: ShardUsed | None


def planned(request: Request, warn: Callable[[str], None]) -> Planned:
    """The plan of a run. Raises UsageError if no sample is selected, or a corpus cannot be read."""
    jobs, corpora = _jobs(request, warn)
    plan, n_in_all = _hash(request, jobs), sum(job.n_selected for job in jobs)
    n, looked_at = request.n_repeated, share_looked_at(n_in_all)
    n = n_repeated(n_in_all) if n is None else n
    jobs = [replace(job, n_repeated=share(n, job.n_selected, n_in_all), looked_at=looked_at) for job in jobs]
    shard = request.shard
    if shard is None:
        return Planned(jobs, corpora, plan, None)
    return Planned(_jobs_of_shard(jobs, shard), corpora, plan, ShardUsed(shard.index, shard.n))


def _jobs(request: Request, warn: Callable[[str], None]) -> tuple[list[Job], list[CorpusUsed]]:
    """A job for every segment with a selected sample, and the number of samples of each corpus.

    A sample that occurs again is run once.
    """
    jobs: dict[str, Job] = {}
    used = []

    def skip(error: SampleError) -> None:
        warn(f"left out: {error.message}")

    corpora = [(name, segments(name)) for name in request.corpora]
    repeated = repeats(segment for _, found in corpora for segment in found)
    if n_again := sum(map(len, repeated.values())):
        warn(f"counted once: {n_again} sample{'' if n_again == 1 else 's'} that occur twice, with the same id")
    for name, found in corpora:
        chosen = request.selection.choose(found, repeated=repeated, on_bad=skip if request.skip_bad else None)
        mine = []
        for segment in found if chosen is None else [one for one in found if one.name in chosen]:
            only = None if chosen is None else chosen[segment.name]
            job = Job(segment, Path(), request.timeout_s, request.skip_bad, only)
            if segment.name in repeated:
                job = replace(job, only=frozenset(job.numbers).difference(repeated[segment.name]))
            if job.n_selected:
                mine.append(job)
        used.append(CorpusUsed(name, sum(job.n_selected for job in mine), outcomes_beside(Path(name))))
        jobs.update({job.segment.name: job for job in mine})  # A corpus that is named twice is run once.
    if not jobs:
        ids, matching = request.selection.ids, request.selection.matching
        if ids is not None and matching is None:
            few = f"None of the {len(ids):,} samples that went wrong before is in {', '.join(request.corpora)}"
            raise UsageError(few, "Name the corpus of that run, or none.")
        raise UsageError("No sample is selected", "Loosen -k, or name another corpus.")
    return list(jobs.values()), used


def _hash(request: Request, jobs: Sequence[Job]) -> str:
    state = xxhash.xxh3_128()
    for strategy in request.strategies:
        state.update(repr((strategy.spec, strategy.version, strategy.origin)).encode())
    for job in jobs:
        only = None if job.only is None else sorted(job.only)
        state.update(repr((job.segment.name, only, request.timeout_s)).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _jobs_of_shard(jobs: Sequence[Job], shard: Shard) -> list[Job]:
    """The jobs of one shard of the run. The first and the last may be partial."""
    mine = shard.positions(sum(job.n_selected for job in jobs))
    found, at = [], 0
    for job in jobs:
        n = job.n_selected
        start, end = max(mine.start - at, 0), min(mine.stop - at, n)
        if start < end:
            found.append(job if end - start == n else job.cut(start, end))
        at += n
    return found
