"""The gate: rules that make a comparison fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from types import MappingProxyType

from editcore.errors import UsageError
from reports.compare.comparison import Comparison, StrategyCompared, Turn, Turned
from reports.compare.contrasts import ALPHA
from reports.compare.latency import WAITING_NIGHTS, NightlyLatency, latencies_of_runs
from reports.runs import parts
from reports.runs.rows import Damage, Severity, Verdict
from reports.runs.run_folder import RunFolder
from reports.wording import counted


class Rule(StrEnum):
    """A condition under which a gate fails."""

    WRONG_EDIT = "wrong_edit"
    """A sample is newly edited wrongly. One is enough: outcomes are deterministic."""
    WORSE_EDIT = "worse_edit"
    """A sample that was edited wrongly is edited worse: its severity is worse, or more lines are lost."""
    MATCH_RATE = "match_rate"
    """The match rate is significantly lower."""
    CRASH = "crash"
    """A sample newly crashes or times out, or hangs where it crashed."""
    UNSTABLE = "unstable"
    """Repeated calls for a sample newly give different answers."""
    LATENCY = "latency"
    """Slower than is tolerated, by more than noise explains: on two nights in a row, or between two runs once."""
    REGRESSION = "regression"
    """A sample turned worse, including from correct to missed."""
    BROKEN = "broken"
    """A sample is newly edited so that its file no longer parses."""
    OTHER_TREE = "other_tree"
    """A sample is newly edited so that its file parses and means something else."""
    BYTES = "bytes"
    """A sample is newly edited so that bytes outside the lines of the edit change."""
    GONE = "gone"
    """A strategy of the baseline is missing. Every gate with rules has this one: a missing strategy cannot be judged.
    """
    FINDING = "finding"
    """A sample that fuzzing found is edited wrongly. Every night has this one, also the first."""


CHOICES = tuple(rule for rule in Rule if rule not in (Rule.GONE, Rule.FINDING))
"""The rules that a gate may do without."""
DEFAULT = frozenset({Rule.WRONG_EDIT, Rule.WORSE_EDIT, Rule.MATCH_RATE, Rule.CRASH, Rule.UNSTABLE, Rule.LATENCY})
LATENCY_TOLERANCE = 0.25


@dataclass(frozen=True, slots=True)
class Gate:
    fail_on: frozenset[Rule] = DEFAULT
    latency_tolerance: float = LATENCY_TOLERANCE
    """Tolerated increase of latency, as a share: 0.25 is a quarter."""
    alpha: float = ALPHA
    """Significance level of the match rate's test, after Holm's correction over the strategies."""
    gone: frozenset[str] = frozenset()
    """Strategies of the baseline that are missing on purpose."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule that a strategy breaks."""

    kind: Rule
    strategy: str
    message: str
    """One line that does not repeat the strategy's name."""
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
    found: list[Failure] = []
    for rule in CHOICES:
        for one in comparison.strategies if rule in gate.fail_on else ():
            match rule:
                case Rule.LATENCY:
                    found += _latency_failures(one, comparison.latencies, gate)
                case Rule.MATCH_RATE:
                    found += _match_rate_failures(one, gate)
                case _:
                    found += _failures_of_samples(rule, one, turned[one.strategy])
    return [*found, *_gone(comparison, gate)]


_OPEN = frozenset({Verdict.WRONG_EDIT, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNSTABLE})


def open_findings(run: RunFolder) -> list[Failure]:
    """A failure for each strategy that still edits samples wrongly in which fuzzing found it wrong.

    Such a sample names what was fuzzed in its tag `target:...`. If the run has that strategy, no other is asked. A
    finding that was well written counts as wrong if it is refused, too.
    """
    samples = {one.sample_id: one for one in parts.samples_used(run.folder)}
    found: dict[str, list[str]] = defaultdict(list)
    for row in parts.outcomes(run.folder):
        sample = samples.get(row.sample_id)
        tagged = dict(tag.partition(":")[::2] for tag in sample.tags) if sample else {}
        if sample is None or not tagged.keys() >= {"target", "property"}:
            continue
        of = tagged["target"].partition(":")[0]
        is_open = row.verdict in _OPEN or (row.verdict == Verdict.MISSED and sample.mutator is None)
        if is_open and row.strategy in ((of,) if of in run.strategies else run.strategies):
            found[row.strategy].append(row.sample_id)
    return [
        Failure(Rule.FINDING, name, f"{counted(len(ids), 'finding')} of fuzzing still edited wrongly", tuple(ids))
        for name, ids in found.items()
    ]


def with_latencies(comparison: Comparison, gate: Gate, nightly: Sequence[NightlyLatency] | None = None) -> Comparison:
    """The comparison with the latencies of each strategy: on a night `nightly`, else against the baseline alone."""
    tolerance = gate.latency_tolerance
    latencies = latencies_of_runs(comparison.base, comparison.run, tolerance) if nightly is None else nightly
    found = []
    for one in comparison.strategies:
        mine = [night for night in latencies if night.strategy == one.strategy]
        slow = [night for night in mine if night.is_slow(tolerance)]
        shown = max(slow or mine, key=lambda night: night.ratio / night.noise, default=None)
        found.append(replace(one, latency=shown, is_slower=bool(slow)))
    return replace(comparison, strategies=found, latencies=latencies)


