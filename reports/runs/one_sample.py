"""Everything that a run recorded about one sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reports.runs.columns import text
from reports.runs.parts import encoded_tables, part_names, part_table
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed, WrongEdit


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """The rows of a run about one sample."""

    outcomes: tuple[Outcome, ...]
    """One for each strategy that took it; none if the run has no such sample."""
    sample: SampleUsed | None
    """None for runs of schema version 1."""
    text: SampleText | None
    """None for runs of schema versions up to 4, as `changes` are empty."""
    changes: tuple[Change, ...]
    wrong_edits: tuple[WrongEdit, ...]


def sample_record(folder: Path, sample_id: str) -> SampleRecord:
    """The rows of a run about the sample with that id: those in the parts that have outcomes of it."""
    wanted = text(sample_id)
    parts = list(_parts_with(folder, wanted))

    def rows(kind: str) -> Iterator[dict[str, Any]]:
        for part in parts:
            table = part_table(folder, kind, part)
            found: list[dict[str, Any]] = table.filter(pc.equal(table["sample_id"], wanted)).to_pylist()
            yield from found

    outcomes = tuple(Outcome(**row) for row in rows("outcomes"))
    samples = [SampleUsed(**row | {"tags": tuple(row["tags"])}) for row in rows("samples")]
    texts = [SampleText(**row) for row in rows("texts")]
    changes = (Change(**row | {"strategies": tuple(row["strategies"])}) for row in rows("changes"))
    wrong = (WrongEdit(**row) for row in rows("wrong_edits"))
    return SampleRecord(
        outcomes, samples[0] if samples else None, texts[0] if texts else None, tuple(changes), tuple(wrong)
    )


def _parts_with(folder: Path, sample_id: pa.StringScalar) -> Iterator[str]:
    """The parts with outcomes of the sample, and perhaps others: a column may name ids that no row has."""
    tables = encoded_tables(folder, "outcomes", "sample_id")
    for part, table in zip(part_names(folder, "outcomes"), tables, strict=True):
        if any(pc.index(column.dictionary, sample_id).as_py() >= 0 for column in table["sample_id"].chunks):
            yield part
