"""Changes written in each format, as fields of an input without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from operator import add
from random import Random

from corpora.sample import Sample
from editcore.formats import ANCHORED_FORMATS, FORMATS
from editcore.formats.str_replace import blocks_of
from editcore.text.diff import common_prefix, common_suffix
from editcore.text.lines import BOM
from editcore.types import FilePatch, Hunk
from harness.fuzz.generators.changes import Change, Section
from harness.fuzz.generators.changes import Hunk as DrawnHunk
from harness.fuzz.inputs import Fields

NO_NEWLINE = "\\ No newline at end of file"


def begin_patch(change: Change) -> list[str]:
    """The lines of a Begin/End Patch."""
    return rendered_lines([_section(one) for one in change.sections])


def _section(one: Section) -> FilePatch:
    hunks = [Hunk(tuple(hunk.rows), 0, (hunk.anchor,) if hunk.anchor else (), end_of_file=hunk.is_last)
             for hunk in one.hunks]  # fmt: skip
    if one.action == "add":
        hunks = [Hunk(tuple([f"+{line}" for line in one.lines]), 0)]
    return FilePatch(one.action, one.path, 0, one.move_to, tuple(hunks))


def rendered_lines(patches: Sequence[FilePatch]) -> list[str]:
    """The lines of sections, written as a Begin/End Patch."""
    lines = ["*** Begin Patch"]
    for patch in patches:
        lines.append(f"*** {patch.action.title()} File: {patch.path}")
        if patch.move_to is not None:
            lines.append(f"*** Move to: {patch.move_to}")
        for hunk in patch.hunks:
            if patch.action == "update":
                lines += [f"@@ {anchor}" for anchor in hunk.anchors[:-1]]
                lines.append(" ".join(["@@", *hunk.anchors[-1:]]))
            lines += hunk.lines
            if hunk.end_of_file:
                lines.append("*** End of File")
    return [*lines, "*** End Patch"]


def unified_diff(change: Change) -> list[str]:
    """The lines of a unified diff, with right numbers. Carriage returns are left out, as models do."""
    return list(chain.from_iterable([_diff(section, change.rng) for section in change.sections]))


def _diff(section: Section, rng: Random) -> Iterator[str]:
    if section.move_to is None and rng.random() >= 0.8:
        yield from (f"diff --git a/{section.path} b/{section.path}", "index 0123456..789abcd 100644")
    if section.action == "update":
        hunks = [(max(hunk.at + section.offset, 0), hunk.anchor, _rows(section, hunk)) for hunk in section.hunks]
    else:
        mark = "+" if section.action == "add" else "-"
        rows = [mark + line for line in section.lines]
        hunks = [(0, None, rows if section.is_ended else [*rows, NO_NEWLINE])] if rows else []
    yield from diff_lines(section.action, section.path, section.move_to, hunks)


def _rows(section: Section, hunk: DrawnHunk) -> list[str]:
    """The lines of a hunk, with the marker of a missing line feed below the last line of the file."""
    is_ended_after = section.is_ended if section.is_ended_after is None else section.is_ended_after
    last_old = max((at for at, row in enumerate(hunk.rows) if row[0] != "+"), default=-1)
    rows = []
    for at, row in enumerate(hunk.rows):
        rows.append(row)
        is_last_new = at == len(hunk.rows) - 1 and row[0] == "+"
        is_last = (at == last_old and not section.is_ended) or (is_last_new and not is_ended_after)
        if hunk.end == len(section.lines) and is_last:
            rows.append(NO_NEWLINE)
    return rows


def diff_lines(
    action: str, path: str, move_to: str | None, hunks: Sequence[tuple[int, str | None, Sequence[str]]]
) -> Iterator[str]:
    """The section of a diff, with right numbers. A hunk is the index of its first line, its heading, and its lines."""
    to = move_to or path
    if move_to is not None:
        yield from (f"diff --git a/{path} b/{to}", f"rename from {path}", f"rename to {to}")
    if hunks or action != "update":
        yield "--- /dev/null" if action == "add" else f"--- a/{path}"
        yield "+++ /dev/null" if action == "delete" else f"+++ b/{to}"
    sizes = [[sum([row[:1] in signs for row in rows]) for signs in ((" ", "-"), (" ", "+"))] for _, _, rows in hunks]
    for (start, heading, rows), (n_old, n_new) in zip(hunks, sizes, strict=True):
        shift = sum([new - old for (at, *_), (old, new) in zip(hunks, sizes, strict=True) if at < start])
        yield f"@@ -{_range(start, n_old)} +{_range(start + shift, n_new)} @@{'' if heading is None else f' {heading}'}"
        yield from rows


def _range(at: int, n: int) -> str:
    start = at + 1 if n else at
    return str(start) if n == 1 else f"{start},{n}"


def search_replace(change: Change) -> list[str]:
    """Blocks of whole lines, below the name of their file if there are several."""
    files, lines = change.before(), list[str]()
    is_named = len(files) > 1 or change.rng.random() >= 0.7
    for section in change.sections:
        for hunk in section.hunks:
            name = change.named or (section.path if is_named or section.path not in files else None)
            lines += [name] if name else []
            lines += ["<<<<<<< SEARCH", *hunk.old, "=======", *hunk.new, ">>>>>>> REPLACE", ""]
    return lines


def str_replace(change: Change) -> list[str]:
    """Old and new texts of the hunks, one after the other, with their flags; old texts are cut from the file."""
    section, fields = change.main, list[str]()
    ends = section.ends
    starts = [0, *accumulate(map(add, map(len, section.lines), map(len, ends)))]
    content = section.content.removeprefix(BOM)
    for hunk in section.hunks:
        feed = "\r\n" if "\r\n" in (section.ending, *ends[hunk.at : hunk.end]) else "\n"
        is_cut = section.lines[hunk.at : hunk.end] == hunk.old
        old, new = content[starts[hunk.at] : starts[hunk.end]] if is_cut else "\n".join(hunk.old), feed.join(hunk.new)
        ends_blank = "" in (*hunk.old[-1:], *hunk.new[-1:])
        if old.endswith("\n") and hunk.new and (ends_blank or change.rng.random() >= 0.7):
            new += feed
        elif hunk.new or not old.endswith("\n"):
            old = old.removesuffix("\n").removesuffix("\r")
        if change.is_partial:
            old, new = _differing(old, new)
        fields += [old, new, "all" if change.is_everywhere else ""]
    return fields if fields[-1] else fields[:-1]


def by_format(change: Change) -> list[str]:
    """The fields of an edit as its format writes it: numbers of lines with a text, or a call with anchors."""
    form, section = FORMATS[change.format], change.main
    before, after = section.content, section.results()[0]
    if form.view is None:  # Numbers do not say if a mark is a part of the first line.
        before, after = before.removeprefix(BOM), after.removeprefix(BOM)
    written = form.write(section.path, before, after)
    if written is None:
        return []
    n_lines = len(section.lines)
    numbers = [number for number in (written.line, written.end_line) if number is not None]
    if section.offset:
        numbers = [number + section.offset for number in numbers]
    elif form.name == "insert" and numbers == [n_lines] and change.rng.random() < 0.5:
        numbers = [-1]
    return [*map(str, numbers), written.patch or ""]


def _differing(old: str, new: str) -> tuple[str, str]:
    """The texts without most of the letters that both begin or end with."""
    head = max(common_prefix(old, new) - 2, 0)
    tail = max(common_suffix(old[head:], new[head:]) - 1, 0)
    piece = old[head : len(old) - tail]
    return (piece, new[head : len(new) - tail]) if piece.strip() else (old, new)


def _cut(lines: list[str]) -> list[str]:
    """The lines up to the last line of context above the changes of the last hunk."""
    end = max(at for at, line in enumerate(lines) if line.startswith("@@")) + 1
    while lines[end].startswith(" "):
        end += 1
    return lines[:end]


def fields_of(change: Change, text: list[str]) -> Fields:
    """The fields of a change that is written."""
    if change.is_cut:
        text = _cut(text)
    files = [field for file in change.before().items() for field in file]
    if change.format in ANCHORED_FORMATS:
        return (*text, files[1])
    if change.format in ("str_replace", "insert", "line_range"):
        return (files[1], *text)
    return (change.patch_ending.join([*text, ""]), *files)


def in_blocks(sample: Sample) -> Sample | None:
    """The edits of a sample as search/replace blocks; None if blocks cannot express them."""
    patch = blocks_of(sample.before[0].path, sample.edits or ())
    return None if patch is None else replace(sample, format="search_replace", patch=patch)
