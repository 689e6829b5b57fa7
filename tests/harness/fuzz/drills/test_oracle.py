"""The drill `oracle`: counts that a seed decides, and that show who guesses."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.fuzz.drills.oracle import counts
from harness.fuzz.engine.known import counted, unmeant
from harness.strategies.registry import strategies, strategy


def test_counts_are_the_same_each_time_and_show_who_guesses() -> None:
    chosen = [strategy("cascade/exact"), strategy("cascade/reference")]
    found = counts(chosen, "contradiction", runs=400)
    assert found == counts(chosen, "contradiction", runs=400)
    exact, reference = found["cascade/exact"], found["cascade/reference"]
    assert exact.n == reference.n > 50
    assert (exact.n_applied, exact.n_wrong) == (0, 0)
    assert reference.n_applied == reference.n_wrong == sum(reference.wrong_by.values()) > 0
    assert reference.per_million == reference.n_wrong * 1_000_000 / reference.n


def test_the_command_names_each_strategy_and_kind() -> None:
    done = CliRunner().invoke(main, ["fuzz", "drill", "oracle", "--runs", "50", "-s", "tier/exact", "--json", "-q"])
    assert done.exit_code == 0, done.output
    groups = json.loads(done.stdout)["groups"]
    assert [group["group"] for group in groups] == [
        "intents, tier/exact",
        "slips, tier/exact",
        "contradictions, tier/exact",
    ]
    assert all(group["figures"]["wrong per million"] == 0 for group in groups)


def test_rules_for_stale_edits_are_asked_stale_edits() -> None:
    done = CliRunner().invoke(main, ["fuzz", "drill", "oracle", "--runs", "60", "-s", "stale/gate", "--json", "-q"])
    assert done.exit_code == 0, done.output
    (of_stale,) = json.loads(done.stdout)["groups"]
    assert of_stale["group"] == "stale edits, stale/gate"
    assert of_stale["n"] > 30
    assert of_stale["figures"]["wrong per million"] == 0
    found = counts([strategy("stale/match_live")], "stale", runs=100)["stale/match_live"]
    assert found.n_wrong > 0


def test_strategies_are_named_to_the_drill_that_asks_some() -> None:
    done = CliRunner().invoke(main, ["fuzz", "drill", "growth", "-s", "tier/exact"])
    assert done.exit_code == 2
    assert "-s has no effect on growth" in done.output


@pytest.mark.parametrize("name", ["tool/edit", "agnt/*", "no_such/rule"])
def test_a_strategy_that_is_not_asked_is_refused_in_two_lines(name: str) -> None:
    done = CliRunner().invoke(main, ["fuzz", "drill", "oracle", "-s", name, "--runs", "10"])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 2


def test_what_ships_is_of_built_in_strategies_and_knows_no_wrong_edit_of_recommended() -> None:
    assert counted().keys() <= strategies().keys()
    recommended = unmeant(strategies()["cascade/recommended"])
    assert recommended
    assert recommended.n_intents > 10_000
    assert (recommended.n_wrong, recommended.n_applied) == (0, 0)
    assert unmeant(strategies()["tool/edit"]) is None
