"""Differential fuzzing: strategies, reference programs, or doors of editcore, on the same input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

from corpora.sample import Sample
from editcore.apply import replace
from editcore.cascade import CASCADES, Cascade
from editcore.host.documents.suggestions import SUFFIX
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.fuzz.finding import Violation, decision
from harness.fuzz.inputs import FORMS, Fields, can_be_written
from harness.fuzz.properties.as_meant import as_meant
from harness.fuzz.target import Check
from harness.strategies.registry import strategies, strategy
from harness.strategies.step_strategies import STEPS
from harness.strategies.strategy import Strategy, by_path, files_after
from harness.strategies.tool_strategies import DOCUMENT_STRATEGY, PAIR_TOOLS


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


# Fuzz target: one edit through every door that takes a search text and a new text, with every cascade.
#
# A door is a way into editcore: the library's `replace`, a tool of an agent, a stored document. Doors differ in their
# checks and words. All doors write the same text, or refuse for the same reason.


def doors_agree(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """All doors give the same text, or refuse for the same reason."""
    sample = FORMS["str_replace"].sample(fields)
    if sample is None or any("\0" in field for field in fields) or not can_be_written(fields, "str_replace"):
        return ()  # No tool edits or writes a NUL.
    return tuple(
        Violation("doors_agree", f"{name}: {door}", f"with {name}, {door} gives {got!a:.200}, replace {wanted!a:.200}")
        for name in CASCADES
        for door, got, wanted in differences(sample, name)
    )


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


def differences(sample: Sample, name: str) -> Iterator[tuple[str, str | Reason, str | Reason]]:
    """The doors at which a sample's only edit has another result than by `replace`: door, its result, that result."""
    assert sample.edits
    cascade, content, edit = CASCADES[name], sample.before[0].content, sample.edits[0]
    if cascade.literal and BOM in content + edit.old_string + edit.new_string:
        return  # A workspace keeps the mark of a file; a cascade that rebuilds a program may take it for whitespace.
    old, new, path = edit.old_string, edit.new_string, sample.before[0].path
    by_library = partial(replace, content, old, new, replace_all=edit.replace_all, cascade=cascade)
    wanted_of_file = _left(sample, by_library(path=path))
    for door, one in _doors(cascade).items():
        is_document = door.startswith(DOCUMENT_STRATEGY)
        if edit.replace_all and is_document:
            continue  # A document's tool has no word for it.
        # A document is Markdown, whatever file its text is from: other lines are comments.
        wanted = _left(sample, by_library(path=f"{path}{SUFFIX}")) if is_document else wanted_of_file
        got = _left(sample, one.apply(sample, None))
        if got != wanted:
            yield door, got, wanted


@cache
def _doors(cascade: Cascade) -> Mapping[str, Strategy]:
    names = [f"cascade/{cascade.name}", *(f"{tool}@{cascade.name}" for tool in PAIR_TOOLS if tool in strategies())]
    return {name: strategy(name) for name in names}


def _left(sample: Sample, result: EditResult) -> str | Reason:
    """The text that a result leaves, or the reason of a refusal. A workspace refuses an edit that changes nothing."""
    if isinstance(result, Rejected):
        return result.reason
    before = sample.before[0]
    content = (result.content if result.files is None else result.files[before.path]) or ""
    return Reason.IDENTICAL if content == before.content else content
