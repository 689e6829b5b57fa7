"""The drills there are, by name."""

from __future__ import annotations

from collections.abc import Mapping

from harness.fuzz.drills.agreement import JURY
from harness.fuzz.drills.drill import Drill
from harness.fuzz.drills.faults import FAULTS, STRACE
from harness.fuzz.drills.git_history import REPLAY
from harness.fuzz.drills.growth import GROWTH
from harness.fuzz.drills.race import RACE

DRILLS: Mapping[str, Drill] = {drill.name: drill for drill in (GROWTH, FAULTS, STRACE, RACE, REPLAY, JURY)}
