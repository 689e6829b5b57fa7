"""The gate: rules that make a comparison fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reports.compare.comparison import Comparison, StrategyCompared, Turn, Turned
from reports.compare.contrasts import ALPHA
from reports.compare.nightly_latency import WAITING_NIGHTS, NightlyLatency
from reports.measurements.latencies import computes
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
    """Slower than is tolerated: on two nights in a row, by more than the noise between nights explains.

    Without nights, between two runs: the whole interval of the latency ratio is above the tolerance, of a strategy that
    only computes, relative to the yardstick.
    """
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


def failures(
    comparison: Comparison, gate: Gate, *, nightly: Sequence[NightlyLatency] | None = None
) -> list[Failure] | None:
    """The failures of the gate, in the order of `Rule` and then of strategies; empty if it passes.

    With `nightly`, latencies are judged against nights instead of the baseline alone.

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
        for failure in (
            _latency_failures(one, nightly, gate)
            if rule == Rule.LATENCY
            else _failures_of(rule, one, turned[one.strategy], gate)
        )
    ]


def _latency_failures(one: StrategyCompared, nightly: Sequence[NightlyLatency] | None, gate: Gate) -> Iterator[Failure]:
    tolerated = 1 + gate.latency_tolerance
    for tonight in nightly or ():
        if tonight.strategy == one.strategy and tonight.was_slow and tonight.is_slow(gate.latency_tolerance):
            yield Failure(Rule.LATENCY, one.strategy, slow_text(tonight, gate.latency_tolerance))
    ratio = one.latency
    if nightly is None and ratio and ratio.relative and ratio.interval and computes(one.strategy):
        low, high = ratio.interval
        if low > tolerated:
            message = f"takes {ratio.value:.2f} times as long ({low:.2f}-{high:.2f}), {tolerated:g} is tolerated"
            yield Failure(Rule.LATENCY, one.strategy, message)


def slow_text(tonight: NightlyLatency, tolerance: float) -> str:
    """How much slower a strategy is tonight than on the nights before, in words."""
    nights = "the baseline" if tonight.n_nights == 1 else f"the {tonight.n_nights} nights before"
    again = ", as the night before" if tonight.was_slow else ""
    return (
        f"takes {tonight.ratio:.2f} times {'the CPU time of' if tonight.in_cpu else 'as long as on'} {nights}{again}; "
        f"noise explains {tonight.noise:.2f}, {1 + tolerance:g} is tolerated"
    )


def latency_notes(nightly: Sequence[NightlyLatency], tolerance: float) -> Iterator[str]:
    """What the latencies of nights say short of failing the gate, one sentence each."""
    for one in nightly:
        if one.is_slow(tolerance) and not one.was_slow:
            yield f"{one.strategy} {slow_text(one, tolerance)}; a second such night in a row fails the latency rule."
    if early := dict.fromkeys(one.strategy for one in nightly if not one.is_judged):
        n = WAITING_NIGHTS - min(one.n_nights for one in nightly if not one.is_judged)
        yield (
            f"The latency rule does not look at {', '.join(early)} yet: strategies that wait for processes or the disk "
            f"need {n} more night{'' if n == 1 else 's'} to learn how much they vary."
        )


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
            if rate and rate.delta < 0 and rate.p_of_samples < gate.alpha:
                message = f"match rate down by {-100 * rate.delta:.1f} points (p {rate.p_of_samples:.2g})"
                yield Failure(rule, one.strategy, message)


def _samples(ids: tuple[str, ...]) -> str:
    return f"{len(ids):,} sample{'' if len(ids) == 1 else 's'}"
