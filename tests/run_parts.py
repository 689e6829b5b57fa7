"""Parts of made-up runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports.runs.parts import PartWriter
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed, WrongEdit


def write_part(
    folder: Path,
    part: str,
    outcomes: Sequence[Outcome],
    wrong_edits: Sequence[WrongEdit],
    samples: Sequence[SampleUsed] = (),
    *,
    texts: Sequence[SampleText] = (),
    changes: Sequence[Change] = (),
    metadata: dict[str, str],
) -> None:
    """Write a segment's outcomes, wrong edits, samples and their texts as `part-{part}.parquet`."""
    with PartWriter(folder, part) as writer:
        writer.add(outcomes, wrong_edits, samples, (), texts, changes)
        writer.close(metadata)
