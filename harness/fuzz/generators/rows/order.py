"""Rows of several hunks and sections, and of files that are not what the edit says."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

from harness.fuzz.generators.changes import Change, Hunk, n_places
from harness.fuzz.generators.rows.row import BLOCKS, DIFF, PATCHES, Effect, Row, index_of, only_hunk, rows_of


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
