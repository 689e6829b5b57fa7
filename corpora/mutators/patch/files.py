"""Files that a patch also adds, deletes or moves: over an existing one, from a missing one, or misspelt."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch.paths import with_added, with_move
from corpora.mutators.patch_lines import END, PatchText, both_mutators, diff_mutator, envelope_mutator, join_lines
from corpora.mutators.words import invented_statement
from editcore.types import File

_PATH = "notes_for_review.md"
_DELETED_LINES = ("Old notes", "to be deleted")
_EXISTING = File(_PATH, "# Notes\n\nNot to be lost.\n")


def file_renamed(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A file was renamed since the patch was written."""
    changed = random.choice(sorted({line.file for line in patch.lines} - {-1}))
    before = tuple(
        File(_renamed(file.path), file.content) if at == changed else file for at, file in enumerate(patch.clean.before)
    )
    return patch.stale(before, "no_such_file")


def _renamed(path: str) -> str:
    stem, dot, suffix = path.rpartition(".")
    return f"{stem}_v2.{suffix}" if dot and "/" not in suffix else f"{path}_v2"


def added_over_existing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file that exists by now, with another content."""
    text = with_added(patch, _PATH)
    new = File(_PATH, "planted = True\nprint(planted)\n")
    twin = (patch.clean.before, (*patch.clean.target, new))
    return Damaged((*patch.clean.before, _EXISTING), None, patch=text, twin=twin, reason="exists")


def deleted_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also deletes a file that is gone by now."""
    gone = File(_PATH, join_lines(_DELETED_LINES))
    twin = ((*patch.clean.before, gone), patch.clean.target)
    return Damaged(patch.clean.before, None, patch=_with_deleted(patch), twin=twin, reason="no_such_file")


def deleted_grown(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The patch also deletes a file, line by line, that has grown; degree is the number of added lines."""
    more = join_lines(invented_statement(_PATH, random) for _ in range(degree))
    seen, now = File(_PATH, join_lines(_DELETED_LINES)), File(_PATH, join_lines(_DELETED_LINES) + more)
    twin = ((*patch.clean.before, seen), patch.clean.target)
    return Damaged((*patch.clean.before, now), None, patch=_with_deleted(patch), twin=twin, reason="stale")


def _with_deleted(patch: PatchText) -> str:
    if patch.format == "begin_patch":
        return patch.text_with({len(patch.lines) - 1: f"*** Delete File: {_PATH}\n{END}"})
    lines = ["-" + line for line in _DELETED_LINES]
    return patch.text + join_lines([f"--- a/{_PATH}", "+++ /dev/null", f"@@ -1,{len(lines)} +0,0 @@", *lines])


def moved_onto_existing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also moves the last file to where another one is by now."""
    last = patch.lines[patch.indexes("file")[-1]].file
    moved = tuple(File(_PATH, file.content) if at == last else file for at, file in enumerate(patch.clean.target))
    twin = (patch.clean.before, moved)
    before = (*patch.clean.before, _EXISTING)
    return Damaged(before, None, patch=with_move(patch, _PATH), twin=twin, reason="exists")


def moved_to_itself(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The last file is moved to its own path."""
    path = patch.file(patch.indexes("file")[-1]).path
    return patch.damaged(with_move(patch, random.choice(("", "./")) + path))


def moved_after_hunks(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The line that moves the last file is below its hunks."""
    last = patch.lines[patch.indexes("file")[-1]].file
    moved = tuple(File(_PATH, file.content) if at == last else file for at, file in enumerate(patch.clean.target))
    text = patch.text_with({len(patch.lines) - 1: f"*** Move to: {_PATH}\n{END}"})
    return patch.damaged(text, clean=CleanPatch(patch.clean.before, moved))


def added_without_plus(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file whose lines have no plus sign."""
    lines = ("first = 1", "second = 2")
    return _with_add_section(patch, [f"*** Add File: {_PATH}", *lines], join_lines(lines))


def added_blank_bare(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file whose blank lines have no plus sign; degree is their number."""
    blank = [""] * degree
    return _with_add_section(
        patch,
        [f"*** Add File: {_PATH}", "+first = 1", *blank, "+last = 2"],
        join_lines(["first = 1", *blank, "last = 2"]),
    )


def added_empty(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file without lines."""
    return _with_add_section(patch, [f"*** Add File: {_PATH}"], "")


def created(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch also adds a file, with a keyword that the format lacks."""
    head = random.choice(("*** Create File:", "*** New File:", "*** Write File:"))
    return _with_add_section(patch, [f"{head} {_PATH}", "+first = 1"], "first = 1\n")


def _with_add_section(patch: PatchText, section: Sequence[str], content: str) -> Damaged | None:
    text = patch.text_with({len(patch.lines) - 1: "\n".join([*section, END])})
    return patch.damaged(text, clean=CleanPatch(patch.clean.before, (*patch.clean.target, File(_PATH, content))))


def deleted_with_lines(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch also deletes a file and lists its lines."""
    lines = ["-" + line for line in _DELETED_LINES]
    text = patch.text_with({len(patch.lines) - 1: "\n".join([f"*** Delete File: {_PATH}", *lines, END])})
    before = (*patch.clean.before, File(_PATH, join_lines(_DELETED_LINES)))
    return Damaged(before, patch.clean.target, patch=text)


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(file_renamed, truth="refuse", degrees=(1,)),
    *both_mutators(added_over_existing, truth="refuse", degrees=(1,)),
    *both_mutators(deleted_missing, truth="refuse", degrees=(1,)),
    *both_mutators(moved_onto_existing, truth="refuse", degrees=(1,)),
    diff_mutator(deleted_grown, truth="refuse"),
    *both_mutators(moved_to_itself, truth="tolerate", absorbers=("strict", "strict"), degrees=(1,)),
    envelope_mutator(added_without_plus, truth="tolerate", degrees=(1,)),
    envelope_mutator(created, truth="tolerate", degrees=(1,)),
    envelope_mutator(moved_after_hunks, truth="tolerate", absorber="lenient", degrees=(1,)),
    envelope_mutator(deleted_with_lines, truth="tolerate", degrees=(1,)),
    envelope_mutator(added_blank_bare, truth="tolerate", absorber="lenient"),
    envelope_mutator(added_empty, absorber="strict", degrees=(1,)),
)
