"""What must hold of the parsers, of diffs there and back, and of what reads other programs' texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.replay import replayed
from corpora.sample import checked, encode
from editcore.boundary import clean_path
from editcore.diff import unified_diff
from editcore.errors import PatchError, WorkspaceError
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.difftext import parse_counted
from editcore.patches.difftolerant import parse_tolerant
from editcore.patches.envelope import parse_codex, parse_strict
from editcore.patches.lenient import parse_lenient
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.types import Applied, FilePatch, Rejected
from harness.fuzz.finding import Violation
from harness.fuzz.generators.edits import pair
from harness.fuzz.generators.patches import begin_patch, diff, rendered, torn
from harness.fuzz.inputs import Fields, bytes_of
from harness.protocol import CommandError, result_in

SEEDS = Path(__file__).with_name("seeds")


def seeds_of(target: str) -> list[Path]:
    """The seed files of a target that ship, in a fixed order."""
    return sorted(path for path in (SEEDS / target.replace("/", "-")).glob("*") if path.is_file())


# Parsers

_ENVELOPES: tuple[tuple[str, Callable[[str], Sequence[FilePatch]]], ...] = (
    ("strict", parse_strict),
    ("codex", parse_codex),
    ("lenient", lambda text: parse_lenient(text)[0]),
)


def envelope_parses(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """An envelope parses or is refused by its one exception; written out again, it parses to the same."""
    del thorough
    found = []
    for reading, parse in _ENVELOPES:
        try:
            once = parse(fields[0])
        except PatchError as error:
            found += _one_line(reading, error)
            continue
        if any(set("\n\r") & set("".join(_words(one))) for one in once):
            continue  # Only a line that ends oddly holds one, and it can't be written out.
        if any("@@" in anchor for one in once for hunk in one.hunks for anchor in hunk.anchors):
            continue  # Written out, it reads as the end of the header.
        text = rendered(list(once))
        try:
            again = parse(text)
        except PatchError as error:
            if reading == "strict":
                found.append(Violation("parse_of_rendered", f"{reading} refuses", str(error)))
            continue
        if _bare(again) != _bare(once):
            found.append(Violation("parse_of_rendered", reading, f"{reading}: written out, the patch is another"))
    return tuple(found)


def diff_parses(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """A unified diff parses or is refused by its one exception."""
    del thorough
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
    return [Violation("refusal_is_one_line", reading, f"{reading} refuses in several lines, or without a word")]


def _words(patch: FilePatch) -> list[str]:
    words = [patch.path, patch.move_to or ""]
    return words + [text for hunk in patch.hunks for text in (*hunk.anchors, *hunk.lines)]


def _bare(patches: Sequence[FilePatch]) -> list[FilePatch]:
    """The sections without their lines in the patch, nor line numbers, which an envelope only hints at."""
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


# There and back


def round_trips(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """The diff of two texts makes one of the other, and the diff the other way undoes it."""
    if len(fields) < 2:
        return ()
    before, after = fields[:2]
    if before == after:
        return ()
    found: list[Violation] = []
    names = STRICTNESSES if thorough else (STRICTNESSES[len(before) % len(STRICTNESSES)],)
    ways = [("round_trip", before, after, unified_diff(before, after, path="f"))]
    if thorough or len(after) % 3 == 0:  # A relation, and so held to by one input in three.
        ways.append(("reverse_restores", after, before, unified_diff(after, before, path="f")))
    for name in names:
        for what, old, new, patch in ways:
            result = apply_unified_diff({"f": old} if old else {}, patch, strictness=name)
            if isinstance(result, Rejected):
                found.append(
                    Violation(what, f"{name}: {result.reason}", f"{name} refuses a right diff: {result.message}")
                )
            elif dict(result.files or {}) != ({"f": new} if new else {}):
                found.append(Violation(what, name, f"{name} makes another text of a right diff"))
    return tuple(found)


def envelope_round_trips(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """The envelope of a change makes just that change, or is refused."""
    del thorough
    if len(fields) < 2 or "\r" in fields[0] + fields[1] or not fields[0].endswith("\n") or not fields[1].endswith("\n"):
        return ()
    before, after = fields[:2]
    if before == after:
        return ()
    body = unified_diff(before, after, path="f").split("\n")[2:-1]
    lines = ["@@" if line.startswith("@@ ") else line for line in body]
    patch = "\n".join(["*** Begin Patch", "*** Update File: f", *lines, "*** End Patch", ""])
    result = apply_begin_patch({"f": before}, patch, reading="strict" if len(before) % 2 else "lenient")
    if isinstance(result, Applied) and (result.files or {}).get("f") != after:
        return (Violation("round_trip", "envelope", "a right envelope makes another text"),)
    return ()


# What other programs write


def paths_stay(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """A path is refused, or comes out relative, normal and without a way up."""
    del thorough
    try:
        clean = clean_path(fields[0])
    except WorkspaceError as error:
        lines = len(str(error).splitlines())
        return () if lines == 1 else (Violation("refusal_is_one_line", "paths", "a path is refused in several lines"),)
    parts = clean.split("/")
    if clean.startswith(("/", "~/")) or ".." in parts or "" in parts or "." in parts or "\0" in clean:
        return (Violation("paths_stay_inside", "paths", f"{clean!a} is taken for a path inside"),)
    return (
        () if clean_path(clean) == clean else (Violation("paths_stay_inside", "twice", "cleaned twice, it is another"),)
    )


def answers_are_read(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """A line that comes back over the protocol is an answer, or is refused by its one exception."""
    del thorough
    try:
        result_in(bytes_of(fields), "1")
    except CommandError as error:
        if "\n" in str(error):
            return (Violation("refusal_is_one_line", "protocol", "an answer is refused in several lines"),)
    return ()


def log_reader(importer: Importer) -> Callable[[Fields, bool], tuple[Violation, ...]]:
    """Whatever a log holds, an importer reads it to its end; what is no sample is told by its one exception."""

    def check(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
        del thorough
        data = bytes_of(fields)
        surroundings = Surroundings()
        log = Log("input", lambda: BytesIO(data))
        try:
            for sample in replayed(importer.events(log, surroundings), importer, surroundings):
                with suppress(ValueError):  # Such are left out and counted.
                    encode(checked(sample))
        finally:
            surroundings.close()
        return ()

    return check


# Generators of these


def torn_only(rng: Random) -> Fields:
    """A patch, right or in pieces, without files."""
    return (torn(rng) if rng.random() < 0.5 else rng.choice((begin_patch, diff))(rng)[0],)


def two_texts(rng: Random) -> Fields:
    """Two texts, one made of the other."""
    return pair(rng)


def path(rng: Random) -> Fields:
    """A path, more or less."""
    parts = ("a", "b.py", "..", ".", "", "~", "C:", "\\", "x" * 300, "é", "\0", " ", "-", "...", "\ud800", "con")
    return (
        rng.choice(("", "", "/", "\\", "./"))
        + rng.choice(("/", "/", "\\", "//")).join(rng.choices(parts, k=rng.randint(1, 5))),
    )


def answer(rng: Random) -> Fields:
    """A line of the protocol, with a part of it wrong."""
    said = {"id": "1", "status": "applied", "after": [{"path": "f", "content": "x\n"}], "replacer": "mine"}
    if rng.random() < 0.3:
        said = {"id": "1", "status": "rejected", "reason": "no_match", "message": "m"}
    return (json.dumps(_damaged_json(said, rng)),)


def log_generator(name: str) -> Callable[[Random], Fields]:
    """Logs of one importer: a seed with some of its JSON replaced."""

    @cache
    def seeds() -> tuple[str, ...]:
        return tuple(path.read_text("utf-8", "surrogateescape") for path in seeds_of(name)) or ("{}\n",)

    def generate(rng: Random) -> Fields:
        lines = rng.choice(seeds()).split("\n")
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(len(lines))
            try:
                lines[at] = json.dumps(_damaged_json(json.loads(lines[at]), rng))
            except ValueError:
                lines[at : at + 1] = rng.choice(([], [lines[at], lines[at]], [lines[at][: len(lines[at]) // 2]]))
        return ("\n".join(lines),)

    return generate


_ODD: tuple[object, ...] = (None, True, 0, -1, 1e308, "", "x", [], {}, [None], {"": None}, "\ud800", 10**30)


def _damaged_json(value: object, rng: Random) -> object:
    """The value with one of its nodes replaced."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {other: one for other, one in value.items() if other != key}
        return {**value, key: _damaged_json(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _damaged_json(value[at], rng), *value[at + 1 :]]
    return rng.choice(_ODD)
