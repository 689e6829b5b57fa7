"""Generators: what makes inputs, from a source of chance that is either random or Hypothesis's own. By format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from harness.fuzz.engine.inputs import Fields
from harness.fuzz.generators import edits, patches

Generator = Callable[[Random], Fields]

GENERATORS: Mapping[str, Generator] = {
    "str_replace": edits.str_replace,
    "search_replace": edits.search_replace,
    "unified_diff": patches.diff,
    "begin_patch": patches.begin_patch,
    "insert": edits.insert,
    "line_range": edits.line_range,
}
"""Format -> what makes its inputs."""
