"""Rows of odd lines, of bytes, and of files and hunks without lines."""

from __future__ import annotations

from editcore.formats import ANCHORED_FORMATS
from editcore.text.lines import BOM
from harness.fuzz.generators.changes import Change, Hunk, is_certain
from harness.fuzz.generators.rows.row import (
    ALL,
    BLOCKS,
    DIFF,
    ENVELOPE,
    EVERY,
    NUMBERED,
    PAIRS,
    PATCHES,
    Effect,
    Row,
    only_hunk,
    put_apart,
    replace_row,
)

_ODD_LINES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("-- drop", "a removed line that begins with `--` is taken for a header", EVERY),
    ("++ more", "an added line that begins with `++` is taken for a header", (*ALL, *NUMBERED)),
    ("-", "signs are stripped twice", EVERY),
    ("+ item", "signs are stripped twice", (*ALL, *NUMBERED)),
    ("- item", "signs are stripped twice", EVERY),
    ("@@ -1 +1 @@", "a line of a hunk is taken for a hunk's header", EVERY),
    ("*** Update File: b.py", "a line of a hunk is taken for a section's header", EVERY),
    ("*** End Patch", "a line of a hunk is taken for the end", EVERY),
    ("=======", "a line is taken for a marker", (*PATCHES, *PAIRS)),
    ("=== x ===", "a line is taken for a marker", EVERY),
    (">>> x", "a line is taken for a marker", EVERY),
    ("```", "a line is taken for a fence", (*PATCHES, *PAIRS)),
    ("\\ No newline", "a line is taken for the marker of a missing line feed", EVERY),
    ("", "blank lines are dropped", EVERY),
    ("    ", "lines of whitespace are dropped or trimmed", EVERY),
    ("x = 1\t ", "trailing whitespace is stripped", EVERY),
    ("\tif x:\t# y", "tabs are expanded", EVERY),
    ("a\u00a0b", "no-break spaces are normalised", EVERY),
    ("say(\u2018it\u2019, \u201cand\u201d, 1\u20132)", "quotes and dashes are made plain", EVERY),
    ("cafe\u0301 e\u0301t", "letters are normalised to NFC", EVERY),
    ("\ufb01x \u2460", "letters are normalised to NFKC", EVERY),
    ("\U0001f600\U00020000 x", "characters beyond the BMP are cut in two, or counted twice", EVERY),
    ("a\x0cb", "a form feed ends a line", EVERY),
    ("a\x85b", "U+0085 ends a line", EVERY),
    ("a\u2028b", "U+2028 ends a line", EVERY),
    ("a\x1cb\x0bc", "`splitlines` is taken for a split at line feeds", EVERY),
    ("$& $1 $$ $` $<a>", "JavaScript's replacement patterns are expanded", EVERY),
    ("\\1 \\g<0> \\n \\\\", "groups and escapes of a regular expression are expanded", EVERY),
    ("%s %d {} {0} ${x}", "formats are expanded", EVERY),
    ("(*.)+?^|[", "a text is taken for a regular expression", EVERY),
    ("&lt;b&gt; &amp;amp;", "entities are unescaped", EVERY),
    ("\u200bx\u200b", "invisible characters are stripped", EVERY),
    ("x\ufeffy", "every byte order mark is stripped", EVERY),
)


def odd_line(change: Change) -> Effect | None:
    """A line of the table, in the place of a row, or beside one."""
    section = change.main
    odd = change.rng.sample(_ODD_LINES, len(section.hunks))
    for hunk, (text, _bug, formats) in zip(section.hunks, odd, strict=True):
        if change.format in formats:
            replace_row(section, hunk, change.rng.randrange(len(hunk.rows)), text)
    section.is_ended = True
    return "made" if is_certain(section) and all(hunk.old != hunk.new for hunk in section.hunks) else None


def odd_file(change: Change) -> Effect:
    """Lines of the table, away from the hunks."""
    for _ in range(change.rng.randint(1, 3)):
        put_apart(change, [change.rng.choice(_ODD_LINES)[0]])
    return "made" if is_certain(change.main) else "or_refused"


# Bytes

_MOST_ANSWERS = 64


def crlf(change: Change) -> Effect:
    section = change.main
    section.ending, section.is_ended = "\r\n", section.is_ended or len(section.lines) < 2
    return "or_refused" if change.format in (*PATCHES, *BLOCKS) else "made"


