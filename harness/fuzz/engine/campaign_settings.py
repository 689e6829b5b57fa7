"""The settings of a campaign, which are read before the fuzzer is imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """How to fuzz, whatever the targets are."""

    engine: str | None = None
    """None: atheris where it is installed, else hypothesis."""
    seconds: float = 60.0
    """Time limit for each target: seconds of fuzzing, start-up and shrinking excluded."""
    runs: int | None = None
    """Most inputs for each target; None: no limit."""
    jobs: int = 1
    """Number of workers that run at the same time."""
    seed: int = 0
    folder: Path = Path("fuzz")
    """Where corpus/TARGET/ and findings/ are kept."""
    seeds: Path | None = None
    """A folder of more inputs to start from: TARGET/ in it, or its files."""
