"""CPU time on the worst inputs known, at a size that users met and at twice that size.

The inputs are families of the drill `growth`, which measures every operation on all of them at sizes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from harness.bench.cpu_time import Measurement, TimedCall, measure_doubling
from harness.bench.growth_inputs.edits import EDIT_FAMILIES
from harness.bench.operations import operations
from harness.bench.replacers import run_all

_ALL_NINE = "all nine"


@dataclass(frozen=True, slots=True)
class WorstCase:
    """A family of inputs, at a size."""

    family: str
    size: int
    unit: str
    operation: str = _ALL_NINE
    """All nine replacers together, or a name of `harness.bench.operations`."""

    @property
    def name(self) -> str:
        """The family, and the operation if it is one of several."""
        return self.family if self.operation == _ALL_NINE else f"{self.family}, {self.operation.rpartition('/')[2]}"

    def call(self, size: int) -> TimedCall:
        """The call at a size."""
        if self.operation == _ALL_NINE:
            return partial(run_all, *EDIT_FAMILIES[self.family](size))
        return operations()[self.operation][self.family](size)[1]


REPLACER_CASES = (
    WorstCase("every line is the first anchor", 20_000, "lines"),
    WorstCase("every line is a blank first anchor", 20_000, "lines"),
    WorstCase("first anchors share one last anchor", 20_000, "lines"),
    WorstCase("identical lines, ambiguous find", 20_000, "lines"),
    WorstCase("identical lines, ambiguous block", 20_000, "lines"),
    WorstCase("two lines of many characters", 5_000, "characters"),
    WorstCase("two unlike lines of many characters", 5_000, "characters"),
    WorstCase("50-line find, absent", 12_500, "lines"),
    WorstCase("one long line", 1_000_000, "characters"),
    WorstCase("one long line, found", 1_000_000, "characters"),
    WorstCase("big find, absent", 5_000, "lines of find"),
    WorstCase("big find, re-indented", 5_000, "lines of find"),
    WorstCase("escapes on every line", 20_000, "lines"),
)
"""Inputs of replacers that users reported as hanging."""
PATCH_CASES = (
    *(WorstCase("many hunks", 50_000, "lines", f"patch/unified_diff/{one}") for one in ("strict", "fuzz", "tolerant")),
    WorstCase("many hunks", 50_000, "lines", "patch/begin_patch/lenient"),
    WorstCase("numbers without end", 50_000, "lines", "patch/unified_diff/tolerant"),
)
"""Patches with a hunk for every tenth line of a large file."""


def measured(cases: Sequence[WorstCase], *, rounds: int) -> Iterator[Measurement]:
    """Each case at its size; the exponent is to twice that size."""
    for case in cases:
        calls = case.call(case.size), case.call(2 * case.size)
        yield measure_doubling(case.name, f"{case.size:,} {case.unit}", calls, rounds=rounds)
