"""What a call came to here, beside what a log says that it came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from corpora.importers.rebuilding.after_state import Texts
from corpora.importers.rebuilding.session import APPLIED
from editcore.quoting import first_line
from editcore.tools.host.tool import Result
from harness.run.scoring import common_ends

REASONS = {
    "no_match": "no_match",
    "ambiguous": "ambiguous",
    "identical": "identical",
    "unread": "unread",
    "stale": "stale_read",
    "malformed": "malformed",
}
"""Recorded outcome -> the reason of a tool here."""
LONGEST_MESSAGE = 300
"""Characters of a message that are kept."""


class Agreement(StrEnum):
    """How a call here stands to the recorded one."""

    SAME = "same"
    OTHER_TEXT = "other text"
    APPLIED_HERE = "applied here"
    REFUSED_HERE = "refused here"
    OTHER_REASON = "other reason"
    CRASHED = "crashed"
    NOT_COMPARABLE = "not comparable"

    @property
    def differs(self) -> bool:
        """The call did not come out as it was recorded."""
        return self not in (Agreement.SAME, Agreement.NOT_COMPARABLE)


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call came to here, against what was recorded."""

    agreement: Agreement
    here: str | None = None
    """`applied`, or why it was refused; None where the call was not made."""
    message: str = ""
    """What the tool says, where the texts differ, or why the call is not comparable: one line."""
    first_differing_line: int | None = None
    """1-based, of the recorded text."""


def compare_results(recorded: str, result: Result) -> CallResult:
    """The outcome by what the tool answers, whatever the texts are."""
    message = first_line(result.output, limit=LONGEST_MESSAGE)
    if not result.is_error:
        if recorded in APPLIED:
            return CallResult(Agreement.SAME, "applied")
        replacer = result.metadata.get("replacer")
        return CallResult(Agreement.APPLIED_HERE, "applied", f"found by {replacer}" if replacer else message)
    here = str(result.metadata.get("reason", "failed"))
    if recorded in APPLIED:
        return CallResult(Agreement.REFUSED_HERE, here, message)
    if here == REASONS[recorded]:
        return CallResult(Agreement.SAME, here)
    return CallResult(Agreement.OTHER_REASON, here, message)


def compare_texts(here: Texts, recorded: Texts) -> CallResult:
    """The outcome of a call that was applied both times, by what it left."""
    path = next((path for path in sorted({*here, *recorded}) if here.get(path) != recorded.get(path)), None)
    if path is None:
        return CallResult(Agreement.SAME, "applied")
    if path not in here or path not in recorded:
        where = "here" if path in here else "in the recording"
        return CallResult(Agreement.OTHER_TEXT, "applied", f"{_base_name(path)} is there only {where}")
    right, given = recorded[path], here[path]
    start, end = common_ends(right, given)
    first, last = (right.count("\n", 0, at) + 1 for at in (start, max(start, len(right) - end)))
    lines = f"line {first} differs" if first == last else f"lines {first}-{last} differ"
    there, ours = (ascii(text.split("\n")[first - 1])[:80] for text in (right, given))
    return CallResult(Agreement.OTHER_TEXT, "applied", f"{lines}: recorded {there}, here {ours}", first)


def _base_name(path: str) -> str:
    return path.rpartition("/")[2]
