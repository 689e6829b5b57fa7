"""Scoring: a sample and a strategy's result -> a verdict, and the damage and severity of a wrong edit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from corpora.languages import language
from corpora.sample import Sample, right_answers
from editcore.grammars import GRAMMARS
from editcore.text.diff import common_ends
from editcore.text.whitespace import WHITESPACE, words
from editcore.types import Applied, EditResult, Rejected
from harness.run.losses import FailedList, LinesLost, count_changed_bytes, shell_damage
from harness.run.results import Difference, OncePerResult
from harness.run.syntax.data_formats import READERS
from harness.run.syntax.parser import ParserProcess
from harness.run.syntax.trees import source
from harness.strategies.strategy import by_path, files_after
from reports.runs.rows import Damage, Equality, ListLeft, Severity, Verdict

# The severity of a wrong edit: the severity of its worst file.

LARGEST = 1_000_000
"""The most characters of a text that is parsed."""
_MOST_NAMED = 3

_PROCESS = ParserProcess()
_WORST_FIRST = (Severity.BROKEN, Severity.OTHER_TREE, Severity.UNKNOWN, Severity.SAME_TREE)


def why_unknown() -> str | None:
    """The reason why every severity is unknown here, in one line; None if there is none."""
    missing = [name for name in ("tree_sitter", *sorted({module for module, _ in GRAMMARS.values()})) if not _has(name)]
    if not missing:
        return None
    are = "are" if len(missing) > 1 and "tree_sitter" not in missing else "is"
    many = f"{len(missing)} grammars of tree-sitter" if len(missing) > _MOST_NAMED else ", ".join(missing)
    what = "tree-sitter" if "tree_sitter" in missing else many
    return f"the severity of wrong edits is unknown where {what} {are} needed: pip install 'editgauge[syntax]'"


@cache
def _has(module: str) -> bool:
    return find_spec(module) is not None


class SeverityJudge:
    """Judges wrong results of one sample. If a parser failed for a file, the file is not parsed again."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Severity] = {}
        self._failed: set[str] = set()

    def severity(self, right: Mapping[str, str], given: Mapping[str, str]) -> Severity:
        """The severity of the given files, by path, compared with the right files."""
        paths = [path for path in {**right, **given} if right.get(path) != given.get(path)]
        found = {self._of_file(path, right.get(path), given.get(path)) for path in paths}
        return next((one for one in _WORST_FIRST if one in found), Severity.SAME_TREE)

    def _of_file(self, path: str, right: str | None, given: str | None) -> Severity:
        if right is None or given is None:
            return Severity.OTHER_TREE  # A file too many or too few is another meaning in any language.
        if (path, right, given) not in self._known:
            self._known[path, right, given] = self._parsed(path, right, given)
        return self._known[path, right, given]

    def _parsed(self, path: str, right: str, given: str) -> Severity:
        name = language(path)
        is_judged = name in READERS or (name in GRAMMARS and _has("tree_sitter"))
        if not is_judged or path in self._failed or max(len(right), len(given)) > LARGEST:
            return Severity.UNKNOWN
        found = _PROCESS.severity(name, source(right), source(given))
        if found is None:
            self._failed.add(path)
            return Severity.UNKNOWN
        return Severity(found)


class Excerpts(NamedTuple):
    """The lines in which two texts differ, each with some context."""

    path: str
    line: int
    """1-based, of the right text."""
    expected: str
    given: str
    n_omitted: int


class Score(NamedTuple):
    """A verdict; for a wrong edit also its damage, and excerpts that show it."""

    verdict: Verdict
    damage: Damage | None = None
    excerpts: Excerpts | None = None
    alternative: int | None = None
    """The 1-based number of the alternative that the result equals; None if it equals the target."""
    severity: Severity | None = None
    """Only of a wrong edit."""
    equal_by: Equality | None = None
    """The strictest equality between the result and a right answer."""
    n_lines_lost: int | None = None
    """Only of a wrong edit."""
    n_bytes_changed: int | None = None
    """Bytes outside the intended lines; only of damage `bytes`."""


