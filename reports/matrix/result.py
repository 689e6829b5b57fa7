"""The result of one version of a program on the suite: a JSON file that anybody can make and anybody can check.

`outcomes` has one letter for each sample of the suite, in the order of `corpora.edition.sample_ids`:

    c correct   w wrong   W wrong where refusing was right   m missed   r refused
    u unlabelled or unstable   x crashed   t timed out   - not run

Counts and defects follow from it, and the digest is of it: a file in which they differ was changed by hand.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import xxhash

from corpora.defects import defects
from corpora.edition import EDITION, sample_ids
from corpora.regular_file import content
from editcore.errors import UsageError
from editcore.quoting import first_line, quoted
from reports.runs.rows import Verdict

LETTERS: Mapping[str, str] = {
    Verdict.CORRECT: "c", Verdict.WRONG_EDIT: "w", Verdict.MISSED: "m", Verdict.REFUSED: "r",
    Verdict.UNLABELLED: "u", Verdict.UNSTABLE: "u", Verdict.CRASHED: "x", Verdict.TIMED_OUT: "t",
}  # fmt: skip
UNASKED, NOT_RUN = "W", "-"
_ALL = "".join(sorted({UNASKED, NOT_RUN, *LETTERS.values()}))
DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_LARGEST = 1 << 20

Line = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Outcomes on `house`."""

    right: int
    wrong: int
    missed: int
    refused: int
    other: int
    """Crashed, timed out, unlabelled or unstable."""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a program on one edition of the suite."""

    schema_version: Annotated[int, msgspec.Meta(ge=1, le=1)]
    program: Line
    version: Line
    date: str
    """The day, month or year of the version: 2026-02-11, 2026-02 or 2026; empty if unknown."""
    strategy: Line
    """The strategy that was run: `agent/aider`, or `cmd/mine` for a program."""
    command: Line
    """What repeats the run."""
    suite: str
    """The edition, `corpora.edition.EDITION`."""
    machine: Annotated[str, msgspec.Meta(max_length=200)]
    counts: Counts
    defects: tuple[str, ...]
    """Ids of the named defects that the program has."""
    outcomes: str
    digest: str
    """`digest_of` the result."""

    @property
    def anchor(self) -> str:
        """The permanent anchor of the result's row: `codex-0.77-agent-codex_0_77`."""
        return re.sub(r"[^a-z0-9._]+", "-", f"{self.program} {self.version} {self.strategy}".lower()).strip("-")

    @property
    def wrong_rate(self) -> float | None:
        """The share of wrong edits among labelled samples of `house`; None without any."""
        one = self.counts
        n = one.right + one.wrong + one.missed + one.refused
        return one.wrong / n if n else None

    @property
    def match_rate(self) -> float | None:
        """The share of right edits among the samples of `house` that are to be applied; None without any."""
        n = self.counts.right + self.counts.missed + _of_house(self.outcomes).count("w")
        return self.counts.right / n if n else None


def result(
    *, program: str, version: str, date: str, strategy: str, command: str, machine: str, letters: Mapping[str, str],
    had: tuple[str, ...],
) -> Result:  # fmt: skip
    """The result of outcomes: `letters` maps the ids of the samples that were run to their letters."""
    outcomes = "".join(letters.get(id, NOT_RUN) for id in sample_ids())
    return Result(
        1, program, version, date, strategy, command, EDITION, machine, _counts(outcomes), had, outcomes,
        _digest(EDITION, program, version, strategy, outcomes),
    )  # fmt: skip


def read_result(path: Path) -> Result:
    """The result in a file. Raises UsageError for a file that is none, or whose parts contradict each other."""
    try:
        found = msgspec.json.decode(content(path, _LARGEST), type=Result)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror or error}", "Name a file that `matrix result` wrote."
        ) from None
    except ValueError as error:
        raise UsageError(f"{path} is no result: {first_line(error)}", _TIP) from None
    for problem in problems(found):
        raise UsageError(f"{path}: {problem}", _TIP)
    return found


_TIP = "Make it with `editgauge matrix result`; docs/matrix.md has its schema."


def problems(one: Result) -> Iterator[str]:
    """What is wrong with a result, a sentence each."""
    if one.suite != EDITION:
        yield f"suite is {quoted(one.suite)}, and this editgauge has {EDITION!r}"
        return
    if len(one.outcomes) != len(sample_ids()) or not set(one.outcomes) <= set(_ALL):
        yield f"outcomes are not {len(sample_ids())} letters of {_ALL}"
        return
    if one.date and not DATE.fullmatch(one.date):
        yield f"date is {quoted(one.date)}, not a day, month or year"
    if one.counts != (counted := _counts(one.outcomes)):
        yield f"counts are {_said(one.counts)}, and outcomes have {_said(counted)}"
    if unknown := [id for id in one.defects if id not in defects()]:
        yield f"defects name {', '.join(map(quoted, unknown[:3]))}, which no edition has"
        return
    letters = {id: letter for id, letter in zip(sample_ids(), one.outcomes, strict=True) if id in defects()}
    wrong = {id for id, letter in letters.items() if letter in "wW"}
    refused = {id for id, letter in letters.items() if letter == "m" and defects()[id].harm == "refused"}
    if more := set(one.defects) - wrong - refused:
        yield f"defects name {min(more)}, whose sample was neither wrong nor missed"
    # A rule that never sees the text of before is not asked about stale edits.
    if fewer := {id for id in wrong if defects()[id].sample.seen is None}.difference(one.defects):
        yield f"defects leave out {min(fewer)}, whose sample is wrong"
    if one.digest != _digest(one.suite, one.program, one.version, one.strategy, one.outcomes):
        yield "digest is not the one of these outcomes"


def _of_house(outcomes: str) -> str:
    return "".join(letter for id, letter in zip(sample_ids(), outcomes, strict=True) if id not in defects())


def _counts(outcomes: str) -> Counts:
    n = Counter(_of_house(outcomes))
    return Counts(n["c"], n["w"] + n["W"], n["m"], n["r"], n["u"] + n["x"] + n["t"])


def _said(one: Counts) -> str:
    return f"{one.right} / {one.wrong} / {one.missed} / {one.refused}"


def _digest(*parts: str) -> str:
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())
