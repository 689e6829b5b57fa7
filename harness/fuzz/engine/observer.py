"""The judge of a campaign: tries inputs, asks again before it blames, shrinks what fails, and emits each kind once."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic, process_time, sleep
from typing import IO, NamedTuple

from harness.fuzz.engine.choices import Choices
from harness.fuzz.finding import DETERMINISTIC, SLOW, Finding, Key, Violation
from harness.fuzz.inputs import Fields, fields_in
from harness.fuzz.target import Target, observe, result_of

TAPE = b"\xff"
"""The first byte of an input that is a tape; the others are fields in UTF-8, which has no such byte."""
HANGS = 70
"""The exit code of a worker whose input did not end, as libFuzzer has it."""
_SHRINKING_S = 3.0
_REPORTED_EVERY_S = 0.25
_ASKED_AGAIN = 20
"""Times that a failing input is tried again before a property is blamed: an answer may vary one time in ten."""
_ASKED_AGAIN_S = 2.0
"""The time for that; two times are tried in any case."""


class Counted(NamedTuple):
    """How far a worker has come."""

    n_executions: int
    fuzzing_s: float
    """Wall time since the first input, without shrinking."""
    shrinking_s: float
    cpu_s: float
    """CPU time since the first input."""


def together(counted: Sequence[Counted]) -> Counted:
    """How far several workers have come."""
    return Counted(*map(sum, zip(*counted, strict=True))) if counted else Counted(0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Met:
    """A known finding occurred again."""

    key: Key


Event = Counted | Met | Finding


class Observer:
    """Tries inputs of a target until its time or the number of inputs is used up (`is_over`)."""

    is_over = False

    def __init__(
        self, target: Target, known: Sequence[Key] = (), *, events: IO[bytes] | None, seconds: float, runs: int | None
    ) -> None:
        self.target = target
        self._known, self._met = set(known), set[Key]()
        self._events, self._seconds, self._runs = events, seconds, runs
        self._n = 0
        self._shrinking_s = 0.0
        self._started, self._started_cpu_s = monotonic(), process_time()
        self._reported_at = 0.0
        self._tried_since: tuple[float, Fields] | None = None
        """When the input that is being tried was begun, and that input."""

    def check_bytes(self, data: bytes) -> None:
        """Check an input of libFuzzer: a tape, or fields."""
        if data[:1] == TAPE:
            self.check_tape(data[1:])
        else:
            self.check(fields_in(data))

    def check_tape(self, tape: bytes) -> None:
        """Check the input that a tape is drawn into."""
        choices = Choices(tape)
        self.check(self.target.generate(choices), choices.made)

    def check(self, fields: Fields, choices: Sequence[int] = ()) -> None:
        """Check an input, which may have been drawn by choices."""
        now = monotonic()
        if not self._n:
            self._started, self._started_cpu_s = now, process_time()
        if found := self._observe(fields):
            self._blame(found, fields, choices)
        self._n += 1
        self.is_over = self.is_over or self._fuzzing_s >= self._seconds or self._n == self._runs
        if now - self._reported_at > _REPORTED_EVERY_S or self.is_over:
            self._reported_at = now
            self._report()

    @property
    def _fuzzing_s(self) -> float:
        return monotonic() - self._started - self._shrinking_s

    def _report(self) -> None:
        cpu_s = process_time() - self._started_cpu_s
        self.emit(Counted(self._n, self._fuzzing_s, self._shrinking_s, cpu_s))

    def ends_if_it_hangs(self, limit_s: float) -> None:
        """Once the input that is being tried takes longer than that, emit it as a finding, and end the process."""
        while True:
            sleep(1.0)
            tried, target = self._tried_since, self.target
            if tried is not None and monotonic() - tried[0] > limit_s:
                self.emit(Finding(target.name, SLOW, "timeout", "did not end", tried[1], target.format))
                self._n += 1
                self._report()
                os._exit(HANGS)

    def _observe(self, fields: Fields, *, thorough: bool = False) -> tuple[Violation, ...]:
        self._tried_since = monotonic(), fields
        found = observe(self.target, fields, thorough=thorough)
        self._tried_since = None
        return found

    def emit(self, event: Event) -> None:
        """Write an event for the process that started this one."""
        if self._events is not None:
            pickle.dump(event, self._events)
            self._events.flush()

    def _blame(self, found: Sequence[Violation], fields: Fields, choices: Sequence[int]) -> None:
        for violation in found:
            key = (self.target.name, violation.property, violation.path)
            if key in self._met:
                continue
            if key in self._known:
                self._met.add(key)
                self.emit(Met(key))
                continue
            before = monotonic()
            finding = self._finding(violation, fields, choices)
            self._shrinking_s += monotonic() - before
            if finding.key not in self._met:
                self._met.add(finding.key)
                self.emit(finding)
            return  # Other inputs show the others, too; shrinking all at once would take too long for one input.

    def _finding(self, violation: Violation, fields: Fields, choices: Sequence[int]) -> Finding:
        """The violation with its smallest input, or that the answer to its input varies, which ends the search."""
        target = self.target

        def again(one: Fields, *, thorough: bool = True) -> Violation | None:
            found = self._observe(one, thorough=thorough)
            return next((each for each in found if is_same(each, violation)), None)

        small: Fields | None = fields
        if violation.property not in (SLOW, DETERMINISTIC):
            # Nothing can be blamed on a program whose answers vary, except that they do.
            until, is_steady = monotonic() + _ASKED_AGAIN_S, True
            for n in range(_ASKED_AGAIN):
                if n >= 2 and monotonic() > until:
                    break
                if not (is_steady := again(fields, thorough=False) is not None):
                    break
            small = _shrunk(target, fields, choices, again) if is_steady else None
            if small is not None:
                violation = again(small) or violation
        if small is None:
            detail = f"the answer to the same input varies: asked again, it is not each time {violation.detail}"
            violation, small = Violation(DETERMINISTIC, VARIES, detail), fields
        self.is_over = self.is_over or violation.property == DETERMINISTIC
        path = VARIES if violation.property == DETERMINISTIC else violation.path
        got = result_of(target, small)
        return Finding(target.name, violation.property, path, violation.detail, small, target.format, got=got)


def input_of(target: Target, data: bytes) -> Fields:
    """The input that bytes of libFuzzer stand for: a tape, or fields."""
    return target.generate(Choices(data[1:])) if data[:1] == TAPE else fields_in(data)


VARIES = "another answer"
"""The path of every finding of a program whose answers vary."""


def _shrunk(
    target: Target, fields: Fields, choices: Sequence[int], again: Callable[[Fields], Violation | None]
) -> Fields | None:
    """The smallest input found with the same violation; None if the input itself does not always have it."""
    from harness.fuzz.engine.shrinking import smaller_fields, smallest  # Hypothesis takes a second to import.

    def fails(smaller: Fields) -> bool:
        return again(smaller) is not None

    if not choices:
        return smaller_fields(fields, fails, seconds=_SHRINKING_S)
    small = smallest(target.generate, choices, fails, seconds=_SHRINKING_S)
    return small if small is not None else fields if fails(fields) else None


def is_same(one: Violation, other: Violation) -> bool:
    return (one.property, one.path) == (other.property, other.path)
