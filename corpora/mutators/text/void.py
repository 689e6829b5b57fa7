"""Edits without content: no search text, or no change."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from editcore.types import Edit, File


def _refused_everywhere(clean: CleanEdit, edit: Edit, reason: str) -> Damaged:
    """A refusal without a twin: such an edit is right nowhere."""
    return Damaged(before=(File(clean.path, clean.content),), target=None, edits=(edit,), reason=reason)


def identical(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new text is the search text."""
    return _refused_everywhere(clean, Edit(clean.old, clean.old), "identical") if clean.old else None


def empty_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The search text is empty, and the file is not."""
    return _refused_everywhere(clean, Edit("", clean.new), "empty") if clean.content and clean.new else None


def blank_find(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text is spaces, tabs or line feeds only; degree is their number."""
    search_text = random.choice((" ", "\t", "\n", " \n")) * degree
    return (
        _refused_everywhere(clean, Edit(search_text, clean.new), "blank")
        if clean.content and clean.new != search_text
        else None
    )


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(identical, truth="refuse", degrees=(1,)),
    text_mutator(empty_find, truth="refuse", degrees=(1,)),
    text_mutator(blank_find, truth="refuse"),
)
