"""The chapter of docs/study.md on files of bytes: who keeps those that an edit is not about, and what agents do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import filter as matching
from pathlib import Path
from typing import Any

import pandas as pd

from corpora.mutators.bytes import BYTE_MUTATORS
from corpora.mutators.mutator import Mutator
from docs.studies import Study, program, run, table
from editcore.agents import AGENTS
from harness.strategies.registry import strategies
from reports.measurements.interval import rate_with_interval
from reports.measurements.table import WRONG_RATE
from reports.runs.rows import Damage, Verdict

_EDITS, _PER_SAMPLE = 3_000, 30
_WITH_FILES = ("cascade/recommended", "begin_patch/*", "unified_diff/*", "tool/*", "agent/*", "peer/*")


def run_bytes(folder: Path) -> Study:
    """Score tools, agents and peers on 3,000 edits of files that are more than UTF-8. Raises CalledProcessError."""
    corpus = folder.with_suffix(".parquet")
    chosen = [word for mutator in BYTE_MUTATORS for word in ("-m", mutator.name)]
    limits = ["--per-sample", str(_PER_SAMPLE), "-n", str(_EDITS)]
    program("mutate", "house", *chosen, *limits, "-q", "-o", str(corpus))
    field = [glob for glob in _WITH_FILES if matching(strategies(), glob)]
    return run(str(corpus), folder, strategies=field, only="not role=twin")


def destroyers(study: Study) -> str:
    """Right results, edits that change other bytes, and other wrong ones, of each strategy by kind of file."""
    return _by_kind(study, lambda mutator: mutator.format == "str_replace" and not mutator.name.endswith("_twice"))


def patch_destroyers(study: Study) -> str:
    """The same of patches."""
    return _by_kind(study, lambda mutator: mutator.format != "str_replace")


def _by_kind(study: Study, of: Callable[[Mutator[Any]], bool]) -> str:
    """A row for each strategy that was run on such files, and a column for each kind of them."""
    kinds = [mutator.name for mutator in BYTE_MUTATORS if of(mutator)]
    rows = study.described[study.described["mutator"].isin(kinds)]
    right = {Verdict.CORRECT, Verdict.REFUSED}
    rates = study.summaries_where(sample_id=set(rows["sample_id"]))

    def cell(group: pd.DataFrame) -> str:
        n_bytes = (group["damage"] == Damage.BYTES).sum()
        n_wrong = (group["verdict"] == Verdict.WRONG_EDIT).sum() - n_bytes
        return "-" if group.empty else f"{group['verdict'].isin(right).sum()} / {n_bytes} / {n_wrong}"

    def lines() -> Iterator[Sequence[str]]:
        for one in study.summaries:
            own = rows[rows["strategy"] == one.strategy]
            if own.empty:
                continue
            total = own["n_bytes_changed"].sum()
            rate = rate_with_interval(rates[one.strategy][WRONG_RATE])
            yield f"`{one.strategy}`", rate, *(cell(own[own["mutator"] == kind]) for kind in kinds), f"{total:,}"

    return table(("strategy", "wrong rate", *(f"`{kind}`" for kind in kinds), "bytes changed"), lines())


def habits(_study: Study) -> str:
    """What each agent does with the bytes of a file, and where its source says so, whatever the corpus."""
    lines = ["| agent | bytes | source |", "|---|---|---|"]
    for name, agent in AGENTS.items():
        one = agent.on_bytes
        lines.append(f"| `{name}` | {one.habit.meaning if one else 'not modelled'} | {one.source if one else ''} |")
    return "\n".join(lines) + "\n"


BYTE_PARTS: Mapping[str, Callable[[Study], str]] = {
    "destroyers": destroyers,
    "patchdestroyers": patch_destroyers,
    "habits": habits,
}
"""Name of a part -> what stands there."""
