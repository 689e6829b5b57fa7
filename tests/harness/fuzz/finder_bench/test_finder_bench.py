"""Planted bugs: each shows on its example, and only while it is planted; the bench finds them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from harness.fuzz.generators import DRAWN
from harness.fuzz.generators.rows.row import ALL
from harness.fuzz.target import observe
from harness.fuzz.targets import strategy_targets, target_by_name, targets
from tests.harness.fuzz.finder_bench.bench import Search, Trial, main
from tests.harness.fuzz.finder_bench.planted import PLANTED, Bug
from tests.harness.fuzz.finder_bench.zoo import CORRECT, FLAWED, Flawed

SHOWN = [pytest.param(name, marks=pytest.mark.slow) if name == "recursive_distance" else name for name in PLANTED]
"""One of them takes as long as all the others."""


def test_each_names_a_piece_of_the_source() -> None:
    for planted in PLANTED.values():
        Bug(planted).remove()


@pytest.mark.parametrize("name", SHOWN)
def test_shows_on_its_example_and_only_while_it_is_planted(name: str) -> None:
    planted = PLANTED[name]
    target = target_by_name(planted.target, ())
    bug = Bug(planted)
    try:
        # Some show by a relation only, of which an input is held to one.
        violation = bug.detect(target, planted.example) or bug.detect(target, planted.example, thorough=True)
    finally:
        bug.remove()
    assert violation is not None
    assert bug.canary.is_reached
    others = {one.property for one in observe(target, planted.example, thorough=True)}
    assert violation.property not in others


def test_there_are_enough_of_them_in_every_area() -> None:
    areas = [bug.area for bug in PLANTED.values()]
    assert len(PLANTED) >= 24
    assert {area: areas.count(area) >= 5 for area in areas} == dict.fromkeys(areas, True)
    assert set(areas) == {"replacers", "parsers", "patches", "workspace", "sessions"}
    assert all(bug.target in targets() for bug in PLANTED.values())


def test_what_an_input_violates_anyhow_is_no_sign_of_the_bug() -> None:
    planted = PLANTED["short_middle_not_compared"]
    target = target_by_name("cascade/reference", ())
    bug = Bug(planted)
    try:
        assert any(one.property == "second_refused" for one in observe(target, planted.example, thorough=True))
        assert bug.detect(target, planted.example, thorough=True) is None
    finally:
        bug.remove()


def test_a_piece_that_is_not_in_the_source_any_more_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"dollar_ampersand: editcore.cascade:_replaced holds the piece 0 times"):
        Bug(replace(PLANTED["dollar_ampersand"], was="nowhere"))


def test_canaries_tell_at_once() -> None:
    told: list[str] = []
    planted = PLANTED["upwards_by_backslash"]
    bug = Bug(planted, notice=told.append)
    try:
        target = target_by_name(planted.target, ())
        assert bug.detect(target, ("a/b",)) is None
        assert told == ["reached"]
        assert bug.detect(target, planted.example) is not None
    finally:
        bug.remove()
    assert told[-2:] == ["reached", "triggered"]


def _search(*detected: float | None) -> Search:
    return Search([Trial("bug", "engine", n, detected=one) for n, one in enumerate(detected)])


def test_a_median_counts_what_was_not_found_as_later_than_all() -> None:
    assert _search(3.0, 1.0, 2.0).median_s == 2.0
    assert _search(3.0, 1.0, 2.0).worst_s == 3.0
    assert _search(1.0, None, 2.0).median_s == 2.0
    assert _search(1.0, None, 2.0).worst_s is None
    assert _search(1.0, None).median_s is None
    assert _search(1.0, None).missed == 1


def test_a_bug_that_nobody_planted_is_a_mistake() -> None:
    ran = CliRunner().invoke(main, ["no_such_bug"])
    assert ran.exit_code == 2
    assert "There is no planted bug 'no_such_bug'" in ran.stderr


@pytest.mark.slow
def test_the_bench_finds_bugs_and_says_how_long_it_took() -> None:
    options = ["--trials", "1", "--seconds", "30", "-j", "2", "--json", "-q", "--engine", "hypothesis"]
    ran = CliRunner().invoke(main, [*options, "upwards_by_backslash", "dollar_*"])
    assert ran.exit_code == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert document["schema_version"] == 1
    assert [bug["bug"] for bug in document["bugs"]] == ["dollar_ampersand", "upwards_by_backslash"]
    for bug in document["bugs"]:
        (trial,) = bug["engines"]["hypothesis"]["trials"]
        assert trial["reached"] <= trial["triggered"] <= trial["detected"] < 30


# The zoo: a correct program, and variants of it with one bug each


@pytest.mark.parametrize("flawed", FLAWED, ids=lambda one: one.name)
def test_each_flawed_program_has_its_piece_of_the_correct_one(flawed: Flawed, tmp_path: Path) -> None:
    compile(flawed.write(tmp_path).read_text("utf-8"), flawed.name, "exec")


def _found(program: Path, format: str, n: int) -> str | None:
    """What the first of `n` drawn inputs says that breaks `as_meant`."""
    (target,) = strategy_targets(f"cmd:mine[{format}]={sys.executable} {program}")
    for seed in range(n):
        for one in observe(target, DRAWN[format](Random(seed))):
            if one.property == "as_meant":
                return one.detail
    return None


@pytest.mark.parametrize("format", ALL)
def test_the_correct_program_has_no_finding(format: str) -> None:
    assert _found(CORRECT, format, 300) is None


@pytest.mark.slow
@pytest.mark.parametrize("flawed", FLAWED, ids=lambda one: one.name)
def test_each_flawed_program_has_a_finding(flawed: Flawed, tmp_path: Path) -> None:
    assert _found(flawed.write(tmp_path), flawed.format, 3_000)
