"""Readers' notes on samples: a mark that one was reviewed, and a text. Kept beside the run, so that later runs show
them.

    HISTORY/notes.jsonl     of all nights of a history
    RUN.notes.jsonl         of any other run, and of what is written to the same folder later

A sample is identified by its id. The last line about a sample counts.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from editcore.errors import UsageError
from reports.runs.contents import NIGHT

NOTES = "notes.jsonl"


@dataclass(frozen=True, slots=True)
class Review:
    """A reader's note on one sample."""

    sample_id: str
    is_reviewed: bool
    """True if nobody needs to look at the sample again."""
    note: str
    written: str
    """ISO 8601, UTC."""


def reviews_path(run: Path) -> Path:
    """The file with the reviews of a run, which may not exist."""
    whole = run.resolve()
    if whole.name.startswith(NIGHT) and whole.parent.name == "nights":
        return whole.parents[1] / NOTES
    return whole.with_name(f"{whole.name}.{NOTES}")


def read_reviews(run: Path) -> dict[str, Review]:
    """Sample id -> its review, for all reviews of a run. Raises UsageError for a damaged file."""
    path = reviews_path(run)
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "Repair it or move it away; the run needs none.") from None
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            read = [msgspec.convert(json.loads(line), Review)] if line.strip() else []
        except (ValueError, RecursionError, msgspec.ValidationError) as error:
            raise UsageError(
                f"Line {number} of {path} cannot be read: {error}", "Repair or remove it; each line is one review."
            ) from None
        found.update({one.sample_id: one for one in read})
    return found


def write_review(run: Path, review: Review) -> Path:
    """Append a review, which replaces earlier ones of its sample; returns the file. Raises UsageError if that fails."""
    path = reviews_path(run)
    try:
        # Whoever writes at the same time appends as well, and nothing is lost.
        with path.open("ab") as file:
            file.write(json.dumps(asdict(review)).encode() + b"\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error}", "Copy the run to a folder that is yours.") from None
    return path
