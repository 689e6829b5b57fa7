"""Lists of which one edit fails, so that none may be made."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.lists.depending import written_then_changed
from corpora.mutators.lists.edit_list import refused, says_much
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import indentation
from corpora.mutators.spans import with_block_nearby
from corpora.mutators.stale.others import other_line
from corpora.mutators.words import invented_statement
from editcore.types import Edit


def second_fails(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The second edit is of lines that are in no file; degree is the number of edits after it."""
    others = _other_edits(clean, degree, random)
    if not clean.whole_lines or len(others) < degree:
        return None
    prefix = indentation(clean.old)
    block, new = ("\n".join(prefix + invented_statement(clean.path, random) for _ in range(n)) for n in (2, 1))
    twin = with_block_nearby(clean, block, random.randint(1, 5), random).content
    return refused(clean, Edit(clean.old, clean.new), Edit(block, new), *others, reason="line_gone", twin=twin)


def _other_edits(clean: CleanEdit, n: int, random: Random) -> list[Edit]:
    """Edits of single lines outside the span, each of which stands once before and after the clean edit."""
    lines = [*clean.content[: clean.start].split("\n")[:-1], *clean.content[clean.end + 1 :].split("\n")]
    once = [line for line in lines if says_much(line) and clean.content.count(line) == clean.target.count(line) == 1]
    chosen = random.sample(once, min(n, len(once)))
    return [Edit(line, other_line(line, clean.path, random)) for line in chosen]


def same_edit_twice(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The list has the same edit twice; with degree 2, another between both."""
    others = _other_edits(clean, degree - 1, random)
    if clean.old in clean.target or len(others) < degree - 1:
        return None
    one = Edit(clean.old, clean.new)
    return refused(clean, one, *others, one, reason="already_applied")


def order_swapped(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """An edit of a line stands before the edit that writes it; degree is the number of lines of its search text."""
    pair = written_then_changed(clean, degree, random)
    if pair is None or pair[1].old_string in clean.content:
        return None
    twin = with_block_nearby(clean, pair[1].old_string, random.randint(1, 5), random).content
    return refused(clean, pair[1], pair[0], reason="line_gone", twin=twin)


def conflicting_edits(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Two edits change the same line to different texts; degree is the number of lines that the second quotes."""
    written = clean.new.split("\n")
    found = [at for at, line in enumerate(clean.lines) if says_much(line) and line not in clean.target]
    if not clean.whole_lines or not found:
        return None
    at = random.choice(found)
    quoted = clean.content[clean.start :].split("\n")[at : at + degree]
    changed = other_line(quoted[0], clean.path, random)
    old = "\n".join(quoted)
    if changed in written or len(quoted) < degree:
        return None
    twin = with_block_nearby(clean, old, random.randint(1, 5), random).content
    return refused(
        clean,
        Edit(clean.old, clean.new),
        Edit(old, "\n".join([changed, *quoted[1:]])),
        reason="line_gone",
        twin=twin,
    )


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(second_fails, truth="refuse", degrees=(1, 2, 3)),
    text_mutator(same_edit_twice, truth="drift", degrees=(1, 2)),
    text_mutator(order_swapped, truth="refuse", degrees=(1, 2, 3)),
    text_mutator(conflicting_edits, truth="refuse", degrees=(1, 2, 3)),
)
