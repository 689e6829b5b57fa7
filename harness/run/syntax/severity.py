"""The severity of a wrong edit: the severity of its worst file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

from corpora.languages import language
from editcore.grammars import GRAMMARS
from harness.run.syntax.data_formats import READERS
from harness.run.syntax.parser import ParserProcess
from harness.run.syntax.trees import source
from reports.runs.rows import Severity

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
