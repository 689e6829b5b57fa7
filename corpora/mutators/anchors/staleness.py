"""Files that another hand has changed since their anchors were shown, and lines that were not shown."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from xxhash import xxh32

from corpora.mutators.anchors.anchored_edit import AnchoredEdit, mutators, text_of
from corpora.mutators.mutator import DEGREES, Damaged
from corpora.mutators.words import invented_statement
from corpora.sample import SeenLines
from editcore.anchors.views import changes_between, h2_hash, h4_tag

_MOST_TRIES = 4_000
"""Statements that are made up to find one with a given hash of a byte."""
_MOST_TEXTS = 1 << 18
"""Texts that are made up to find one with a given tag of two bytes; one in fifty edits finds none."""


def lines_added_above(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added at the top of the file since; degree is their number."""
    more = [invented_statement(edit.path, random) for _ in range(degree)]
    lines = [*more, *edit.lines]
    return edit.stale(lines, edit.after(lines, by=degree))


def lines_added_below(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added at the end of the file since; degree is their number."""
    lines = [*edit.lines, *(invented_statement(edit.path, random) for _ in range(degree))]
    return edit.stale(lines, edit.after(lines))


def copy_added_above(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """A copy of the lines was added at the top of the file since, and others below that."""
    copy = [*edit.lines[edit.first - 1 : edit.last], invented_statement(edit.path, random)]
    lines = [*copy, *edit.lines]
    return edit.stale(lines, edit.after(lines, by=len(copy)))


def lines_changed(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """One of the lines that the edit changes was changed since into something else."""
    old = text_of(edit.lines[edit.first - 1 : edit.last])
    replaced = [one for one in changes_between(old, text_of(edit.new)) if one.kind == "replace"]
    mine = [n for one in replaced for n in range(one.first, one.last + 1) if edit.lines[edit.first + n - 2].strip()]
    if not mine:
        return None
    at = edit.first + random.choice(mine) - 1
    lines = list(edit.lines)
    lines[at - 1] = invented_statement(edit.path, random)
    return edit.stale(lines, None, reason="line_changed")


def lines_removed(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines were removed since."""
    if edit.lines[edit.first - 1] == edit.lines[edit.last] or edit.lines[edit.last - 1] == edit.lines[edit.first - 2]:
        return None  # The text of now may as well be what is left without other lines.
    lines = [*edit.lines[: edit.first - 1], *edit.lines[edit.last :]]
    return edit.stale(lines, None, reason="line_gone")


def made_since(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The same change was made since."""
    lines = edit.after(edit.lines)[:-1].split("\n")
    return edit.stale(lines, None, reason="already_applied") if edit.after(edit.lines) != edit.text else None


def equal_hash_added(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """Lines were added since such that one of them has the number and the hash of the line that is meant."""
    line = edit.lines[edit.first - 1]
    if edit.first != edit.last or not any(map(str.isalnum, line)):
        return None
    hashed = h2_hash(line, edit.first)
    for _ in range(_MOST_TRIES):
        other = f"{invented_statement(edit.path, random)}{random.randrange(10_000)}"
        if hashed == h2_hash(other, edit.first):
            lines = [*edit.lines[: edit.first - 1], other, *edit.lines[edit.first - 1 :]]
            return edit.stale(lines, edit.after(lines, by=1))
    return None


def tag_collision(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """A line was added at the top of the file since, and one at its end such that the file has the tag that it had."""
    tag, statement = h4_tag(edit.text), invented_statement(edit.path, random)
    lines = [invented_statement(edit.path, random), *edit.lines]
    above = xxh32("".join([f"{line.rstrip(' ' + chr(9))}\n" for line in lines]).encode("utf-8", "replace"))
    for n in range(_MOST_TEXTS):
        whole = above.copy()
        whole.update(f"{statement}{n}\n".encode())
        if whole.intdigest() & 0xFFFF == int(tag, 16):
            lines.append(f"{statement}{n}")
            return edit.stale(lines, edit.after(lines, by=1)) if h4_tag(text_of(lines)) == tag else None
    return None


def lines_not_shown(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines are right, but were not among those that were shown."""
    damaged = edit.refused(edit.call(), "unseen")
    shown = SeenLines(edit.path, 1, edit.first - 1)
    return replace(damaged, seen=damaged.before, seen_lines=(shown,))


MUTATORS = (
    *mutators(lines_added_above, "tolerate", degrees=DEGREES),
    *mutators(lines_added_below, "tolerate", degrees=DEGREES),
    *mutators(copy_added_above, "tolerate"),
    *mutators(lines_changed, "refuse"),
    *mutators(lines_removed, "refuse"),
    *mutators(made_since, "refuse"),
    *mutators(equal_hash_added, "tolerate", formats=("hashline_h2",)),
    *mutators(tag_collision, "tolerate", formats=("hashline_h4",)),
    *mutators(lines_not_shown, "refuse"),
)
