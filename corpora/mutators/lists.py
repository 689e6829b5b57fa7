"""Lists of edits in one call: edits that depend on each other, and lists with an edit that fails.

The edits are made in order, each in the result of the earlier ones. Either all apply or none does.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, edited, given, needs
from corpora.mutators.mutator import Mutator, text_mutators
from corpora.mutators.spans import indentation
from corpora.mutators.stale.since import other_line
from corpora.mutators.words import invented_statement
from editcore.types import Edit, File

_TELLING, _LONGEST = 8, 400


def text_after(content: str, edits: Sequence[Edit]) -> str | None:
    """The text after all edits in order; None if a search text does not occur exactly once in its turn."""
    for edit in edits:
        if edit.old_string == edit.new_string or content.count(edit.old_string) != 1:
            return None
        content = content.replace(edit.old_string, edit.new_string)
    return content


def applied(clean: CleanEdit, *edits: Edit) -> Damaged | None:
    """A list whose edits all apply; Unfit if one does not apply, or if they change nothing."""
    target = given(text_after(clean.content, edits))
    needs(target != clean.content)
    return edited(clean.path, clean.content, target, *edits)


def refused(clean: CleanEdit, *edits: Edit, reason: str, twin: str = "") -> Damaged | None:
    """A list with an edit that does not apply; Unfit if all apply. All edits apply to the text `twin`, if there is
    one.
    """
    needs(text_after(clean.content, edits) is None)
    after = text_after(twin, edits)
    pair = None if after is None else ((File(clean.path, twin),), (File(clean.path, after),))
    return Damaged((File(clean.path, clean.content),), None, edits, twin=pair, reason=reason)


def says_much(line: str) -> bool:
    """True if a line can be edited alone: it has enough letters or digits, and is not too long."""
    return sum(map(str.isalnum, line)) >= _TELLING and len(line) < _LONGEST


# Lists whose later edits are right only in the result of the earlier ones.


def dependent_edits(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The second edit changes a line that the first wrote; degree is the number of lines of its search text."""
    return applied(clean, *written_then_changed(clean, degree, random))


def written_then_changed(clean: CleanEdit, n_lines: int, random: Random) -> tuple[Edit, Edit]:
    """The edit, and a second one that changes a line that only the first one writes; `n_lines` lines are quoted."""
    needs(clean.whole_lines)
    # A deletion leaves no line of the span in the result.
    written = clean.target[clean.start :].split("\n")
    here = len(clean.new.split("\n")) if clean.new else 0
    found = [at for at in range(here) if says_much(written[at]) and written[at] not in clean.content]
    needs(found)
    at = random.choice(found)
    quoted = written[at : at + n_lines]
    changed = [other_line(quoted[0], clean.path, random), *quoted[1:]]
    return Edit(clean.old, clean.new), Edit("\n".join(quoted), "\n".join(changed))


def edit_of_a_new_line(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The first edit adds a line, the second changes it; degree 2 also quotes the line above, degree 3 adds a line."""
    needs(clean.whole_lines)
    above = clean.lines[-1]
    line, other = (indentation(above) + invented_statement(clean.path, random) for _ in range(2))
    second = (Edit(line, other), Edit(f"{above}\n{line}", f"{above}\n{other}"), Edit(line, f"{line}\n{other}"))
    needs(line not in clean.content and line != other)
    return applied(clean, Edit(clean.old, f"{clean.old}\n{line}"), second[degree - 1])


def overlapping_edits(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search texts of two edits share lines that both keep; degree is the number of nonblank shared lines."""
    below = clean.content[clean.end + 1 :].split("\n")
    telling = [at for at, line in enumerate(below) if line.strip()]
    needs(clean.whole_lines and len(telling) > degree and says_much(below[telling[degree]]))
    shared = "\n".join(below[: telling[degree - 1] + 1])
    *more, last = below[telling[degree - 1] + 1 : telling[degree] + 1]
    changed = other_line(last, clean.path, random)
    return applied(
        clean,
        Edit(f"{clean.old}\n{shared}", f"{clean.new}\n{shared}"),
        Edit("\n".join([shared, *more, last]), "\n".join([shared, *more, changed])),
    )


# Lists with an edit that fails: none of the edits may be made.


def second_fails(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The second edit replaces lines that the file does not have; degree is the number of edits after it."""
    others = _other_edits(clean, degree, random)
    needs(clean.whole_lines and len(others) >= degree)
    prefix = indentation(clean.old)
    block, new = ("\n".join(prefix + invented_statement(clean.path, random) for _ in range(n)) for n in (2, 1))
    twin = clean.with_block_nearby(block, random.randint(1, 5), random).content
    return refused(clean, Edit(clean.old, clean.new), Edit(block, new), *others, reason="line_gone", twin=twin)


def _other_edits(clean: CleanEdit, n: int, random: Random) -> list[Edit]:
    """Edits of single lines outside the span; each line occurs once, before and after the clean edit."""
    lines = [*clean.content[: clean.start].split("\n")[:-1], *clean.content[clean.end + 1 :].split("\n")]
    once = [line for line in lines if says_much(line) and clean.content.count(line) == clean.target.count(line) == 1]
    chosen = random.sample(once, min(n, len(once)))
    return [Edit(line, other_line(line, clean.path, random)) for line in chosen]


def same_edit_twice(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The list has the same edit twice; with degree 2, another edit is between them."""
    others = _other_edits(clean, degree - 1, random)
    needs(clean.old not in clean.target and len(others) >= degree - 1)
    one = Edit(clean.old, clean.new)
    return refused(clean, one, *others, one, reason="already_applied")


def order_swapped(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """An edit of a line comes before the edit that writes that line; degree is the number of lines it quotes."""
    pair = written_then_changed(clean, degree, random)
    needs(pair[1].old_string not in clean.content)
    twin = clean.with_block_nearby(pair[1].old_string, random.randint(1, 5), random).content
    return refused(clean, pair[1], pair[0], reason="line_gone", twin=twin)


def conflicting_edits(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Two edits change the same line to different texts; degree is the number of lines that the second quotes."""
    written = clean.new.split("\n")
    found = [at for at, line in enumerate(clean.lines) if says_much(line) and line not in clean.target]
    needs(clean.whole_lines and found)
    at = random.choice(found)
    quoted = clean.content[clean.start :].split("\n")[at : at + degree]
    changed = other_line(quoted[0], clean.path, random)
    old = "\n".join(quoted)
    needs(changed not in written and len(quoted) >= degree)
    twin = clean.with_block_nearby(old, random.randint(1, 5), random).content
    return refused(
        clean, Edit(clean.old, clean.new), Edit(old, "\n".join([changed, *quoted[1:]])), reason="line_gone", twin=twin,
    )  # fmt: skip


LIST_MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(dependent_edits, edit_of_a_new_line, degrees=(1, 2, 3)),
    *text_mutators(overlapping_edits, degrees=(1, 2)),
    *text_mutators(second_fails, truth="refuse", degrees=(1, 2, 3)),
    *text_mutators(same_edit_twice, truth="drift", degrees=(1, 2)),
    *text_mutators(order_swapped, conflicting_edits, truth="refuse", degrees=(1, 2, 3)),
)
