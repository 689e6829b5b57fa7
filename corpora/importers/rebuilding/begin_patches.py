"""What a Begin/End Patch does by itself, to compare with what a log shows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from corpora.importers.rebuilding import paths
from corpora.importers.session import APPLIED, Attempt
from editcore.errors import PatchError
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.reading.envelope import parse_codex
from editcore.text.line_index import folded
from editcore.types import Applied, FilePatch

Absolute = Callable[[str], str]
"""Makes a path of the log absolute."""


def only_result(attempt: Attempt, old: Mapping[str, str], absolute: Absolute) -> dict[str, str] | None:
    """The files after a patch whose hunks each match exactly in one place; None if there is no such patch.

    The strict reading and that of Codex have to agree, but for a final line feed, which Codex 0.169 always writes.
    """
    if attempt.format != "begin_patch" or not attempt.patch:
        return None
    named = dict.fromkeys(map(absolute, paths.named(attempt)))
    names = {path: f"{number}.txt" for number, path in enumerate({**named, **dict.fromkeys(old)})}
    patch = paths.patch_with_paths(attempt, lambda name: names[absolute(name)]) or ""
    files = {names[path]: text for path, text in old.items()}
    strict, codex = (apply_begin_patch(files, patch, reading=reading) for reading in ("strict", "codex"))
    if not isinstance(strict, Applied) or not isinstance(codex, Applied):
        return None
    expected, found = strict.files or {}, codex.files or {}
    if {name: _ended(text) for name, text in expected.items()} != found:
        return None
    by_name = {name: path for path, name in names.items()}
    return {by_name[name]: text for name, text in found.items()}


def has_same_extent(attempt: Attempt, old: Mapping[str, str], new: Mapping[str, str], absolute: Absolute) -> bool:
    """Whether files changed by as many of each line as a Begin/End Patch says; true for other formats.

    Whitespace, typographic marks and the order of lines do not count. Where a patch has several sections for one file,
    Codex 0.46 to 0.145 records the diff of the last one only.
    """
    sections = _sections(attempt)
    if not sections:
        return True
    said = _counts(line[1:] for one in sections for hunk in one.hunks for line in hunk.lines if line[:1] == "+")
    said.subtract(_counts(line[1:] for one in sections for hunk in one.hunks for line in hunk.lines if line[:1] == "-"))
    replaced = {absolute(one.path) for one in sections if one.action in ("add", "delete")}
    said.subtract(_counts(line for path in replaced for line in old.get(path, "").split("\n")))
    said.subtract(_counts(line for text in new.values() for line in text.split("\n")))
    said.update(_counts(line for text in old.values() for line in text.split("\n")))
    return not any(said.values())


def added_texts(attempt: Attempt, absolute: Absolute) -> dict[str, str]:
    """The texts of the files that an applied patch adds and does not change again."""
    sections = _sections(attempt) if attempt.outcome in APPLIED else ()
    named = Counter(absolute(one.path) for one in sections)
    return {
        absolute(one.path): "".join(line[1:] + "\n" for hunk in one.hunks for line in hunk.lines)
        for one in sections
        if one.action == "add" and named[absolute(one.path)] == 1
    }


def _sections(attempt: Attempt) -> list[FilePatch]:
    try:
        return parse_codex(attempt.patch) if attempt.format == "begin_patch" and attempt.patch else []
    except PatchError:
        return []


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _counts(lines: Iterable[str]) -> Counter[str]:
    """How often each line occurs that is not blank."""
    found = Counter("".join(folded(line).split()) for line in lines)
    del found[""]
    return found
