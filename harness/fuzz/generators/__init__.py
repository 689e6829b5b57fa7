"""Generators of inputs, by format; they draw from a Random, which may be Hypothesis's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from editcore.formats import ANCHORED_FORMATS
from harness.fuzz.generators import anchored, edits, patches
from harness.fuzz.inputs import Fields

Generator = Callable[[Random], Fields]

GENERATORS: Mapping[str, Generator] = {
    "str_replace": edits.str_replace,
    "search_replace": edits.search_replace,
    "unified_diff": patches.diff,
    "begin_patch": patches.begin_patch,
    "insert": edits.insert,
    "line_range": edits.line_range,
    **{format: anchored.anchored(format) for format in ANCHORED_FORMATS},
}
"""Format -> the generator of its inputs."""
