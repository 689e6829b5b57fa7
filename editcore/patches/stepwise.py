"""Hunks written against the result of the ones before, where they stand in no order in the file as it is.

    file  |mode = dev     first hunk  |-mode = dev      second hunk  | mode = prod
          |log = off                  |+mode = prod                  |-log = off
                                                                     |+log = on

A model that thinks hunk by hunk quotes lines that it has just written. Such a patch is applied hunk by hunk, if every
hunk then fits exactly and once, from the top of the file downwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from editcore.errors import PatchError
from editcore.patches.placing.placed import changes
from editcore.patches.placing.policy import Hint, Policy
from editcore.patches.sections import apply_sections
from editcore.types import Applied, FilePatch, Landing

NOTE = "each hunk was placed in the result of the ones before"


def apply_stepwise(
    files: Mapping[str, str], sections: Sequence[FilePatch], policy: Policy, notes: Sequence[str]
) -> Applied:
    """Apply the hunks of each file one after another. Raises PatchError."""
    steps: list[FilePatch] = []
    for section in sections:
        if not all(map(changes, section.hunks)):
            raise PatchError("a hunk changes nothing.", line=section.patch_line)
        apart = section.action == "update" and section.move_to is None and len(section.hunks) > 1
        steps += (replace(section, hunks=(hunk,)) for hunk in section.hunks) if apart else (section,)
    if len(steps) == len(sections):
        raise PatchError("no section has several hunks.", line=1)
    exactly = policy.exactly(("exact", "line_endings", "right_trimmed"), hints=Hint.FIRST)
    result = apply_sections(files, steps, exactly, (*notes, NOTE))
    return replace(result, landings=_numbered(result.landings))


def _numbered(landings: Sequence[Landing]) -> tuple[Landing, ...]:
    """The landings with the numbers of their hunks. Raises PatchError if one is above the one before in its file."""
    found: list[Landing] = []
    last: dict[str, tuple[int, int]] = {}
    for landing in landings:
        number, line = last.get(landing.path, (0, 0))
        if landing.line < line:
            raise PatchError("a hunk stands above the one before it.", line=1)
        last[landing.path] = number + 1, landing.line
        found.append(replace(landing, hunk=number + 1))
    return tuple(found)
