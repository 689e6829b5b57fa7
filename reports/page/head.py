"""Everything a page shows before a sample is opened, as one document for its script."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from corpora.defects import defects, page_of
from editcore.errors import UsageError
from reports.asked import kept_answer
from reports.compare import costs
from reports.compare.comparison import Comparison, Turn
from reports.compare.gate import Failure
from reports.history.fuzz_nights import FuzzNight
from reports.history.nights import History
from reports.measurements.measurement import Measurement, Shown, Unit
from reports.measurements.table import (
    APPLIED_CONTRADICTIONS,
    BYTES_CHANGED,
    DAMAGES,
    HALF_MADE,
    LINES_LOST,
    MATCH_RATE,
    MATCH_RATE_BY_TEXT,
    MATCH_RATE_BY_TREE,
    MEASUREMENTS,
    PRECISION,
    SEVERITIES,
    VERDICTS,
    WRONG_INTENTS,
    WRONG_RATE,
)
from reports.page.cells import discordance, estimate, groups, replacer_orders
from reports.page.columns import Columns, reviews_of
from reports.runs.manifest import NIGHT, Manifest, StrategyUsed, command_spec
from reports.runs.run_folder import RunFolder
from reports.statistics.breakdown import deciders
from reports.statistics.summary import Summary, best_first, run_summaries, sentence
from reports.views.comparison_wording import LEGEND, notes
from reports.views.comparison_wording import columns as comparison_columns
from reports.views.comparison_wording import sentence as comparison_sentence
from reports.wording import counted

# Rates over the nights of a history

MOST_NIGHTS = 60
"""Number of nights on a page, the latest ones."""

Rate = list[float] | None
"""Value, ends of the 95 % interval, number of samples; None over no samples."""


def rates(run: RunFolder) -> dict[str, tuple[Rate, Rate]]:
    """Strategy -> match rate and wrong rate of a run, in the order of its manifest."""
    return {one.strategy: (estimate(one[MATCH_RATE]), estimate(one[WRONG_RATE])) for one in run_summaries(run)}


def trends(history: History) -> dict[str, Any] | None:
    """The nights, the earliest first: names, which failed, the baseline, and rates by strategy; None without nights.

    A rate is [value, low, high, n], or null on nights without the strategy.
    """
    names = history.nights()[-MOST_NIGHTS:]
    if not names:
        return None
    judged = [history.judged(name) for name in names]
    by_strategy: dict[str, list[tuple[Rate, Rate]]] = {}
    for at, (name, found) in enumerate(zip(names, judged, strict=True)):
        for strategy, both in ((found and found.rates) or rates(history.run(name))).items():
            known = by_strategy.setdefault(strategy, [])
            known += [(None, None)] * (at - len(known))
            known.append(both)
    baseline = history.baseline()
    padded = {name: [*found, *[(None, None)] * (len(names) - len(found))] for name, found in by_strategy.items()}
    return {
        "nights": names,
        "failed": [[f"{one.strategy}: {one.message}" for one in found.failures] if found else [] for found in judged],
        "baseline": baseline.night if baseline else None,
        "strategies": [
            {"name": name, "match": [one for one, _ in found], "wrong": [one for _, one in found]}
            for name, found in padded.items()
        ],
    }


_SIZES = (0, 1_000, 4_000, 16_000, 64_000, 256_000)
"""Characters of the files before: the lower ends of the groups by size."""
_N_SLOWEST = 10
_KIND = ("verdict", "damage", "severity", "reason", "replacer", "failed_label")
"""The words of an outcome that the script gets, in this order."""

_MORE = (WRONG_INTENTS, APPLIED_CONTRADICTIONS, HALF_MADE, BYTES_CHANGED)
"""Measurements whose columns a reader has to ask for: their headings do not explain themselves."""
_DEFINED: tuple[Measurement[Any], ...] = (
    MATCH_RATE, WRONG_RATE, PRECISION, LINES_LOST, MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE,
)  # fmt: skip
"""Measurements among the page's terms; verdicts and severities are there by their words."""
_COSTS: Mapping[str, str] = {
    "cost of a wrong edit": "the number of missed edits that are as bad as a wrong one",
    "score": "1 - (missed + cost x wrong) / labelled samples",
}


