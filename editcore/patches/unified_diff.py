"""Unified diffs: parsed with one of four strictnesses, and applied.

`strict` requires the right positions and counts, and drops the first directory of every name, as `patch -p1` and `git
apply` do. The others match names with the files: first as written, then without a prefix of git. `offset` also
searches outward from the stated line. `fuzz` also drops one or two outer context lines, as GNU patch 2.7 does.

`tolerant`, the default, recounts the lines and takes numbers as hints. Of several places, the order of all hunks
decides, then a number, if a place has it. Headers may be bare, missing or one-sided if only one file can be
meant. A hunk that matches nowhere is aligned with the file line by line, or placed in parts. A diff that does not fit
as it is written may have another reading (see `other_readings`). Everything else is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from editcore.errors import PatchError
from editcore.patches.hunk_numbers import Numbered, Stated, with_context
from editcore.patches.other_readings import apply_by_any_reading
from editcore.patches.placing.policy import FUZZ, OFFSET, STRICT, TOLERANT, May, Policy
from editcore.patches.reading.cut_off import check_conflict_markers
from editcore.patches.reading.file_names import NamesMatched
from editcore.patches.reading.unified_strict import Parsed, parse_counted
from editcore.patches.reading.unified_tolerant import parse_above_tails, parse_tolerant
from editcore.patches.sections import apply_sections
from editcore.stale.recommended import recommended
from editcore.stale.rule import placed_in_files
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, FilePatch, Reason, Rejected, leaves_files

Strictness = Literal["strict", "offset", "fuzz", "tolerant"]
STRICTNESSES: tuple[Strictness, ...] = ("strict", "offset", "fuzz", "tolerant")

_POLICIES = {"strict": STRICT, "offset": OFFSET, "fuzz": FUZZ, "tolerant": TOLERANT}
_FIRST_DIRECTORY = " (names are read as `patch -p1` does: without their first directory)"


@leaves_files
def apply_unified_diff(
    files: Mapping[str, str],
    patch: str,
    *,
    strictness: Strictness = "tolerant",
    seen: Mapping[str, str] | None = None,
    path: str | None = None,
) -> EditResult:
    """Apply a unified diff to files (path -> text), all of it or nothing. Never raises.

    `seen`: the files that the model saw in another version (see `editcore.stale`). `path`: the file that the diff is
    for, where the caller names one. `tolerant` then needs no name in the headers, as in `--- original`.
    """
    if seen:
        patch = counted_as_seen(files, seen, patch) if strictness == "tolerant" else patch
        return placed_in_files(
            seen,
            files,
            lambda known: apply_unified_diff(known, patch, strictness=strictness, path=path),
            recommended,
            has_numbers=True,
        )
    try:
        if strictness == "tolerant":
            return _applied_tolerantly(files, patch, path)
        names = None if strictness == "strict" else NamesMatched(files, loose=False)
        return _placed(files, parse_counted(patch, files, names=names), _POLICIES[strictness])
    except PatchError as error:
        rule = _FIRST_DIRECTORY if strictness == "strict" and error.reason is Reason.NOT_FOUND else ""
        return Rejected(error.reason, error.message + rule, error.candidates)


def counted_as_seen(files: Mapping[str, str], seen: Mapping[str, str], patch: str) -> str:
    """The diff of one file with context in place of its numbers, which count the lines of the text that was seen."""
    if not len(files) == 1 == len(seen):
        return patch
    numbered = with_context(patch, lambda _: Stated(next(iter(seen.values()))))
    return numbered.patch if isinstance(numbered, Numbered) and numbered.is_placed else patch


def _applied_tolerantly(files: Mapping[str, str], patch: str, path: str | None) -> Applied:
    """Apply a diff strictly if possible, since then nothing has to be tolerated; else tolerantly. Raises PatchError."""
    patch = _ended_alike(patch)
    names = NamesMatched(files, loose=True)
    with suppress(PatchError):
        parsed = parse_counted(patch, files, names=names)
        if names.notes:
            parsed = parsed._replace(notes=tuple(dict.fromkeys(names.notes)))
        if (
            parsed.plain
            and all(map(_insertions_agree, parsed.sections))
            and all(_is_plain(text, patch) for text in files.values())
        ):
            check_conflict_markers(files, parsed.sections, patch)
            result = _placed(files, parsed, STRICT)
            if BOM in patch or _keeps_marks(files, result.files or {}):
                return result
    # Text below a hunk may fit as context elsewhere, so hunks that end where their counts are met go first.
    with suppress(PatchError):
        if (shorter := parse_above_tails(patch, files, path=path)) is not None:
            return _placed_tolerantly(files, shorter, patch)
    return _placed_tolerantly(files, parse_tolerant(patch, files, path=path), patch)


def _placed_tolerantly(files: Mapping[str, str], parsed: Parsed, patch: str) -> Applied:
    check_conflict_markers(files, parsed.sections, patch)
    return _placed(files, parsed, TOLERANT)


def _ended_alike(patch: str) -> str:
    """The patch; with a CR at its end, if only its last line feed is missing and all other lines end in CRLF."""
    if patch.endswith(("\n", "\r")) or "\r\n" not in patch:
        return patch
    return f"{patch}\r" if patch.count("\r\n") == patch.count("\n") else patch


def _placed(files: Mapping[str, str], parsed: Parsed, policy: Policy) -> Applied:
    if parsed.only_metadata:
        policy = replace(policy, may=policy.may | May.CHANGE_NOTHING)
    apply = apply_by_any_reading if policy.placing is TOLERANT.placing else apply_sections
    return apply(files, parsed.sections, policy, parsed.notes)


def _insertions_agree(section: FilePatch) -> bool:
    """True if the two numbers of each hunk that only adds lines agree. Git uses the new one, GNU patch the old one."""
    shift = 0
    for hunk in section.hunks:
        start, target = hunk.source_start, hunk.target_start
        if not hunk.source_length and start is not None and target != start + 1 + shift and section.action == "update":
            return False
        shift += (hunk.target_length or 0) - (hunk.source_length or 0)
    return True


def _is_plain(text: str, patch: str) -> bool:
    """True if a patch with the right lines also determines the line endings of its added lines.

    It does not at the end of a CRLF file whose last line has no ending, if the patch has no carriage returns.
    """
    tells = text.endswith("\n") or "\r" in patch or "\r\n" not in text
    return tells or text.count("\n") != text.count("\r\n")


def _keeps_marks(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """True if byte order marks are still first in their files. A line added above one would push it into the text."""
    return all(not before.get(path, "").startswith(BOM) or text.startswith(BOM) for path, text in after.items())
