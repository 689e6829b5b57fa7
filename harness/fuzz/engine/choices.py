"""Choices: what an input is drawn from, as a generator of random numbers that records them.

    tape      90 03 ff 41 ...       bytes, which libFuzzer mutates
    choices   4 of 9, 3 of 5, ...   what a generator asked for, and got, in order
    input     ("*** Begin Patch...", "f", "a\nb\n")

An engine draws an input from a tape. A tape is short or long: behind its end the choices follow from its bytes. If the
input breaks a property, its choices are what Hypothesis stores and shrinks (`shrinking`). A smaller sequence of choices
is drawn into an input of the same generator, so it is as valid as the first one, and its answer is known.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

T = TypeVar("T")

_FRACTIONS = 1 << 16
"""The number of values of `random()`."""
_PRECISE = 1 << 32
"""The most alternatives between which a fraction decides."""


class Choices(Random):
    """Random numbers from a tape, each recorded in `made` as an integer below the number of its alternatives."""

    def __init__(self, tape: bytes) -> None:
        super().__init__(tape)
        self._tape, self._at, self._n = tape, 0, len(tape)
        self._behind = super().random
        self.made: list[int] = []

    def _randbelow(self, n: int) -> int:
        """An integer below `n`. All methods of Random that draw one call this."""
        at = self._at
        if at >= self._n:
            found = int(self._behind() * n) if n <= _PRECISE else super().getrandbits(n.bit_length() + 8) % n
        elif n <= 256:
            found, self._at = self._tape[at] % n, at + 1
        else:
            width = (n.bit_length() + 7) // 8
            found, self._at = int.from_bytes(self._tape[at : at + width], "big") % n, at + width
        self.made.append(found)
        return found

    def random(self) -> float:
        return self._randbelow(_FRACTIONS) / _FRACTIONS

    def getrandbits(self, k: int) -> int:
        return self._randbelow(1 << k)

    # As Random does, by fewer calls: drawing is most of what an input costs.

    def choice(self, seq: SupportsLenAndGetItem[T]) -> T:
        return seq[self._randbelow(len(seq) or 1)]

    def randint(self, a: int, b: int) -> int:
        return a + self._randbelow(b - a + 1)
