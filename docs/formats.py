"""The chapters of docs/study.md on formats: the same changes under the same slips, and what corrections are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from corpora.load import load
from corpora.write import SampleWriter
from docs.slips import FORMATS, SLIPS, call_text, slipped
from docs.studies import Study, program, run, table
from editcore import formats
from editcore.anchors import ANCHOR_RULES
from reports.measurements.interval import clustered
from reports.runs.rows import Verdict
from reports.statistics.significance import Differing, difference
from reports.views.tables import duration

_MOST_CHANGES = 1_000
_STALE = "stale/recommended"
CAREFUL: Mapping[str, str] = {name: formats.FORMATS[name].careful for name in FORMATS}
"""Format -> its most careful rule; of pairs and patches of a file that has changed, `stale/recommended` is."""
_TYPICAL: Mapping[str, str] = {
    "str_replace": "agent/opencode_1_17",
    "search_replace": "agent/aider",
    "unified_diff": "agent/aider_udiff",
    "begin_patch": "agent/codex_0_146",
    "hashline_h2": "anchors/h2_oh_my_openagent",
    "hashline_h4": "anchors/h4_oh_my_pi",
    "exhash": "anchors/exhash",
    "line_range": "line_range/lines",
}
"""Format -> the rule of a program that takes it."""
_CORRECTED = frozenset(format for found in ANCHOR_RULES.values() if found.corrections for format in found.readings)
_RIGHT = (Verdict.CORRECT, Verdict.REFUSED)
_IN_ALL = [make.__name__ for make, formats in SLIPS.items() if len(formats) == len(FORMATS)]


def run_slips(folder: Path) -> Study:
    """Score the rules of each format on the changes of `house` under each slip. Raises CalledProcessError."""
    corpus = folder.with_suffix(".parquet")
    with SampleWriter(corpus) as writer:
        for sample in slipped(load("house"), n=_MOST_CHANGES):
            writer.add(sample)
    names = dict.fromkeys([_STALE, *CAREFUL.values(), *_TYPICAL.values()])
    return run(str(corpus), folder, strategies=names, most=1_000_000)


def run_anchored(folder: Path) -> Study:
    """Score the programs' rules for anchored edits with and without each correction. Raises CalledProcessError."""
    mutated, corpus = folder.with_suffix(".jsonl"), folder.with_suffix(".parquet")
    program("mutate", "house", "-m", "h[24]_*", "--per-sample", "12", "-q", "-o", str(mutated))
    names = [one for rule, found in ANCHOR_RULES.items() if found.corrections for one in _with_and_without(rule)]
    with SampleWriter(corpus) as writer:
        for sample in chain(load(str(mutated)), slipped(load("house"), n=_MOST_CHANGES)):
            if sample.format in _CORRECTED and sample.provenance.mutator != "twin":
                writer.add(sample)
    return run(str(corpus), folder, strategies=names, most=1_000_000)


def _with_and_without(rule: str) -> Iterator[str]:
    yield f"anchors/{rule}"
    yield from (f"anchors/{rule}@without={name}" for name in ANCHOR_RULES[rule].corrections)


# Parts


def careful(study: Study) -> str:
    """Results of the most careful rule of each format, by slip."""
    return _by_slip(_of_careful(study.described))


def programs(study: Study) -> str:
    """Results of a typical program of each format, by slip."""
    return _by_slip(_of(study.described, _TYPICAL))


def _of(rows: pd.DataFrame, rules: Mapping[str, str]) -> pd.DataFrame:
    return rows[rows["strategy"].astype(str) == rows["format"].astype(str).map(rules)]


def _of_careful(rows: pd.DataFrame) -> pd.DataFrame:
    stale = rows[rows["strategy"] == _STALE]
    others = _of(rows, CAREFUL)
    return pd.concat([stale, others[~others["sample_id"].isin(stale["sample_id"])]])


def _by_slip(rows: pd.DataFrame) -> str:
    def cell(found: pd.DataFrame) -> str:
        if not len(found):
            return "-"
        wrong, missed = ((found["verdict"] == verdict).sum() for verdict in (Verdict.WRONG_EDIT, Verdict.MISSED))
        return f"{found['verdict'].isin(_RIGHT).sum()} / {wrong} / {missed}"

    def lines() -> Iterator[Sequence[str]]:
        for make in SLIPS:
            mine = rows[rows["mutator"] == make.__name__]
            cells = (cell(mine[mine["format"] == format]) for format in FORMATS)
            yield f"`{make.__name__}`", str(mine["parent_id"].nunique()), *cells

    return table(("slip", "changes", *(f"`{format}`" for format in FORMATS)), lines())


