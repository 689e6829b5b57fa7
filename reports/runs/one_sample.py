"""Everything that a run recorded about one sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from reports.runs.parts import kind_tables
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
    """The rows of a run about the sample with that id. One part is in memory at a time."""
    outcomes = tuple(Outcome(**row) for row in _rows(folder, "outcomes", sample_id))
    samples = [SampleUsed(**row | {"tags": tuple(row["tags"])}) for row in _rows(folder, "samples", sample_id)]
    texts = [SampleText(**row) for row in _rows(folder, "texts", sample_id)]
    changes = (Change(**row | {"strategies": tuple(row["strategies"])}) for row in _rows(folder, "changes", sample_id))
    wrong = (WrongEdit(**row) for row in _rows(folder, "wrong_edits", sample_id))
    return SampleRecord(
        outcomes, samples[0] if samples else None, texts[0] if texts else None, tuple(changes), tuple(wrong)
    )


def _rows(folder: Path, kind: str, sample_id: str) -> Iterator[dict[str, Any]]:
    for table in kind_tables(folder, kind):
        found: list[dict[str, Any]] = table.filter(pc.equal(table["sample_id"], sample_id)).to_pylist()
        yield from found
