"""Rules for stale edits as strategies: which samples runs give them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editcore.stale import STALE_RULES
from editcore.types import File
from harness.strategies.registry import strategies, strategy
from tests.samples import sample


@pytest.mark.parametrize("name", [*(f"stale/{rule}" for rule in STALE_RULES), "stale/merge3@exact"])
def test_a_rule_for_stale_edits_is_run_on_stale_edits_alone(name: str) -> None:
    fresh, rule = sample(), strategy(name)
    stale = replace(fresh, seen=(File(fresh.before[0].path, "another text"),))
    assert rule.takes(fresh)
    assert not rule.is_run_on(fresh)
    assert rule.is_run_on(stale)
    assert not rule.is_run_on(replace(stale, format="hashline_h2", edits=None, patch="{}"))


def test_any_other_strategy_is_run_on_what_it_takes() -> None:
    assert strategies()["cascade/exact"].is_run_on(sample())
