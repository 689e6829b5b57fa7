"""Whether a comparison is good enough to go on: what of it fails, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from reports.compare.comparison import Comparison, StrategyCompared, Turn, Turned
from reports.compare.contrasts import ALPHA


class Rule(StrEnum):
    """What a gate can fail on."""

    WRONG_EDIT = "wrong_edit"
    """A sample is newly edited wrongly; one is enough, since outcomes do not depend on luck."""
    MATCH_RATE = "match_rate"
    """The match rate is significantly down."""
    CRASH = "crash"
    """A sample newly crashes or times out."""
    LATENCY = "latency"
    """Slower than is tolerated, with the whole interval; only where machines cancel out."""
    REGRESSION = "regression"
    """Any sample turned worse, if only from correct to missed."""


DEFAULT = frozenset({Rule.WRONG_EDIT, Rule.MATCH_RATE, Rule.CRASH, Rule.LATENCY})
LATENCY_TOLERANCE = 0.25


@dataclass(frozen=True, slots=True)
class Gate:
    """What must not be found."""

    fail_on: frozenset[Rule] = DEFAULT
    latency_tolerance: float = LATENCY_TOLERANCE
    """By how much slower a strategy may become: 0.25 is a quarter."""
    alpha: float = ALPHA
    """Of the test of the match rate, corrected for the number of strategies."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a gate fails."""

    kind: Rule
    strategy: str
    message: str
    """One line, without the strategy's name."""
    sample_ids: tuple[str, ...] = ()
    """Those at fault; empty where it is all of them together."""


def failures(comparison: Comparison, gate: Gate) -> list[Failure] | None:
    """Why the gate fails, in the order of `Rule` and then of strategies; empty where it does not.

    None for a gate that fails on nothing: what was not asked has not passed.
    """
    if not gate.fail_on:
        return None
    turned: dict[str, list[Turned]] = defaultdict(list)
    for pair in comparison.turned:
        turned[pair.strategy].append(pair)
    return [
        failure
        for kind in Rule
        if kind in gate.fail_on
        for one in comparison.strategies
        for failure in _found(kind, one, turned[one.strategy], gate)
    ]


def _found(kind: Rule, one: StrategyCompared, turned: Iterable[Turned], gate: Gate) -> Iterator[Failure]:
    match kind:
        case Rule.WRONG_EDIT:
            ids = tuple(pair.sample_id for pair in turned if pair.newly_wrong)
            if ids:
                yield Failure(kind, one.strategy, f"{_samples(ids)} newly edited wrongly", ids)
        case Rule.CRASH:
            ids = tuple(pair.sample_id for pair in turned if pair.newly_failed)
            if ids:
                yield Failure(kind, one.strategy, f"{_samples(ids)} newly crashed or timed out", ids)
        case Rule.REGRESSION:
            ids = tuple(pair.sample_id for pair in turned if pair.turn == Turn.WORSE)
            if ids:
                yield Failure(kind, one.strategy, f"{_samples(ids)} turned worse", ids)
        case Rule.MATCH_RATE:
            rate = one.match_rate
            if rate and rate.delta < 0 and rate.is_significant(alpha=gate.alpha):
                told = f"match rate down by {-100 * rate.delta:.1f} points (p {rate.corrected_p:.2g})"
                yield Failure(kind, one.strategy, told)
        case Rule.LATENCY:
            ratio = one.latency
            if ratio and ratio.relative and ratio.interval and ratio.interval[0] > 1 + gate.latency_tolerance:
                (low, high), tolerated = ratio.interval, 1 + gate.latency_tolerance
                told = f"takes {ratio.value:.2f} times as long ({low:.2f}-{high:.2f}), {tolerated:g} is tolerated"
                yield Failure(kind, one.strategy, told)


def _samples(ids: tuple[str, ...]) -> str:
    return f"{len(ids):,} sample{'' if len(ids) == 1 else 's'}"
