"""The shipped counts of the drill `oracle` for each built-in strategy; `python -m docs.oracle` counts anew."""

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
    lines = COUNTED.read_text("utf-8").splitlines() if COUNTED.exists() else []
    return {row.pop("strategy"): Unmeant(**row) for row in map(json.loads, lines)}


def unmeant(strategy: Strategy) -> Unmeant | None:
    """The counts of a strategy; None for a strategy that is not built in, and for tools and replacers."""
    return counted().get(strategy.name) if strategy.origin == "editgauge" else None
