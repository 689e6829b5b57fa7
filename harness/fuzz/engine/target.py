"""What a target is: something to be fuzzed, with what makes its inputs and what must hold of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter_ns, thread_time_ns

from corpora.sample import Sample
from editcore.types import EditResult
from harness.fuzz.engine.finding import SLOW, Violation, decision, raised
from harness.fuzz.engine.inputs import FORMS, Fields, can_be_written
from harness.fuzz.generators import Generator
from harness.fuzz.properties import promises
from harness.fuzz.properties.property import Property
from harness.strategies.strategy import Strategy

Check = Callable[[Fields, bool], tuple[Violation, ...]]
"""The fields of an input, and whether to hold it to every relation -> what did not hold."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something to be fuzzed."""

    name: str
    summary: str
    """One line."""
    generate: Generator
    check: Check
    tokens: tuple[str, ...] = ()
    """Lines and words that its inputs are made of: the dictionary."""
    floor: int = 0
    """Edges that a run of a few seconds passes; fewer mean that it is stuck at the door."""
    format: str | None = None
    """The format of the samples that its inputs make."""
    raw: bool = False
    """Whether plain bytes do better than the structure-aware mutator, because any text is an input."""
    longest: int = 1024
    """Bytes of an input at most: longer ones find what shorter ones do, later."""
    bound_ns: int = 50_000_000
    """The work an input may take, whatever its size; instrumented, on a loaded machine."""
    bound_ns_per_character: int = 30_000
    specs: tuple[str, ...] = ()
    """The strategies it was made of, where it is none of the table."""


def observe(target: Target, fields: Fields, *, thorough: bool = False) -> tuple[Violation, ...]:
    """What does not hold of an input, an exception and too much work included; never raises but for interruptions."""
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
    """CPU time of the quicker of two more tries: the clock on the wall tells of other work too."""
    tries = []
    for _ in range(2):
        started = thread_time_ns()
        with suppress(Exception):
            target.check(fields, False)
        tries.append(thread_time_ns() - started)
    return min(tries)


def strategy_check(strategy: Strategy, format: str) -> Check:
    """Holds a strategy to what it promises for samples of a format: all plain properties, and at times a relation."""
    form = FORMS[format]
    on_disk = strategy.name.startswith(("tool/", "peer/"))
    asked = promises(strategy.name, format)
    plain = tuple(one for one in asked if not one.applies_again)
    relations = tuple(one for one in asked if one.applies_again)

    def apply(sample: Sample) -> EditResult:
        return strategy.apply(sample, None)

    def check(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
        sample = form.sample(fields)
        if sample is None or not strategy.takes(sample) or (on_disk and not can_be_written(fields, format)):
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
    """A relation for one input in three: they cost as much as the rest. The same input is held to the same one."""
    at = zlib.crc32("".join(fields).encode("utf-8", "surrogatepass")) % (3 * len(relations) or 1)
    return relations[at : at + 1]
