"""OpenCode's results in editgauge's terms: its versions as cascades, and its error messages as reasons."""

from __future__ import annotations

from editcore import Applied, EditResult, Reason

CASCADE_OF = {"1.0.0": "reference", "1.18.34": "opencode_1_17"}

_REASON_OF = {
    "oldString and newString must be different": Reason.IDENTICAL,
    "No changes to apply: oldString and newString are identical.": Reason.IDENTICAL,
    "oldString cannot be empty when editing an existing file. "
    "Provide the exact text to replace, or use write for an intentional full-file replacement.": Reason.EMPTY,
    "Refusing replacement because the matched span is much larger than oldString. "
    "Re-read the file and provide the full exact oldString for the intended replacement.": Reason.DISPROPORTIONATE,
    "oldString not found in content": Reason.NO_MATCH,
    "Could not find oldString in the file. "
    "It must match exactly, including whitespace, indentation, and line endings.": Reason.NO_MATCH,
    "Found multiple matches for oldString. "
    "Provide more surrounding lines in oldString to identify the correct match.": Reason.AMBIGUOUS,
    "Found multiple matches for oldString. "
    "Provide more surrounding context to make the match unique.": Reason.AMBIGUOUS,
}


def refusal(error: str) -> tuple[str, str]:
    """An OpenCode error message as ("rejected", reason); a message that is not a refusal stands for itself."""
    return "rejected", str(_REASON_OF.get(error, error))


def outcome(result: EditResult) -> tuple[str, str]:
    """A result as ("applied", content) or ("rejected", reason), like those of `harness.bench.literal_port.replace`."""
    if isinstance(result, Applied):
        assert result.content is not None
        return "applied", result.content
    return "rejected", str(result.reason)
