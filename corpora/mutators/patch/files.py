"""Files that a patch adds, deletes or moves besides: over one that is there, from one that is not, or misspelt."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch.paths import with_added, with_move
from corpora.mutators.patch_lines import END, Written, joined, of_both, of_diff, of_envelope
from corpora.mutators.words import statement
from editcore.types import File

_NEW = "notes_for_review.md"
_GONE = ("Old notes", "to be deleted")
_THERE = File(_NEW, "# Notes\n\nNot to be lost.\n")


def file_renamed(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """A file was renamed, and the patch has its old name."""
    changed = random.choice(sorted({line.file for line in patch.lines} - {-1}))
    before = tuple(
        File(_renamed(file.path), file.content) if at == changed else file for at, file in enumerate(patch.clean.before)
    )
    return patch.stale(before, "no_such_file")


def _renamed(path: str) -> str:
    stem, dot, suffix = path.rpartition(".")
    return f"{stem}_v2.{suffix}" if dot and "/" not in suffix else f"{path}_v2"


def added_over_existing(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The patch also adds a file that is there by now, with another text."""
    text = with_added(patch, _NEW)
    new = File(_NEW, "planted = True\nprint(planted)\n")
    twin = (patch.clean.before, (*patch.clean.target, new))
    return Damaged((*patch.clean.before, _THERE), None, patch=text, twin=twin, reason="exists")


def deleted_missing(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The patch also deletes a file that is gone by now."""
    gone = File(_NEW, joined(_GONE))
    twin = ((*patch.clean.before, gone), patch.clean.target)
    return Damaged(patch.clean.before, None, patch=_with_deleted(patch), twin=twin, reason="no_such_file")


def deleted_grown(patch: Written, severity: int, random: Random) -> Damaged | None:
    """The patch also deletes a file, line by line, that has got more lines by now."""
    more = joined(statement(_NEW, random) for _ in range(severity))
    seen, now = File(_NEW, joined(_GONE)), File(_NEW, joined(_GONE) + more)
    twin = ((*patch.clean.before, seen), patch.clean.target)
    return Damaged((*patch.clean.before, now), None, patch=_with_deleted(patch), twin=twin, reason="stale")


def _with_deleted(patch: Written) -> str:
    if patch.format == "begin_patch":
        return patch.exchanged({len(patch.lines) - 1: f"*** Delete File: {_NEW}\n{END}"})
    lines = ["-" + line for line in _GONE]
    return patch.text + joined([f"--- a/{_NEW}", "+++ /dev/null", f"@@ -1,{len(lines)} +0,0 @@", *lines])


def moved_onto_existing(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The last file is also moved to where another is by now."""
    last = patch.lines[patch.of("file")[-1]].file
    moved = tuple(File(_NEW, file.content) if at == last else file for at, file in enumerate(patch.clean.target))
    twin = (patch.clean.before, moved)
    before = (*patch.clean.before, _THERE)
    return Damaged(before, None, patch=with_move(patch, _NEW), twin=twin, reason="exists")


def moved_to_itself(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """The last file is also moved to where it is."""
    path = patch.file(patch.of("file")[-1]).path
    return patch.said(with_move(patch, random.choice(("", "./")) + path))


def moved_after_hunks(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The last file is also moved, and the line that says so stands below its hunks."""
    last = patch.lines[patch.of("file")[-1]].file
    moved = tuple(File(_NEW, file.content) if at == last else file for at, file in enumerate(patch.clean.target))
    text = patch.exchanged({len(patch.lines) - 1: f"*** Move to: {_NEW}\n{END}"})
    return patch.said(text, CleanPatch(patch.clean.before, moved))


def added_without_plus(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The patch also adds a file, whose lines have no sign."""
    lines = ("first = 1", "second = 2")
    return _adding(patch, [f"*** Add File: {_NEW}", *lines], joined(lines))


def added_blank_bare(patch: Written, severity: int, _random: Random) -> Damaged | None:
    """The patch also adds a file, whose blank lines have no sign."""
    blank = [""] * severity
    return _adding(
        patch, [f"*** Add File: {_NEW}", "+first = 1", *blank, "+last = 2"], joined(["first = 1", *blank, "last = 2"])
    )


def added_empty(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The patch also adds a file without lines."""
    return _adding(patch, [f"*** Add File: {_NEW}"], "")


def created(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """The patch also adds a file, by a word that the format lacks."""
    head = random.choice(("*** Create File:", "*** New File:", "*** Write File:"))
    return _adding(patch, [f"{head} {_NEW}", "+first = 1"], "first = 1\n")


def _adding(patch: Written, section: Sequence[str], content: str) -> Damaged | None:
    text = patch.exchanged({len(patch.lines) - 1: "\n".join([*section, END])})
    return patch.said(text, CleanPatch(patch.clean.before, (*patch.clean.target, File(_NEW, content))))


def deleted_with_lines(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The patch also deletes a file, and names its lines."""
    lines = ["-" + line for line in _GONE]
    text = patch.exchanged({len(patch.lines) - 1: "\n".join([f"*** Delete File: {_NEW}", *lines, END])})
    before = (*patch.clean.before, File(_NEW, joined(_GONE)))
    return Damaged(before, patch.clean.target, patch=text)


_STALE = (
    ("file_renamed", "A file was renamed since.", file_renamed),
    ("added_over_existing", "A file that is there by now is added.", added_over_existing),
    ("deleted_missing", "A file that is gone by now is deleted.", deleted_missing),
    ("moved_onto_existing", "A file is moved to where another is by now.", moved_onto_existing),
)
_MISSPELT = (
    ("added_without_plus", "A file is added, whose lines have no sign.", added_without_plus, None),
    ("created", "A file is added, by a word that the format lacks.", created, None),
    ("moved_after_hunks", "A file is moved, which is said below its hunks.", moved_after_hunks, "lenient"),
    ("deleted_with_lines", "A file is deleted, and its lines are named.", deleted_with_lines, None),
)

MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *(
        one
        for name, summary, damage in _STALE
        for one in of_both(name, summary, damage, truth="refuse", severities=(1,))
    ),
    of_diff(
        "deleted_grown",
        "A file is deleted line by line that has more by now; severity is how many more.",
        deleted_grown,
        truth="refuse",
    ),
    *of_both(
        "moved_to_itself",
        "A file is moved to where it is.",
        moved_to_itself,
        truth="tolerate",
        absorbers=("strict", "strict"),
        severities=(1,),
    ),
    *(
        of_envelope(name, summary, damage, truth="tolerate", absorber=absorber, severities=(1,))
        for name, summary, damage, absorber in _MISSPELT
    ),
    of_envelope(
        "added_blank_bare",
        "A file is added, whose blank lines have no sign; severity is their number.",
        added_blank_bare,
        truth="tolerate",
        absorber="lenient",
    ),
    of_envelope("added_empty", "A file without lines is added.", added_empty, absorber="strict", severities=(1,)),
)
