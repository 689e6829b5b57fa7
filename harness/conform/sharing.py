"""A comparison that is shared out among processes, each with a process of the program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import NamedTuple

from corpora.load import load
from corpora.sample import Sample
from editcore.errors import UsageError
from harness.conform.conforming import Conformed, Pair, compare, draws, until
from harness.conform.kit import samples_for
from harness.run.latency import Stopwatch
from harness.strategies.external import command_strategy
from harness.strategies.registry import strategy


class Comparison(NamedTuple):
    """What is compared, in words that every process understands."""

    rule: str
    """The name of the strategy whose answers are right."""
    spec: str
    """The program, as `cmd:NAME=COMMAND`."""
    tiers: tuple[str, ...]
    """The tiers that requests name."""
    corpora: tuple[str, ...]
    seconds: float | None
    """How long inputs are drawn; None for not at all."""
    seed: int
    timeout_s: float
    """The time limit of an answer."""

    def pair(self, stopwatch: Stopwatch) -> Pair:
        """The rule and the program."""
        return Pair(
            strategy(self.rule), command_strategy(self.spec, tiers=self.tiers), stopwatch, timeout_s=self.timeout_s
        )


def compared(comparison: Comparison, *, n_jobs: int) -> Conformed:
    """What all inputs come to. Raises UsageError if a process is killed."""
    if n_jobs == 1:
        return _share(comparison, 1, 0)
    found = Conformed()
    try:
        # Spawned, not forked: the calling process may have threads.
        with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool:
            for part in pool.map(partial(_share, comparison, n_jobs), range(n_jobs)):
                found.add(part)
    except BrokenProcessPool:
        raise UsageError(
            "A process of the comparison was killed, perhaps for lack of memory", "Name fewer --jobs."
        ) from (None)
    return found


def _share(comparison: Comparison, n_jobs: int, number: int) -> Conformed:
    """What every `n_jobs`-th input comes to, beginning with one of them."""

    def mine(samples: Iterable[Sample]) -> Iterator[Sample]:
        return islice(samples, number, None, n_jobs)

    found = Conformed()
    with Stopwatch() as stopwatch:
        pair = comparison.pair(stopwatch)
        compare("kit", mine(samples_for(pair.ours)), pair, found)
        for corpus in comparison.corpora:
            compare(corpus, mine(load(corpus)), pair, found)
        if comparison.seconds is not None:
            compare("drawn", until(mine(draws(pair, comparison.seed)), comparison.seconds), pair, found)
    return found
