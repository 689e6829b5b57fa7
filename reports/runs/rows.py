"""The rows of a run as dataclasses, and their Arrow schemas on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import get_args

import pyarrow as pa

from corpora.sample import Format, Label
from editcore.types import Reason

LONGEST_MESSAGE = 500
"""Characters of a refusal's message that a run keeps."""


class Verdict(StrEnum):
    """How an outcome is judged."""

    CORRECT = "correct"
    WRONG_EDIT = "wrong_edit"
    MISSED = "missed"
    REFUSED = "refused"
    UNLABELLED = "unlabelled"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"


class Damage(StrEnum):
    """In which way a wrong edit is wrong."""

    INDENTATION = "indentation"
    WHITESPACE = "whitespace"
    PLACE = "place"
    EXTENT = "extent"
    TEXT = "text"
    UNASKED = "unasked"


class Court(StrEnum):
    """By which comparison a result equals a right answer, the strictest first."""

    BYTES = "bytes"
    TEXT = "text"
    TREE = "tree"


class Repeated(StrEnum):
    """Why a call was repeated."""

    DRAWN = "drawn"
    """Its sample is of the timed subset: random ones, fixed by their ids."""
    SLOW = "slow"
    """It was slow at first, so that a percentile may hang on it."""


class Severity(StrEnum):
    """How bad a wrong edit is."""

    SAME_TREE = "same_tree"
    BROKEN = "broken"
    OTHER_TREE = "other_tree"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one sample under one strategy."""

    sample_id: str
    strategy: str
    """`family/member`."""
    verdict: str
    """A `Verdict`."""
    damage: str | None = None
    """A `Damage`, for wrong edits only."""
    reason: str | None = None
    """Why the edit was refused; None where it was applied, crashed or timed out."""
    replacer: str | None = None
    """The replacer that decided; of several edits, the one furthest down the cascade."""
    n_matches: int = 0
    """Number of spans replaced."""
    latency_ns: int | None = None
    """Wall time of the shortest timed call in nanoseconds, without clock overhead; None where it did not return."""
    error: str | None = None
    """The exception in one line, for crashes only."""
    alternative: int | None = None
    """1-based, of the alternatives of the sample: the one that a correct result equals; None for the target."""
    severity: str | None = None
    """A `Severity`, for wrong edits only."""
    equal_by: str | None = None
    """A `Court`: the strictest by which the result is right; None where it is by none, or has no right answer."""
    n_lines_lost: int | None = None
    """Lines of the file that are gone though neither the edit nor the right answer removes them; of wrong edits."""
    message: str | None = None
    """The message of a refusal, in one line, cut after `LONGEST_MESSAGE` characters."""
    lines: str | None = None
    """`12, 40`: lines of the file before at which it replaced or, of a refusal, that it considered; of lone edits."""
    cpu_ns: int | None = None
    """Likewise, CPU time of the worker's thread, or of a command's processes: the shortest."""
    first_cpu_ns: int | None = None
    """CPU time, likewise, of the first call, which is timed for every sample."""
    n_timed: int | None = None
    """Number of timed calls, more than 1 where the call was repeated; None where an older version did not record it."""
    repeated: str | None = None
    """A `Repeated`: why the call was; None where it was not, or where an older version did not record it: as drawn."""


@dataclass(frozen=True, slots=True)
class WrongEdit:
    """The text that a false-positive replacement left: where it differs from the right text."""

    sample_id: str
    strategy: str
    damage: str
    replacer: str | None
    path: str
    line: int
    """1-based line of the right text at which both excerpts begin."""
    expected: str
    """Excerpt of the right text, with some lines of context; where refusing was right, of the text before the edit."""
    given: str
    """Excerpt of the strategy's result, with the same context."""
    edit: str
    """The edit as the model wrote it."""
    n_omitted: int = 0
    """Characters omitted from the two excerpts together."""
    severity: str | None = None
    """A `Severity`."""
    n_lines_lost: int | None = None
    """As in `Outcome`."""