def final_line_feed(change: Change) -> Effect:
    """The last line is written anew, with a line feed where there was none, or the other way round."""
    section, hunk = change.main, change.main.hunks[-1]
    del section.lines[hunk.end :]
    section.lines.append(change.lines.new())
    hunk.rows += [f"-{section.lines[-1]}", f"+{change.lines.new()}"]
    section.is_ended_after = not section.is_ended
    return "made"


def blank_lines_at_the_ends(change: Change) -> Effect:
    section = change.main
    above, below = (["", *change.lines.some(1)] for _ in range(2))
    section.lines = [*above, *section.lines, *change.lines.some(1), *below, ""]
    for hunk in section.hunks:
        hunk.at += len(above)
    section.is_ended = True
    return "made" if is_certain(section) else "or_refused"


def mixed_endings(change: Change) -> Effect | None:
    section, _ = change.main, only_hunk(change)
    section.ending, section.is_ended, section.is_rewritten = "mixed", True, change.format not in PATCHES
    change.answers = change.results()
    return "or_refused" if len(change.answers) <= _MOST_ANSWERS else None


def crlf_in_the_diff(change: Change) -> Effect:
    section = change.main
    section.is_ended = True
    section.lines = [f"{line}\r" for line in section.lines]
    for hunk in section.hunks:
        hunk.rows = [f"{row}\r" for row in hunk.rows]
    return "made"


def crlf_patch(change: Change) -> Effect:
    change.patch_ending = "\r\n"
    return "or_refused"


def byte_order_mark(change: Change) -> Effect:
    section = change.main
    section.has_mark = True
    return "or_refused" if section.hunks[0].at == 0 and change.format not in (*PAIRS, *NUMBERED) else "made"


def mark_in_the_diff(change: Change) -> Effect | None:
    section = change.main
    rows = section.hunks[0].rows
    if section.hunks[0].at or rows[0][0] != " ":
        return None
    rows[0], section.lines[0] = f" {BOM}{section.lines[0]}", BOM + section.lines[0]
    return "made"


# Emptiness


def empty_file(change: Change) -> Effect | None:
    section, hunk = change.main, only_hunk(change)
    hunk.at, hunk.rows = 0, [row for row in hunk.rows if row[0] == "+"]
    section.lines, section.is_ended = [], True
    return "or_refused" if hunk.rows else None


def everything_removed(change: Change) -> Effect:
    section, hunk = change.main, only_hunk(change)
    hunk.rows = [f"-{line}" for line in section.lines]
    hunk.at = 0
    return "made"


def insertion_without_context(change: Change) -> Effect:
    section, hunk = change.main, only_hunk(change)
    hunk.rows = [f"+{change.lines.new()}" for _ in range(2)]
    if change.format != "unified_diff":
        hunk.at = len(section.lines)
    section.is_ended = True
    return "refused" if change.format == "str_replace" else "or_refused"


def hunk_without_lines(change: Change) -> Effect:
    change.main.hunks.append(Hunk(len(change.main.lines), []))
    return "or_refused"


ROWS = (
    Row(odd_line, "see the table of lines", EVERY, weight=8),
    Row(odd_file, "lines that no hunk touches are rewritten", EVERY),
    Row(crlf, "CRLF becomes LF, or only new lines end in LF", EVERY),
    Row(final_line_feed, "the marker of a missing line feed is ignored", DIFF),
    Row(blank_lines_at_the_ends, "blank lines at the start or end of the file are stripped", EVERY),
    Row(mixed_endings, "lines that stay get the ending of most lines", EVERY),
    Row(crlf_in_the_diff, "carriage returns are lost, or doubled", DIFF),
    Row(crlf_patch, "carriage returns of the patch get into the file", (*PATCHES, *BLOCKS)),
    Row(byte_order_mark, "the byte order mark is lost", EVERY),
    Row(mark_in_the_diff, "the byte order mark is lost, or doubled", DIFF),
    Row(empty_file, "an empty file has one empty line"),
    Row(
        everything_removed,
        "a file that loses all lines is deleted, or keeps one",
        (*ALL, "line_range", *ANCHORED_FORMATS),
    ),
    Row(insertion_without_context, "an insertion without context goes to the top, or everywhere"),
    Row(hunk_without_lines, "an empty hunk is made everywhere", ENVELOPE),
)
