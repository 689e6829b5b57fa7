"""The drill of commands that flood, crash and leave daemons behind."""

from __future__ import annotations

import re
import sys

import pytest

from harness.fuzz.drills import processes
from harness.fuzz.drills.drill import DrillSettings
from harness.fuzz.drills.processes import PROCESSES, run_case

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

QUICK = [case for case in processes._CASES if "timed out" not in case.result]


@pytest.mark.parametrize(
    "case",
    [*QUICK[:3], *(pytest.param(case, marks=pytest.mark.slow) for case in QUICK[3:])],
    ids=lambda case: case.what,
)
def test_every_trial_holds(case: processes._Case) -> None:
    trial = run_case(case)
    assert trial.broken is None
    assert trial.figures["memory MB"] < 150


def test_a_trial_says_what_did_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MAX_MEMORY", -1)
    monkeypatch.setattr(processes, "_MAX_DISK", -1)
    trial = run_case(processes._Case("an exit", "sys.exit(3)", "applied"))
    assert trial.broken is not None
    assert re.search(r"exit code 3', not applied; \d MB of memory; \d MB on disk", trial.broken)


def test_only_some_trials_are_run() -> None:
    assert [trial.what for trial in PROCESSES.run(DrillSettings(runs=1))] == ["an answer"]
