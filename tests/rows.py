"""Rows of a test that are kept as text: tests/cases/rows/NAME.jsonl, with a JSON list on each line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "cases" / "rows"


def rows(name: str) -> list[Any]:
    return [json.loads(line) for line in (_FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
