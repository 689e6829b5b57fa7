"""Line endings, final line feeds and byte order marks that differ between file and search text, or within the file."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator, with_search_text
from corpora.mutators.search_lines import inexact_edit, pick, share_by_degree
from corpora.mutators.spans import exact_edit
from editcore.text.lines import BOM
from editcore.types import Edit, File


def crlf_file(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The file's lines end in CRLF and stay so; the edit's lines end in LF."""
    if "\r" in clean.content + clean.new or "\n" not in clean.content or "\n" not in clean.old + clean.new:
        return None
    return Damaged(
        before=(File(clean.path, clean.content.replace("\n", "\r\n")),),
        target=(File(clean.path, clean.target.replace("\n", "\r\n")),),
        edits=(Edit(clean.old, clean.new),),
    )


def crlf_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines of search text and new text end in CRLF; the file's end in LF and stay so."""
    if "\r" in clean.content + clean.new:
        return None
    return with_search_text(clean, clean.old.replace("\n", "\r\n"), new=clean.new.replace("\n", "\r\n"))


def mixed_line_ends(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines outside the span end in CRLF and stay so; degree is the share of them."""
    if "\r" in clean.content:
        return None
    before, after = clean.content[: clean.start].split("\n"), clean.content[clean.end + 1 :].split("\n")
    n_before, n_after = len(before) - 1, len(after) - 1
    chosen = pick(range(n_before + n_after), share_by_degree(n_before + n_after, degree), random)
    if not clean.whole_lines or not chosen:
        return None
    end = clean.content[clean.end : clean.end + 1]
    return exact_edit(
        clean.in_file(
            _with_line_endings(before, set(chosen), 0), end + _with_line_endings(after, set(chosen), n_before)
        )
    )


def _with_line_endings(lines: list[str], chosen: set[int], first: int) -> str:
    """Join the lines by LF or, where the number of the line is among the chosen, by CRLF."""
    ends = ["\r\n" if number in chosen else "\n" for number in range(first, first + len(lines) - 1)]
    return "".join([line + end for line, end in zip(lines, [*ends, ""], strict=True)])


def bom_in_file(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The file starts with a byte order mark, directly before the span, and keeps it; the search text has none."""
    return exact_edit(clean.in_file(BOM, clean.content[clean.end :]))


def bom_in_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The search text starts with a byte order mark; the file, which starts with the span, has none."""
    return inexact_edit(clean.in_file("", clean.content[clean.end :]), BOM + clean.old)


def final_newline_added(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Search text and new text both end in the line feed after the span."""
    if not clean.whole_lines or clean.end == len(clean.content):
        return None
    return exact_edit(CleanEdit(clean.path, clean.content, clean.start, clean.end + 1, clean.new + "\n"))


def final_newline_missing(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The search text ends in a line feed; the file ends with the span, without one."""
    return (
        inexact_edit(clean.in_file(clean.content[: clean.start], ""), clean.old + "\n") if clean.whole_lines else None
    )


def newline_only_in_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Only the search text ends in a line feed: an exact replacement joins the next line to the new text."""
    if not clean.whole_lines or not clean.content[clean.end + 1 :] or clean.new.endswith("\n"):
        return None
    end = clean.end + 1
    return exact_edit(CleanEdit(clean.path, clean.content, clean.start, end, clean.new))


def newline_only_in_new(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Only the new text ends in a line feed: an exact replacement leaves a blank line after it."""
    if not clean.whole_lines or clean.end == len(clean.content):
        return None
    return exact_edit(CleanEdit(clean.path, clean.content, clean.start, clean.end, clean.new + "\n"))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(crlf_file, absorber="line_trimmed", degrees=(1,)),
    text_mutator(crlf_find, absorber="line_trimmed", degrees=(1,)),
    text_mutator(mixed_line_ends, absorber="simple"),
    text_mutator(bom_in_file, absorber="simple", degrees=(1,)),
    text_mutator(bom_in_find, truth="tolerate", absorber="line_trimmed", degrees=(1,)),
    text_mutator(final_newline_added, absorber="simple", degrees=(1,)),
    text_mutator(final_newline_missing, absorber="line_trimmed", degrees=(1,)),
    text_mutator(newline_only_in_find, truth="hazard", absorber="simple", degrees=(1,)),
    text_mutator(newline_only_in_new, truth="hazard", absorber="simple", degrees=(1,)),
)
