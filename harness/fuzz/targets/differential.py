"""Differential fuzzing: strategies, steps behind a match, or reference programs, on the same input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from corpora.sample import Sample
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.finding import Violation, decision
from harness.fuzz.inputs import FORMS, Fields, can_be_written
from harness.fuzz.properties.as_meant import as_meant
from harness.fuzz.target import Check
from harness.strategies.registry import strategy
from harness.strategies.step_strategies import STEPS
from harness.strategies.strategy import Strategy, by_path, files_after


def same_result_check(one: Strategy, other: Strategy, format: str) -> Check:
    form = FORMS[format]

    def check(fields: Fields, _: bool) -> tuple[Violation, ...]:
        sample = form.sample(fields)
        if sample is None or not (can_be_written(fields, format) and one.takes(sample) and other.takes(sample)):
            return ()
        first, second = one.apply(sample, None), other.apply(sample, None)
        a, b = files_or_none(sample, first), files_or_none(sample, second)
        if a == b:
            return ()
        right = _as_meant(sample, {one.name: first, other.name: second})
        path = f"{decision(first)} | {decision(second)}{right and f': {right}'}"
        if b is None:
            name, what = "applies_what_the_other_refuses", f"{one.name} applies it, {other.name} refuses"
        elif a is None:
            why = first.message if isinstance(first, Rejected) else ""
            name, what = "refuses_what_the_other_applies", f"{other.name} applies it, {one.name}: {why}"
        else:
            name, what = "another_result", f"{one.name} and {other.name} make different files"
        return (Violation(name, path, f"{right}: {what}" if right else what),)

    return check


def _not_asked(_: Sample) -> EditResult:
    raise AssertionError("the property does not apply a sample again")


def _as_meant(sample: Sample, results: Mapping[str, EditResult]) -> str:
    """Which of two results are as meant, in words; empty if the answer is not known."""
    if sample.label == "unlabelled":
        return ""
    wrong = [name for name, result in results.items() if as_meant(_not_asked, sample, result)]
    if len(wrong) == 1:
        (right,) = results.keys() - set(wrong)
        return f"{right} is as meant, {wrong[0]} is not"
    return "neither is as meant" if wrong else "both may be meant"


def reference_check(references: Sequence[Strategy], ours: Sequence[Strategy], format: str) -> Check:
    """A check that each of our strategies leaves the files on which all references agree, or refuses."""
    form = FORMS[format]

    def check(fields: Fields, _: bool) -> tuple[Violation, ...]:
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


def steps_keep_results(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """A step behind a match writes what it was given, but for what the step is about."""
    sample = FORMS["str_replace"].sample(fields)
    if sample is None or not can_be_written(fields, "str_replace"):
        return ()
    result = strategy("cascade/exact").apply(sample, None)
    if isinstance(result, Rejected):
        return ()
    (before,), (after,) = by_path(sample.before).values(), files_after(sample, result).values()
    written = {name: step.apply(before, after) for name, step in STEPS.items()}
    return tuple(
        Violation("steps_keep_results", name, f"{name} writes {text!a:.200}, the match gave {after!a:.200}")
        for name, text in written.items()
        if STEPS[name].shape(text) != STEPS[name].shape(after)
    )