def head(
    columns: Columns,
    *,
    comparison: Comparison | None,
    failures: Sequence[Failure] | None,
    fuzzed: FuzzNight | None,
    properties: Mapping[str, str],
    history: History | None = None,
    not_comparable: str | None = None,
) -> dict[str, Any]:
    """The document of a page: the run, the answer, the tables, and the words they use."""
    manifest = columns.run.manifest
    found = columns.summaries
    used = {one.name: one for one in manifest.strategies}
    return {
        "title": f"{', '.join(PurePath(one.name).name for one in manifest.corpora) or 'run'}, {_date(manifest)[:10]}",
        "folder": str(columns.run),
        "date": _date(manifest),
        "finished": manifest.finished is not None,
        "sentence": sentence(found, manifest),
        "corpora": [[one.name, one.n_samples] for one in manifest.corpora],
        "n_samples": len(columns.ids),
        "measurements": _measurements(),
        "strategies": [_strategy(one, used.get(one.strategy)) for one in found],
        "best_first": [columns.strategies.index(one.strategy) for one in best_first(found)],
        "commands": {one.name: spec for one in manifest.strategies if (spec := command_spec(manifest, one.name))},
        "kinds": [[getattr(kind, name) for name in _KIND] for kind in columns.kinds],
        "facets": {name: facet.words for name, facet in columns.facets.items()},
        "defects": {
            id: [one.title, page_of(one)]
            for id in (columns.facets["defect"].words if "defect" in columns.facets else ())
            if (one := defects().get(id))
        },
        "asked": kept_answer(columns.run.folder),
        "answers": [
            costs.document(one, columns.strategies, have_repos="repo" in columns.facets)
            for one in costs.answers(columns)
        ],
        "reviews": reviews_of(columns),
        "groups": groups(columns),
        "discordance": discordance(columns),
        "orders": replacer_orders(columns),
        "trends": trends(history) if history else None,
        "deciders": _deciders(columns),
        "sizes": _by_size(columns),
        "slowest": _slowest(columns),
        "comparison": _comparison(comparison, failures) if comparison else None,
        "not_comparable": not_comparable,
        "fuzzed": _fuzzed(fuzzed) if fuzzed else None,
        "properties": dict(properties),
        "terms": _terms(),
        "facts": list(_facts(manifest)),
    }


def _strategy(summary: Summary, used: StrategyUsed | None) -> dict[str, Any]:
    """The measurements of a strategy by their names, and the properties that it promises and breaks."""
    return {
        "name": summary.strategy,
        "promises_broken": used.broken if used else None,
        "own_promises": used.own if used else None,
        **{one.name: estimate(summary[one]) if one.unit == Unit.SHARE else summary[one] for one in MEASUREMENTS},
    }


def _measurements() -> list[dict[str, Any]]:
    """The measurements with a column on the page, rates first and latencies last."""
    shown = [one for one in MEASUREMENTS if one.on_page != Shown.NEVER]
    return [
        {
            "name": one.name,
            "heading": f"wrong, {one.heading}" if "severity" in one.counts else one.heading,
            "meaning": one.meaning,
            "unit": one.unit,
            "better": one.better,
            "where_any": one.on_page == Shown.WHERE_ANY,
            "more": one in _MORE,
            "counts": dict(one.counts),
        }
        for one in sorted(shown, key=lambda one: list(Unit).index(one.unit))
    ]


def _deciders(columns: Columns) -> list[dict[str, Any]]:
    """For each strategy of several rules: [replacer, correct, wrong, unlabelled], the most frequent first."""
    return [
        {"strategy": at, "name": name, "rows": [[rule, *n] for rule, n in found.items()]}
        for at, (name, found) in enumerate(deciders(columns).items())
        if len(found) > 1
    ]


def _by_size(columns: Columns) -> dict[str, Any] | None:
    """The median latency of each strategy by the size of the files before; None if it was not recorded."""
    sizes = columns.n_characters
    if not (sizes >= 0).any():
        return None
    group = np.searchsorted(_SIZES, sizes, side="right") - 1
    groups = [np.flatnonzero(group == at) for at in range(len(_SIZES))]
    medians = [[_median(row[some]) for some in groups] for row in columns.latency_ns]
    n = [len(some) for some in groups]
    return {"from": list(_SIZES), "n": n, "medians": medians}


def _median(latency_ns: npt.NDArray[np.float32]) -> int | None:
    measured = latency_ns[latency_ns >= 0]
    return int(np.median(measured)) if len(measured) else None


