"""The drills there are, by name."""

from __future__ import annotations

from collections.abc import Mapping

from harness.fuzz.drill import Drill
from harness.fuzz.faults import FAULTS, STRACE
from harness.fuzz.growth import GROWTH
from harness.fuzz.jury import JURY
from harness.fuzz.race import RACE
from harness.fuzz.replay import REPLAY

DRILLS: Mapping[str, Drill] = {drill.name: drill for drill in (GROWTH, FAULTS, STRACE, RACE, REPLAY, JURY)}
