"""A recorded wrong edit, made as small as it can be while the verdict stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.load import load
from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.types import File
from harness.fuzz.finding import Finding, decision, text_case
from harness.fuzz.inputs import Fields
from harness.fuzz.shrink import shrunk
from harness.scoring import Judge, Score, common_ends
from harness.showing import no_such_sample
from harness.strategies import strategy
from harness.strategy import Strategy
from reports.parts import outcomes
from reports.rows import Verdict
from reports.runs import read_manifest


@dataclass(frozen=True, slots=True)
class Small:
    """A wrong edit, made small."""

    sample: Sample
    case: str
    """As a text case."""
    told: str
    """One line: from what to what."""


def shrunk_wrong_edit(folder: Path, sample_id: str, spec: str | None, *, seconds: float) -> Small:
    """The smallest sample found on which a strategy does what it did to this one. Raises UsageError."""
    manifest = read_manifest(folder)
    found = [one for one in outcomes(folder) if one.sample_id == sample_id]
    if not found:
        raise no_such_sample(folder, sample_id)
    asked = strategy(spec) if spec else None
    wrong = [one.strategy for one in found if one.verdict is Verdict.WRONG_EDIT]
    if not wrong or (asked and asked.name not in wrong):
        who = asked.name if asked else "No strategy of the run"
        negated = f"{who} did not edit" if asked else f"{who} edited"
        raise UsageError(f"{negated} {sample_id} wrongly", f"See `editgauge show {folder} {sample_id}`.")
    sample = _sample([one.name for one in manifest.corpora], sample_id)
    return shrunk_sample(sample, asked or strategy(wrong[0]), seconds=seconds)


def shrunk_sample(sample: Sample, by: Strategy, *, seconds: float) -> Small:
    """The smallest sample found that gets the same verdict, damage and decision."""
    wanted = _judged(sample, by)
    parts = _Parts.of(sample)

    def same(fields: Fields) -> bool:
        try:
            return _judged(parts.sample(fields), by) == wanted
        except Exception:
            return False  # What crashes on the way is another matter.

    small = parts.sample(shrunk(parts.fields, same, seconds=seconds))
    score, decided = _judged(small, by)
    detail = f"{score[0]} ({score[1]}) by {decided}" if score[1] else f"{score[0]} by {decided}"
    case = text_case(Finding(by.name, score[0], decided, detail, ()), small)
    if small.target is not None and len(small.target) == 1:
        case += f"# right: {small.target[0].content!a}\n"
    told = f"{by.name}, {detail}: {_size(sample)} characters become {_size(small)}"
    return Small(small, case, told)


def _judged(sample: Sample, by: Strategy) -> tuple[tuple[str, str | None], str]:
    result = by.apply(sample, None)
    score: Score = Judge(sample).score(result)
    return (str(score.verdict), score.damage and str(score.damage)), decision(result)


def _size(sample: Sample) -> int:
    return sum([len(file.content) for file in sample.before]) + sum([len(text) for text in _written(sample)])


def _written(sample: Sample) -> Sequence[str]:
    edits = [text for edit in sample.edits or () for text in (edit.old_string, edit.new_string)]
    return edits if sample.format == "str_replace" else [sample.patch or ""]


@dataclass(frozen=True, slots=True)
class _Parts:
    """A sample taken apart: of the file what lies above and below what should change, then what the model wrote.

    What should change stays, so that the right answer stays the right one.
    """

    whole: Sample
    middle: tuple[str, str]
    """Before and after, between what lies above and below."""
    fields: Fields

    @classmethod
    def of(cls, sample: Sample) -> _Parts:
        if len(sample.before) != 1 or (sample.target is not None and len(sample.target) != 1):
            return cls(sample, ("", ""), tuple(_written(sample)))
        before = sample.before[0].content
        after = sample.target[0].content if sample.target is not None else before
        head, tail = common_ends(before, after)
        if sample.target is None:
            head, tail = len(before), 0
        head = before.rfind("\n", 0, head) + 1 if sample.target is not None else head
        tail = min(tail, len(before) - head, len(after) - head)
        middle = before[head : len(before) - tail], after[head : len(after) - tail]
        return cls(sample, middle, (before[:head], before[len(before) - tail :], *_written(sample)))

    def sample(self, fields: Fields) -> Sample:
        whole = self.whole
        if len(fields) > len(_written(whole)):
            above, below, *written = fields
            path = whole.before[0].path
            made = replace(whole, before=(File(path, above + self.middle[0] + below),))
            if whole.target is not None:
                made = replace(made, target=(File(path, above + self.middle[1] + below),))
        else:
            made, written = whole, list(fields)
        if whole.format == "str_replace":
            pairs = zip(written[::2], written[1::2], strict=True)
            edits = zip(whole.edits or (), pairs, strict=True)
            return replace(
                made, edits=tuple([replace(edit, old_string=old, new_string=new) for edit, (old, new) in edits])
            )
        return replace(made, patch=written[0], edits=None)


def _sample(corpora: Sequence[str], sample_id: str) -> Sample:
    """The sample of that id in the corpora a run was made of."""
    for name in corpora:
        for sample in load(name):
            if sample.id == sample_id:
                return sample
    raise UsageError(f"No corpus of the run has {sample_id!r} any more", "Run it again, or bring the corpus back.")
