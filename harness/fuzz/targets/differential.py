"""Differential fuzzing: two strategies, or ours and reference programs, on the same input."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.sample import Sample
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.finding import Violation, decision
from harness.fuzz.inputs import FORMS, Fields, can_be_written
from harness.fuzz.properties.property import files_after
from harness.fuzz.target import Check
from harness.strategies.strategy import Strategy


def same_result_check(one: Strategy, other: Strategy, format: str) -> Check:
    """A check that two strategies have the same result: the same files, or a refusal of both."""
    form = FORMS[format]

    def check(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
        del thorough
        sample = form.sample(fields)
        if sample is None or not (can_be_written(fields, format) and one.takes(sample) and other.takes(sample)):
            return ()
        first, second = one.apply(sample, None), other.apply(sample, None)
        a, b = files_or_none(sample, first), files_or_none(sample, second)
        if a == b:
            return ()
        path = f"{decision(first)} | {decision(second)}"
        if b is None:
            return (Violation("applies_what_the_other_refuses", path, f"{one.name} applies it, {other.name} refuses"),)
        if a is None:
            why = first.message if isinstance(first, Rejected) else ""
            return (Violation("refuses_what_the_other_applies", path, f"{other.name} applies it, {one.name}: {why}"),)
        return (Violation("another_result", path, f"{one.name} and {other.name} make different files"),)

    return check


def reference_check(references: Sequence[Strategy], ours: Sequence[Strategy], format: str) -> Check:
    """A check that each of our strategies makes the files on which all references agree, or refuses."""
    form = FORMS[format]

    def check(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
        del thorough
        sample = form.sample(fields)
        if sample is None or not can_be_written(fields, format):
            return ()
        wanted = None
        for number, reference in enumerate(references):
            files = files_or_none(sample, reference.apply(sample, None))
            if files is None or (number and files != wanted):
                return ()
            wanted = files
        found = []
        for one in ours:
            result = one.apply(sample, None)
            files = files_or_none(sample, result)
            if files in (wanted, None):
                continue  # A refusal is always allowed; the drill `agreement` counts them.
            names = " and ".join(one.name.partition("/")[2] for one in references)
            detail = f"{names} agree, {one.name} makes other files"
            found.append(Violation("another_result", f"{one.name}: {decision(result)}", detail))
        return tuple(found)

    return check


def files_or_none(sample: Sample, result: EditResult) -> dict[str, str] | None:
    """The files after the edit; None if it was refused."""
    return files_after(sample, result) if isinstance(result, Applied) else None
