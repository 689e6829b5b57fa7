"""The severity of a wrong edit: of the file in which it is worst."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from importlib.util import find_spec

from corpora.languages import language
from editcore.grammars import GRAMMARS
from harness.run.syntax.data_formats import READERS
from harness.run.syntax.kept_answers import RightText, kept_severities
from harness.run.syntax.parser import ParserProcess
from harness.run.syntax.trees import source
from reports.runs.rows import Severity

LARGEST = 1_000_000
"""Characters of a text that is parsed."""
_MOST_NAMED = 3

_PROCESS = ParserProcess()
_WORST_FIRST = (Severity.BROKEN, Severity.OTHER_TREE, Severity.UNKNOWN, Severity.SAME_TREE)


def why_unknown() -> str | None:
    """Why every severity is unknown here, in one line; None where it is not."""
    missing = [name for name in ("tree_sitter", *sorted({module for module, _ in GRAMMARS.values()})) if not _has(name)]
    if not missing:
        return None
    if "tree_sitter" in missing:
        what, are = "tree-sitter", "is"
    elif len(missing) > _MOST_NAMED:
        what, are = f"{len(missing)} grammars of tree-sitter", "are"
    else:
        what, are = ", ".join(missing), "are" if len(missing) > 1 else "is"
    return f"the severity of wrong edits is unknown where {what} {are} needed: pip install 'editgauge[syntax]'"


@cache
def _has(module: str) -> bool:
    return find_spec(module) is not None


class SeverityJudge:
    """Judges wrong results of one sample. A file for which a parser failed is not parsed again."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Severity] = {}
        self._failed: set[str] = set()
        self._rights: dict[tuple[str, str], RightText] = {}

    def severity(self, right: Mapping[str, str], given: Mapping[str, str]) -> Severity:
        """The severity of the files given, by path, compared with the right ones."""
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
        if not is_judged or path in self._failed:
            return Severity.UNKNOWN
        if max(len(right), len(given)) > LARGEST:
            return Severity.UNKNOWN
        if (name, right) not in self._rights:
            self._rights[name, right] = RightText(name, source(right))
        text, data = self._rights[name, right], source(given)
        ask = partial(_PROCESS.severity, name, text.data, data)
        found = kept_severities().answer(text.question(data), ask)
        if found is None:
            self._failed.add(path)
            return Severity.UNKNOWN
        return Severity(found)
