"""Fuzz targets: what is fuzzed, with the generator of its inputs and the check of its properties."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter_ns, thread_time_ns

from corpora.sample import Sample
from editcore.types import EditResult, Rejected
from harness.fuzz.finding import DETERMINISTIC, RAISES, SLOW, Got, Violation, decision, raised
from harness.fuzz.generators import Generator
from harness.fuzz.inputs import FORMS, Fields, can_be_written, question_of
from harness.fuzz.properties import promises
from harness.fuzz.properties.as_meant import as_meant
from harness.fuzz.properties.property import Apply, Property
from harness.strategies.strategy import Strategy, files_after

MEMORY = "within_its_memory"
EVERY_INPUT = (RAISES, SLOW, MEMORY, DETERMINISTIC)
"""The properties of every input of every target."""

_PATIENCE_NS = 2_000_000_000
_ENDINGS_ASIDE = ("tool/edit_file", "cascade/exact")
"""Strategies for which line endings make no difference, which the properties of exact texts do not say."""
_MARK_ASIDE = ("cascade/exact",)
"""Strategies for which only a byte order mark at the start of the file is one. Texts with others are left out."""

_ONE_EDIT_ONLY = "mcp/"
"""The prefix of strategies that are called for one edit at one place."""
_ONE_PLACE_ONLY = ("documents/str_replace",)
"""Strategies without `replace_all`. Edits with it are left out."""

Check = Callable[[Fields, bool], tuple[Violation, ...]]
"""The fields of an input, and True to check every relation -> the violations."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that can be fuzzed."""

    name: str
    summary: str
    generate: Generator
    check: Check
    tokens: tuple[str, ...] = ()
    """Lines and words of its inputs: libFuzzer's dictionary."""
    floor: int = 0
    """Edges that a run of a few seconds reaches. Fewer edges mean that the inputs are rejected at once."""
    format: str | None = None
    """The format of the samples that its inputs make; None if they make none."""
    is_drawn: bool = False
    """True if inputs are drawn only, because random changes of lines and bytes make no meaningful one."""
    runs_elsewhere: bool = False
    """True if other processes do the work: its time is measured, and coverage of this process says nothing."""
    longest: int = 1024
    """The most bytes of an input. Longer inputs find the same, later."""
    bound_ns: int = 50_000_000
    """Nanoseconds that any input may take, for instrumented code on a loaded machine."""
    bound_ns_per_character: int = 30_000
    """Nanoseconds that an input may take in addition for each character."""
    ask_ahead: Callable[[Sequence[Fields]], None] | None = None
    """Asks several inputs at once, which are checked next; None if they are asked one by one."""
    start: Callable[[], object] | None = None
    """Starts the process that does the work, before the first input."""
    apply: Callable[[Sample], EditResult] | None = None
    """What is fuzzed, if it is a strategy."""
    specs: tuple[str, ...] = ()
    """The strategies that the target is made of, if it is not in the table."""
    properties: tuple[str, ...] = ()
    """The properties that the check may find broken, besides `EVERY_INPUT`."""


def result_of(target: Target, fields: Fields) -> Got | None:
    """What the target makes of an input; None if it makes no files."""
    form = FORMS.get(target.format or "")
    sample = form.sample(fields) if form else None
    if sample is None or target.apply is None:
        return None
    try:
        result = target.apply(sample)
    except Exception as error:
        return raised(error).detail
    return result.message if isinstance(result, Rejected) else files_after(sample, result)


def observe(target: Target, fields: Fields, *, thorough: bool = False) -> tuple[Violation, ...]:
    """The violations of an input, including exceptions and too much work. Raises only if it is interrupted."""
    started = perf_counter_ns()
    try:
        found = target.check(fields, thorough)
    except Exception as error:
        found = (raised(error),)
    bound = target.bound_ns + target.bound_ns_per_character * sum(map(len, fields))
    if perf_counter_ns() - started > bound and (took := _work_ns(target, fields)) > bound:
        n = sum(map(len, fields))
        found = (*found, Violation(SLOW, SLOW, f"{took / 1e6:.0f} ms for {n} characters, of {bound / 1e6:.0f} allowed"))
    return found