def _slowest(columns: Columns) -> list[list[Any]]:
    """[strategy, sample id, nanoseconds] of the slowest calls."""
    calls = []
    for strategy, row in enumerate(columns.latency_ns):
        slowest = np.flatnonzero(row >= _bound(row))
        calls += [
            (-int(row[at]), strategy, int(at)) for at in slowest[np.argsort(-row[slowest], kind="stable")][:_N_SLOWEST]
        ]
    return [[strategy, columns.ids[at], -ns] for ns, strategy, at in sorted(calls)[:_N_SLOWEST]]


def _bound(latency_ns: npt.NDArray[np.float32]) -> float:
    """A latency that `_N_SLOWEST` measured ones reach, if there are as many; 0 else.

    From the largest of each thousand: to part all of them, where many are equal, takes seconds.
    """
    starts = range(0, len(latency_ns), 1_000)
    if len(starts) < _N_SLOWEST:
        return 0.0
    return max(0.0, float(np.sort(np.maximum.reduceat(latency_ns, starts))[-_N_SLOWEST]))


def _comparison(comparison: Comparison, failures: Sequence[Failure] | None) -> dict[str, Any]:
    shown = comparison_columns(comparison)
    turned = comparison.turned
    return {
        "base": comparison.base.folder.name.removeprefix(NIGHT),
        "sentence": comparison_sentence(comparison),
        "gate": None if failures is None else "fail" if failures else "pass",
        "failures": [[one.kind.value, one.strategy, one.message, len(one.sample_ids)] for one in failures or ()],
        "columns": [[one.heading, one.meaning, one.number is not None] for one in shown],
        "rows": [
            [[one.text(row), one.number(row) if one.number else None] for one in shown] for row in comparison.strategies
        ],
        "legend": LEGEND,
        "notes": list(notes(comparison)),
        "n_samples": comparison.n_samples,
        "turns": {turn.value: len({one.sample_id for one in turned if one.turn == turn}) for turn in Turn},
        "newly_wrong": len({one.sample_id for one in turned if one.newly_wrong}),
    }  # fmt: skip


def _fuzzed(night: FuzzNight) -> dict[str, Any]:
    return {
        "night": night.night,
        "executions": night.n_executions,
        "targets": len(night.targets),
        "new": [[name, one.property, one.path, one.detail, one.id] for name, one in night.new],
        "failures": [list(one) for one in night.failures],
    }


def _terms() -> list[list[str]]:
    tables: Iterable[Mapping[Any, str]] = (VERDICTS, DAMAGES, SEVERITIES, _COSTS)
    found = [[str(word), meaning] for table in tables for word, meaning in table.items()]
    return [*found, *([one.heading, one.meaning] for one in _DEFINED)]


def _facts(manifest: Manifest) -> Iterable[list[str]]:
    """[name, value] of the run's inputs and environment."""
    yield ["corpora", ", ".join(f"{one.name} ({counted(one.n_samples, 'sample')})" for one in manifest.corpora)]
    if manifest.n_left_out:
        yield ["left out", f"{counted(manifest.n_left_out, 'sample')} in formats that no strategy takes"]
    if manifest.n_bad:
        yield ["malformed", f"{counted(manifest.n_bad, 'sample')}, skipped"]
    yield ["seed", str(manifest.seed)]
    yield ["time limit", f"{manifest.timeout_s:g} s a sample"]
    yield ["took", f"{manifest.wall_ns / 1e9:,.1f} s"]
    yield ["in calls", f"{manifest.strategy_ns / 1e9:,.1f} s, over all workers"]
    for key, value in manifest.machine.items():
        yield [key.removeprefix("n_").replace("_", " "), _words(value)]
    versions: dict[str, list[str]] = {}
    for strategy in manifest.strategies:
        versions.setdefault(strategy.version, []).append(strategy.name)
    for version, names in versions.items():
        yield [f"strategies at {version}", ", ".join(names)]
    if manifest.git_commit:
        yield ["commit", manifest.git_commit]
    if manifest.corpus_fingerprint:
        yield ["corpus fingerprint", manifest.corpus_fingerprint]
    if manifest.argv:
        yield ["command", shlex.join(["editgauge", *manifest.argv])]


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    return str(value)


def _date(manifest: Manifest) -> str:
    """The time of the run, or SOURCE_DATE_EPOCH (https://reproducible-builds.org); never the current time."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        if epoch:
            moment = datetime.fromtimestamp(int(epoch), UTC)
        else:
            moment = datetime.fromisoformat(manifest.finished or manifest.created).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        if not epoch:
            return manifest.finished or manifest.created
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {epoch!r}, not a number of seconds", "Unset it, or use `date +%s`."
        ) from None
    return f"{moment:%Y-%m-%d %H:%M} UTC"
