"""The chapter of docs/study.md on files of bytes: who keeps those that an edit is not about, and what agents do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import filter as matching
from pathlib import Path

import pandas as pd

from corpora.mutators.bytes import BYTE_MUTATORS
from docs.studies import Study, program, run, table
from editcore.agents import AGENTS
from harness.strategies.registry import strategies
from reports.runs.rows import Damage, Verdict

_EDITS, _PER_SAMPLE = 2_000, 30
_WITH_FILES = ("cascade/recommended", "tool/*", "agent/*", "peer/*")


def run_bytes(folder: Path) -> Study:
    """Score tools, agents and peers on 2,000 edits of files that are more than UTF-8. Raises CalledProcessError."""
    corpus = folder.with_suffix(".parquet")
    chosen = [word for mutator in BYTE_MUTATORS for word in ("-m", mutator.name)]
    limits = ["--per-sample", str(_PER_SAMPLE), "-n", str(_EDITS)]
    program("mutate", "house", *chosen, *limits, "-q", "-o", str(corpus))
    field = [glob for glob in _WITH_FILES if matching(strategies(), glob)]
    return run(str(corpus), folder, strategies=field, only="not role=twin")


def destroyers(study: Study) -> str:
    """Right results, edits that change other bytes, and other wrong ones, of each strategy by kind of file."""
    rows = study.described
    kinds = [mutator.name for mutator in BYTE_MUTATORS if not mutator.name.endswith("_twice")]
    right = {Verdict.CORRECT, Verdict.REFUSED}

    def cell(group: pd.DataFrame) -> str:
        n_bytes = (group["damage"] == Damage.BYTES).sum()
        n_wrong = (group["verdict"] == Verdict.WRONG_EDIT).sum() - n_bytes
        return "-" if group.empty else f"{group['verdict'].isin(right).sum()} / {n_bytes} / {n_wrong}"

    def lines() -> Iterator[Sequence[str]]:
        for one in study.summaries:
            own = rows[rows["strategy"] == one.strategy]
            total = own["n_bytes_changed"].sum()
            yield f"`{one.strategy}`", *(cell(own[own["mutator"] == kind]) for kind in kinds), f"{total:,}"

    return table(("strategy", *(f"`{kind}`" for kind in kinds), "bytes changed"), lines())


def habits(_study: Study) -> str:
    """What each agent does with the bytes of a file, and where its source says so, whatever the corpus."""
    lines = ["| agent | bytes | source |", "|---|---|---|"]
    for name, agent in AGENTS.items():
        one = agent.on_bytes
        lines.append(f"| `{name}` | {one.habit.meaning if one else 'not modelled'} | {one.source if one else ''} |")
    return "\n".join(lines) + "\n"


BYTE_PARTS: Mapping[str, Callable[[Study], str]] = {"destroyers": destroyers, "habits": habits}
"""Name of a part -> what stands there."""
