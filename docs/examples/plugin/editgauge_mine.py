"""A plug-in of editgauge: a strategy for pairs of texts, a strategy for patches, and an importer of logs."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.log import Log, json_lines
from corpora.importers.session import Attempt, Event, Read
from corpora.sample import Sample
from editcore import Applied, EditResult, Reason, Rejected, apply_unified_diff
from editcore.text.document import Document
from editcore.types import Edit
from harness.strategies.strategy import Strategy, by_path

# A strategy for pairs of search text and new text is a function of a sample. Its docstring is its summary.


def last_line(sample: Sample) -> EditResult:
    """The exact text; of several places, the last one."""
    text = sample.before[0].content
    for edit in sample.edits or ():
        before, found, after = text.rpartition(edit.old_string)
        if not found:
            return Rejected(Reason.NO_MATCH, "old_string was not found: copy it from the file.")
        text = before + edit.new_string + after
    return Applied(text)


# A strategy for patches names its formats, so it is a `Strategy`. Its result has the text of every file.


def _plain_diff(sample: Sample, _: Document | None) -> EditResult:
    patch = (sample.patch or "").replace("\r\n", "\n")
    return apply_unified_diff(by_path(sample.before), patch, strictness="strict")


PLAIN_DIFF = Strategy(
    "mine/plain_diff",
    formats=frozenset({"unified_diff"}),
    apply=_plain_diff,
    summary="Unified diffs by position, after carriage returns are dropped.",
    version="0.1",
    origin="editgauge-mine",
    reads="patch",
)

# An importer finds logs and yields their events in the order in which they happened. Labels and earlier texts are
# computed from the events. A log has lines such as
#
#     {"read": "a.py", "text": "x = 1\n"}
#     {"edit": "a.py", "old": "x = 1", "new": "x = 2", "ok": true}


def _events(log: Log, surroundings: Surroundings) -> Iterator[Event | Sample]:
    for number, line in json_lines(log, surroundings.tally):
        if "read" in line:
            yield Read(line["read"], line["text"])
        elif "edit" in line:
            outcome = "applied" if line["ok"] else "no_match"
            yield Attempt(str(number), "str_replace", line["edit"], (Edit(line["old"], line["new"]),), outcome=outcome)


IMPORTER = Importer("mine", "Logs of my agent: *.mine files.", files_matching("*.mine"), _events)
