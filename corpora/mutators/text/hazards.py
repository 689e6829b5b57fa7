"""Edits whose search text matches the file exactly, once, where nobody would want it replaced."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import indentation
from corpora.mutators.spans import exact_edit, narrowed_to
from corpora.mutators.words import another_name, comment_marker, invented_statement, tokens


def partial_identifier(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """The search text is a name that occurs only as the start of a longer one."""
    names = [name for name in tokens(clean.old, "name") if len(name[0].rpartition("_")[0].strip("_")) > 2]
    for name in random.sample(names, len(names)):
        short = name[0].rpartition("_")[0]
        start = name.start()
        damaged = exact_edit(narrowed_to(clean, start, start + len(short), another_name(short, random)))
        if damaged is not None:
            return damaged
    return None


def copy_in_docstring(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines remain only inside a docstring or a block comment."""
    prefix = indentation(clean.old)
    head, tail = (
        (f'{prefix}"""', f'{prefix}"""') if comment_marker(clean.path) == "#" else (f"{prefix}/*", f"{prefix}*/")
    )
    if not clean.whole_lines or tail.strip() in clean.old:
        return None
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    return exact_edit(clean.in_file(f"{before}{head}\n", f"\n{tail}{after}"))


def replayed_insertion(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """A line is to be added after the lines, and is there already: an exact replacement adds it again."""
    if not clean.whole_lines:
        return None
    added = f"\n{indentation(clean.lines[-1])}{invented_statement(clean.path, random)}"
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    return exact_edit(
        CleanEdit(clean.path, before + clean.old + added + after, clean.start, clean.end, clean.old + added)
    )


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(partial_identifier, truth="hazard", absorber="simple", degrees=(1,)),
    text_mutator(copy_in_docstring, truth="hazard", absorber="simple", degrees=(1,)),
    text_mutator(replayed_insertion, truth="hazard", absorber="simple", degrees=(1,)),
)