class Judge:
    """Scores results for one sample. Equal results are scored once."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._right = [by_path(files) for files in right_answers(sample)] if sample.label == "apply" else []
        self._score = OncePerResult(self._scored)
        self._severities = SeverityJudge()
        self._lines_lost: LinesLost | None = None
        self._failed_list = FailedList.of(sample)

    def score(self, result: EditResult) -> Score:
        """The verdict on a result; files are compared byte for byte."""
        if isinstance(result, Rejected):
            return _REJECTED[self.sample.label]
        if self.sample.label == "unlabelled":
            return Score(Verdict.UNLABELLED)
        return self._score(result)

    def list_left(self, result: EditResult) -> ListLeft | None:
        """The state in which the sample's list of edits is left; None unless one of its edits must fail."""
        return self._failed_list.left(result) if self._failed_list else None

    def verdict(self, result: EditResult) -> Verdict:
        """The verdict alone, which is much faster than the whole score."""
        if isinstance(result, Rejected):
            return _REJECTED[self.sample.label].verdict
        if self.sample.label == "unlabelled":
            return Verdict.UNLABELLED
        return Verdict.CORRECT if files_after(self.sample, result) in self._right else Verdict.WRONG_EDIT

    def _scored(self, result: Applied) -> Score:
        before, given = by_path(self.sample.before), files_after(self.sample, result)
        if given in self._right:
            return Score(Verdict.CORRECT, alternative=self._right.index(given) or None, equal_by=Equality.BYTES)
        nearest = min(self._right, key=lambda right: _distance(right, given), default=before)
        damaged = _Damaged(before, nearest, given)
        n_bytes = damaged.n_bytes_changed(self.sample) if self._right else None
        damage = Damage.BYTES if n_bytes else damaged.kind() if self._right else Damage.UNASKED
        if self.sample.format == "shell":
            damage = shell_damage(self.sample, nearest if self._right else None, given) or damage
        severity = self._severities.severity(nearest, given)
        equality = self._looser_equality(given, severity)
        self._lines_lost = self._lines_lost or LinesLost(self.sample)
        n_lost = self._lines_lost.count(nearest, given)
        excerpts = Excerpts(damaged.path, *damaged.difference.excerpt())
        return Score(Verdict.WRONG_EDIT, damage, excerpts, None, severity, equality, n_lost, n_bytes or None)

    def _looser_equality(self, given: Mapping[str, str], severity: Severity) -> Equality | None:
        if not self._right:
            return None
        if any(_loosely(right) == _loosely(given) for right in self._right):
            return Equality.TEXT
        return Equality.TREE if severity == Severity.SAME_TREE else None


_REJECTED = {"apply": Score(Verdict.MISSED), "refuse": Score(Verdict.REFUSED), "unlabelled": Score(Verdict.UNLABELLED)}


def _loosely(files: Mapping[str, str]) -> dict[str, str]:
    """The files without whitespace at line ends and without final line feeds."""
    return {
        path: "\n".join([line.rstrip(WHITESPACE) for line in content.split("\n")]).rstrip("\n")
        for path, content in files.items()
    }


def _distance(right: Mapping[str, str], given: Mapping[str, str]) -> int:
    """The number of characters, in both results, outside the common start and end of each file."""
    total = 0
    for path in {**right, **given}:
        texts = right.get(path, ""), given.get(path, "")
        total += len(texts[0]) + len(texts[1]) - 2 * sum(common_ends(*texts)) + ((path in right) != (path in given))
    return total


class _Damaged:
    """The first file that differs from the right answer: its text before, the right text and the given text."""

    def __init__(self, before: Mapping[str, str], right: Mapping[str, str], given: Mapping[str, str]) -> None:
        differing = (path for path in [*right, *given] if right.get(path) != given.get(path))
        self.path = next(differing, next(iter(right), ""))
        self.is_in_both = self.path in right and self.path in given
        self.before, self.right, self.given = (files.get(self.path, "") for files in (before, right, given))
        self.difference = Difference.of(self.path, self.right, self.given)

    def kind(self) -> Damage:
        start, end = self.difference.head, self.difference.tail
        right, given = (text[slice(*_widened(text, start, len(text) - end))] for text in (self.right, self.given))
        if self.is_in_both and _left_trimmed(right) == _left_trimmed(given):
            return Damage.INDENTATION
        if self.is_in_both and "".join(words(right)) == "".join(words(given)):
            return Damage.WHITESPACE
        intended, actual = (_changed_lines(self.before, text) for text in (self.right, self.given))
        if actual == intended:
            return Damage.TEXT
        is_apart = actual[0] > intended[1] or actual[1] < intended[0]
        return Damage.PLACE if is_apart else Damage.EXTENT

    def n_bytes_changed(self, sample: Sample) -> int | None:
        """The bytes changed outside the intended lines, by encoding or line endings; None if words changed."""
        file = next((file for file in sample.before if file.path == self.path), None)
        if file is None or not self.is_in_both:
            return None
        intended = _changed_lines(self.before, self.right)
        return count_changed_bytes(
            self.before, intended, self.given, encoding=file.encoding, has_bytes=file.raw is not None
        )


def _left_trimmed(text: str) -> list[str]:
    return [line.lstrip(WHITESPACE) for line in text.split("\n")]


def _changed_lines(before: str, after: str) -> tuple[int, int]:
    """The range of `before`, widened to whole lines, outside which nothing changed."""
    start, end = common_ends(before, after)
    return _widened(before, start, len(before) - end)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    below = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if below < 0 else below
