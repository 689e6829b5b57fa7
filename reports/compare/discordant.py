"""The samples on which two strategies of a run differ, with both outcomes and both diffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from reports.compare.between import Between, PairCompared, Together
from reports.compare.comparison import Side
from reports.runs.parts import outcome_tables
from reports.runs.rows import WrongEdit
from reports.runs.wrong_edits import edits_of


@dataclass(frozen=True, slots=True)
class Differing:
    """A sample on which two strategies differ."""

    sample_id: str
    together: Together
    sides: tuple[Side, Side]
    """The outcomes of the first and of the second strategy."""
    edits: tuple[WrongEdit | None, WrongEdit | None]
    """Their wrong edits; None for any other outcome."""


def differing(found: Between, pair: PairCompared, *, limit: int) -> dict[Together, list[Differing]]:
    """At most `limit` samples of each kind in which two strategies can differ."""
    ids = {kind: [found.ids[at] for at in islice(places, limit)] for kind, places in pair.discordant.items()}
    names = (pair.first, pair.second)
    wanted = {sample_id for some in ids.values() for sample_id in some}
    sides = _sides(found, names, wanted)
    edits = edits_of(found.folder, [(sample_id, name) for sample_id in wanted for name in names])
    return {
        kind: [
            Differing(
                one,
                kind,
                (sides[one, names[0]], sides[one, names[1]]),
                (edits.get((one, names[0])), edits.get((one, names[1]))),
            )
            for one in some
        ]
        for kind, some in ids.items()
    }


def _sides(found: Between, names: Sequence[str], wanted: set[str]) -> dict[tuple[str, str], Side]:
    """(sample id, strategy) -> its outcome."""
    sides: dict[tuple[str, str], Side] = {}
    if not wanted:
        return sides
    for table in outcome_tables(found.folder, "sample_id", "strategy", *Side.__slots__):
        for row in table.to_pylist():
            sample_id, name = row.pop("sample_id"), row.pop("strategy")
            if name in names and sample_id in wanted:
                sides[sample_id, name] = Side(**row)
    return sides
