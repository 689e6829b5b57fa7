"""The wrong edits of a run, by sample and strategy."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from reports.runs.columns import codes_of
from reports.runs.parts import wrong_edit_tables
from reports.runs.rows import WrongEdit


def edits_of(folder: Path, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], WrongEdit]:
    """(sample id, strategy) -> wrong edit, of at least those that are wanted and there."""
    ids = {sample_id for sample_id, _ in wanted}
    found: dict[tuple[str, str], WrongEdit] = {}
    for table in wrong_edit_tables(folder) if ids else ():
        codes, words = codes_of(table["sample_id"])
        for row in np.flatnonzero(np.array([word in ids for word in words])[codes]):
            edit = WrongEdit(**table.slice(int(row), 1).to_pylist()[0])
            found[edit.sample_id, edit.strategy] = edit
    return found
