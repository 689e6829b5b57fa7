"""The answer of an asking, kept in its run folder, so that the page begins with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from editcore.errors import UsageError
from editcore.quoting import printable
from reports.runs.contents import ANSWER
from reports.runs.manifest import write_atomically
from reports.runs.own_files import content

_MOST_BYTES = 64 << 10
_MOST_LINES, _LONGEST = 40, 1_000


class _Answer(msgspec.Struct, frozen=True):
    sentences: tuple[str, ...]


def keep_answer(folder: Path, sentences: Iterable[str]) -> None:
    """Keep the sentences of an answer in a run folder. Raises UsageError."""
    document = {"sentences": [printable(one)[:_LONGEST] for one in sentences][:_MOST_LINES]}
    try:
        write_atomically(folder / ANSWER, json.dumps(document, ensure_ascii=True).encode())
    except OSError as error:
        raise UsageError(f"{folder / ANSWER} cannot be written: {error.strerror}", "Free some space.") from None


def kept_answer(folder: Path) -> list[str]:
    """The sentences that a run folder has; none where it has no answer, or one that cannot be read."""
    try:
        found = msgspec.json.decode(content(folder / ANSWER, _MOST_BYTES), type=_Answer)
    except (OSError, UsageError, ValueError):
        return []
    return [printable(one)[:_LONGEST] for one in found.sentences[:_MOST_LINES]]
