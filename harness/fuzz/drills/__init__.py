"""The table of drills, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from editcore.errors import UsageError, did_you_mean
from harness.fuzz.drills.agreement import AGREEMENT
from harness.fuzz.drills.drill import Drill
from harness.fuzz.drills.faults.injection import FAULTS
from harness.fuzz.drills.git_history import HISTORY
from harness.fuzz.drills.growth import GROWTH
from harness.fuzz.drills.oracle import ORACLE
from harness.fuzz.drills.parallel import PARALLEL
from harness.fuzz.drills.processes import PROCESSES
from harness.fuzz.drills.race import RACE

DRILLS: Mapping[str, Drill] = MappingProxyType(
    {drill.name: drill for drill in (GROWTH, FAULTS, RACE, HISTORY, AGREEMENT, ORACLE, PROCESSES, PARALLEL)}
)

RENAMED: Mapping[str, str] = MappingProxyType({"jury": "agreement", "strace": "faults"})
"""Former name -> name of a drill."""


def select_drills(names: Iterable[str]) -> list[Drill]:
    """The drills of the given names, each once; `all` is every drill. Raises UsageError for an unknown name."""
    chosen = dict.fromkeys(name for one in names for name in (DRILLS if one == "all" else [one]))
    for name in chosen:
        if name in RENAMED:
            raise UsageError(
                f"The drill {name} is called {RENAMED[name]} now", f"Run `editgauge fuzz drill {RENAMED[name]}`."
            )
        if name not in DRILLS:
            near = did_you_mean(name, DRILLS)
            raise UsageError(f"There is no drill {name!r}", f"{near}Drills: {', '.join(DRILLS)}; all.")
    return [DRILLS[name] for name in chosen]
