"""The outcomes of a run that somebody asks for: of some verdicts, of some strategies, on samples that `-k` selects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from corpora.expression import DAMAGE, PROPERTIES, SEEN_UNKNOWN, expression
from editcore.errors import UsageError
from reports.runs.columns import codes_of
from reports.runs.parts import encoded_tables, outcome_tables, samples_used
from reports.runs.rows import Outcome


@dataclass(frozen=True, slots=True)
class Chosen:
    """Outcomes of a run, in the order of its samples."""

    outcomes: Sequence[Outcome]
    """The first ones."""
    paths: dict[str, str]
    """Sample id -> the file that its edit is of, as far as the run recorded it."""
    n: int
    """How many there are in all."""


def chosen(
    folder: Path, verdicts: Collection[str], strategies: Collection[str], *, ids: Collection[str] | None, limit: int
) -> Chosen:
    """The first `limit` outcomes of these verdicts under these strategies, on the samples `ids`; None means all."""
    found: list[Outcome] = []
    n = 0
    for table, rows in _tables(folder, "outcomes", verdict=verdicts, strategy=strategies, sample_id=ids):
        n += len(rows)
        found += (Outcome(**row) for row in table.take(rows[: limit - len(found)]).to_pylist())
    paths: dict[str, str] = {}
    for table, rows in _tables(folder, "texts", sample_id={one.sample_id for one in found}):
        some = table.select(["sample_id", "path"]).take(rows).to_pylist()
        paths.update((row["sample_id"], row["path"]) for row in some)
    return Chosen(found, paths, n)


def _tables(
    folder: Path, kind: str, **wanted: Collection[str] | None
) -> Iterator[tuple[pa.Table, npt.NDArray[np.intp]]]:
    """The tables of the run's parts, each with the rows that have a wanted value in every column that is named."""
    for table in encoded_tables(folder, kind):
        kept = np.ones(len(table), dtype=bool)
        for name, values in wanted.items():
            if values is not None and len(table):
                codes, words = codes_of(table[name])
                kept &= np.array([word in values for word in words], dtype=bool)[codes]
        yield table, np.flatnonzero(kept)


def ids_with(folder: Path, verdicts: Collection[str], strategies: Collection[str]) -> frozenset[str]:
    """The samples that have one of these verdicts under one of these strategies."""
    tables = _tables(folder, "outcomes", verdict=verdicts, strategy=strategies)
    return frozenset(one for table, rows in tables for one in table["sample_id"].take(rows).to_pylist())


def selected_ids(folder: Path, strategies: Collection[str], matching: str) -> set[str]:
    """The ids of the run's samples that `-k` selects; damage is that of wrong edits of these strategies.

    Raises UsageError for a malformed expression, and where no sample is selected.
    """
    test = expression(matching, also=[DAMAGE])
    damages: dict[str, set[str]] = defaultdict(set)
    for table in outcome_tables(folder, "sample_id", "strategy", "damage"):
        for sample_id, strategy, damage in zip(*(column.to_pylist() for column in table.columns), strict=True):
            if damage and strategy in strategies:
                damages[sample_id].add(damage)
    found = set()
    for one in samples_used(folder):
        values = {name: (value,) for name in PROPERTIES if (value := getattr(one, name))}
        values.setdefault("seen", (SEEN_UNKNOWN,))
        if test(one.sample_id, one.tags, {**values, DAMAGE: damages.get(one.sample_id, ())}):
            found.add(one.sample_id)
    test.check_keys(n_selected=len(found))
    if not found:
        raise UsageError("No sample is selected", "Loosen -k, or name another run.")
    return found
