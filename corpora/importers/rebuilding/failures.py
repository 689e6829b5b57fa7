"""What a tool's own error text says became of a call."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.importers.rebuilding.session import NOT_TRIED

_LONGEST = 300
"""Characters of an error that are kept."""

ErrorPhrases = Sequence[tuple[str, str]]
"""Words of an error, and the outcome that they stand for; the first that is found counts."""


def classify_error(message: str, phrases: ErrorPhrases) -> tuple[str, str | None]:
    """The outcome that the first line of an error stands for, and that line.

    Further lines echo what the model sent. Where a call was not tried, somebody's reasons follow: no line then.
    """
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    outcome = next((outcome for words, outcome in phrases if words in line), "unknown")
    return outcome, None if outcome in NOT_TRIED else line[:_LONGEST] or None
