"""The kinds of damage that only shell commands do, told from the files before, the right and the given ones."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import basename

from corpora.sample import Sample
from editcore.shell.careful import dialects_differ
from editcore.text.diff import changed_ranges
from harness.strategies.shell_strategies import place_of
from harness.strategies.strategy import by_path
from reports.runs.rows import Damage

_QUOTING = str.maketrans(dict.fromkeys("$\\\n\0\r`'\"", ""))


def shell_damage(sample: Sample, right: Mapping[str, str] | None, given: Mapping[str, str]) -> Damage | None:
    """The kind of a wrong result of a shell command; None if it is one that other edits have, too.

    `right` is None if the command should have been refused.
    """
    before = by_path(sample.before)
    if given == before:
        return Damage.NO_OP
    if any(text.strip() and path in given and not given[path].strip() for path, text in before.items()):
        return Damage.EMPTIED
    if dialects_differ(before, sample.patch or "", place_of(sample)):
        return Damage.DIALECT
    if right is None:
        return None
    made = {basename(path) for path in given if path not in before and path not in right}
    if any(basename(path) in made for path in right if given.get(path) == before.get(path)):
        return Damage.WRONG_FOLDER
    if _without_quoting(right) == _without_quoting(given):
        return Damage.GARBLED
    meant, done = _changes(before, right), _changes(before, given)
    if done < meant:
        return Damage.HALF_MADE
    return Damage.TOO_MANY if meant < done else None


def _without_quoting(files: Mapping[str, str]) -> dict[str, str]:
    return {path: text.translate(_QUOTING) for path, text in files.items()}


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> set[tuple[str, int, int, str]]:
    found: set[tuple[str, int, int, str]] = set()
    for path in {**before, **after}:
        for first, last, text in changed_ranges(before.get(path, ""), after.get(path, "")):
            lines = text.splitlines()
            if len(lines) == last - first + 1:  # Each line is a change of its own.
                found |= {(path, first + at, first + at, line) for at, line in enumerate(lines)}
            else:
                found.add((path, first, last, text))
    return found
