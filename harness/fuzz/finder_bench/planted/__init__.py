"""Bugs to be put into a worker, so that it is known how long the fuzzers take to find such. This is their table."""

from __future__ import annotations

from harness.fuzz.finder_bench.planted import hosts, patches, replacers, sessions, workspace
from harness.fuzz.finder_bench.planted.planting import Bug, Planted

_ALL = (*replacers.BUGS, *patches.BUGS, *workspace.BUGS, *sessions.BUGS, *hosts.BUGS)
PLANTED = {one.name: one for one in _ALL}
"""Name -> bug, by area."""

__all__ = ["PLANTED", "Bug", "Planted"]
