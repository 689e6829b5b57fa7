"""Rows of lines that are there twice, of anchors, of the order of hunks, and of files that are not what edits say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import repeat

from harness.fuzz.generators.changes import Change, Hunk, is_certain, n_places
from harness.fuzz.generators.rows.row import (
    BLOCKS,
    DIFF,
    ENVELOPE,
    EVERY,
    NUMBERED,
    PAIRS,
    PATCHES,
    Effect,
    Row,
    index_of,
    only_hunk,
    put_apart,
    rows_of,
)


def plain(_: Change) -> Effect:
    return "made"


def two_places(change: Change) -> Effect:
    hunk = only_hunk(change)
    put_apart(change, hunk.old)
    return "or_refused" if change.format == "unified_diff" else "refused"


def every_place(change: Change) -> Effect:
    """Two or three places, all of which are to be replaced."""
    hunk = only_hunk(change)
    for _ in range(change.rng.randint(1, 2)):
        put_apart(change, hunk.old)
    change.is_everywhere = True
    return "made"


def two_places_at_equal_distance(change: Change) -> Effect | None:
    hunk = only_hunk(change)
    other = put_apart(change, hunk.old)
    far = other - hunk.at
    change.main.offset = far // 2
    return None if far % 2 else "refused"


def two_places_and_an_order(change: Change) -> Effect | None:
    hunks = change.main.hunks
    if len(hunks) < 2:
        return None
    above = change.rng.random() < 0.5
    put_apart(change, hunks[-1 if above else 0].old, above=above)
    return "or_refused" if change.format in PATCHES else "refused"


def twin_of_context(change: Change) -> Effect | None:
    put_apart(change, rows_of(change.main.hunks[0], " "))
    return "made" if is_certain(change.main) else None


def twin_of_removed_lines(change: Change) -> Effect | None:
    put_apart(change, rows_of(change.main.hunks[0], "-"))
    return "made" if is_certain(change.main) else None


def twin_that_is_alike(change: Change) -> Effect:
    old = change.main.hunks[0].old
    put_apart(
        change,
        change.rng.choice(
            (
                [f"    {line}" for line in old],
                [f"{line}  " for line in old],
                [*old[:-1], f"{old[-1]}\t"],
                [line.upper() for line in old],
            )
        ),
    )
    return "or_refused"


def twin_in_a_longer_line(change: Change) -> Effect:
    old = change.main.hunks[0].old
    put_apart(change, [f"more_{old[0]}", *old[1:-1], f"{old[-1]}_more"] if len(old) > 1 else [f"more_{old[0]}_more"])
    return "or_refused"


def equal_hunks_for_equal_places(change: Change) -> Effect | None:
    """The same hunk twice, for two places that are there, in their order."""
    section, hunk = change.main, only_hunk(change)
    if not rows_of(hunk, "-"):
        return None
    at = put_apart(change, hunk.old, above=False)
    section.hunks.append(Hunk(at, list(hunk.rows)))
    return "or_refused"


def new_lines_repeat_the_old_ones(change: Change) -> Effect:
    hunk = change.main.hunks[0]
    at = next(n for n, row in enumerate(hunk.rows) if row[0] != " ")
    hunk.rows[at:at] = [f"+{line}" for line in (*hunk.old, change.lines.new())]
    return "made"


def part_of_a_line(change: Change) -> Effect | None:
    """Old and new text are pieces of lines, without the letters that stay."""
    change.is_partial = True
    return "made" if all(hunk.old and hunk.new for hunk in change.main.hunks) else None


def many_lines_above(change: Change) -> Effect:
    put_apart(change, change.lines.exactly(120), above=True)
    return "made"


def number_is_beyond(change: Change) -> Effect:
    """The number of a line above the first one, or below the last one."""
    change.main.offset = change.rng.choice((-1, 1)) * (len(change.main.lines) + 2)
    return "refused"


def made_by_an_earlier_hunk(change: Change) -> Effect | None:
    hunks = change.main.hunks
    if len(hunks) < 2:
        return None
    at = max(n for n, row in enumerate(hunks[0].rows) if row[0] != " ") + 1
    hunks[0].rows[at:at] = [f"+{line}" for line in hunks[1].old]
    change.main.is_ended = True
    return "or_refused"


def _anchored(change: Change, above: Callable[[str, list[str]], list[str]]) -> None:
    """Give the first hunk an anchor right above it, and put lines further above, made of the anchor and the hunk."""
    section, hunk = change.main, only_hunk(change)
    anchor = f"class Name{change.lines.new().strip()}"
    new = [*above(anchor, hunk.old), change.lines.new(), anchor]
    section.lines[hunk.at : hunk.at] = new
    hunk.at += len(new)
    hunk.anchor = anchor


def anchor(change: Change) -> Effect:
    _anchored(change, lambda _anchor, _old: [])
    return "made"


def twin_above_the_anchor(change: Change) -> Effect:
    _anchored(change, lambda _anchor, old: old)
    return "made"


def anchor_within_another_line(change: Change) -> Effect:
    _anchored(change, lambda anchor, old: [f"{anchor}_more", change.lines.new(), *old])
    return "made"


def two_anchors(change: Change) -> Effect:
    _anchored(change, lambda _anchor, _old: [])
    put_apart(change, [change.main.hunks[0].anchor or ""], above=False)
    return "or_refused"


def anchor_below_another(change: Change) -> Effect:
    """Two `@@` lines: the second is looked for below the first."""
    _anchored(change, lambda anchor, old: [anchor, *old, "class Outer:"])
    hunk = change.main.hunks[0]
    hunk.anchor = f"class Outer:\n@@ {hunk.anchor}"
    return "or_refused"


def heading(change: Change) -> Effect:
    """Text behind the numbers of a hunk, which git takes from a line above."""
    for hunk in change.main.hunks:
        hunk.anchor = change.rng.choice((change.lines.new().strip(), hunk.old[0].strip() if hunk.old else "@@"))
    return "made"


def anchor_is_nowhere(change: Change) -> Effect:
    change.main.hunks[0].anchor = f"class {change.lines.new().strip()}"
    return "or_refused"


def at_the_end(change: Change) -> Effect:
    section, hunk = change.main, change.main.hunks[-1]
    del section.lines[hunk.end :]
    hunk.is_last = True
    if change.rng.random() < 0.5:
        return "made"
    put_apart(change, hunk.old, above=True)
    return "or_refused"


def insertion_below_an_anchor(change: Change) -> Effect:
    _anchored(change, lambda _anchor, _old: [])
    hunk = change.main.hunks[0]
    hunk.rows = [f"+{change.lines.new()}"]
    change.main.is_ended = True
    return "or_refused"


def one_fails(change: Change) -> Effect:
    section, fails = change.main, change.lines
    hunk = Hunk(0, [f"-{fails.new()}", f"-{fails.new()}", f"+{fails.new()}"])
    if change.rng.random() < 0.7:
        hunk.at = len(section.lines)
        section.hunks.append(hunk)
    else:
        section.hunks.insert(0, hunk)
    return "refused"


def one_file_in_two_sections(change: Change) -> Effect | None:
    section = change.main
    if len(section.hunks) < 2:
        return None
    change.answers = change.results()
    first, second = replace(section, hunks=section.hunks[:1]), replace(section, hunks=section.hunks[1:])
    change.sections[:1] = [first, second]
    return "or_refused"


def hunks_in_another_order(change: Change) -> Effect | None:
    hunks = change.main.hunks
    if len(hunks) < 2:
        return None
    change.answers = change.results()
    hunks.reverse()
    return "made" if change.format in ("search_replace", "str_replace") else "or_refused"


def hunk_twice(change: Change) -> Effect | None:
    hunk = change.rng.choice(change.main.hunks)
    if not rows_of(hunk, "-"):
        return None
    change.answers = change.results()
    change.main.hunks.insert(change.main.hunks.index(hunk), hunk)
    return "or_refused" if change.format in PATCHES else "refused"


def numbers_are_off(change: Change) -> Effect:
    change.main.offset = change.rng.choice((-3, -2, -1, 1, 2, 3, 40))
    return "or_refused"


# Texts that are not what the edit says


def removed_line_differs(change: Change) -> Effect | None:
    section, hunk = change.main, change.rng.choice(change.main.hunks)
    removed = [n for n, row in enumerate(hunk.rows) if row[0] == "-"]
    if not removed:
        return None
    section.lines[index_of(hunk, change.rng.choice(removed))] = change.lines.new()
    return "refused"


def other_whitespace_at_line_ends(change: Change) -> Effect | None:
    """Context that the file has with other whitespace stays as the file has it."""
    section, hunk = change.main, change.rng.choice(change.main.hunks)
    found = [n for n, row in enumerate(hunk.rows) if row[0] == "-" or (row[0] == " " and change.format in PATCHES)]
    if not found:
        return None
    for at in change.rng.sample(found, change.rng.randint(1, len(found))):
        section.lines[index_of(hunk, at)] += change.rng.choice((" ", "\t", "   "))
    return "or_refused"


def already_made(change: Change) -> Effect | None:
    section = change.main
    if not all(rows_of(hunk, "-") for hunk in section.hunks):
        return None
    after = [line for line, _ in section.after(repeat("\n"))]
    if any(n_places(after, hunk.old) for hunk in section.hunks):
        return None
    section.lines = after
    return "refused"


def search_text_within_a_line(change: Change) -> Effect:
    section, hunk = change.main, only_hunk(change)
    section.lines[hunk.at : hunk.end] = [f"more_{change.lines.new().strip()}_{hunk.old[0].strip()}"]
    hunk.rows = [f"-{hunk.old[0].strip()}", f"+{change.lines.new()}"]
    return "refused"


ROWS = (
    Row(plain, "lines of context are lost; the last line without a line feed is lost", EVERY, weight=3),
    Row(two_places, "the first of two places is taken, or both are"),
    Row(every_place, "with `replace_all`, the first or the last place is left out", PAIRS),
    Row(two_places_at_equal_distance, "the nearer of two places is taken where none is", DIFF),
    Row(two_places_and_an_order, "every place is changed, or the first is, though the order of the hunks says which"),
    Row(twin_of_context, "context alone is looked for"),
    Row(twin_of_removed_lines, "removed lines alone are looked for"),
    Row(twin_that_is_alike, "a place that is alike is taken before the one that is equal"),
    Row(twin_in_a_longer_line, "a part of a line is taken for it"),
    Row(equal_hunks_for_equal_places, "a hunk that is there twice is made at one place only", PATCHES),
    Row(new_lines_repeat_the_old_ones, "what a hunk made is found again, and made again without end"),
    Row(part_of_a_line, "whole lines are replaced where a part of them was meant", PAIRS),
    Row(many_lines_above, "line numbers of more than two digits are cut, or sorted as texts", EVERY),
    Row(number_is_beyond, "a number of no line is taken for the first or the last line", NUMBERED),
    Row(
        made_by_an_earlier_hunk,
        "hunks are looked for in what earlier ones made; the last is made again",
        (*PATCHES, *BLOCKS),
    ),
    Row(anchor, "a hunk is made at its anchor; anchors are taken for lines of the hunk", ENVELOPE),
    Row(twin_above_the_anchor, "anchors are ignored", ENVELOPE),
    Row(anchor_within_another_line, "an anchor is looked for within lines", ENVELOPE),
    Row(two_anchors, "the last of two anchors is taken", ENVELOPE),
    Row(anchor_below_another, "of several `@@` lines, one is ignored", ENVELOPE),
    Row(heading, "text behind a hunk's numbers is taken for a line", DIFF),
    Row(anchor_is_nowhere, "an anchor that is nowhere puts the hunk anywhere", ENVELOPE),
    Row(at_the_end, "the marker of the end of the file is ignored, or taken for a line", ENVELOPE),
    Row(insertion_below_an_anchor, "an insertion goes above its anchor, or to the end", ENVELOPE),
    Row(one_fails, "a hunk that fails is passed over"),
    Row(one_file_in_two_sections, "the second section of a file undoes the first", PATCHES),
    Row(hunks_in_another_order, "hunks that are out of order are made at other places"),
    Row(hunk_twice, "a hunk that is there twice is made twice"),
    Row(numbers_are_off, "line numbers are trusted blindly, or the nearest place is not taken", DIFF),
    Row(removed_line_differs, "lines are removed that the hunk does not say"),
    Row(other_whitespace_at_line_ends, "context is written as the patch has it, not as the file has it"),
    Row(already_made, "a change that is there already is made again"),
    Row(search_text_within_a_line, "a search text is looked for within lines", BLOCKS),
)