def _work_ns(target: Target, fields: Fields) -> int:
    """The time of the faster of two more tries; CPU time if this thread does the work, because it has no pauses."""
    clock = perf_counter_ns if target.runs_elsewhere else thread_time_ns
    tries = []
    for _ in range(2):
        started = clock()
        with suppress(Exception):
            target.check(fields, False)
        tries.append(clock() - started)
    return min(tries)


def strategy_check(strategy: Strategy, format: str, known: dict[Fields, Sample]) -> Check:
    """The check of a strategy's promises for a format: all plain properties, and a relation for some inputs.

    `known` has the samples of inputs that were asked ahead.
    """
    form = FORMS[format]
    on_disk = strategy.name.startswith(("tool/", "peer/", "mcp/"))
    # No tool edits or writes a NUL. Where line endings make no difference, `calls` compares the results.
    is_tool = strategy.name.startswith(("tool/", "documents/"))
    excluded = ("\0" if is_tool else "") + ("\r" if strategy.name in _ENDINGS_ASIDE else "")
    asked = promises(strategy.name, format)
    asks_answers = any(one.check is as_meant for one in asked)
    plain = tuple(one for one in asked if not one.applies_again)
    relations = tuple(one for one in asked if one.applies_again)

    def apply(sample: Sample) -> EditResult:
        return strategy.apply(sample, None)

    def check(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
        sample = known.pop(fields, None) or form.sample(fields)
        if sample is None or not strategy.takes(sample) or (on_disk and not can_be_written(fields, format)):
            return ()
        if any(character in field for character in excluded for field in question_of(fields)):
            return ()
        if strategy.name in _MARK_ASIDE and "\ufeff" in "".join(question_of(fields))[1:]:
            return ()
        edits = sample.edits or ()
        if strategy.name.startswith(_ONE_EDIT_ONLY) and (len(edits) > 1 or any(edit.replace_all for edit in edits)):
            return ()
        if strategy.name in _ONE_PLACE_ONLY and any(edit.replace_all for edit in edits):
            return ()
        started = perf_counter_ns()
        result = apply(sample)
        if perf_counter_ns() - started > _PATIENCE_NS:
            return ()  # Its time is the violation (see `observe`): a slow program is asked nothing more.
        # Where the answer is known, it decides: properties that follow from it would only find the same again.
        is_open = sample.label == "unlabelled" or not asks_answers
        is_single = format != "str_replace" or len(sample.edits or ()) == 1
        chosen = relations if thorough else _chosen(relations, fields, every=3 if is_open else 30)
        found = [
            violation
            for one in (*plain, *chosen)
            if (is_open and is_single) or one.takes_lists
            if (violation := _violation(one, apply, sample, result)) is not None
        ]
        return tuple(found)

    return check


def asking_ahead(strategy: Strategy, format: str, known: dict[Fields, Sample]) -> Callable[[Sequence[Fields]], None]:
    """The function that asks a strategy several inputs at once, and puts their samples into `known`."""
    form, ask = FORMS[format], strategy.ask_ahead
    assert ask is not None

    def ask_ahead(inputs: Sequence[Fields]) -> None:
        made = {fields: sample for fields in inputs if (sample := form.sample(fields)) is not None}
        known.clear()
        known.update({fields: sample for fields, sample in made.items() if strategy.takes(sample)})
        ask([*known.values()])

    return ask_ahead


def _violation(one: Property, apply: Apply, sample: Sample, result: EditResult) -> Violation | None:
    """The violation of a property. An exception on a changed sample hides no violation of another property."""
    try:
        detail = one.check(apply, sample, result)
    except Exception as error:
        return raised(error)
    return None if detail is None else Violation(one.name, one.path(decision(result), detail), detail)


def _chosen(relations: tuple[Property, ...], fields: Fields, *, every: int) -> tuple[Property, ...]:
    """One relation for one of `every` inputs, because relations ask again. An input always has the same one."""
    mark = zlib.crc32(fields[0].encode("utf-8", "surrogatepass"))
    at = mark // every % (len(relations) or 1)
    return relations[at : at + 1] if mark % every == 0 else ()
