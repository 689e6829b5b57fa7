"""Contradictions: one line that the edit keeps says something else than the file: they cannot both hold.

    search text  |if x > limit:      file  |if x < limit:      new text  |if x > limit:
                 |    stop()               |    stop()                   |    halt()

Nobody can know whether the line is wrong in the edit or meant elsewhere: such an edit must be refused. Comments, whose
words may drift, are not drawn. Degree says how the rest of the edit is written:

    1   as it is in the file        2   both texts with one of the habits of `intents`
"""

from __future__ import annotations

from random import Random

from corpora.mutators.alterations import ALTERATIONS, Alter, altered
from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, stale_edit
from corpora.mutators.patch_lines import n_places
from corpora.mutators.spans import with_old_text
from corpora.mutators.text.intents import HABITS
from editcore.types import Edit, File


def _contradicted(clean: CleanEdit, degree: int, random: Random, alter: Alter) -> Damaged | None:
    """The edit, of which one kept line of code is altered in both texts; the file stays as it is."""
    if not clean.whole_lines:
        return None
    old, new = clean.lines, clean.new.split("\n")
    kept = [n for n, line in enumerate(old) if old.count(line) == new.count(line) == 1]
    if not kept or sum(map(bool, map(str.strip, old))) < 2:
        return None  # A single line that is another one is another place.
    n = random.choice(kept)
    other = altered(old[n], File(clean.path, clean.content), alter, random)
    if other is None:
        return None
    seen = with_old_text(
        clean,
        "\n".join([*old[:n], other, *old[n + 1 :]]),
        new="\n".join([other if line == old[n] else line for line in new]),
    )
    if n_places(clean.content, seen.lines) or seen.old == seen.new:
        return None  # What the edit says stands somewhere else.
    if degree == 1:
        return stale_edit(seen, clean.content, reason="contradiction")
    return _by_habit(seen, other, clean, random)


def _by_habit(seen: CleanEdit, other: str, clean: CleanEdit, random: Random) -> Damaged | None:
    """The edit of what was seen, both texts written with a habit that shows the other line."""
    habit = random.choice(HABITS)
    write_old, write_new = habit.of(seen, random)
    if habit.name == "elision" and (
        other in seen.lines[1:-1] or other.strip() in map(str.strip, clean.content.split("\n"))
    ):
        return None  # The line is left out, or what is left out reaches up to it.
    old, new = write_old(seen.old), write_new(seen.new)
    if old is None or new is None or old in (new, seen.old) or old in clean.content:
        return None
    return Damaged((File(clean.path, clean.content),), None, edits=(Edit(old, new),), reason="contradiction")


def _mutator(name: str, has: str, alter: Alter) -> Mutator[CleanEdit]:
    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        return _contradicted(clean, degree, random, alter)

    summary = f"A line that the edit keeps has {has}; degree 2 has a habit of writing besides."
    return Mutator(f"contradiction_{name}", summary, "str_replace", damage, truth="refuse", degrees=(1, 2))


MUTATORS: tuple[Mutator[CleanEdit], ...] = tuple(_mutator(name, *one) for name, one in ALTERATIONS.items())
