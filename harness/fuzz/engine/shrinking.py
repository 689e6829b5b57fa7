"""Shrinking by Hypothesis: the smallest input that still fails, the fewest pieces of a text that still do.

Hypothesis shrinks the choices that a value is drawn from (see `choices`): it leaves some out, and lowers others. What
is drawn from fewer choices is a value of the same generator. So a patch stays a patch of its files, and its answer
stays known, which no removal of lines can promise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from random import Random
from time import monotonic
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
from hypothesis.errors import HypothesisException, NoSuchExample

from harness.fuzz.engine.choices import Choices
from harness.fuzz.inputs import Fields

T = TypeVar("T")

_KEY = b"shrinking"
_KEPT_FIELDS = 3
"""A format needs so many fields or fewer; only those behind them are left out whole."""
_MOST_PIECES = 64
"""Of more pieces, runs of them are tried first: Hypothesis gives up on very long sequences of choices."""


class _TimeIsOver(BaseException):
    """Ends Hypothesis, which catches exceptions of the other kind."""


def smallest(
    draw: Callable[[Random], T], choices: Sequence[int], fails: Callable[[T], bool], *, seconds: float
) -> T | None:
    """The smallest value found that fails, drawn from these choices or from simpler ones; None if these do not fail."""
    found: list[T] = []
    ends = monotonic() + seconds

    def still_fails(value: T) -> bool:
        if found and monotonic() > ends:
            raise _TimeIsOver
        if fails(value):
            found.append(value)
            return True
        return False

    database = InMemoryExampleDatabase()
    # Where `fuzz_one_input` of Hypothesis saves, too: what lies under the key itself counts as shrunk.
    database.save(_KEY + b".secondary", choices_to_bytes(tuple(choices)))
    profile = settings(
        database=database, phases=(Phase.reuse, Phase.shrink), deadline=None, max_examples=1_000_000, derandomize=False,
        suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    try:
        return find(_drawn(draw), still_fails, settings=profile, database_key=_KEY)
    except _TimeIsOver:
        pass
    except (NoSuchExample, HypothesisException):  # It fails no more, or not always.
        pass
    return found[-1] if found else None


@st.composite
def _drawn(draw: Any, make: Callable[[Random], T]) -> T:
    return make(_Asked(draw))


@cache
def _below(n: int) -> st.SearchStrategy[int]:
    return st.integers(0, n - 1)


class _Asked(Choices):
    """Choices that Hypothesis makes."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        super().__init__(b"")
        self._draw = draw

    def _randbelow(self, n: int) -> int:
        return self._draw(_below(n))


def fewest(pieces: Sequence[T], fails: Callable[[Sequence[T]], bool], *, seconds: float) -> Sequence[T]:
    """The fewest of the pieces found, in their order, that still fail; all of them if they do not fail."""
    ends, size = monotonic() + seconds, len(pieces) // _MOST_PIECES + 1
    while size:
        runs = [pieces[at : at + size] for at in range(0, len(pieces), size)]
        seconds_left = ends - monotonic()
        left = smallest(partial(_some, runs), _every(runs), lambda some: fails(_joined(some)), seconds=seconds_left)
        pieces = pieces if left is None else _joined(left)
        size = min(size // 4 or size - 1, len(pieces))
    return pieces


def _some(pieces: Sequence[T], rng: Random) -> list[T]:
    """Some of the pieces, in their order. If one is drawn less, one is left out."""
    kept = set()
    while rng.randrange(2):
        kept.add(rng.randrange(len(pieces)))
    return [pieces[n] for n in sorted(kept)]


def _every(pieces: Sequence[T]) -> list[int]:
    """The choices by which `_some` returns all of the pieces."""
    return [*(choice for n in range(len(pieces)) for choice in (1, n)), 0]


def _joined(runs: Sequence[Sequence[T]]) -> list[T]:
    return [piece for run in runs for piece in run]


def smaller_fields(fields: Fields, fails: Callable[[Fields], bool], *, seconds: float) -> Fields:
    """The fields of an input that nobody drew, with the fewest lines and then the fewest letters that still fail."""
    ends = monotonic() + seconds
    for split in (_lines, list):
        pieces = [(n, piece) for n, field in enumerate(fields) for piece in split(field)]
        n_fields = len(fields)

        def put_together(some: Sequence[tuple[int, str]], n_fields: int = n_fields) -> Fields:
            texts = ["".join([piece for at, piece in some if at == n]) for n in range(n_fields)]
            while len(texts) > _KEPT_FIELDS and not texts[-1]:
                texts.pop()
            return tuple(texts)

        left = fewest(pieces, lambda some: fails(put_together(some)), seconds=ends - monotonic())
        fields = put_together(left) if len(left) < len(pieces) else fields
    return fields


def _lines(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]
