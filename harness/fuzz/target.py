"""Fuzz targets: what is fuzzed, with the generator of its inputs and the check of its properties."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from time import perf_counter_ns, thread_time_ns

from corpora.sample import Sample
from editcore.types import EditResult
from harness.fuzz.finding import RAISES, SLOW, Violation, decision, raised
from harness.fuzz.generators import Generator
from harness.fuzz.inputs import FORMS, Fields, can_be_written
from harness.fuzz.properties import promises
from harness.fuzz.properties.property import Property
from harness.strategies.strategy import Strategy

MEMORY = "within_its_memory"
EVERY_INPUT = (RAISES, SLOW, MEMORY)
"""The properties of every input of every target."""

_ENDINGS_ASIDE = ("tool/edit_file", "cascade/exact")
"""Strategies to which line endings make no difference, though the properties of exact texts do not say so."""
_MARK_ASIDE = ("cascade/exact",)
"""Strategies to which a byte order mark is one at the start of the file alone: others are left out of a text."""

Check = Callable[[Fields, bool], tuple[Violation, ...]]
"""The fields of an input, and whether to check every relation -> the violations."""

Change = Callable[[Fields, Random], Fields]
"""The fields of an input -> those of another one like it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that can be fuzzed."""

    name: str
    summary: str
    """One line."""
    generate: Generator
    check: Check
    tokens: tuple[str, ...] = ()
    """Lines and words that its inputs contain: libFuzzer's dictionary."""
    floor: int = 0
    """Edges that a run of a few seconds reaches; fewer mean that its inputs are rejected at once."""
    format: str | None = None
    """The format of the samples that its inputs make; None if they make none."""
    raw: bool = False
    """Whether plain byte mutations find more than the structure-aware mutator, because any text is an input."""
    change: Change | None = None
    """What changes an input, where lines and bytes changed at random make none that means something."""
    longest: int = 1024
    """Most bytes of an input: longer inputs find the same, later."""
    bound_ns: int = 50_000_000
    """Time that any input may take, in nanoseconds; for instrumented code on a loaded machine."""
    bound_ns_per_character: int = 30_000
    """Time that it may take in addition for each character."""
    specs: tuple[str, ...] = ()
    """The strategies it is made of, if it is not in the table."""
    properties: tuple[str, ...] = ()
    """The names of the properties that its check may find broken, besides those of `EVERY_INPUT`."""


def observe(target: Target, fields: Fields, *, thorough: bool = False) -> tuple[Violation, ...]:
    """The violations of an input, exceptions and too much work included; raises only when interrupted."""
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
    """CPU time of the faster of two more tries: wall time includes other processes."""
    tries = []
    for _ in range(2):
        started = thread_time_ns()
        with suppress(Exception):
            target.check(fields, False)
        tries.append(thread_time_ns() - started)
    return min(tries)


def strategy_check(strategy: Strategy, format: str) -> Check:
    """The check of what a strategy promises for a format: all plain properties, and for some inputs a relation."""
    form = FORMS[format]
    on_disk = strategy.name.startswith(("tool/", "peer/"))
    # No tool edits or writes a NUL. Where line endings make no difference, `calls` and `doors` compare the results.
    is_tool = strategy.name.startswith(("tool/", "documents/"))
    excluded = ("\0" if is_tool else "") + ("\r" if strategy.name in _ENDINGS_ASIDE else "")
    asked = promises(strategy.name, format)
    plain = tuple(one for one in asked if not one.applies_again)
    relations = tuple(one for one in asked if one.applies_again)

    def apply(sample: Sample) -> EditResult:
        return strategy.apply(sample, None)

    def check(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
        sample = form.sample(fields)
        if sample is None or not strategy.takes(sample) or (on_disk and not can_be_written(fields, format)):
            return ()
        if any(character in field for character in excluded for field in fields):
            return ()
        if strategy.name in _MARK_ASIDE and "\ufeff" in "".join(fields)[1:]:
            return ()
        result = apply(sample)
        chosen = relations if thorough else _chosen(relations, fields)
        found = [
            Violation(one.name, decision(result), detail)
            for one in (*plain, *chosen)
            if (detail := one.check(apply, sample, result)) is not None
        ]
        return tuple(found)

    return check


def _chosen(relations: tuple[Property, ...], fields: Fields) -> tuple[Property, ...]:
    """One relation for every third input, because they take as long as the rest; always the same for one input."""
    at = zlib.crc32("".join(fields).encode("utf-8", "surrogatepass")) % (3 * len(relations) or 1)
    return relations[at : at + 1]
