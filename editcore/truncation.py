"""What a model gets of an output that is too long for it; the whole is kept in a file for a week."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Shortened:
    """An output as the model gets it."""

    text: str
    path: Path | None = None
    """Where the whole output is; None where the text is all of it."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """A directory for outputs that were too long."""

    directory: Path = Path(tempfile.gettempdir(), "editgauge-outputs")
    max_lines: int = 2_000
    max_bytes: int = 50 * 1024
    kept_days: float = 7.0

    def shortened(self, text: str, *, keep: Literal["head", "tail"] = "head", has_task: bool = False) -> Shortened:
        """The text, or as much of its head or tail as fits, with what is missing."""
        return Shortened(text)
