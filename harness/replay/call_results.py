"""The result of a replayed call, compared with the recorded one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from corpora.importers.rebuilding.results import Texts
from corpora.importers.session import APPLIED
from editcore.host.tool import Result
from editcore.quoting import first_line
from editcore.text.diff import common_ends

REASONS = {
    "no_match": "no_match", "ambiguous": "ambiguous", "identical": "identical", "unread": "unread",
    "stale": "stale_read", "malformed": "malformed",
}  # fmt: skip
"""Recorded outcome of a refused edit -> reason with which a tool refuses it here."""
LONGEST_MESSAGE = 300
"""Most characters of a kept message."""


class Agreement(StrEnum):
    """Agreement of a call's result with the recorded one, or the kind of difference."""

    SAME = "same"
    OTHER_TEXT = "other text"
    APPLIED_HERE = "applied here"
    REFUSED_HERE = "refused here"
    OTHER_REASON = "other reason"
    CRASHED = "crashed"
    NOT_COMPARABLE = "not comparable"

    @property
    def differs(self) -> bool:
        """True if the result is another one than the recorded one."""
        return self not in (Agreement.SAME, Agreement.NOT_COMPARABLE)


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call here, compared with the recorded one."""

    agreement: Agreement
    here: str | None = None
    """`applied`, or the reason of the refusal; None if the call was not made."""
    message: str = ""
    """One line: the tool's message, the place where the texts differ, or why the call is not comparable."""
    first_differing_line: int | None = None
    """1-based number of a line of the recorded text."""


def compare_results(recorded: str, result: Result) -> CallResult:
    """Compare the tool's answer with the recorded outcome. The texts are not compared."""
    message = first_line(result.output, limit=LONGEST_MESSAGE)
    if not result.is_refused:
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
    """Compare the texts after a call that was applied both times."""
    path = next((path for path in sorted({*here, *recorded}) if here.get(path) != recorded.get(path)), None)
    if path is None:
        return CallResult(Agreement.SAME, "applied")
    if path not in here or path not in recorded:
        where = "here" if path in here else "in the recording"
        return CallResult(Agreement.OTHER_TEXT, "applied", f"{path.rpartition('/')[2]} is there only {where}")
    right, given = recorded[path], here[path]
    start, end = common_ends(right, given)
    first, last = (right.count("\n", 0, at) + 1 for at in (start, max(start, len(right) - end)))
    lines = f"line {first} differs" if first == last else f"lines {first}-{last} differ"
    there, ours = (ascii(text.split("\n")[first - 1])[:80] for text in (right, given))
    return CallResult(Agreement.OTHER_TEXT, "applied", f"{lines}: recorded {there}, here {ours}", first)
