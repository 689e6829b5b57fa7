"""Families of edits of any size as models write them off: the mutators of intents and contradictions, on long spans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from random import Random
from types import MappingProxyType
from typing import Any

from corpora.mutators import MUTATORS
from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Mutator
from harness.bench.growth_inputs.edits import code
from harness.bench.growth_inputs.tiers import TierInput

_SMALL = 40
_TRIES = 50
"""Some of what a mutator draws leaves it nothing to damage."""


def _damaged(mutator: Mutator[Any], n: int) -> TierInput | None:
    """An edit of the middle half of code, as the mutator writes it; None where it has nothing to damage there."""
    lines = code(n).replace("item_", '"item" < count_').split("\n")
    first, last = n // 4, n - n // 4
    start, old = sum(len(line) + 1 for line in lines[:first]), "\n".join(lines[first:last])
    new = old.replace(f"default_{n // 2}", "fallback", 1)
    clean = CleanEdit("f.py", "\n".join(lines), start, start + len(old), new)
    chances = product(sorted(mutator.degrees), range(_TRIES))
    tries = (mutator.damage(clean, degree, Random(seed)) for degree, seed in chances)
    damaged = next((one for one in tries if one is not None), None)
    if damaged is None or not damaged.edits:
        return None
    (file,), edit = damaged.before, damaged.edits[0]
    return file.content, edit.old_string, edit.new_string


def _made(mutator: Mutator[Any], n: int) -> TierInput:
    made = _damaged(mutator, n)
    assert made is not None, mutator.name  # It has something to damage in the same code of any size.
    return made


INTENT_FAMILIES: Mapping[str, Callable[[int], TierInput]] = MappingProxyType(
    {
        name: partial(_made, mutator)
        for name, mutator in MUTATORS.items()
        if name.startswith(("intent_", "contradiction_")) and mutator.format == "str_replace"
        if _damaged(mutator, _SMALL) is not None
    }
)
