"""The table of bugs that are planted to measure how long the engines take to find them."""

from __future__ import annotations

from tests.harness.fuzz.finder_bench.planted import patches, replacers, tools
from tests.harness.fuzz.finder_bench.planted.planting import Bug, Planted

_ALL = (*replacers.BUGS, *patches.BUGS, *tools.BUGS)
PLANTED = {one.name: one for one in _ALL}
"""Name -> bug, in the order of areas."""

__all__ = ["PLANTED", "Bug", "Planted"]
