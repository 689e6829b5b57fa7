"""A sample in a run. Its calls, its row in the run folder and its repeats share what is computed here once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from corpora.duplicates import likeness
from corpora.sample import Sample, fingerprint, text_hash, was_seen
from editcore.text.document import Document
from harness.strategies.strategy import Strategy
from reports.runs.rows import SampleUsed


class DescribedSample:
    def __init__(self, number: int, sample: Sample, strategies: Sequence[Strategy]) -> None:
        """`number` counts the samples of the corpus file; `strategies` are all strategies of the run."""
        self.number, self.sample = number, sample
        self.chosen = [(index, strategy) for index, strategy in enumerate(strategies) if strategy.is_run_on(sample)]
        """The strategies that take the sample, each with its index in the run."""

    @cached_property
    def document(self) -> Document | None:
        """The only file of the sample, with cached tables; None if the sample has no file or several."""
        return Document(self.sample.before[0].content) if len(self.sample.before) == 1 else None

    def forget(self) -> None:
        if self.document is not None:
            self.document.forget()

    @cached_property
    def fingerprint(self) -> int:
        """A 128-bit hash of everything that decides an outcome."""
        return fingerprint(self.sample)

    @property
    def hashed_id(self) -> int:
        """A 64-bit hash of the id, by which samples are drawn."""
        return text_hash(self.sample.id)

    @property
    def n_characters(self) -> int:
        return sum(len(file.content) for file in self.sample.before)

    def used(self) -> SampleUsed:
        sample, source = self.sample, self.sample.provenance
        return SampleUsed(
            sample.id, sample.format, sample.label, sample.label_source, source.agent, source.model, source.repo,
            source.mutator, source.parent_id, was_seen(sample), sample.tags, self.fingerprint >> 66, likeness(sample),
        )  # fmt: skip
