"""The symlink race: nobody gets out, and the attack is one that wins where nobody is careful."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from editcore.host.workspace import Workspace
from harness.fuzz.drills import race
from harness.fuzz.drills.drill import DrillSettings
from harness.fuzz.drills.race import RACE


def test_nothing_gets_out_though_the_attack_wins_against_the_careless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "_BATCH", 2_000)
    control, *batches = RACE.run(DrillSettings(runs=3_000))
    assert (control.group, control.broken) == ("control", None)
    assert control.figures["escapes"] > 0
    assert [(trial.group, trial.n) for trial in batches] == [
        ("read", 2_000), ("write", 200), ("read", 1_000), ("write", 100),
    ]  # fmt: skip
    assert [trial.broken for trial in batches] == [None] * 4
    for trial in batches:
        assert sum(trial.figures.values()) == trial.n


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_hundred_thousand_tries_are_as_many_refusals_and_reads_of_what_is_inside() -> None:
    figures: Counter[str] = Counter()
    for trial in RACE.run(DrillSettings(runs=100_000)):
        assert trial.broken is None
        figures.update({f"{trial.group} {what}": int(n) for what, n in trial.figures.items()})
    assert figures["read escapes"] == figures["write escapes"] == 0
    assert min(figures["read refused"], figures["read done"]) > 1_000
    assert min(figures["write refused"], figures["write done"]) > 20


@pytest.mark.slow
def test_no_time_is_no_try_but_of_the_control() -> None:
    assert [trial.group for trial in RACE.run(DrillSettings(seconds=0.0))] == ["control"]


def test_an_attack_that_never_wins_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "_MAX_CONTROLS", 10)
    monkeypatch.setattr(race, "_CONTROL_BATCH", 10)
    monkeypatch.setattr(race, "_swap_for_ever", lambda _: os._exit(0))
    control = next(RACE.run(DrillSettings(runs=10)))
    assert control.broken == "the attack never won against the careless reader: it proves nothing"


def test_a_reader_who_is_led_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def blindly(root: Path, path: str) -> str:
        return race.ESCAPED if (root / path).read_bytes() == b"outside" else race.DONE

    monkeypatch.setattr(race, "_read", blindly)
    monkeypatch.setattr(race, "_BATCH", 1_000)
    found = next(trial for trial in RACE.run(DrillSettings(runs=100_000)) if trial.group == "read" and trial.broken)
    assert found.broken == f"{found.figures['escapes']:.0f} of 1000 left the workspace"


def test_a_write_that_is_led_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def blindly(workspace: Workspace, path: str) -> str:
        Path(workspace.root, path).write_text("x")
        return race.DONE

    monkeypatch.setattr(race, "_write", blindly)
    monkeypatch.setattr(race, "_BATCH", 500)
    found = next(trial for trial in RACE.run(DrillSettings(runs=100_000)) if trial.group == "write" and trial.broken)
    assert found.broken == "1 of 200 left the workspace"


def test_names_that_cannot_be_exchanged_at_once_are_swapped_in_steps(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    race._swap_in_steps(os.fsencode(tmp_path / "a"), os.fsencode(tmp_path / "b"))
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("b", "a")
