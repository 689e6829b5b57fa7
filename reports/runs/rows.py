"""The rows of a run as dataclasses, and their Arrow schemas on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import get_args

from corpora.sample import Format, Label
from editcore.types import Reason
from reports.runs.columns import Small, Word, schema_of

LONGEST_MESSAGE = 500
"""Characters of a refusal's message that a run keeps."""


class Verdict(StrEnum):
    """The judgement of an outcome."""

    CORRECT = "correct"
    WRONG_EDIT = "wrong_edit"
    MISSED = "missed"
    REFUSED = "refused"
    UNLABELLED = "unlabelled"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    UNSTABLE = "unstable"
    UNMEASURED = "unmeasured"


class Damage(StrEnum):
    """The way in which a wrong edit is wrong."""

    INDENTATION = "indentation"
    WHITESPACE = "whitespace"
    PLACE = "place"
    EXTENT = "extent"
    TEXT = "text"
    BYTES = "bytes"
    UNASKED = "unasked"
    NO_OP = "no_op"
    TOO_MANY = "too_many"
    EMPTIED = "emptied"
    GARBLED = "garbled"
    HALF_MADE = "half_made"
    WRONG_FOLDER = "wrong_folder"
    DIALECT = "dialect"


class Equality(StrEnum):
    """The strictest comparison by which a result equals a right answer, the strictest first."""

    BYTES = "bytes"
    TEXT = "text"
    TREE = "tree"


class ListLeft(StrEnum):
    """The remains of a list of edits if one of them fails."""

    NOTHING = "nothing"
    FIRST_EDITS = "first_edits"
    OTHER_EDITS = "other_edits"
    CUT_OFF = "cut_off"
    SOMETHING_ELSE = "something_else"


class Repeated(StrEnum):
    """The reason why a call was repeated."""

    DRAWN = "drawn"
    """Its sample is in the timed subset: random samples, fixed by their ids."""
    SLOW = "slow"
    """The first call was slow, so a percentile may depend on it."""


class Severity(StrEnum):
    """The harm of a wrong edit."""

    SAME_TREE = "same_tree"
    BROKEN = "broken"
    OTHER_TREE = "other_tree"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one sample under one strategy."""

    sample_id: str
    strategy: Word
    """`family/member`."""
    verdict: Word
    """A `Verdict`."""
    damage: Word | None = None
    """A `Damage`, for wrong edits only."""
    reason: Word | None = None
    """The reason of a refusal; None if the edit was applied, crashed or timed out."""
    replacer: Word | None = None
    """The replacer that decided; for several edits, the one furthest down the cascade."""
    n_matches: Small = 0
    """Number of spans replaced."""
    latency_ns: int | None = None
    """Wall time of the shortest timed call in nanoseconds, without clock overhead; None if it did not return."""
    error: str | None = None
    """For crashes, the exception in one line; for unstable outcomes, the difference of the answers."""
    alternative: int | None = None
    """1-based number of the sample's alternative that a correct result equals; None for the target."""
    severity: Word | None = None
    """A `Severity`, for wrong edits only."""
    equal_by: Word | None = None
    """An `Equality`: the strictest by which the result is right; None if it is not, or without a right answer."""
    n_lines_lost: int | None = None
    """For wrong edits: lines of the file that are gone although neither the edit nor the right answer removes them."""
    message: str | None = None
    """The message of a refusal, in one line, cut after `LONGEST_MESSAGE` characters."""
    lines: str | None = None
    """`12, 40`: lines of the file before that it replaced, or that its refusal considered; for samples with one edit.
    """
    cpu_ns: int | None = None
    """CPU time of the shortest timed call: of the worker's thread, or of a command's processes."""
    first_cpu_ns: int | None = None
    """CPU time of the first call, which is timed for every sample."""
    n_timed: int | None = None
    """Number of timed calls, above 1 if the call was repeated; None if an older version wrote the run."""
    repeated: Word | None = None
    """A `Repeated`; None if the call was not repeated, or if an older version wrote the run, which repeated only
    drawn ones.
    """
    n_bytes_changed: int | None = None
    """For damage `bytes`: bytes outside the intended lines that an encoding or line endings changed."""
    failed_label: Word | None = None
    """The `Label` of the sample, if the verdict does not tell it: crashed, timed out or unstable; else None."""
    list_left: Word | None = None
    """A `ListLeft`, if the sample is a list of edits and one fails that is neither first nor last."""


