"""Which samples of a run did readers look at, and what did they say?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reports.page.columns import Columns, Facet
from reports.runs.reviews import read_reviews

FACET = "review"


def reviews_of(columns: Columns) -> dict[str, list[Any]]:
    """Sample id -> [whether it is reviewed, note, when], of the run's samples."""
    found = read_reviews(columns.folder)
    return {
        name: [one.is_reviewed, one.note, one.written]
        for name, one in found.items()
        if columns.ids.find(name) is not None
    }


def with_reviews(columns: Columns) -> Columns:
    """The columns with a facet that tells samples that are reviewed or have a note; as they are if none is."""
    known = reviews_of(columns)
    if not known:
        return columns
    words = ["", "note", "reviewed"]
    codes = np.zeros(len(columns.ids), dtype=np.uint8)
    for name, (is_reviewed, *_) in known.items():
        at = columns.ids.find(name)
        if at is not None:
            codes[at] = words.index("reviewed" if is_reviewed else "note")
    return replace(columns, facets=columns.facets | {FACET: Facet(codes, words)})
