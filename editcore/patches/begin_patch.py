"""Begin/End Patch envelopes: parsed in one of three readings, and applied.

    *** Begin Patch
    *** Update File: path            or *** Add File: path, *** Delete File: path
    *** Move to: path                optional
    @@ a line above                  optional
     context
    -removed
    +added
    *** End of File                  optional
    *** End Patch

`strict` is exactly this grammar. `codex` does what Codex 0.169 does, for comparison (see `editcore.patches.codex`).
`lenient`, the default, accepts what models write, as long as it can mean one thing only: blank lines after `@@` and
between hunks, empty and stacked `@@`, context lines without their space if the file has the whole line, doubled
signs, other marks, wrapping, hunks against the result of the previous ones.

Each hunk matches by the strictest equality of lines that gives it a place. Of several places, the order of all hunks
decides, then its `@@` line, then its stated number. A new definition below a closing line goes to the first one under
the previous hunk. Everything else is refused. Lines that match but for indentation are re-indented as the file is,
unless one hunk alone is off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from editcore.errors import PatchError
from editcore.patches import codex
from editcore.patches.other_readings import apply_by_any_reading
from editcore.patches.placing.policy import GRAMMAR, LENIENT
from editcore.patches.reading.cut_off import check_conflict_markers
from editcore.patches.reading.envelope import parse_codex, parse_strict
from editcore.patches.reading.lenient import parse_lenient
from editcore.patches.sections import apply_sections, check_number
from editcore.stale.recommended import recommended
from editcore.stale.rule import placed_in_files
from editcore.types import EditResult, FilePatch, Rejected, leaves_files

Reading = Literal["strict", "codex", "lenient"]
READINGS: tuple[Reading, ...] = ("strict", "codex", "lenient")


@leaves_files
def apply_begin_patch(
    files: Mapping[str, str],
    patch: str,
    *,
    reading: Reading = "lenient",
    on_ambiguous: Literal["refuse", "first"] = "refuse",
    allow_delete: bool = True,
    allow_move: bool = True,
    seen: Mapping[str, str] | None = None,
) -> EditResult:
    """Apply an envelope to files (path -> text), all of it or nothing. Never raises.

    `on_ambiguous="first"` takes the first of several equal places instead of refusing (`codex` always does). In
    `strict` and `lenient`, an `@@` line is a hint, needed only if the lines themselves match in several places. A
    Move without hunks renames. A Move onto itself is an update. An Add or Move onto an existing file is refused. A
    second section for a file reads the text that the first one left. `seen`: the files that the model saw in another
    version (see `editcore.stale`).
    """
    if seen:

        def decide(known: Mapping[str, str]) -> EditResult:
            return apply_begin_patch(
                known,
                patch,
                reading=reading,
                on_ambiguous=on_ambiguous,
                allow_delete=allow_delete,
                allow_move=allow_move,
            )

        return placed_in_files(seen, files, decide, recommended)
    try:
        if reading == "codex":
            sections = parse_codex(patch)
            check_number(sections)
            return codex.apply_sections(files, sections)
        strict = reading == "strict"
        sections, notes = (parse_strict(patch), ()) if strict else parse_lenient(patch)
        if not strict:
            sections, notes = _without_git_prefixes(sections, notes, files)
            check_conflict_markers(files, sections, patch)
        policy = GRAMMAR if strict else LENIENT
        policy = policy.taking_first() if on_ambiguous == "first" else policy
        policy = policy.within(delete=allow_delete, move=allow_move)
        return (apply_sections if strict else apply_by_any_reading)(files, sections, policy, notes)
    except PatchError as error:
        return Rejected(error.reason, error.message, error.candidates)


def bare_path(path: str) -> str:
    """The path without what git, or a person who mentions a file, writes before it."""
    return path[2:] if path[:2] in ("a/", "b/") else path.removeprefix("@")


def _without_git_prefixes(
    sections: Sequence[FilePatch], notes: tuple[str, ...], files: Mapping[str, str]
) -> tuple[list[FilePatch], tuple[str, ...]]:
    """The sections without `a/`, `b/` or `@` before a path that only then names a file."""
    found: list[FilePatch] = []
    new = {section.path for section in sections if section.action == "add"}
    for section in sections:
        path, bare = section.path, bare_path(section.path)
        if section.action != "add" and bare in files and path not in files and path not in new:
            notes = (*notes, f"{path} was read as {bare}")
            section = replace(section, path=bare)
        found.append(section)
    return found, notes
