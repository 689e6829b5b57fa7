"""Lists whose later edits are right only in what the earlier ones left."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.lists.edit_list import applied, says_much
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import indentation
from corpora.mutators.stale.others import other_line
from corpora.mutators.words import invented_statement
from editcore.types import Edit


def dependent_edits(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The second edit changes a line that the first wrote; degree is the number of lines of its search text."""
    pair = written_then_changed(clean, degree, random)
    return applied(clean, *pair) if pair else None


def written_then_changed(clean: CleanEdit, n_lines: int, random: Random) -> tuple[Edit, Edit] | None:
    """The edit, and one of a line that it writes and that the file did not have, quoted with those below it."""
    if not clean.whole_lines:
        return None
    # The span of a deletion is no line of the result.
    written = clean.target[clean.start :].split("\n")
    here = len(clean.new.split("\n")) if clean.new else 0
    found = [at for at in range(here) if says_much(written[at]) and written[at] not in clean.content]
    if not found:
        return None
    at = random.choice(found)
    quoted = written[at : at + n_lines]
    changed = [other_line(quoted[0], clean.path, random), *quoted[1:]]
    return Edit(clean.old, clean.new), Edit("\n".join(quoted), "\n".join(changed))


def edit_of_a_new_line(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The first edit adds a line, the second changes it; with degree 2 that quotes the line above, too; with 3 it
    adds another below."""
    if not clean.whole_lines:
        return None
    above = clean.lines[-1]
    line, other = (indentation(above) + invented_statement(clean.path, random) for _ in range(2))
    second = (Edit(line, other), Edit(f"{above}\n{line}", f"{above}\n{other}"), Edit(line, f"{line}\n{other}"))
    if line in clean.content or line == other:
        return None
    return applied(clean, Edit(clean.old, f"{clean.old}\n{line}"), second[degree - 1])


def overlapping_edits(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search texts of two edits share lines that both keep; degree is the number of those that are not blank."""
    below = clean.content[clean.end + 1 :].split("\n")
    telling = [at for at, line in enumerate(below) if line.strip()]
    if not clean.whole_lines or len(telling) <= degree or not says_much(below[telling[degree]]):
        return None
    shared = "\n".join(below[: telling[degree - 1] + 1])
    *more, last = below[telling[degree - 1] + 1 : telling[degree] + 1]
    changed = other_line(last, clean.path, random)
    return applied(
        clean,
        Edit(f"{clean.old}\n{shared}", f"{clean.new}\n{shared}"),
        Edit("\n".join([shared, *more, last]), "\n".join([shared, *more, changed])),
    )


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(dependent_edits, degrees=(1, 2, 3)),
    text_mutator(edit_of_a_new_line, degrees=(1, 2, 3)),
    text_mutator(overlapping_edits, degrees=(1, 2)),
)
