"""Properties: plain functions that check something that holds on all inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from fnmatch import fnmatchcase

from corpora.sample import Sample
from editcore.types import Applied, Edit, EditResult, File
from harness.strategies.strategy import files_after

Apply = Callable[[Sample], EditResult]
"""Applies a strategy to a sample, without a shared document, so that nothing is cached between calls."""

Check = Callable[[Apply, Sample, EditResult], str | None]
"""(a function that applies, a sample, its result) -> one line on what does not hold, or None."""


BY_RECOMMENDED = ("cascade/recommended", "tool/edit", "tool/multi_edit", "documents/str_replace")
"""The cascade `recommended`, and the tools whose default it is: all of them make the same of an edit."""


@dataclass(frozen=True, slots=True)
class Property:
    """Something that holds on all inputs."""

    check: Check
    formats: frozenset[str]
    """The formats of the samples it is checked on."""
    promised_by: tuple[str, ...]
    """Globs of the strategies that promise it."""
    _: KW_ONLY
    applies_again: bool = False
    """Whether it is a metamorphic relation, which applies a changed sample and compares. One is checked an input."""
    except_for: tuple[str, ...] = ()
    """Globs of strategies that do not promise it, though `promised_by` has them."""

    @property
    def name(self) -> str:
        """The name of the check."""
        return self.check.__name__

    @property
    def summary(self) -> str:
        """The first line of the check's docstring."""
        return (self.check.__doc__ or "").partition("\n")[0]

    def is_promised_by(self, strategy: str, format: str) -> bool:
        """Whether a strategy promises it for samples of that format."""
        if format not in self.formats or any(fnmatchcase(strategy, glob) for glob in self.except_for):
            return False
        return any(fnmatchcase(strategy, glob) for glob in self.promised_by)


def text_after(sample: Sample, result: Applied) -> str:
    """The text of the only file after the edit."""
    return files_after(sample, result).get(sample.before[0].path, "") if result.content is None else result.content


def only_file(sample: Sample, content: str) -> tuple[File, ...]:
    """The only file of a sample, with another text."""
    return (File(sample.before[0].path, content),)


def only_edit(sample: Sample) -> Edit:
    """The first edit of a sample that has edits."""
    assert sample.edits
    return sample.edits[0]


def texts_of(sample: Sample) -> tuple[str, str, str]:
    """The text of the only file, the search text and the new text."""
    edit = only_edit(sample)
    return sample.before[0].content, edit.old_string, edit.new_string


def with_texts(sample: Sample, content: str, old: str, new: str) -> Sample:
    """The sample with other texts of its file and its edit."""
    edit = replace(only_edit(sample), old_string=old, new_string=new)
    return replace(sample, before=only_file(sample, content), edits=(edit,))
