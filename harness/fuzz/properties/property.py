"""What a property is: something that holds on all inputs, as a plain function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from corpora.sample import Sample
from editcore.types import Applied, EditResult, File
from harness.run import scoring

Apply = Callable[[Sample], EditResult]
"""Applies a sample: a strategy without its document, so that nothing is remembered between calls."""

Check = Callable[[Apply, Sample, EditResult], str | None]
"""A way to apply, a sample and its result -> one line on what does not hold, or None."""


@dataclass(frozen=True, slots=True)
class Property:
    """Something that holds on all inputs."""

    name: str
    check: Check
    formats: frozenset[str]
    """The formats of the samples it is about."""
    promised_by: tuple[str, ...]
    """Globs for the strategies that it is asked of."""
    applies_again: bool = False
    """Whether it applies something else too, and compares: a metamorphic relation. An input is held to one of these."""

    @property
    def summary(self) -> str:
        """One line."""
        return (self.check.__doc__ or "").partition("\n")[0]

    def is_asked_of(self, strategy: str, format: str) -> bool:
        """Whether a strategy promises it for samples of that format."""
        return format in self.formats and any(fnmatchcase(strategy, glob) for glob in self.promised_by)


def files_before(sample: Sample) -> dict[str, str]:
    """Path -> text before."""
    return {file.path: file.content for file in sample.before}


def files_after(sample: Sample, result: Applied) -> dict[str, str]:
    """Path -> text afterwards."""
    if result.files is not None:
        return dict(result.files)
    return {file.path: file.content for file in scoring.files_after(sample, result)}


def text_after(sample: Sample, result: Applied) -> str:
    """The text of the only file afterwards."""
    return files_after(sample, result).get(sample.before[0].path, "") if result.content is None else result.content


def only_file(sample: Sample, content: str) -> tuple[File, ...]:
    """The same file with another text."""
    return (File(sample.before[0].path, content),)