def check_gone(gate: Gate, base: RunFolder | None) -> None:
    """Raise UsageError for a strategy of --gone that the baseline does not have."""
    known = base.strategies if base else []
    for name in sorted(gate.gone):
        if not any(fnmatchcase(one, name) for one in known):
            raise UsageError(
                f"--gone {name}: the baseline has no such strategy" if base else f"--gone {name}: there is no baseline",
                f"It has {', '.join(known)}." if known else "Leave it out.",
            )


def _gone(comparison: Comparison, gate: Gate) -> Iterator[Failure]:
    for name in comparison.only_base:
        if not any(fnmatchcase(name, gone) for gone in gate.gone):
            yield Failure(Rule.GONE, name, f"is in the baseline and not here; if that is meant: --gone {name}")
    for one in comparison.strategies:
        if one.strategy in gate.gone:
            yield Failure(Rule.GONE, one.strategy, f"is here, though --gone {one.strategy} says that it is not")


def _latency_failures(one: StrategyCompared, latencies: Sequence[NightlyLatency], gate: Gate) -> Iterator[Failure]:
    for tonight in latencies:
        if tonight.strategy == one.strategy and tonight.fails(gate.latency_tolerance):
            yield Failure(Rule.LATENCY, one.strategy, slow_text(tonight, gate.latency_tolerance))


def slow_text(tonight: NightlyLatency, tolerance: float) -> str:
    """Tonight's slowdown of a strategy in words, against the nights before."""
    nights = "the baseline" if tonight.n_nights == 1 else f"the {tonight.n_nights} nights before"
    again = ", as the night before" if tonight.was_slow else ""
    return (
        f"takes {tonight.ratio:.2f} times {'the CPU time of' if tonight.in_cpu else 'as long as on'} {nights}{again}; "
        f"noise explains {tonight.noise:.2f}, {1 + tolerance:g} is tolerated"
    )


def latency_notes(nightly: Sequence[NightlyLatency], tolerance: float) -> Iterator[str]:
    """Slowdowns that do not fail the gate, and strategies that are not judged yet, one sentence each."""
    for one in nightly:
        if one.is_slow(tolerance) and not one.was_slow:
            yield f"{one.strategy} {slow_text(one, tolerance)}; a second such night in a row fails the latency rule."
    if early := dict.fromkeys(one.strategy for one in nightly if not one.is_judged):
        n = WAITING_NIGHTS - min(one.n_nights for one in nightly if not one.is_judged)
        yield (
            f"The latency rule looks at the CPU time of {', '.join(early)} alone: the wall time of strategies that "
            f"wait for processes or the disk needs {counted(n, 'more night')} to learn how much it varies."
        )


_REGRESSIONS: Mapping[Rule, tuple[Callable[[Turned], bool], str]] = MappingProxyType(
    {
        Rule.WRONG_EDIT: (lambda pair: pair.newly_wrong, "newly edited wrongly"),
        Rule.WORSE_EDIT: (
            lambda pair: pair.turn == Turn.WORSE and pair.run.verdict == pair.base.verdict == Verdict.WRONG_EDIT,
            "wrong as before and worse, by severity or lines lost",
        ),
        Rule.CRASH: (lambda pair: pair.newly_failed, "newly crashed or timed out"),
        Rule.UNSTABLE: (
            lambda pair: pair.newly("verdict", Verdict.UNSTABLE),
            "newly answered otherwise when asked again",
        ),
        Rule.REGRESSION: (lambda pair: pair.turn == Turn.WORSE, "turned worse"),
        Rule.BROKEN: (
            lambda pair: pair.newly("severity", Severity.BROKEN),
            "newly edited wrongly with severity broken",
        ),
        Rule.OTHER_TREE: (
            lambda pair: pair.newly("severity", Severity.OTHER_TREE),
            "newly edited wrongly with severity other_tree",
        ),
        Rule.BYTES: (
            lambda pair: pair.newly("damage", Damage.BYTES),
            "newly changes bytes outside the lines of the edit",
        ),
    }
)
"""Rules about single samples: the condition on a pair, and the words for its samples.

To add one, add a rule and a line here.
"""


def _failures_of_samples(rule: Rule, one: StrategyCompared, turned: Iterable[Turned]) -> Iterator[Failure]:
    is_one, told = _REGRESSIONS[rule]
    if ids := tuple(pair.sample_id for pair in turned if is_one(pair)):
        yield Failure(rule, one.strategy, f"{counted(len(ids), 'sample')} {told}", ids)


def _match_rate_failures(one: StrategyCompared, gate: Gate) -> Iterator[Failure]:
    rate = one.match_rate
    if rate and rate.delta < 0 and rate.p_of_samples < gate.alpha:
        message = f"match rate down by {-100 * rate.delta:.1f} points (p {rate.p_of_samples:.2g})"
        yield Failure(Rule.MATCH_RATE, one.strategy, message)
