"""Shrinking of a recorded wrong edit, to the smallest sample with the same verdict."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.load import load
from corpora.sample import Sample, right_answers
from editcore.errors import UsageError
from editcore.types import File
from harness.fuzz.engine.shrinking import fewest
from harness.fuzz.finding import Finding, decision, drawn, text_case
from harness.run.scoring import Judge, Score
from harness.strategies.external import SPEC
from harness.strategies.registry import strategy
from harness.strategies.strategy import Strategy
from reports.runs.manifest import command_spec, read_manifest
from reports.runs.rows import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Small:
    """A wrong edit, shrunk."""

    sample: Sample
    case: str
    """The sample as a text case."""
    summary: str
    """One line: the strategy, what it did, and the sizes before and after."""


def shrink_wrong_edit(folder: Path, found: Sequence[Outcome], spec: str | None, *, seconds: float) -> Small:
    """The smallest sample found on which a strategy does the same as on one sample of a run.

    `found` holds all outcomes of that sample, at least one; `spec` is the strategy, by default the first that edited
    it wrongly. Raises UsageError if it did not, or if the sample is no longer in the corpora of the run.
    """
    manifest = read_manifest(folder)
    sample_id = found[0].sample_id
    asked = strategy(spec) if spec and not _is_command(spec) else None
    if spec and asked is None:
        raise _unnamed_command(folder, spec)
    wrong = [one.strategy for one in found if one.verdict == Verdict.WRONG_EDIT]
    if not wrong or (asked and asked.name not in wrong):
        who = asked.name if asked else "No strategy of the run"
        negated = f"{who} did not edit" if asked else f"{who} edited"
        raise UsageError(f"{negated} {sample_id} wrongly", f"See `editgauge show {folder} {sample_id}`.")
    sample = _sample([one.name for one in manifest.corpora], sample_id)
    return shrink_sample(sample, asked or _by_name(folder, wrong), seconds=seconds)


def _is_command(name: str) -> bool:
    """Whether the name is that of a command's strategy, which does not say what the command is."""
    return name.startswith("cmd/")


def _by_name(folder: Path, names: Sequence[str]) -> Strategy:
    """The first strategy that can be made from its name alone. Raises UsageError where all are commands."""
    plain = [name for name in names if not _is_command(name)]
    if not plain:
        raise _unnamed_command(folder, names[0])
    return strategy(plain[0])


def _unnamed_command(folder: Path, name: str) -> UsageError:
    """The error for a command that only the run names: what a run folder says is shown, and never run unasked."""
    spec = command_spec(read_manifest(folder), name)
    known = shlex.quote(spec) if spec else f"{SPEC}{name.removeprefix('cmd/')}=COMMAND"
    whence = "as the run was started with; read it before you run it" if spec else "the run does not say which it was"
    return UsageError(f"{name} is a command, which is not run unless you name it", f"Add -s {known} ({whence}).")


def shrink_sample(sample: Sample, by: Strategy, *, seconds: float) -> Small:
    """The smallest sample found that gives the same verdict, damage and decision. `seconds` is a limit."""
    if sample.edits and by.reads == "edits":
        sample = replace(sample, format="str_replace", patch=None)  # The strategy does not read the patch text.
    wanted = _judged(sample, by)

    def is_same(smaller: Sample) -> bool:
        try:
            return _judged(smaller, by) == wanted
        except Exception:
            return False  # A crash is a different failure.

    words = dict.fromkeys([word for text in _texts(sample) for word in map(_bare_line, text.split("\n"))])
    kept = fewest(list(words), lambda some: is_same(_with_lines(sample, set(some))), seconds=seconds)
    small = _with_lines(sample, set(kept))
    score, decided = _judged(small, by)
    detail = f"{score[0]} ({score[1]}) by {decided}" if score[1] else f"{score[0]} by {decided}"
    case = text_case(Finding(by.name, "the right answer", decided, detail, ()), small)
    for files in right_answers(small):
        if len(files) == 1:
            case += f"# right:\n{drawn(files[0].content, is_file=True)}"
    summary = f"{by.name}, {detail}: {_size(sample)} characters shrunk to {_size(small)}"
    return Small(small, case, summary)


def _judged(sample: Sample, by: Strategy) -> tuple[tuple[str, str | None], str]:
    result = by.apply(sample, None)
    score: Score = Judge(sample).score(result)
    return (str(score.verdict), score.damage and str(score.damage)), decision(result)


def _size(sample: Sample) -> int:
    return sum([len(text) for text in _texts(sample)])


def _texts(sample: Sample) -> list[str]:
    """The files before, and the edit as written."""
    written = [text for edit in sample.edits or () for text in (edit.old_string, edit.new_string)]
    return [file.content for file in sample.before] + (written or [sample.patch or ""])


def _bare_line(line: str) -> str:
    """A line as it is in file and patch alike: without diff marker and without surrounding whitespace."""
    return line.lstrip("+- ").strip()


def _with_lines(sample: Sample, kept: set[str]) -> Sample:
    """The sample with these lines only, in files and edit alike."""

    def fewer_lines(text: str) -> str:
        return "\n".join([line for line in text.split("\n") if _bare_line(line) in kept])

    def of(files: tuple[File, ...]) -> tuple[File, ...]:
        return tuple([File(file.path, fewer_lines(file.content)) for file in files])

    edits = tuple(
        [replace(edit, old_string=fewer_lines(edit.old_string), new_string=fewer_lines(edit.new_string))
         for edit in sample.edits or ()]
    )  # fmt: skip
    return replace(
        sample,
        before=of(sample.before),
        target=None if sample.target is None else of(sample.target),
        alternatives=sample.alternatives and tuple(map(of, sample.alternatives)),
        seen=None if sample.seen is None else of(sample.seen),
        seen_lines=None,
        edits=edits or None,
        patch=None if sample.patch is None else fewer_lines(sample.patch),
    )


def _sample(corpora: Sequence[str], sample_id: str) -> Sample:
    """The sample of that id in the corpora of a run. Raises UsageError if it is missing."""
    for name in corpora:
        for sample in load(name):
            if sample.id == sample_id:
                return sample
    raise UsageError(f"No corpus of the run has {sample_id!r} any more", "Restore the corpus, or score it again.")