@dataclass(frozen=True, slots=True)
class SampleUsed:
    """Properties of a sample that was run, without its texts."""

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
class SampleText:
    """The edit of a sample as written, and an excerpt of the file around the place that it means."""

    sample_id: str
    edit: str
    """As the model wrote it; edits of several texts as search/replace blocks."""
    path: str
    line: int
    """1-based line of the file before at which the excerpt begins."""
    place: str
    """Excerpt of the file before the edit: around the right answer's change, else around the first change of a result,
    else around the search text's longest line, else the top of the file."""
    n_omitted: int = 0
    """Characters omitted from both."""
    recorded_outcome: str | None = None
    """What the agent's own tool reported."""
    n_characters: int | None = None
    """Characters of all files before the edit."""


@dataclass(frozen=True, slots=True)
class Change:
    """What the right answer, or a result that is not right, changes in one file."""

    sample_id: str
    result: int
    """Number of the result among the different ones of the sample; 0 is the right answer."""
    strategies: tuple[str, ...]
    """Those that left this result."""
    path: str
    line: int
    """1-based line of the file before at which both excerpts begin."""
    before: str
    """Excerpt of the file before the edit where it differs from the result, with some lines of context."""
    after: str
    """Excerpt of the result, with the same context."""
    n_omitted: int = 0
    """Characters omitted from the two excerpts together."""


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one replacer on one edit of a sample with several edits.

    The texts in which an edit may find itself are numbered; 0 is the text before any edit. A replacer without a step
    in a text does not match there. A text without any step is a dead end, at which the sample is refused.
    """

    sample_id: str
    node: int
    """Number of the text before the edit."""
    replacer: str | None
    """As a cascade names it; None where the sample has more texts than are followed."""
    next_node: int | None = None
    """Number of the text after the edit; None after the last edit."""
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
        pa.field("alternative", pa.int64()),
        pa.field("severity", pa.dictionary(pa.int32(), pa.string())),
        pa.field("equal_by", pa.dictionary(pa.int32(), pa.string())),
        pa.field("n_lines_lost", pa.int64()),
        pa.field("message", pa.string()),
        pa.field("lines", pa.string()),
        pa.field("cpu_ns", pa.int64()),
        pa.field("first_cpu_ns", pa.int64()),
        pa.field("n_timed", pa.int64()),
        pa.field("repeated", pa.dictionary(pa.int32(), pa.string())),
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
        pa.field("severity", pa.dictionary(pa.int32(), pa.string())),
        pa.field("n_lines_lost", pa.int64()),
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


_TEXT_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("edit", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("place", pa.string(), nullable=False),
        pa.field("n_omitted", pa.int64(), nullable=False),
        pa.field("recorded_outcome", _WORDS),
        pa.field("n_characters", pa.int64()),
    ]
)


_CHANGE_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("result", pa.int32(), nullable=False),
        pa.field("strategies", pa.list_(pa.string()), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("before", pa.string(), nullable=False),
        pa.field("after", pa.string(), nullable=False),
        pa.field("n_omitted", pa.int64(), nullable=False),
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


MEASURED = ("latency_ns", "cpu_ns", "first_cpu_ns", "n_timed", "repeated")
"""The columns of outcomes in which two runs of the same samples may differ."""

CLOSED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "verdict": frozenset(Verdict),
        "damage": frozenset(Damage),
        "reason": frozenset(Reason),
        "severity": frozenset(Severity),
        "equal_by": frozenset(Court),
        "repeated": frozenset(Repeated),
        "format": frozenset(get_args(Format)),
        "label": frozenset(get_args(Label)),
    }
)
"""Column -> the words that it may hold, in rows of any kind."""

KINDS = {
    "wrong_edits": _WRONG_EDIT_SCHEMA,
    "samples": _SAMPLE_SCHEMA,
    "steps": _STEP_SCHEMA,
    "texts": _TEXT_SCHEMA,
    "changes": _CHANGE_SCHEMA,
    "outcomes": _OUTCOME_SCHEMA,
}
"""Folder of a run -> schema of its rows. Outcomes come last: they mark a part as done."""
