"""Where the inputs of a fuzz target are stored: the seeds that ship, and the corpus that grows.

Seeds ship as `seeds/NAME.jsonl`, where NAME is a format or a target; each line is an object with `name` and `fields`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from harness.fuzz.engine.inputs import Fields, bytes_of

if TYPE_CHECKING:
    from harness.fuzz.engine.target import Target

SEEDS = Path(__file__).parents[1] / "seeds"


def slug(target: str) -> str:
    """A target's name as the name of a file or folder, never a hidden one, `.` or `..`."""
    return re.sub(r"[^\w.@+-]+|^\.+", "-", target)


@cache
def shipped_seeds(name: str) -> Mapping[str, Fields]:
    """Seed name -> fields, for a target or a format, in the order of the file; empty if none ship."""
    path = SEEDS / f"{slug(name)}.jsonl"
    rows = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    return MappingProxyType({row["name"]: tuple(row["fields"]) for row in rows})


def write_shipped_seeds(name: str, seeds: Mapping[str, Fields]) -> None:
    """Replace the seeds that ship for a target or a format."""
    rows = [json.dumps({"name": one, "fields": fields}, ensure_ascii=True) for one, fields in seeds.items()]
    (SEEDS / f"{slug(name)}.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="ascii", newline="\n")


def seed_folders(target: Target, scratch: Path, more: Path | None = None) -> tuple[str, ...]:
    """The folders with the inputs that a target starts from, one input a file, as libFuzzer reads them.

    The seeds that ship, for the target and for its format, are written to `scratch`. `more` is a folder of the user's:
    its subfolder for the target if there is one, else the folder itself.
    """
    folders = []
    if seeds := {**shipped_seeds(target.name), **shipped_seeds(target.format or target.name)}:
        folders.append(scratch / "seeds")
        folders[0].mkdir()
        for name, fields in seeds.items():
            (folders[0] / name).write_bytes(bytes_of(fields))
    if more is not None:
        below = more / slug(target.name)
        folders.append(below if below.is_dir() else more)
    return tuple(str(one) for one in folders)


def corpus_folder(folder: Path, target: str) -> Path:
    """The folder with the inputs of a target that reached something new."""
    return folder / "corpus" / slug(target)
