"""How often the right answer is found where equal means less than byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reports.measurements.counts import Counts
from reports.measurements.estimate import Estimate
from reports.measurements.measurement import Measurement, share
from reports.runs.rows import Equality, Verdict

EQUALITIES: Mapping[Equality, str] = MappingProxyType(
    {
        Equality.BYTES: "byte for byte; this is the match rate",
        Equality.TEXT: "or differs in whitespace at the ends of lines and line feeds at the end of the file only",
        Equality.TREE: "or has the severity same_tree",
    }
)
"""When a result counts as right; each is looser than the one before."""


def _match_rate_by(equality: Equality, looser: tuple[Equality, ...]) -> Measurement[Estimate | None]:
    def of(counts: Counts) -> tuple[int, int] | None:
        if not counts.has_severities:
            return None
        equal = sum(
            counts.n(verdict=verdict, equal_by=one)
            for verdict in (Verdict.CORRECT, Verdict.WRONG_EDIT)
            for one in looser
        )
        return counts.n(verdict=Verdict.CORRECT) + equal, counts.n_to_apply

    meaning = f"match rate, where a result is correct, too, that {EQUALITIES[equality].removeprefix('or ')}"
    return share(f"match_rate_by_{equality}", f"match by {equality}", meaning, of, better="more")


MATCH_RATE_BY_TEXT = _match_rate_by(Equality.TEXT, (Equality.TEXT,))
MATCH_RATE_BY_TREE = _match_rate_by(Equality.TREE, (Equality.TEXT, Equality.TREE))
