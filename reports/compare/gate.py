"""The gate: rules that make a comparison fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from reports.compare.comparison import Comparison, StrategyCompared, Turn, Turned
from reports.compare.contrasts import ALPHA
from reports.runs.rows import Severity


class Rule(StrEnum):
    """A condition under which a gate fails."""

    WRONG_EDIT = "wrong_edit"
    """A sample is newly edited wrongly. One is enough: outcomes are deterministic."""
    MATCH_RATE = "match_rate"
    """The match rate is significantly lower."""
    CRASH = "crash"
    """A sample newly crashes or times out."""
    LATENCY = "latency"
    """The whole interval of the latency ratio is above the tolerance; only where the machines' speeds cancel out."""
    REGRESSION = "regression"
    """A sample turned worse, including from correct to missed."""
    BROKEN = "broken"
    """A sample is newly edited so that its file no longer parses."""
    OTHER_TREE = "other_tree"
    """A sample is newly edited so that its file parses and means something else."""


DEFAULT = frozenset({Rule.WRONG_EDIT, Rule.MATCH_RATE, Rule.CRASH, Rule.LATENCY})
LATENCY_TOLERANCE = 0.25


@dataclass(frozen=True, slots=True)
class Gate:
    """The rules to check, and their thresholds."""

    fail_on: frozenset[Rule] = DEFAULT
    latency_tolerance: float = LATENCY_TOLERANCE
    """Tolerated increase of latency, as a share: 0.25 is a quarter."""
    alpha: float = ALPHA
    """Significance level of the match rate's test, after Holm's correction over the strategies."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule that a strategy breaks."""

    kind: Rule
    strategy: str
    message: str
    """One line, without the strategy's name."""
    sample_ids: tuple[str, ...] = ()
    """The samples that break it; empty for rules about all samples together."""


def failures(comparison: Comparison, gate: Gate) -> list[Failure] | None:
    """The failures of the gate, in the order of `Rule` and then of strategies; empty if it passes.

    None for a gate without rules, which neither passes nor fails.
    """
    if not gate.fail_on:
        return None
    turned: dict[str, list[Turned]] = defaultdict(list)
    for pair in comparison.turned:
        turned[pair.strategy].append(pair)
    return [
        failure
        for rule in Rule
        if rule in gate.fail_on
        for one in comparison.strategies
        for failure in _failures_of(rule, one, turned[one.strategy], gate)
    ]


def _failures_of(rule: Rule, one: StrategyCompared, turned: Iterable[Turned], gate: Gate) -> Iterator[Failure]:
    match rule:
        case Rule.WRONG_EDIT:
            ids = tuple(pair.sample_id for pair in turned if pair.newly_wrong)
            if ids:
                yield Failure(rule, one.strategy, f"{_samples(ids)} newly edited wrongly", ids)
        case Rule.CRASH:
            ids = tuple(pair.sample_id for pair in turned if pair.newly_failed)
            if ids:
                yield Failure(rule, one.strategy, f"{_samples(ids)} newly crashed or timed out", ids)
        case Rule.REGRESSION:
            ids = tuple(pair.sample_id for pair in turned if pair.turn == Turn.WORSE)
            if ids:
                yield Failure(rule, one.strategy, f"{_samples(ids)} turned worse", ids)
        case Rule.BROKEN | Rule.OTHER_TREE:
            ids = tuple(pair.sample_id for pair in turned if pair.newly_has(Severity(rule)))
            if ids:
                yield Failure(rule, one.strategy, f"{_samples(ids)} newly edited wrongly with severity {rule}", ids)
        case Rule.MATCH_RATE:
            rate = one.match_rate
            if rate and rate.delta < 0 and rate.is_significant(alpha=gate.alpha):
                message = f"match rate down by {-100 * rate.delta:.1f} points (p {rate.corrected_p:.2g})"
                yield Failure(rule, one.strategy, message)
        case Rule.LATENCY:
            ratio = one.latency
            if ratio and ratio.relative and ratio.interval and ratio.interval[0] > 1 + gate.latency_tolerance:
                (low, high), tolerated = ratio.interval, 1 + gate.latency_tolerance
                message = f"takes {ratio.value:.2f} times as long ({low:.2f}-{high:.2f}), {tolerated:g} is tolerated"
                yield Failure(rule, one.strategy, message)


def _samples(ids: tuple[str, ...]) -> str:
    return f"{len(ids):,} sample{'' if len(ids) == 1 else 's'}"
