"""The inputs that ship, for a fuzz target or a format to start from.

They are in `seeds/NAME.jsonl`, where NAME is a format or a target; each line is an object with `name` and `fields`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from harness.fuzz.inputs import Fields


def slug(target: str) -> str:
    """A target's name as the name of a file or folder, never a hidden one, `.` or `..`."""
    return re.sub(r"[^\w.@+-]+|^\.+", "-", target)


def seeds_file(name: str) -> Path:
    """The file with the seeds of a target or a format; it need not be there."""
    return Path(__file__).with_name("seeds") / f"{slug(name)}.jsonl"


@cache
def shipped_seeds(name: str) -> Mapping[str, Fields]:
    """Seed name -> fields, for a target or a format, in the order of the file; empty if none ship."""
    path = seeds_file(name)
    rows = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    return MappingProxyType({row["name"]: tuple(row["fields"]) for row in rows})
