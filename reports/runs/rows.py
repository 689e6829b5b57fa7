"""The rows of a run, and the columns that they are stored in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa


class Verdict(StrEnum):
    """What became of a sample under a strategy."""

    CORRECT = "correct"
    WRONG_EDIT = "wrong_edit"
    MISSED = "missed"
    REFUSED = "refused"
    UNLABELLED = "unlabelled"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"


class Damage(StrEnum):
    """What kind of damage a wrong edit did."""

    INDENTATION = "indentation"
    WHITESPACE = "whitespace"
    PLACE = "place"
    EXTENT = "extent"
    TEXT = "text"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One sample under one strategy: a flat row."""

    sample_id: str
    strategy: str
    """`family/member`."""
    verdict: str
    """A `Verdict`."""
    damage: str | None = None
    """A `Damage`; of wrong edits only."""
    reason: str | None = None
    """Why it was refused; absent where it was applied, crashed or timed out."""
    replacer: str | None = None
    """Which replacer decided; for several edits the one furthest down the order."""
    n_matches: int = 0
    """Spans replaced."""
    latency_ns: int | None = None
    """One call, clock overhead subtracted; absent where the call did not come back."""
    error: str | None = None
    """The exception, one line; of crashes only."""


@dataclass(frozen=True, slots=True)
class WrongEdit:
    """What a false-positive replacement did: the differing middle of the right and the given text."""

    sample_id: str
    strategy: str
    damage: str
    replacer: str | None
    path: str
    line: int
    """1-based line of the right text at which both excerpts begin."""
    expected: str
    """The right text from there on, with some lines of context; for a refusal, the text before."""
    given: str
    """What the strategy made of it, with the same context."""
    edit: str
    """The edit as the model wrote it."""
    n_omitted: int = 0
    """Characters cut from the two excerpts together."""


@dataclass(frozen=True, slots=True)
class SampleUsed:
    """What a sample that was run is, without its texts."""

    sample_id: str
    format: str
    label: str
    label_source: str | None = None
    agent: str | None = None
    model: str | None = None
    repo: str | None = None
    mutator: str | None = None
    parent_id: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What one replacer makes of one edit of a sample with several, in a text that other replacers left.

    The texts are numbered from 0, the text before any edit. A replacer without a step in a text decides nothing
    there; a text without any step is a dead end, where the sample is refused.
    """

    sample_id: str
    node: int
    """The text."""
    replacer: str | None
    """As a cascade names it; absent where the sample has more texts than are followed."""
    next_node: int | None = None
    """The text that it leaves for the next edit; absent after the last."""
    verdict: str | None = None
    """A `Verdict`, after the last edit."""


_OUTCOME_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("strategy", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("verdict", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("damage", pa.dictionary(pa.int32(), pa.string())),
        pa.field("reason", pa.dictionary(pa.int32(), pa.string())),
        pa.field("replacer", pa.dictionary(pa.int32(), pa.string())),
        pa.field("n_matches", pa.int32(), nullable=False),
        pa.field("latency_ns", pa.int64()),
        pa.field("error", pa.string()),
    ]
)


_WRONG_EDIT_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("strategy", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("damage", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("replacer", pa.dictionary(pa.int32(), pa.string())),
        pa.field("path", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("expected", pa.string(), nullable=False),
        pa.field("given", pa.string(), nullable=False),
        pa.field("edit", pa.string(), nullable=False),
        pa.field("n_omitted", pa.int64(), nullable=False),
    ]
)


_WORDS = pa.dictionary(pa.int32(), pa.string())


_SAMPLE_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("format", _WORDS, nullable=False),
        pa.field("label", _WORDS, nullable=False),
        *(pa.field(name, _WORDS) for name in ("label_source", "agent", "model", "repo", "mutator")),
        pa.field("parent_id", pa.string()),
        pa.field("tags", pa.list_(pa.string()), nullable=False),
    ]
)


_STEP_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("node", pa.int32(), nullable=False),
        pa.field("replacer", _WORDS),
        pa.field("next_node", pa.int32()),
        pa.field("verdict", _WORDS),
    ]
)


KINDS = {
    "wrong_edits": _WRONG_EDIT_SCHEMA,
    "samples": _SAMPLE_SCHEMA,
    "steps": _STEP_SCHEMA,
    "outcomes": _OUTCOME_SCHEMA,
}
"""The folders of parts. Outcomes come last, since they mark a part as done."""
