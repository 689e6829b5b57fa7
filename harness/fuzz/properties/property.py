"""Properties: plain functions that check something that holds on all inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from fnmatch import fnmatchcase

from corpora.sample import Sample
from editcore.types import Applied, Edit, EditResult, File
from harness.strategies.strategy import files_after

Apply = Callable[[Sample], EditResult]

Check = Callable[[Apply, Sample, EditResult], str | None]
"""(a function that applies, a sample, its result) -> one line on what does not hold; None if all does."""


BY_RECOMMENDED = ("cascade/recommended", "tool/edit", "tool/multi_edit", "documents/str_replace")
"""The cascade `recommended`, and the tools whose default it is. All of them have the same results."""


@dataclass(frozen=True, slots=True)
class Property:
    check: Check
    formats: frozenset[str]
    """The formats of the samples that the property is checked on."""
    promised_by: tuple[str, ...]
    """Globs of the strategies that promise the property."""
    _: KW_ONLY
    applies_again: bool = False
    """True for a metamorphic relation, which applies a changed sample and compares. An input has at most one check of
    these.
    """
    except_for: tuple[str, ...] = ()
    """Globs of strategies that do not promise the property although `promised_by` matches them."""
    takes_lists: bool = False
    """True if the property is checked on lists of pairs too, and on inputs whose answer is known. The others are about
    a single pair, or follow from the answer.
    """
    has_kinds: bool = False
    """True if what the check says begins with a kind and a colon. Violations of different kinds are distinguished."""

    def path(self, decision: str, detail: str) -> str:
        """What distinguishes a violation from others of the property: the decision, and the kind if there are kinds."""
        return f"{decision}: {detail.partition(':')[0]}" if self.has_kinds else decision

    @property
    def name(self) -> str:
        return self.check.__name__

    @property
    def summary(self) -> str:
        """The first line of the check's docstring."""
        return (self.check.__doc__ or "").partition("\n")[0]

    def is_promised_by(self, strategy: str, format: str) -> bool:
        """True if a strategy promises the property for samples of that format."""
        if format not in self.formats or any(fnmatchcase(strategy, glob) for glob in self.except_for):
            return False
        return any(fnmatchcase(strategy, glob) for glob in self.promised_by)


def text_after(sample: Sample, result: Applied) -> str:
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
    edit = replace(only_edit(sample), old_string=old, new_string=new)
    return replace(sample, before=only_file(sample, content), edits=(edit,))
