"""The agreement of two readers, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpora.readings.agreement import Agreement
    from corpora.readings.reading import Reading


def agreement_lines(found: Agreement) -> Iterator[str]:
    """The counts, kappa, and the disagreements, one line each."""
    from reports.measurements.interval import percent

    yield f"{found.n:,} samples answered by both; {found.n_only_first:,} by A only, {found.n_only_second:,} by B only"
    if found.n_other:
        yield f"{found.n_other:,} more were read in different versions and do not count"
    if not found.n:
        return
    kappa = "undefined, both always gave one label" if found.kappa is None else f"{found.kappa:.2f}"
    yield f"same label: {found.n_same_label:,} ({percent(found.n_same_label / found.n)}), Cohen's kappa {kappa}"
    yield f"same label and same result: {found.n_same:,} ({percent(found.n_same / found.n)})"
    if found.disagreements:
        yield ""
    for one, other in found.disagreements:
        yield f"{one.sample_id}: A {_answer(one)}; B {_answer(other)}"


def _answer(reading: Reading) -> str:
    if reading.answer == "refuse":
        return f"refuse ({reading.reason})"
    return f"apply ({', '.join(reading.strategies) or 'own result'})"


def agreement_document(found: Agreement) -> dict[str, Any]:
    """All numbers as `--json` prints them; the results of readers are in their files."""
    names = ("n", "n_same_label", "n_same", "kappa", "n_only_first", "n_only_second", "n_other")
    pairs = [{"sample_id": one.sample_id, "a": _plain(one), "b": _plain(other)} for one, other in found.disagreements]
    return {"schema_version": 1, **{name: getattr(found, name) for name in names}, "disagreements": pairs}


def _plain(reading: Reading) -> dict[str, Any]:
    return {
        "answer": reading.answer,
        "reason": reading.reason,
        "strategies": list(reading.strategies),
        "reader": reading.reader,
        "at": reading.at,
    }
