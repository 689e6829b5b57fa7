"""A reading: what a person says is the right answer for a sample; one line of JSON in a readings file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import msgspec

from corpora.sample import LARGEST_TEXTS, LONGEST_NAME, MOST_ITEMS, Sample, decoded, fingerprint, is_name, plain
from editcore.quoting import quoted
from editcore.types import File

Answer = Literal["apply", "refuse", "skip", "undo"]

REASONS: dict[str, str] = {
    "absent": "the text that it is for is not in the file",
    "ambiguous": "it fits several places, and nothing says which is meant",
    "contradicts": "the file says something else at the place: what is right is not known",
    "already": "the file has the change already",
    "destroys": "applying it would destroy text that it does not mention",
    "malformed": "the edit itself is broken",
    "noop": "it would change nothing",
}
"""Why an edit should be refused -> the meaning. A label read as `refuse` has the tag `refuse:REASON`."""
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer of a reader."""

    sample_id: str
    fingerprint: str
    """`question_fingerprint` of the sample: the answer is for these files and this edit only."""
    answer: Answer
    """apply: `target` is right; refuse: nothing may change; skip: no answer; undo: takes the sample's last one back."""
    reader: str
    at: str
    """ISO 8601, UTC, in whole seconds: `2026-11-22T21:00:00Z`."""
    target: tuple[File, ...] | None = None
    """The files after the edit; with apply only."""
    reason: str | None = None
    """One of `REASONS`; with refuse only."""
    strategies: tuple[str, ...] = ()
    """Strategies whose result the reader chose; empty if the reader wrote the result, or chose none."""


def question_fingerprint(sample: Sample) -> str:
    """32 hexadecimal digits: a hash of what a reader is asked, independent of the sample's label."""
    return f"{fingerprint(replace(sample, label='unlabelled', target=None, alternatives=None)):032x}"


def encode(reading: Reading) -> bytes:
    """The reading as a line of JSON with its line feed, in ASCII so that any text survives any program."""
    return json.dumps(plain(reading), ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Reading:
    """The reading in a line of JSON. Raises ValueError, which names the wrong field."""
    found = decoded(line, _DECODER, partial(msgspec.convert, type=Reading), "reading")
    _check(found)
    return found


_DECODER = msgspec.json.Decoder(Reading)


def _check(reading: Reading) -> None:
    """Raise ValueError for a value that no session writes. Some of the values become tags of samples."""
    names = (
        ("sample_id", reading.sample_id),
        ("reader", reading.reader),
        *(("strategies", s) for s in reading.strategies),
    )
    for where, name in names:
        if not name or not is_name(name):
            raise ValueError(f"Expected 1 to {LONGEST_NAME} printable characters, not {quoted(name)} - at `$.{where}`")
    if not _FINGERPRINT.fullmatch(reading.fingerprint):
        raise ValueError("Expected 32 hexadecimal digits - at `$.fingerprint`")
    if not _AT.fullmatch(reading.at):
        raise ValueError("Expected a time such as 2026-11-22T21:00:00Z - at `$.at`")
    if (reading.answer == "apply") != (reading.target is not None):
        raise ValueError("Expected the right result with apply, and with nothing else - at `$.target`")
    if (reading.answer == "refuse") != (reading.reason in REASONS):
        raise ValueError(f"Expected one of {', '.join(REASONS)} with refuse - at `$.reason`")
    files = reading.target or ()
    if len(files) > MOST_ITEMS or len({file.path for file in files}) != len(files):
        raise ValueError("Expected each path once - at `$.target`")
    if sum(len(file.path) + len(file.content) for file in files) > LARGEST_TEXTS:
        raise ValueError(f"Expected at most {LARGEST_TEXTS} characters - at `$.target`")
