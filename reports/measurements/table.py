"""The table of measurements of strategies.

The scoreboard, the page, the tables of wrong edits, CSV, JSON, DataFrames and the documentation read `MEASUREMENTS`,
in its order. A measurement declares its name, heading, meaning and unit, how it is counted from outcomes, and where
it is shown. To add one, define it below and add it to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reports.measurements.interval import Estimate
from reports.measurements.measurement import Better, Counts, Measurement, Shown, Unit, in_process, share
from reports.runs.manifest import Unmeant
from reports.runs.rows import Damage, Equality, ListLeft, Severity, Verdict

# Verdicts

VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.CORRECT: "applied, and equal to the right answer, or one of several, byte for byte",
        Verdict.WRONG_EDIT: "applied, but not the right answer; or applied although refusing was right",
        Verdict.MISSED: "refused although there is a right answer; costs a retry",
        Verdict.REFUSED: "rightly refused",
        Verdict.UNLABELLED: "the right answer is not known; not in any rate here",
        Verdict.CRASHED: "the strategy raised an exception; counts as not right",
        Verdict.TIMED_OUT: "exceeded the time limit; counts as not right",
        Verdict.UNSTABLE: "answered the same request otherwise when it was asked again; counts as wrong",
        Verdict.UNMEASURED: "a shell command whose edits the strategy does not work out or run; in no rate",
    }
)


def _verdict(verdict: Verdict, heading: str, *, shown: Shown = Shown.ALWAYS, better: Better = None) -> Measurement[int]:
    return Measurement(
        f"n_{heading.replace(' ', '_')}", heading, VERDICTS[verdict], Unit.COUNT,
        lambda counts: counts.n(verdict=verdict), shown, shown, better, counts={"verdict": verdict},
    )  # fmt: skip


SAMPLES: Measurement[int] = Measurement(
    "n_samples", "samples", "all outcomes", Unit.COUNT, lambda counts: counts.kinds.total(), in_table=Shown.ALWAYS
)
WITH_ANSWER: Measurement[int] = Measurement(
    "n_labelled", "labelled", "samples whose right answer is known", Unit.COUNT, lambda counts: counts.n_labelled
)
CORRECT = _verdict(Verdict.CORRECT, "correct")
WRONG = _verdict(Verdict.WRONG_EDIT, "wrong", better="less")
MISSED = _verdict(Verdict.MISSED, "missed")
REFUSED = _verdict(Verdict.REFUSED, "refused")
UNLABELLED = _verdict(Verdict.UNLABELLED, "unlabelled", shown=Shown.WHERE_ANY)
CRASHED = _verdict(Verdict.CRASHED, "crashed", shown=Shown.WHERE_ANY)
TIMED_OUT = _verdict(Verdict.TIMED_OUT, "timed out", shown=Shown.WHERE_ANY)
UNSTABLE = _verdict(Verdict.UNSTABLE, "unstable", shown=Shown.WHERE_ANY, better="less")
UNMEASURED = _verdict(Verdict.UNMEASURED, "unmeasured", shown=Shown.WHERE_ANY)

# Rates

MATCH_RATE = share(
    "match_rate",
    "match rate",
    "correct / samples labelled apply",
    lambda counts: (counts.n(verdict=Verdict.CORRECT), counts.n_to_apply),
    in_table=Shown.ALWAYS,
    on_page=Shown.ALWAYS,
    better="more",
)
WRONG_RATE = share(
    "wrong_rate",
    "wrong rate",
    "wrong or unstable / all labelled samples",
    lambda counts: (counts.n_unreliable, counts.n_labelled),
    in_table=Shown.ALWAYS,
    on_page=Shown.ALWAYS,
    better="less",
)
PRECISION = share(
    "precision",
    "precision",
    "correct / (correct + wrong + unstable)",
    lambda counts: ((correct := counts.n(verdict=Verdict.CORRECT)), correct + counts.n_unreliable),
    in_table=Shown.ALWAYS,
    better="more",
)
REFUSAL_RATE = share(
    "refusal_rate",
    "refusal rate",
    "refused / samples labelled refuse",
    lambda counts: (counts.n(verdict=Verdict.REFUSED), counts.n_labelled - counts.n_to_apply),
    better="more",
)
APPLIED_RATE = share(
    "applied_rate",
    "applied rate",
    "applied, rightly or wrongly / all samples",
    lambda counts: (counts.n_applied, counts.kinds.total() - counts.n(verdict=Verdict.UNMEASURED)),
)
TIMED_OUT_RATE = share(
    "timed_out_rate",
    "timed out rate",
    "timed out / all samples",
    lambda counts: (counts.n(verdict=Verdict.TIMED_OUT), counts.kinds.total()),
    better="less",
)

EQUALITIES: Mapping[Equality, str] = MappingProxyType(
    {
        Equality.BYTES: "byte for byte; this is the match rate",
        Equality.TEXT: "or differs in whitespace at the ends of lines and line feeds at the end of the file only",
        Equality.TREE: "or has the severity same_tree",
    }
)
"""Conditions under which a result counts as right; each is looser than the one before."""


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

# Damage and severity of wrong edits

DAMAGES: Mapping[Damage, str] = MappingProxyType(
    {
        Damage.INDENTATION: "the right lines with other indentation",
        Damage.WHITESPACE: "differs from the right answer in whitespace only",
        Damage.PLACE: "changes other lines, and none of those that the right answer changes",
        Damage.EXTENT: "changes some of the lines that the right answer changes and misses others, or changes more",
        Damage.TEXT: "changes just the lines that the right answer changes, to another text",
        Damage.BYTES: "changes bytes outside the lines that the right answer changes, by an encoding or line endings",
        Damage.UNASKED: "applied, although the edit should have been refused",
        Damage.NO_OP: "a shell command that ends well and changes nothing",
        Damage.TOO_MANY: "a shell command that makes the right change, and others in more places",
        Damage.EMPTIED: "a shell command that leaves a file empty",
        Damage.GARBLED: "a shell command whose text lost or gained quotation: $, backslashes, line feeds, NUL",
        Damage.HALF_MADE: "a shell command that makes some of the right changes and not the others",
        Damage.WRONG_FOLDER: "a shell command that writes a file of the right name in another folder",
        Damage.DIALECT: "a shell command that means another thing to another sed",
    }
)
"""The lines that a result changes are those from the first to the last that differ from the file before."""
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

    return Measurement(
        name, str(severity).replace("_", " "), f"wrong: {SEVERITIES[severity]}", Unit.COUNT, of, in_table, on_page,
        "less", counts={"verdict": Verdict.WRONG_EDIT, "severity": severity},
    )  # fmt: skip


def _by_severity(counts: Counts) -> dict[str, int] | None:
    if not counts.has_severities:
        return None
    return {kind.value: counts.n(verdict=Verdict.WRONG_EDIT, severity=kind) for kind in Severity}


DAMAGE: Measurement[dict[str, int]] = Measurement(
    "damage",
    "damage",
    "wrong edits by the way in which they are wrong",
    Unit.COUNTS,
    lambda counts: {kind.value: counts.n(verdict=Verdict.WRONG_EDIT, damage=kind) for kind in Damage},
)
SAME_TREE = _severity(Severity.SAME_TREE, "n_same_tree")
OTHER_TREE = _severity(Severity.OTHER_TREE, "n_other_tree", in_table=Shown.WHERE_ANY)
UNPARSABLE = _severity(Severity.BROKEN, "n_unparsable")
UNKNOWN = _severity(Severity.UNKNOWN, "n_unknown_severity", on_page=Shown.NEVER)
SEVERITY: Measurement[dict[str, int] | None] = Measurement(
    "severity", "severity", "wrong edits by how bad they are", Unit.COUNTS, _by_severity
)
BYTES_CHANGED: Measurement[int] = Measurement(
    "n_bytes_changed",
    "bytes changed",
    "bytes outside the intended lines that wrong edits change, by their encoding or line endings alone",
    Unit.COUNT,
    lambda counts: counts.totals["n_bytes_changed"],
    in_table=Shown.WHERE_ANY,
    on_page=Shown.WHERE_ANY,
    better="less",
    sums=("n_bytes_changed",),
)
"""The total over all edits of the damage `bytes`."""
LINES_LOST: Measurement[int | None] = Measurement(
    "n_lines_lost",
    "lines lost",
    "lines of the file that are gone although neither the edit as written nor the right answer removes them",
    Unit.COUNT,
    lambda counts: counts.totals["n_lines_lost"] if counts.has_severities else None,
    better="less",
    sums=("n_lines_lost",),
)
"""The total over all wrong edits."""

# Lists of edits of which one fails: all of them apply, or none may

LISTS_LEFT: Mapping[ListLeft, str] = MappingProxyType(
    {
        ListLeft.NOTHING: "nothing: the whole list was refused, or the file is as before",
        ListLeft.FIRST_EDITS: "the edits before the one that fails",
        ListLeft.OTHER_EDITS: "all edits but the ones that fail",
        ListLeft.CUT_OFF: "a part, and the end of the file is gone",
        ListLeft.SOMETHING_ELSE: "something else, such as all of them: a place was guessed for the one that fails",
    }
)


def _lists_left(counts: Counts) -> dict[str, int] | None:
    found = {kind.value: counts.n(list_left=kind) for kind in ListLeft}
    return found if any(found.values()) else None


def _half_made(counts: Counts) -> int | None:
    left = _lists_left(counts)
    return sum(left.values()) - left[ListLeft.NOTHING] if left else None


FAILED_LISTS: Measurement[int | None] = Measurement(
    "n_failed_lists",
    "failed lists",
    "lists of edits of which one fails, neither the first nor the last",
    Unit.COUNT,
    lambda counts: sum((_lists_left(counts) or {}).values()) or None,
)
HALF_MADE: Measurement[int | None] = Measurement(
    "n_half_made",
    "half made",
    "lists of edits of which one fails that changed the file all the same / those lists",
    Unit.COUNT,
    _half_made,
    in_table=Shown.WHERE_ANY,
    on_page=Shown.WHERE_ANY,
    better="less",
    out_of=FAILED_LISTS.name,
)
LIST_LEFT: Measurement[dict[str, int] | None] = Measurement(
    "list_left", "list left", "lists of edits of which one fails by what was made of them", Unit.COUNTS, _lists_left
)

# Latencies

_SHARES = (0.5, 0.9, 0.99, 1.0)
"""Shares of the samples whose percentiles are computed together: sorting the latencies takes the time."""


def _percentile(at: int, name: str, heading: str, meaning: str, shown: Shown) -> Measurement[int | None]:
    def of(counts: Counts) -> int | None:
        return counts.latencies.percentiles(_SHARES, in_process=in_process(counts.strategy))[at]

    return Measurement(name, heading, meaning, Unit.NANOSECONDS, of, in_table=shown, on_page=shown)


P50 = _percentile(0, "p50_ns", "p50", "median latency of a call", Shown.ALWAYS)
P90 = _percentile(1, "p90_ns", "p90", "90th percentile of the latency of a call", Shown.NEVER)
P99 = _percentile(2, "p99_ns", "p99", "99th percentile of the latency of a call", Shown.ALWAYS)
LONGEST = _percentile(3, "max_ns", "maximum", "latency of the slowest call", Shown.NEVER)

# What the manifest says of a strategy, from fuzzing: None for strategies that are not fuzzed


def _per_million(n: Callable[[Unmeant], int], total: Callable[[Unmeant], int]) -> Callable[[Counts], int | None]:
    def of(counts: Counts) -> int | None:
        found = counts.used.unmeant if counts.used else None
        return round(n(found) * 1_000_000 / total(found)) if found and total(found) else None

    return of


PROMISES: Measurement[int | None] = Measurement(
    "n_promised",
    "promised",
    "properties that all of its family promise for all inputs (see editgauge fuzz)",
    Unit.COUNT,
    lambda counts: counts.used.n_promised if counts.used else None,
)
BROKEN_PROMISES: Measurement[int | None] = Measurement(
    "n_broken",
    "broken",
    "known broken properties / properties that all of its family promise for all inputs (see editgauge fuzz)",
    Unit.COUNT,
    lambda counts: None if counts.used is None or counts.used.broken is None else len(counts.used.broken),
    in_table=Shown.WHERE_ANY,
    better="less",
    out_of=PROMISES.name,
)
WRONG_INTENTS: Measurement[int | None] = Measurement(
    "wrong_per_million_intents",
    "wrong/M intents",
    "wrong edits for each million of drawn intents: edits written as models write, whose right results are certain "
    "(see editgauge fuzz drill oracle)",
    Unit.COUNT,
    _per_million(lambda one: one.n_wrong, lambda one: one.n_intents),
    on_page=Shown.WHERE_ANY,
    better="less",
)
APPLIED_CONTRADICTIONS: Measurement[int | None] = Measurement(
    "applied_per_million_contradictions",
    "applied/M contradictions",
    "edits applied for each million of drawn contradictions: a line that the edit keeps says something else in the "
    "file (see editgauge fuzz drill oracle)",
    Unit.COUNT,
    _per_million(lambda one: one.n_applied, lambda one: one.n_contradictions),
    on_page=Shown.WHERE_ANY,
    better="less",
)

MEASUREMENTS: tuple[Measurement[Any], ...] = (
    SAMPLES, CORRECT, WRONG, SAME_TREE, OTHER_TREE, UNPARSABLE, UNKNOWN, BYTES_CHANGED, MISSED, REFUSED, WITH_ANSWER,
    MATCH_RATE, WRONG_RATE, PRECISION, P50, P99, PROMISES, BROKEN_PROMISES, WRONG_INTENTS, APPLIED_CONTRADICTIONS,
    FAILED_LISTS, HALF_MADE, UNLABELLED, CRASHED, TIMED_OUT, UNSTABLE, UNMEASURED, REFUSAL_RATE, APPLIED_RATE,
    TIMED_OUT_RATE, DAMAGE, SEVERITY, LINES_LOST, LIST_LEFT, MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE, P90, LONGEST,
)  # fmt: skip
