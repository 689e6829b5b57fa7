"""Other readings of a patch that does not apply as it is written. Each must then fit exactly.

In doubt, a patch means what it says: lines of a file may begin with two signs, with a space or with an HTML entity.
So another reading is tried only after the plain one failed, and has no tolerance of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import unescape

from editcore.errors import PatchError
from editcore.patches.placing.policy import Format, Hint, Policy, changes
from editcore.patches.sections import apply_sections
from editcore.text.whitespace import indent, trim
from editcore.types import Applied, FilePatch, Hunk, Landing, Reason

# Hunks may be written against the result of the previous ones. The file as it is has them in no order:
#
#     file  |mode = dev     first hunk  |-mode = dev      second hunk  | mode = prod
#           |log = off                  |+mode = prod                  |-log = off
#                                                                      |+log = on
#
# A model that thinks hunk by hunk quotes lines that it has just written. Such a patch is applied hunk by hunk, if each
# hunk then fits exactly once, from the top of the file downwards.

_EXACT = ("exact", "line_endings", "right_trimmed")
"""Equalities by which a patch must fit to show that it is meant so."""
NOTE = "each hunk was placed in the result of the ones before"


def apply_by_any_reading(
    files: Mapping[str, str], sections: Sequence[FilePatch], policy: Policy, notes: Sequence[str]
) -> Applied:
    """Apply a patch as it is written, else by the first other reading that fits exactly. Raises PatchError."""
    try:
        return apply_sections(files, sections, policy, notes)
    except PatchError as error:
        is_missing = error.reason is Reason.NO_MATCH
        if policy.format is Format.DIFF and not is_missing:
            raise
        if is_missing:
            with suppress(PatchError):
                return apply_stepwise(files, sections, policy, notes)
        for undo, note in SLIPS:
            others = undo(sections)
            with suppress(PatchError):
                if others:
                    return apply_sections(files, others, policy.exactly(_EXACT), (*notes, note))
        raise


def apply_stepwise(
    files: Mapping[str, str], sections: Sequence[FilePatch], policy: Policy, notes: Sequence[str]
) -> Applied:
    """Apply the hunks of each file one after the other, each to the result of the previous one. Raises PatchError."""
    steps: list[FilePatch] = []
    for section in sections:
        if not all(map(changes, section.hunks)):
            raise PatchError("a hunk changes nothing.", line=section.patch_line)
        apart = section.action == "update" and section.move_to is None and len(section.hunks) > 1
        steps += (replace(section, hunks=(hunk,)) for hunk in section.hunks) if apart else (section,)
    if len(steps) == len(sections):
        raise PatchError("no section has several hunks.", line=1)
    exactly = policy.exactly(_EXACT, hints=Hint.FIRST)
    result = apply_sections(files, steps, exactly, (*notes, NOTE))
    return replace(result, landings=_numbered(result.landings))


def _numbered(landings: Sequence[Landing]) -> tuple[Landing, ...]:
    """The landings with the numbers of their hunks. Raises PatchError for a hunk above the previous one of its file."""
    found: list[Landing] = []
    last: dict[str, tuple[int, int]] = {}
    for landing in landings:
        number, line = last.get(landing.path, (0, 0))
        if landing.line < line:
            raise PatchError("a hunk stands above the one before it.", line=1)
        last[landing.path] = number + 1, landing.line
        found.append(replace(landing, hunk=number + 1))
    return tuple(found)


# All signs of a patch may be doubled, or followed by a space:
#
#     |--x = 1     two signs     |- x = 1     a space     file  |x = 1
#     |++x = 2                   |+ x = 2
#
# Lines of a file may begin so, too. A patch means this only if it does not apply as it is written, and if it removes
# lines: a patch that only adds lines always applies.

_ENTITIES = "&(?:lt|gt|amp|quot|apos|#39|#x27);"
_ENTITY = re.compile(_ENTITIES)
_BARE = re.compile(f"[<>]|&(?!{_ENTITIES[1:]})")
"""A character that an escaped text does not have."""


def with_single_signs(sections: Sequence[FilePatch]) -> list[FilePatch] | None:
    """The sections with one sign for two; None if a changed line has one sign, or if no line is removed."""
    lines = _changed(sections)
    if not all(line.startswith(("--", "++")) for line in lines) or not any(line[0] == "-" for line in lines):
        return None
    return _with_lines(sections, lambda line: line if line[0] == " " else line[1:])


def without_spaces_after_signs(sections: Sequence[FilePatch]) -> list[FilePatch] | None:
    """The sections without the space after each sign; None if a changed line has no space, or if no line is removed.

    None also if an added line may have no such space: then it is indented as old lines of its hunk are.
    """
    lines = [line for line in _changed(sections) if trim(line[1:])]
    if not all(line[1] == " " for line in lines) or not any(line[0] == "-" for line in lines):
        return None
    found = _with_lines(sections, lambda line: line if line[0] == " " or line[1:2] != " " else line[0] + line[2:])
    return found if all(_is_shown(hunk) for section in found for hunk in section.hunks) else None


def _is_shown(hunk: Hunk) -> bool:
    """True if the space is seen to follow the sign: no added line, read with it, is indented as an old line."""
    indents = {indent(line[1:]) for line in hunk.lines if line[0] != "+" and trim(line[1:])}
    added = [indent(line[1:]) for line in hunk.lines if line[0] == "+" and trim(line[1:])]
    only_adds = not any(line[0] == "-" for line in hunk.lines)
    is_other = all(f"{indent} " not in indents for indent in added)
    return is_other and (not only_adds or indents.issuperset(added))


def _changed(sections: Sequence[FilePatch]) -> list[str]:
    return [line for section in sections for hunk in section.hunks for line in hunk.lines if line[0] != " "]


def _with_lines(sections: Sequence[FilePatch], other: Callable[[str], str]) -> list[FilePatch]:
    return [
        replace(
            section,
            hunks=tuple([replace(hunk, lines=tuple(map(other, hunk.lines))) for hunk in section.hunks]),
        )
        for section in sections
    ]


def without_entities(sections: Sequence[FilePatch]) -> list[FilePatch] | None:
    """The sections with characters for HTML entities; None unless old lines have some, and no line a bare character."""
    lines = [line for section in sections for hunk in section.hunks for line in hunk.lines]
    escaped = [line for line in lines if _ENTITY.search(line)]
    if not any(line[0] != "+" for line in escaped) or any(_BARE.search(line) for line in lines):
        return None
    return _with_lines(sections, unescape)


SLIPS: tuple[tuple[Callable[[Sequence[FilePatch]], list[FilePatch] | None], str], ...] = (
    (with_single_signs, "signs were doubled"),
    (without_spaces_after_signs, "a space followed each sign"),
    (without_entities, "HTML entities were read as characters"),
)
"""(undoes a slip, its note)."""
