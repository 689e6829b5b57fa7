"""scenarios: test cases of a program that applies patches, in two layouts.

A folder a case, as Codex has them (`001_add_file/`):

    patch.txt       the text as the model wrote it
    input/          the files before; absent if there are none
    expected/       the files afterwards

The name of the folder above is the format, if it is one. Else the first marker in the patch tells the format.

A table of cases, JSON or YAML: a list of mappings, or a mapping whose `cases` is the list and whose `fields` says how
the table calls a field: `{fields: {before: original, old: search}, cases: [...]}`.

    name            the case's name
    before          the text of the only file, or a mapping of paths and texts
    old, new        the search text and the new text; or `patch`
    after           the right result, as `before`; without it the edit is to be refused

Where a case leaves its files as they were, the edit is to be refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from corpora.importers.importer import Surroundings
from corpora.importers.log import LARGEST_DOCUMENT, Log, Tally, json_document
from corpora.regular_file import content
from corpora.sample import Provenance, Sample
from editcore.formats import FORMATS
from editcore.types import Edit, File

_MOST_FILES = 1_000
_LARGEST = 8 << 20
_PATCH = "patch.txt"
_SUFFIXES = (".json", ".yaml", ".yml")
_FIELDS = ("name", "before", "old", "new", "patch", "after")
_MARKERS = {
    "*** Begin Patch": "begin_patch", "<<<<<<< SEARCH": "search_replace", "--- ": "unified_diff",
    "diff --git ": "unified_diff", "@@ -": "unified_diff",
}  # fmt: skip
"""The start of a line -> the format that it is of. The first such line decides; without one: a Begin/End Patch."""


def logs(path: Path) -> Iterator[Log]:
    """A table; or all files `cases.json`, `cases.yaml` and `patch.txt` below a folder."""
    if path.is_file():
        if path.suffix in _SUFFIXES:
            yield Log.at(path)
        return
    names = {_PATCH, *(f"cases{suffix}" for suffix in _SUFFIXES)}
    yield from map(Log.at, sorted(found for found in path.rglob("*") if found.name in names and found.is_file()))


def events(log: Log, surroundings: Surroundings) -> Iterator[Sample]:
    """The samples of a table, or of one folder."""
    if log.path is not None and log.path.name == _PATCH:
        yield from _of_folder(log.path.parent, surroundings.tally)
    elif log.path is not None:
        yield from _of_table(log, log.path, surroundings.tally)


def _of_folder(folder: Path, tally: Tally) -> Iterator[Sample]:
    try:
        patch = content(folder / _PATCH, _LARGEST).decode("utf-8")
        before, after = _files_below(folder / "input"), _files_below(folder / "expected")
    except (OSError, UnicodeDecodeError) as error:
        tally.add("case that cannot be read", f"{folder}: {error}")
        return
    above = folder.parent.name
    yield _sample(folder.name, before, after, patch=patch, format=above if above in FORMATS else None)


def _files_below(folder: Path) -> tuple[File, ...]:
    """The files of a folder, by path. Raises OSError for too many of them, and ValueError for one that is no text."""
    found: list[File] = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        if len(found) == _MOST_FILES:
            raise OSError(f"it has over {_MOST_FILES} files")
        text = content(path, _LARGEST, follows=False).decode("utf-8")
        found.append(File(path.relative_to(folder).as_posix(), text))
    return tuple(found)


def _of_table(log: Log, path: Path, tally: Tally) -> Iterator[Sample]:
    table = json_document(log, tally) if path.suffix == ".json" else _yaml(path, tally)
    cases, names = (table.get("cases"), table.get("fields")) if isinstance(table, dict) else (table, None)
    if not isinstance(cases, list):
        tally.add("table without cases", log.name)
        return
    given = names if isinstance(names, dict) else {}
    for number, case in enumerate(cases, 1):
        sample = _of_row(number, case, {one: str(given.get(one, one)) for one in _FIELDS})
        if sample is None:
            tally.add("case without before and an edit", f"{log.name}:{number}")
        else:
            yield sample


def _yaml(path: Path, tally: Tally) -> Any:
    import yaml

    try:
        return yaml.safe_load(content(path, min(_LARGEST, LARGEST_DOCUMENT)))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        tally.add("document is not YAML", f"{path}: {str(error).splitlines()[0]}")
        return None


def _of_row(number: int, case: Any, names: Mapping[str, str]) -> Sample | None:
    if not isinstance(case, dict):
        return None
    row = {one: case.get(name) for one, name in names.items()}
    before, after = _texts(row["before"]), _texts(row["after"])
    old, new, patch = row["old"], row["new"], row["patch"]
    name = row["name"] if isinstance(row["name"], str) else f"case_{number:03}"
    if before is None or (row["after"] is not None and after is None):
        return None
    if isinstance(patch, str):
        return _sample(name, before, before if after is None else after, patch=patch)
    if isinstance(old, str) and isinstance(new, str) and len(before) == 1:
        return _sample(name, before, before if after is None else after, edits=(Edit(old, new),))
    return None


def _texts(value: Any) -> tuple[File, ...] | None:
    if isinstance(value, str):
        return (File("file.txt", value),)
    if isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair):
        return tuple(File(path, text) for path, text in value.items())
    return None


def _sample(
    name: str, before: tuple[File, ...], after: tuple[File, ...], *, patch: str | None = None,
    edits: tuple[Edit, ...] | None = None, format: str | None = None,
) -> Sample:  # fmt: skip
    refused = sorted(before, key=_path) == sorted(after, key=_path)
    return Sample(
        f"scenario-{name}", "str_replace" if patch is None else format or format_of(patch), before,
        "refuse" if refused else "apply", edits=edits, patch=patch, target=None if refused else after,
        label_source="scenario", provenance=Provenance(agent="scenarios"),
    )  # fmt: skip


def _path(file: File) -> str:
    return os.path.normpath(file.path)


def format_of(patch: str) -> str:
    """The format that the first marker at the start of a line names."""
    for line in patch.splitlines():
        for marker, name in _MARKERS.items():
            if line.lstrip().startswith(marker):
                return name
    return "begin_patch"
