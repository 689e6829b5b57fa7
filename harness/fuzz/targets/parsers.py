"""Fuzz targets: parsers of patches, round trips of diffs, and readers of other programs' output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

from corpora.sample import encode, validated
from editcore.errors import PatchError, WorkspaceError
from editcore.host.workspace.boundary import clean_path
from editcore.patches.reading.envelope import parse_codex, parse_strict
from editcore.patches.reading.lenient import parse_lenient
from editcore.patches.reading.unified_strict import parse_counted
from editcore.patches.reading.unified_tolerant import parse_tolerant
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.text.diff import unified_diff
from editcore.types import FilePatch, Rejected
from harness.fuzz.finding import Violation
from harness.fuzz.generators.writing import rendered_lines
from harness.fuzz.inputs import Fields, bytes_of
from harness.strategies.protocol import CommandError, parse_answer

if TYPE_CHECKING:
    from corpora.importers.importer import Importer

# Parsers

_ENVELOPES: tuple[tuple[str, Callable[[str], Sequence[FilePatch]]], ...] = (
    ("strict", parse_strict),
    ("codex", parse_codex),
    ("lenient", lambda text: parse_lenient(text)[0]),
)


def envelope_parses(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """A Begin/End Patch parses or raises PatchError; written out again, it parses to the same."""
    found = []
    for reading, parse in _ENVELOPES:
        try:
            once = parse(fields[0])
        except PatchError as error:
            found += _one_line(reading, error)
            continue
        if any(set("\n\r") & set("".join(_words(one))) for one in once):
            continue  # Only a line with an odd ending holds one, and it cannot be written out.
        if any("@@" in anchor for one in once for hunk in one.hunks for anchor in hunk.anchors):
            continue  # Written out, it would end the header.
        text = "\n".join([*rendered_lines(once), ""])
        try:
            again = parse(text)
        except PatchError as error:
            if reading == "strict":
                found.append(Violation("parse_of_rendered", f"{reading} refuses", str(error)))
            continue
        if _bare(again) != _bare(once):
            found.append(Violation("parse_of_rendered", reading, f"{reading}: the patch that is written out differs"))
    return tuple(found)


def diff_parses(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """A unified diff parses or raises PatchError."""
    found: list[Violation] = []
    text = fields[0]
    for name, parse in (("counted", parse_counted), ("tolerant", parse_tolerant)):
        try:
            parse(text, {"f": ""})
        except PatchError as error:
            found += _one_line(name, error)
    return tuple(found)


def _one_line(reading: str, error: PatchError) -> list[Violation]:
    if error.message and "\n" not in error.message:
        return []
    return [Violation("refusal_is_one_line", reading, f"{reading} refuses in several lines, or without a message")]


def _words(patch: FilePatch) -> list[str]:
    words = [patch.path, patch.move_to or ""]
    return words + [text for hunk in patch.hunks for text in (*hunk.anchors, *hunk.lines)]


def _bare(patches: Sequence[FilePatch]) -> list[FilePatch]:
    """The sections without their positions in the patch and without line numbers, which are only hints."""
    return [
        replace(
            patch,
            patch_line=0,
            hunks=tuple(
                replace(hunk, patch_line=0, closed=True, source_start=None, source_length=None, target_start=None,
                        target_length=None, source_no_newline=False, target_no_newline=False)
                for hunk in patch.hunks
            ),
        )
        for patch in patches
    ]  # fmt: skip


# Round trips


def round_trips(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """The diff of two texts changes the first to the second, and the reverse diff restores it."""
    if len(fields) < 2:
        return ()
    before, after = fields[:2]
    if before == after:
        return ()
    found: list[Violation] = []
    names = STRICTNESSES if thorough else (STRICTNESSES[len(before) % len(STRICTNESSES)],)
    ways = [("round_trip", before, after, unified_diff(before, after, path="f"))]
    if thorough or len(after) % 3 == 0:  # A relation, so checked on every third input.
        ways.append(("reverse_restores", after, before, unified_diff(after, before, path="f")))
    for name in names:
        for what, old, new, patch in ways:
            result = apply_unified_diff({"f": old} if old else {}, patch, strictness=name)
            if isinstance(result, Rejected):
                found.append(
                    Violation(what, f"{name}: {result.reason}", f"{name} refuses a correct diff: {result.message}")
                )
            elif dict(result.files or {}) != ({"f": new} if new else {}):
                found.append(Violation(what, name, f"{name} makes another text by a correct diff"))
    return tuple(found)


# Output of other programs


def paths_stay(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """A path is refused, or the result is relative, normalized and does not lead upwards."""
    try:
        clean = clean_path(fields[0])
    except WorkspaceError as error:
        lines = len(str(error).splitlines())
        return () if lines == 1 else (Violation("refusal_is_one_line", "paths", "a path is refused in several lines"),)
    parts = clean.split("/")
    if clean.startswith(("/", "~/")) or ".." in parts or "" in parts or "." in parts or "\0" in clean:
        return (Violation("paths_stay_inside", "paths", f"{clean!a} is accepted as a path inside"),)
    return () if clean_path(clean) == clean else (Violation("paths_stay_inside", "twice", "cleaned twice, it differs"),)


def answers_are_read(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """A line of the protocol parses as an answer, or raises CommandError."""
    try:
        parse_answer(bytes_of(fields), "1")
    except CommandError as error:
        if "\n" in str(error):
            return (Violation("refusal_is_one_line", "protocol", "an answer is refused in several lines"),)
    return ()


def log_reader(importer: Importer) -> Callable[[Fields, bool], tuple[Violation, ...]]:
    """A check that an importer reads any log to its end. Only an invalid sample may raise ValueError."""
    from corpora.importers.importer import Surroundings
    from corpora.importers.log import Log
    from corpora.importers.rebuilding.rebuild import rebuilt_samples

    def check(fields: Fields, _: bool) -> tuple[Violation, ...]:
        data = bytes_of(fields)
        surroundings = Surroundings()
        log = Log("input", lambda: BytesIO(data))
        try:
            for sample in rebuilt_samples(importer.events(log, surroundings), importer, surroundings):
                with suppress(ValueError):  # Left out and counted.
                    encode(validated(sample))
        finally:
            surroundings.close()
        return ()

    return check
