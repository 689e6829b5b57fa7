"""What the drill `oracle` counted of each built-in strategy, as it ships: `python -m docs.oracle` counts anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from harness.strategies.strategy import Strategy
from reports.runs.manifest import Unmeant

COUNTED = Path(__file__).with_name("unmeant.jsonl")


@cache
def counted() -> Mapping[str, Unmeant]:
    """Strategy -> what was counted of it; empty where nothing is kept."""
    lines = COUNTED.read_text("utf-8").splitlines() if COUNTED.exists() else []
    return {row.pop("strategy"): Unmeant(**row) for row in map(json.loads, lines)}


def unmeant(strategy: Strategy) -> Unmeant | None:
    """What was counted of a strategy; None for those that are not built in, and for tools and replacers."""
    return counted().get(strategy.name) if strategy.origin == "editgauge" else None