def costs(study: Study) -> str:
    """What each format costs and gets right over all slips that every format can have, beside `str_replace`."""
    written = {format: list[int]() for format in FORMATS}
    for sample in load(str(study.folder.with_suffix(".parquet"))):
        if sample.provenance.mutator == "as_meant":
            written[sample.format].append(len(call_text(sample)))
    rows = study.described[study.described["mutator"].isin(_IN_ALL)]
    found = {"careful": _of_careful(rows), "typical": _of(rows, _TYPICAL)}

    def lines() -> Iterator[Sequence[str]]:
        for format in FORMATS:
            yield (
                f"`{format}`",
                f"{median(written[format]):.0f}",
                *_rates(found["careful"], format),
                *_rates(found["typical"], format),
            )

    heads = [f"{what}, {whose}" for whose in found for what in ("right", "beside `str_replace`", "wrong", "p50")]
    return table(("format", "characters", *heads), lines())


def _rates(rows: pd.DataFrame, format: str) -> Iterator[str]:
    """The share of right results with its interval, its difference to that of pairs, that of wrong ones, and a time."""
    mine = rows[rows["format"] == format]
    right, base = (_by_change(some, _RIGHT) for some in (mine, rows[rows["format"] == "str_replace"]))
    yield _share(right)
    yield "-" if format == "str_replace" else _difference(base, right)
    yield _share(_by_change(mine, (Verdict.WRONG_EDIT,)))
    yield duration(float(mine["latency_ns"].median()))


def _by_change(rows: pd.DataFrame, verdicts: Sequence[Verdict]) -> pd.Series:
    """Whether a result has one of the verdicts, by change and slip."""
    named = rows.set_index(["parent_id", "mutator"])["verdict"]
    return named.isin(verdicts).sort_index()


def _share(hits: pd.Series) -> str:
    by_change = hits.groupby(level=0, observed=True)
    low, high = clustered(by_change.sum().to_numpy(), by_change.size().to_numpy())
    return f"{100 * hits.mean():.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def _difference(base: pd.Series, other: pd.Series) -> str:
    """The difference of two shares of the same changes under the same slips, with its interval."""
    both = pd.DataFrame({"base": base, "other": other}).dropna().astype(bool)
    counts = pd.DataFrame(
        {"first": both["base"] & ~both["other"], "second": both["other"] & ~both["base"], "asked": both["base"] | True}
    )
    sums = counts.groupby(level=0, observed=True).sum()
    first, second, asked = (np.asarray(sums[name], dtype=float) for name in ("first", "second", "asked"))
    found = difference(Differing(first, second, asked, first + second, asked))
    points = 100 * (both["other"].mean() - both["base"].mean())
    if found.interval is None:
        return f"{points:+.1f}"
    return f"{points:+.1f} ({100 * found.interval[0]:+.1f} to {100 * found.interval[1]:+.1f})"


def corrections(study: Study) -> str:
    """What each correction of a program rescues, and what it harms."""
    verdicts = study.outcomes.pivot(index="sample_id", columns="strategy", values="verdict")

    def lines() -> Iterator[Sequence[str]]:
        for rule, found in ANCHOR_RULES.items():
            for name in found.corrections:
                both = verdicts[[f"anchors/{rule}", f"anchors/{rule}@without={name}"]].dropna().astype(str)
                on, off = (both.iloc[:, at] for at in (0, 1))
                right_on, right_off = on.isin(_RIGHT), off.isin(_RIGHT)
                rescued, harmed = right_on & ~right_off, right_off & ~right_on
                were_wrong = (off[rescued] == Verdict.WRONG_EDIT).sum()
                made_wrong = (on[~right_on] == Verdict.WRONG_EDIT) & (off[~right_on] != Verdict.WRONG_EDIT)
                counts = (rescued.sum(), were_wrong, harmed.sum(), made_wrong.sum())
                yield f"`{rule}`", f"`{name}`", f"{len(both):,}", *map(str, counts)

    heads = ("rule", "correction", "edits", "right only with it", "of these wrong without", "right only without it")
    return table((*heads, "wrong only with it"), lines())


FORMAT_PARTS: Mapping[str, Callable[[Study], str]] = {
    "careful": careful,
    "programs": programs,
    "costs": costs,
    "corrections": corrections,
}
"""Name of a part -> what stands there."""
