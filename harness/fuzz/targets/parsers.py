"""Fuzz targets: round trips of diffs, and readers of other programs' output."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

from corpora.sample import encode, validated
from editcore.errors import WorkspaceError
from editcore.host.workspace.boundary import clean_path
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.text.diff import unified_diff
from editcore.types import Rejected
from harness.fuzz.finding import Violation
from harness.fuzz.inputs import Fields, bytes_of
from harness.strategies.protocol import CommandError, parse_answer

if TYPE_CHECKING:
    from corpora.importers.importer import Importer

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
