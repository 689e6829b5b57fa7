"""The outcome of a failed call, by the error text of the agent's tool."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.importers.session import NOT_TRIED

_LONGEST = 300
"""Characters that are kept of an error."""

ErrorPhrases = Sequence[tuple[str, str]]
"""Phrases of error texts and their outcomes; the first phrase that is found decides."""


def classify_error(message: str, phrases: ErrorPhrases) -> tuple[str, str | None]:
    """The outcome of an error by its first line, and that line.

    Further lines repeat what the model sent. A call that was not tried has no line: it would be a person's reasons.
    """
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    outcome = next((outcome for words, outcome in phrases if words in line), "unknown")
    return outcome, None if outcome in NOT_TRIED else line[:_LONGEST] or None
