"""Where a target's inputs lie: the seeds that ship, and the corpus that grows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.fuzz.engine.target import Target

SEEDS = Path(__file__).parents[1] / "seeds"


def slug(target: str) -> str:
    """A target's name as the name of a folder."""
    return re.sub(r"[^\w.@+-]+", "-", target)


def seeds_of(target: str) -> list[Path]:
    """The seed files of a target that ship, in a fixed order."""
    return sorted(path for path in (SEEDS / slug(target)).glob("*") if path.is_file())


def seed_folders(target: Target, more: Path | None = None) -> tuple[str, ...]:
    """Where a target's inputs to begin with lie: those that ship, for it or for its format, and more."""
    folders = [SEEDS / slug(target.name), SEEDS / (target.format or slug(target.name))]
    if more is not None:
        below = more / slug(target.name)
        folders.append(below if below.is_dir() else more)
    return tuple(dict.fromkeys([str(one) for one in folders if one.is_dir()]))


def corpus_folder(folder: Path, target: str) -> Path:
    """Where the inputs of a target are kept that reached something new."""
    return folder / "corpus" / slug(target)
