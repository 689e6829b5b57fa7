"""Drawn changes, damaged by a row of the catalogue of malformations: the mutators of corpora.

Only rows whose edit still has its meaning are drawn. An edit that must be refused has a row of its own in `rows`,
because a mutator may leave what is well formed as far as a program can see: a diff that was cut between two files.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from corpora.mutators import MUTATORS, STALE_MUTATORS
from corpora.mutators.bytes import BYTE_MUTATORS
from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Mutator, damaged_sample
from corpora.mutators.notebooks import NOTEBOOK_MUTATORS
from corpora.mutators.patch_lines import PATCH_ENDINGS
from corpora.sample import Provenance, Sample
from editcore.types import File
from harness.fuzz.generators.changes import NAMES, Change, drawn_change
from harness.fuzz.generators.writing import in_blocks
from harness.fuzz.inputs import FORMS, PATH, SEPARATOR, Fields

_APART = (*STALE_MUTATORS, *NOTEBOOK_MUTATORS, *BYTE_MUTATORS)
"""Mutators that change the files, or have other files than texts."""


_INDENTED = ("indented_hunks", "dedented_hunks", "tabs_in_hunks", "blank_after_signs", "two_slips", "three_slips")
_AS_WRITTEN = {
    "newline_only_in_find", "crlf_find", "crlf_file", "insertion_without_context",
    *[f"{name}_{ending}" for name in _INDENTED for _, ending in PATCH_ENDINGS],
}  # fmt: skip
"""Rows for which it is right, too, to write the new lines exactly as the edit has them."""
_BLOCKS_AS_WRITTEN = _AS_WRITTEN | {
    "shifted_both", "trimmed_boundaries", "intent_shift", "dedented_both", "dedented", "reindented", "intent_units",
    "intent_two_slips", "intent_three_slips",
}  # fmt: skip
"""The same for blocks, whose lines may be found by any reading without their indentation."""


@cache
def _mutators(format: str) -> tuple[Mutator[Any], ...]:
    left_out = _BLOCKS_AS_WRITTEN if format == "search_replace" else _AS_WRITTEN
    format = _drawn_as(format)
    found = [one for one in MUTATORS.values() if one.format == format and one not in _APART]
    return tuple([one for one in found if one.truth in ("apply", "tolerate") and one.name not in left_out])


def damaged(format: str, rng: Random) -> Fields | None:
    """A drawn change as a mutator writes it, with its answer; None if the mutator cannot damage it."""
    written, mutator = _drawn_as(format), rng.choice(_mutators(format))
    n_files = rng.choice((1, 1, 2)) if written != "str_replace" else 1
    change = drawn_change(written, rng.sample(NAMES, n_files) if format != "str_replace" else [PATH], rng)
    for section in change.sections:
        section.is_ended = True
    clean = _edit(change) if written == "str_replace" else _patch(change)
    found = mutator.damaged(clean, rng.choice(mutator.degrees), rng)
    if found is None or found.seen is not None:
        return None
    sample = damaged_sample(found, "input", written, tags=(), provenance=Provenance(mutator=mutator.name))
    if format == "str_replace" and _is_exact_elsewhere(sample):
        return None
    blocks = in_blocks(sample) if format == "search_replace" else sample
    fields = FORMS[format].fields(blocks) if blocks is not None else ()
    # A text that has what separates fields, as one of the line separators does, cannot be stored.
    return None if not fields or any(SEPARATOR in field for field in fields) else fields


def _is_exact_elsewhere(sample: Sample) -> bool:
    """True if the damaged search texts are in the file, within other lines: exact readings replace them there."""
    text = sample.before[0].content
    for edit in sample.edits or ():
        if edit.old_string not in text:
            return False
        text = text.replace(edit.old_string, edit.new_string, 1)
    return sample.target is None or text != sample.target[0].content


def _drawn_as(format: str) -> str:
    """The format of the mutators for a format: blocks are made of pairs."""
    return "str_replace" if format == "search_replace" else format


def _patch(change: Change) -> CleanPatch:
    before, after = change.before(), change.results()[0]
    return CleanPatch(*[tuple(File(path, files[path]) for path in before) for files in (before, after)])


def _edit(change: Change) -> CleanEdit:
    section, hunk = change.main, change.main.hunks[0]
    start = sum([len(line) + 1 for line in section.lines[: hunk.at]])
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    return CleanEdit(section.path, section.content, start, start + len(old), new)
