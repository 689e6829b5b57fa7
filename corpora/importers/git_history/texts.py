"""The texts of blobs that a person may have written."""

from __future__ import annotations

from corpora.importers.git_history.repository import Repository
from corpora.importers.log import Tally

_SHORTEST, _LONGEST = 20, 100_000
"""Characters of a file that is used."""
_LONGEST_LINE = 500
"""Characters; a file with a longer line was written by a program."""


def written_text(repository: Repository, blob: str, tally: Tally, where: str) -> str | None:
    """A blob's text if a person may have written it; otherwise None, and the reason is counted."""
    data = repository.blob(blob)
    try:
        text = None if data is None or b"\0" in data else data.decode()
    except UnicodeDecodeError:
        text = None
    if text is None:
        tally.add("left out: not UTF-8 text, or missing", where)
    elif not _SHORTEST <= len(text) <= _LONGEST:
        tally.add(f"left out: under {_SHORTEST} or over {_LONGEST:,} characters", where)
    elif max(map(len, text.split("\n"))) > _LONGEST_LINE:
        tally.add(f"left out: a line of over {_LONGEST_LINE} characters", where)
    else:
        return text
    return None
