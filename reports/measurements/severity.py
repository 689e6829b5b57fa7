"""How bad wrong edits are, by the syntax trees of the right text and of the one that was written."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reports.measurements.counts import Counts
from reports.measurements.measurement import Measurement, Shown, Unit
from reports.runs.rows import Severity, Verdict

SEVERITIES: Mapping[Severity, str] = MappingProxyType(
    {
        Severity.SAME_TREE: "has the syntax tree of the right answer: differs in layout and comments only",
        Severity.OTHER_TREE: "parses, and means something else: the silent kind",
        Severity.BROKEN: "does not parse although the right answer does, or has more errors",
        Severity.UNKNOWN: "no grammar for the file, or it had errors all along, or is too large or too hard to parse",
    }
)


def _severity(
    severity: Severity, name: str, *, in_table: Shown = Shown.NEVER, on_page: Shown = Shown.ALWAYS
) -> Measurement[int | None]:
    def of(counts: Counts) -> int | None:
        return counts.n(verdict=Verdict.WRONG_EDIT, severity=severity) if counts.has_severities else None

    heading = str(severity).replace("_", " ")
    meaning = f"wrong: {SEVERITIES[severity]}"
    return Measurement(
        name, heading, meaning, Unit.COUNT, of, in_table, on_page, "less",
        counts={"verdict": Verdict.WRONG_EDIT, "severity": severity},
    )  # fmt: skip


SAME_TREE = _severity(Severity.SAME_TREE, "n_same_tree")
OTHER_TREE = _severity(Severity.OTHER_TREE, "n_other_tree", in_table=Shown.WHERE_ANY)
UNPARSABLE = _severity(Severity.BROKEN, "n_unparsable")
UNKNOWN = _severity(Severity.UNKNOWN, "n_unknown_severity", on_page=Shown.NEVER)


def _by_severity(counts: Counts) -> dict[str, int] | None:
    if not counts.has_severities:
        return None
    return {kind.value: counts.n(verdict=Verdict.WRONG_EDIT, severity=kind) for kind in Severity}


SEVERITY: Measurement[dict[str, int] | None] = Measurement(
    "severity", "severity", "wrong edits by how bad they are", Unit.COUNTS, _by_severity
)
