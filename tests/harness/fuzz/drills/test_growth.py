"""The drill growth: exponents, and that hangs, memory floods and quadratic growth are detected."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from editcore import CASCADES, REPLACERS
from editcore.patches.begin_patch import READINGS
from editcore.patches.unified_diff import STRICTNESSES
from editcore.tiers import TIERS
from harness.bench import growth as measuring
from harness.bench.growth import Point, exponent_over, measure_growth, operations, timed
from harness.bench.growth_inputs.edits import EDIT_FAMILIES, TIER_FAMILIES
from harness.bench.growth_inputs.patches import BLOCK_FAMILIES, DIFF_FAMILIES, ENVELOPE_FAMILIES
from harness.bench.growth_inputs.texts import INSERT_FAMILIES, SECRET_FAMILIES, TEXT_FAMILIES
from harness.fuzz.drills.drill import DrillSettings
from harness.fuzz.drills.growth import GROWTH, MAX_EXPONENT, trial

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short times are long enough here: the precision on a busy machine is not tested."""
    monkeypatch.setattr(measuring, "_MEASURABLE_S", 0.004)
    monkeypatch.setattr(measuring, "_MIN_S", 0.0005)
    monkeypatch.setattr(measuring, "BUDGET_S", 0.25)
    monkeypatch.setattr(measuring, "_SMALLEST", 32)


def counting(power: int) -> Callable[[int], tuple[int, Callable[[], object]]]:
    """A call whose time grows with the given power of the size."""
    return lambda n: (n, lambda: sum(1 for _ in range(n**power)))


def test_what_is_linear_is_told_with_its_speed() -> None:
    found = trial("sum", "numbers", counting(1))
    assert found.broken is None
    assert (found.group, found.what) == ("sum", "numbers")
    assert 0 < found.figures["seconds_per_megabyte"] < 10
    assert found.figures["exponent"] < 1.5


def test_a_square_is_a_finding() -> None:
    found = trial("sum", "numbers", counting(2))
    assert found.broken is not None
    assert found.broken.startswith("exponent ")
    assert f"over {MAX_EXPONENT}: " in found.broken
    assert 1.6 < found.figures["exponent"] < 2.4


def test_what_is_not_bound_is_told_and_breaks_nothing() -> None:
    found = trial("sum", "numbers", counting(2), is_bound=False)
    assert (found.broken, found.figures["exponent"] > 1.6) == (None, True)
    assert trial("loop", "any", lambda n: (n, _forever), is_bound=False).figures == {"over_limits": 1.0}


def _forever() -> None:
    while True:
        pass


def test_a_call_without_end_is_ended_and_told_with_its_place() -> None:
    found = trial("loop", "any", lambda n: (n, _forever))
    assert found.broken is not None
    assert found.broken.startswith("over 0.25 s of CPU time in _forever (test_growth.py:")


def test_a_flood_of_memory_is_told() -> None:
    found = trial("list", "any", lambda n: (n, lambda: bytearray(2 * measuring.MEMORY)))
    assert found.broken == "over 1024 MB of memory"


def test_an_exception_and_a_death_are_told() -> None:
    raised = measure_growth(lambda n: (n, lambda: 1 / 0), MAX_EXPONENT)
    assert raised == "raised ZeroDivisionError: division by zero"
    died = measure_growth(lambda n: (n, lambda: __import__("os").kill(__import__("os").getpid(), 9)), MAX_EXPONENT)
    assert died == "the process ended with SIGKILL"


def test_the_slope_is_that_of_the_logarithms_against_something_linear() -> None:
    assert exponent_over([Point(n, n**1.5 / 1000, n / 9e9) for n in (100, 200, 400)]) == pytest.approx(1.5)
    assert exponent_over([Point(n, n**1.5 / 1000, n**1.1 / 9e9) for n in (100, 200, 400)]) == pytest.approx(1.4)
    assert exponent_over([Point(n, n**0.5 / 1e6, n / 9e9) for n in (100, 200, 400)]) is None


def test_what_is_too_short_for_the_clock_still_has_a_time() -> None:
    assert min(timed(lambda: None)[1] for _ in range(50)) > 0


def test_everything_that_applies_edits_meets_a_dozen_families_and_more() -> None:
    table = operations()
    wanted = {f"replacer/{name}" for name in REPLACERS} | {f"cascade/{name}" for name in CASCADES}
    wanted |= {f"tier/{name}" for name in TIERS}
    wanted |= {f"patch/begin_patch/{reading}" for reading in READINGS}
    wanted |= {f"patch/unified_diff/{strictness}" for strictness in STRICTNESSES}
    assert table.keys() == wanted | {"anchors/recommended", "patch/search_replace", "diff", "scrub", "insert"}
    assert min(map(len, table.values())) >= 12


@pytest.mark.parametrize(
    "families",
    [
        EDIT_FAMILIES,
        TIER_FAMILIES,
        DIFF_FAMILIES,
        ENVELOPE_FAMILIES,
        BLOCK_FAMILIES,
        TEXT_FAMILIES,
        INSERT_FAMILIES,
        SECRET_FAMILIES,
    ],
    ids=lambda table: len(table),
)
def test_every_family_grows_with_its_size(families: dict[str, Callable[[int], object]]) -> None:
    for name, make in families.items():
        small, large = (len(repr(make(n))) for n in (128, 512))
        assert large > 1.5 * small, name


def test_the_drill_stops_after_so_many_trials_and_after_so_long() -> None:
    assert [found.group for found in GROWTH.run(DrillSettings(runs=2))] == ["replacer/simple"] * 2
    assert list(GROWTH.run(DrillSettings(seconds=-1))) == []


@pytest.mark.slow
@pytest.mark.parametrize("operation", operations())
def test_nothing_ends_in_a_hang_or_a_flood(operation: str) -> None:
    for family, make in islice(operations()[operation].items(), 60):
        found = trial(operation, family, make)
        assert found.broken is None or found.broken.startswith("exponent "), (family, found.broken)
