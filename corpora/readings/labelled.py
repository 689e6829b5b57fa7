"""A new corpus file with the labels that readings give its samples, and the agreement of two readers.

The corpus itself is never written to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.load import load, named_files
from corpora.readings.reading import Reading, question_fingerprint
from corpora.readings.readings_file import answers
from corpora.sample import Sample, validated
from corpora.write import SampleWriter
from editcore.errors import UsageError

SOURCE = "read"
"""The label_source of a label that a person gave."""


@dataclass(slots=True)
class Counts:
    """How many samples got a label, and why others did not."""

    n_samples: int = 0
    """Samples of the corpus."""
    n_labelled: int = 0
    """Samples that have a label of a reader now."""
    n_changed: int = 0
    """Labelled samples that had another label or target before."""
    n_disputed: int = 0
    """Samples on which readers disagree; they stay unchanged."""
    n_other: int = 0
    """Samples whose files or edit differ from what was read; they stay unchanged."""
    n_unknown: int = 0
    """Readings of samples that the corpus does not have."""


def label_corpus(name: str, readings: Sequence[Path], out: Path, *, replace_out: bool = False) -> Counts:
    """Write the samples of a corpus to a new file, with the labels of their readings. Raises UsageError."""
    writer = SampleWriter(out, inputs=[*named_files([name]), *readings], replace=replace_out)
    read = [answers(path) for path in readings]
    left = {sample_id for one in read for sample_id in one}
    counts = Counts()
    with writer:
        for sample in load(name):
            mine = [one[sample.id] for one in read if sample.id in one]
            left.discard(sample.id)
            counts.n_samples += 1
            writer.add(_labelled(sample, mine, counts) if mine else sample)
        counts.n_unknown = len(left)
        if not counts.n_labelled:
            raise UsageError(
                f"No sample of {name} gets a label from these readings: {counts.n_unknown:,} are of other samples, "
                f"{counts.n_other:,} of other versions of them, and on {counts.n_disputed:,} the readers disagree",
                "Name the corpus that was read.",
            )
    return counts


def _labelled(sample: Sample, readings: Sequence[Reading], counts: Counts) -> Sample:
    """The sample with the label of its readings; unchanged if they are of another version, or disagree."""
    question = question_fingerprint(sample)
    if any(one.fingerprint != question for one in readings):
        counts.n_other += 1
        return sample
    if any(not same_answer(readings[0], one) for one in readings[1:]):
        counts.n_disputed += 1
        return sample
    counts.n_labelled += 1
    found = with_label(sample, readings)
    counts.n_changed += sample.label != "unlabelled" and (sample.label, sample.target) != (found.label, found.target)
    return found


def with_label(sample: Sample, readings: Sequence[Reading]) -> Sample:
    """The sample with the label of its readings, which agree, and tags for readers and times."""
    first = readings[0]
    tags = [tag for tag in sample.tags if not tag.startswith(("refuse:", "reader:", "read:"))]
    if first.reason is not None:
        tags.append(f"refuse:{first.reason}")
    tags += [tag for one in readings for tag in (f"reader:{one.reader}", f"read:{one.at}")]
    label = "apply" if first.answer == "apply" else "refuse"
    fields = {"label": label, "target": first.target, "alternatives": None, "label_source": SOURCE}
    try:
        return validated(replace(sample, **fields, tags=tuple(dict.fromkeys(tags))))  # type: ignore[arg-type]
    except ValueError as error:
        raise UsageError(f"The reading of {sample.id} cannot be its label: {error}", "Read it again.") from None


def same_answer(one: Reading, other: Reading) -> bool:
    """True if two readings agree: both refuse, for any reason, or both give the same files."""
    return one.answer == other.answer and _files(one) == _files(other)


def _files(reading: Reading) -> dict[str, str]:
    return {file.path: file.content for file in reading.target or ()}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two readers."""

    n: int
    """Samples that both answered, of the same files and edit."""
    n_same_label: int
    """Samples that both apply, or both refuse."""
    n_same: int
    """Samples that both refuse, or for which both give the same result."""
    kappa: float | None
    """Cohen's kappa of apply and refuse: 1 is full agreement, 0 agreement by chance; None if both only gave the same
    single label, since chance then agrees fully.
    """
    disagreements: tuple[tuple[Reading, Reading], ...]
    """By sample id."""
    n_only_first: int
    """Samples that only the first reader answered."""
    n_only_second: int
    n_other: int
    """Samples whose readers read different versions; they are not compared."""


def agreement(first: Mapping[str, Reading], second: Mapping[str, Reading]) -> Agreement:
    """The agreement of two readers, each given as sample id -> reading without skipped samples."""
    shared = [(first[name], second[name]) for name in sorted(first.keys() & second.keys())]
    pairs = [(one, other) for one, other in shared if one.fingerprint == other.fingerprint]
    same = [same_answer(one, other) for one, other in pairs]
    return Agreement(
        len(pairs), sum(one.answer == other.answer for one, other in pairs), sum(same),
        cohens_kappa([(one.answer, other.answer) for one, other in pairs]),
        tuple(pair for pair, agree in zip(pairs, same, strict=True) if not agree), len(first.keys() - second.keys()),
        len(second.keys() - first.keys()), len(shared) - len(pairs),
    )  # fmt: skip


def cohens_kappa(pairs: list[tuple[str, str]]) -> float | None:
    """(observed - expected agreement) / (1 - expected); None without pairs, and where 1 is expected."""
    n = len(pairs)
    words = {word for pair in pairs for word in pair}
    # In integers, the expected agreement by chance times n^2.
    expected = sum(sum(one == word for one, _ in pairs) * sum(other == word for _, other in pairs) for word in words)
    if not n or expected == n * n:
        return None
    observed = sum(one == other for one, other in pairs)
    return (observed * n - expected) / (n * n - expected)