@dataclass(frozen=True, slots=True)
class WrongEdit:
    """The text that a false-positive replacement left: where it differs from the right text."""

    sample_id: str
    strategy: Word
    damage: Word
    replacer: Word | None
    path: str
    line: int
    """1-based line of the right text at which both excerpts begin."""
    expected: str
    """Excerpt of the right text, with some lines of context; if refusing was right, of the text before the edit."""
    given: str
    """Excerpt of the strategy's result, with the same context."""
    edit: str
    """The edit as the model wrote it."""
    n_omitted: int = 0
    """Characters omitted from the two excerpts together."""
    severity: Word | None = None
    """A `Severity`."""
    n_lines_lost: int | None = None
    """As in `Outcome`."""


@dataclass(frozen=True, slots=True)
class SampleUsed:
    """Properties of a sample that was run, without its texts."""

    sample_id: str
    format: Word
    label: Word
    label_source: Word | None = None
    agent: Word | None = None
    model: Word | None = None
    repo: Word | None = None
    mutator: Word | None = None
    parent_id: str | None = None
    seen: Word | None = None
    """State of the files when the model last saw them: `same` as before the edit, or `other`; None if it is not
    known.
    """
    tags: tuple[str, ...] = ()
    fingerprint: int | None = None
    """62 bits of a hash of everything that decides its outcomes; None if an older version wrote the run."""
    likeness: int | None = None
    """A hash that near-duplicates share, see `corpora.duplicates`; None if an older version wrote the run."""


@dataclass(frozen=True, slots=True)
class SampleText:
    """The edit of a sample as written, and an excerpt of the file around its intended place."""

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
    recorded_outcome: Word | None = None
    """The outcome that the agent's own tool reported."""
    n_characters: int | None = None
    """Characters of all files before the edit."""
    seen_path: str | None = None
    """A file that was changed since the model saw it: the file of `path` if it was, else the first; None without any.
    """
    seen_line: int | None = None
    """1-based line at which `seen` begins."""
    seen: str | None = None
    """Excerpt of the file as the model saw it, around the intended place of the edit."""
    seen_lines: str | None = None
    """The lines that the model was shown, as `12-40, 60`; None for all."""
    since_line: int | None = None
    """1-based line of the file as it was seen at which the two excerpts below begin."""
    since_seen: str | None = None
    """Excerpt of the file as it was seen, where it changed since, with some lines of context."""
    since_now: str | None = None
    """Excerpt of the file before the edit, with the same context."""
    n_seen_omitted: int | None = None
    """Characters omitted from the three excerpts together."""
    n_seen_files: int | None = None
    """Files that were changed since."""
    encoding: str | None = None
    """The encoding of the file of `path`, if it is not plain UTF-8; `unknown` if some of its bytes are no text: they
    are lone surrogates in the excerpts.
    """


@dataclass(frozen=True, slots=True)
class Change:
    """The changes that the right answer, or another result, makes in one file."""

    sample_id: str
    result: Small
    """Number of the result among the distinct results of the sample; 0 is the right answer."""
    strategies: tuple[str, ...]
    """The strategies that left this result."""
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
    node: Small
    """Number of the text before the edit."""
    replacer: Word | None
    """Its name in a cascade; None if the sample has more texts than are followed."""
    next_node: Small | None = None
    """Number of the text after the edit; None after the last edit."""
    verdict: Word | None = None
    """A `Verdict`, after the last edit."""


MEASURED = ("latency_ns", "cpu_ns", "first_cpu_ns", "n_timed", "repeated")
"""The columns of outcomes in which two runs of the same samples may differ."""

CLOSED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "verdict": frozenset(Verdict),
        "damage": frozenset(Damage),
        "reason": frozenset(Reason),
        "severity": frozenset(Severity),
        "equal_by": frozenset(Equality),
        "list_left": frozenset(ListLeft),
        "repeated": frozenset(Repeated),
        "format": frozenset(get_args(Format)),
        "label": frozenset(get_args(Label)),
        "failed_label": frozenset(get_args(Label)),
    }
)
"""Column -> its allowed words, in rows of any kind."""

KINDS = {
    "wrong_edits": schema_of(WrongEdit),
    "samples": schema_of(SampleUsed),
    "steps": schema_of(Step),
    "texts": schema_of(SampleText),
    "changes": schema_of(Change),
    "outcomes": schema_of(Outcome),
}
"""Folder of a run -> schema of its rows. Outcomes come last: they mark a part as done."""
