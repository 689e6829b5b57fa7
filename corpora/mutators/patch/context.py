"""Context that differs from the file, and lines of the files that look like a part of the patch."""

from __future__ import annotations

from functools import partial
from random import Random

from corpora.mutators.clean_edit import CleanPatch, Damaged, given, n_places, needs
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.patch.hunk_headers import ends_in_context
from corpora.mutators.patch_lines import (
    PatchFormat,
    PatchText,
    both_mutators,
    diff_mutators,
    envelope_mutators,
    render_patch,
)
from corpora.mutators.spans import pick
from corpora.mutators.words import ALTERATIONS, Alter, altered, another_name, invented_statement, replace_tokens, tokens
from editcore.types import File


def _misspelt(patch: PatchText, lines: list[int], n: int, random: Random) -> Damaged | None:
    """The patch with two letters swapped in each of `n` of these lines."""
    names = [
        (line, name) for line in lines for name in tokens(patch.lines[line].text, "name") if _can_be_misspelt(name[0])
    ]
    others: dict[int, str | None] = {}
    for line, name in pick(names, n, random):
        slips = [at for at in range(len(name[0]) - 1) if name[0][at] != name[0][at + 1]]
        at = random.choice(slips)
        word = name[0][:at] + name[0][at + 1] + name[0][at] + name[0][at + 2 :]
        others[line] = replace_tokens(patch.lines[line].text, [(name, word)])
    return patch.with_lines(others)


def _can_be_misspelt(name: str) -> bool:
    return len(name) > 3 and len(set(name)) > 1


def typo_in_outer_context(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The first line of one hunk is misspelt; at least two more context lines follow it."""
    first = [hunk[1] for hunk in patch.hunks if len(hunk) > 4 and all(patch.lines[n].kind == " " for n in hunk[1:4])]
    named = [n for n in first if any(_can_be_misspelt(name[0]) for name in tokens(patch.lines[n].text, "name"))]
    return _misspelt(patch, pick(named, 1, random), 1, random)


def _inner_context(patch: PatchText) -> list[int]:
    """The context lines between two other context lines."""
    context = set(patch.indexes(" "))
    return [n for n in sorted(context) if {n - 1, n + 1} <= context]


def context_skipped(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines between others are missing, though counted; degree is their number."""
    inside = [n for n in _inner_context(patch) if patch.lines[n].text.strip()]
    gone = set(pick(inside, degree, random))
    for hunk in patch.hunks:
        needs(
            not gone & set(hunk)
            or not n_places(patch.file(hunk[0]).content, patch.old_lines([n for n in hunk if n not in gone]))
        )  # The file has the remaining lines too.
    return patch.with_lines(dict.fromkeys(gone))


def context_elided(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Inner context lines are replaced by dots; degree is their number."""
    dots = random.choice((" ...", "...", " # ...", " // ... existing code ..."))
    return patch.with_lines(dict.fromkeys(pick(_inner_context(patch), degree, random), dots))


def removed_elided(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Removed lines between the first and the last are replaced by dots."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        removed = [n for n in hunk if patch.lines[n].kind == "-"]
        if len(removed) > 2 and removed[-1] - removed[0] == len(removed) - 1:
            others |= dict.fromkeys(removed[1:-1]) | {removed[1]: random.choice(("-...", "...", "-    # ..."))}
    return patch.with_lines(others)


def context_invented(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Hunks have context lines that the file never had; degree is their number."""
    others: dict[int, str | None] = {}
    within = [
        n for n in patch.indexes(" ") if n + 1 < len(patch.lines) and patch.lines[n + 1].hunk == patch.lines[n].hunk
    ]
    for n in pick(within, degree, random):
        others[n] = f"{patch.lines[n].text}\n {invented_statement(patch.file(n).path, random)}"
    return patch.refused(patch.text_with(others), "line_gone")


def context_renamed(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines have other names in the file; degree is the number of lines."""
    found = [(n, tokens(patch.lines[n].text, "name")) for n in patch.indexes(" ")]
    others = {}
    for n, names in pick([pair for pair in found if pair[1]], degree, random):
        name = random.choice(names)
        others[n] = replace_tokens(patch.lines[n].text, [(name, another_name(name[0], random))])[1:]
    return patch.damaged(patch.text, clean=patch.clean_with_lines(others)) if others else None


def context_below_cut(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Context lines below the last change of a hunk are missing and not counted; degree is their number."""
    return _without_outer_context(patch, 0, degree)


def context_above_cut(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Context lines above the first change of a hunk are missing and not counted; degree is their number."""
    return _without_outer_context(patch, degree, 0)


def context_cut(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Context lines at both ends of a hunk are missing and not counted; degree is their number at each end."""
    return _without_outer_context(patch, degree, degree)


def _without_outer_context(patch: PatchText, n_above: int, n_below: int) -> Damaged | None:
    """The patch without some outer context lines; Unfit where a hunk no longer occurs exactly once."""
    others: dict[int, str | None] = {}
    for header, *lines in patch.hunks:
        changes = [at for at, n in enumerate(lines) if patch.lines[n].kind != " "]
        above, below = min(n_above, changes[0]), min(n_below, len(lines) - 1 - changes[-1])
        kept = lines[above : len(lines) - below]
        old, numbers = patch.old_lines(kept), given(patch.lines[header].numbers)
        needs("".join(old).strip() and n_places(patch.file(header).content, old) == 1)
        others |= dict.fromkeys(lines[:above] + lines[len(lines) - below :])
        if patch.format == "unified_diff":
            others[header] = f"@@ {numbers.narrowed(above, below)} @@"
    return patch.with_lines(others) if None in others.values() else None


def insertion_without_context(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """A hunk that only adds lines has no context, so its place is unknown."""
    adding = [hunk for hunk in patch.hunks if not any(patch.lines[n].kind == "-" for n in hunk)]
    context = [n for hunk in adding for n in hunk if patch.lines[n].kind == " "]
    return patch.refused(patch.text_with(dict.fromkeys(context)), "no_place")


def changes_left_out(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The hunks have context lines only."""
    others: dict[int, str | None] = {n: " " + patch.lines[n].text[1:] for n in patch.indexes("-")}
    others |= dict.fromkeys(patch.indexes("+"))
    if patch.format == "unified_diff":
        for hunk in patch.hunks:
            numbers = patch.lines[hunk[0]].numbers
            others[hunk[0]] = f"@@ {numbers._replace(target_length=numbers.source_length)} @@" if numbers else None
    return patch.refused(patch.text_with(others), "no_change")


# Contradictions: one context line differs from the file, and only one of the two can be true.
#
#     patch  |@@                file  |if x < limit:
#            | if x > limit:          |    stop()
#            |-    stop()
#            |+    halt()
#
# The line may be wrong in the patch, or the patch may be meant for another place: it must be refused.
# Comments are not altered, since their words may drift.


def _contradicted(format: PatchFormat, alter: Alter, clean: CleanPatch, _degree: int, random: Random) -> Damaged | None:
    """The patch with one context line of code altered; the files stay unchanged."""
    patch = given(render_patch(clean, format))
    chosen = patch.indexes(" ") if patch else []
    needs(chosen)
    n = random.choice(chosen)
    file = patch.file(n)
    other = given(altered(patch.lines[n].text[1:], file, alter, random))
    needs(_stands_nowhere(patch, n, other))
    seen = patch.clean_with_lines({n: other})
    text = patch.text_with({n: f" {other}"})
    return Damaged(
        patch.clean.before, None, patch=text, twin=(seen.before, seen.target), twin_patch=text, reason="contradiction"
    )


def _stands_nowhere(patch: PatchText, line: int, other: str) -> bool:
    """True if the hunk occurs nowhere after its line `line` became `other`."""
    hunk = next(lines for lines in patch.hunks if line in lines)
    wanted = [other if n == line else patch.lines[n].text[1:] for n in hunk if patch.lines[n].kind in " -"]
    return n_places(patch.file(line).content, wanted) == 0


def _contradictions(name: str, has: str, alter: Alter) -> tuple[Mutator[CleanPatch], ...]:
    summary = f"A line of context has {has}."
    formats: tuple[tuple[str, PatchFormat], ...] = (("diff", "unified_diff"), ("envelope", "begin_patch"))
    return tuple(
        Mutator(
            f"contradiction_{name}_{suffix}", summary, format, partial(_contradicted, format, alter), truth="refuse",
            degrees=(1,),
        )
        for suffix, format in formats
    )  # fmt: skip


# Lines of the files that look like a part of the patch, and last lines without a line feed.

_DIFF_MARKERS = (
    "@@ -1,3 +1,4 @@", "--- a/old.py", "+++ b/new.py", "diff --git a/x b/x", "```", "\\ No newline at end of file",
)  # fmt: skip
_ENVELOPE_MARKERS = (
    "*** End Patch", "*** Update File: other.py", "*** Begin Patch", "@@", "*** End of File", "+++", "```",
)  # fmt: skip
_SEPARATORS = ("\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029")
_NO_NEWLINE_MARKER = "\\ No newline at end of file"


def markers_in_context(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines, in the files too, look like markers of the format; degree is their number."""
    inside = [n for n in patch.indexes(" ") if patch.lines[n].text.strip()]
    markers = random.sample(_DIFF_MARKERS if patch.format == "unified_diff" else _ENVELOPE_MARKERS, 5)
    picked = pick(inside, max(0, min(degree, len(inside) - 1)), random)
    return _with_content_lines(patch, dict(zip(picked, markers, strict=False))) if picked else None


def markers_in_changes(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Added lines look like markers of the format; degree is their number."""
    markers = random.sample(_DIFF_MARKERS if patch.format == "unified_diff" else _ENVELOPE_MARKERS, 5)
    picked = pick(patch.indexes("+"), degree, random)
    return _with_content_lines(patch, dict(zip(picked, markers, strict=False))) if picked else None


def line_separators(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Context lines, in the files too, have form feeds and other line separators; degree is the number of lines."""
    inside = [n for n in patch.indexes(" ") if patch.lines[n].text.strip()]
    separators = random.sample(_SEPARATORS, degree)
    picked = pick(inside, degree, random)
    found = zip(picked, separators, strict=False)
    return _with_content_lines(patch, {n: f"{patch.lines[n].text[1:]}{separator}# more" for n, separator in found})


def signs_in_content(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A removed line starts with two dashes and the added line below it with two plus signs, like file headers."""
    return _with_content_lines(patch, _header_lookalikes(patch, random))


def signs_in_content_miscounted(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines look like file headers, and the counts that tell them apart are too large; degree is the difference."""
    exact = given(_with_content_lines(patch, _header_lookalikes(patch, random)))
    needs(ends_in_context(patch))
    lines = given(exact.patch).split("\n")
    for n in patch.indexes("@@"):
        if numbers := patch.lines[n].numbers:
            lines[n] = f"@@ {numbers.longer(degree, degree)} @@"
    return Damaged(exact.before, exact.target, patch="\n".join(lines))


def _header_lookalikes(patch: PatchText, random: Random) -> dict[int, str]:
    pairs = [n for n in patch.indexes("-") if n + 1 < len(patch.lines) and patch.lines[n + 1].kind == "+"]
    if not pairs:
        return {}
    n = random.choice(pairs)
    return {n: "-- " + patch.lines[n].text[1:].strip(), n + 1: "++ " + patch.lines[n + 1].text[1:].strip()}


def _with_content_lines(patch: PatchText, texts: dict[int, str]) -> Damaged | None:
    """Files with other texts in some lines, and the patch of these files."""
    needs(texts)
    text = patch.text_with({n: patch.lines[n].text[0] + other for n, other in texts.items()})
    return patch.damaged(text, clean=patch.clean_with_lines(texts))


def no_newline_unmarked(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The last file ends without a line feed, within context of the last hunk, and the diff has no marker for that."""
    return patch.damaged(patch.text, clean=_without_last_newline(_ending_in_context(patch)))


def newline_marked_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff marks a final line feed as missing that the last file has, within context of the last hunk."""
    return patch.damaged(f"{patch.text}{_NO_NEWLINE_MARKER}\n", clean=_ending_in_context(patch))


def newline_mark_misplaced(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The marker of a missing final line feed is inside a hunk."""
    inside = [n for n in patch.indexes(" ") if n + 1 < len(patch.lines) and patch.lines[n + 1].kind == " "]
    needs(inside)
    n = random.choice(inside)
    return patch.with_lines({n: f"{patch.lines[n].text}\n{_NO_NEWLINE_MARKER}"})


def newline_mark_misspelt(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The marker of a missing final line feed is misspelt."""
    ending = _ending_in_context(patch)
    mark = random.choice(
        (" " + _NO_NEWLINE_MARKER, "\\ No newline", "\\No newline at end of file", "[No newline at end of file]")
    )
    return patch.damaged(f"{patch.text}{mark}\n", clean=_without_last_newline(ending))


def _ending_in_context(patch: PatchText) -> CleanPatch:
    """The change of files, with the last file cut to end with its last hunk's context; Unfit if it cannot be cut."""
    last = patch.lines[-1]
    needs(last.kind == " " and last.text.strip())
    cut = [
        tuple(
            File(
                file.path,
                "".join([line + "\n" for line in file.content.split("\n")[:end]]) if at == last.file else file.content,
            )
            for at, file in enumerate(files)
        )
        for files, end in ((patch.clean.before, last.source_line), (patch.clean.target, last.target_line))
    ]
    return CleanPatch(*cut)


def _without_last_newline(clean: CleanPatch) -> CleanPatch:
    *before, old = clean.before
    *target, new = clean.target
    return CleanPatch((*before, File(old.path, old.content[:-1])), (*target, File(new.path, new.content[:-1])))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(
        context_below_cut, context_above_cut, context_cut,
        absorbers=("tolerant", "codex"), degrees=(1, 2, 3),
    ),
    *both_mutators(
        named("typo_in_context", "Words of context lines are misspelt; degree is their number.",
              lambda patch, degree, random: _misspelt(patch, patch.indexes(" "), degree, random)),
        named("typo_in_removed", "Words of removed lines are misspelt; degree is their number.",
              lambda patch, degree, random: _misspelt(patch, patch.indexes("-"), degree, random)),
        truth="drift",
    ),
    *diff_mutators(typo_in_outer_context, truth="drift", absorber="fuzz"),
    *both_mutators(context_skipped, context_elided, context_renamed, removed_elided, truth="tolerate"),
    *both_mutators(context_invented, truth="refuse"),
    *envelope_mutators(insertion_without_context, truth="refuse"),
    *both_mutators(changes_left_out, truth="refuse"),
    *(mutator for name, one in ALTERATIONS.items() for mutator in _contradictions(name, *one)),
    *both_mutators(markers_in_context, markers_in_changes, line_separators, absorbers=("strict", "codex")),
    *both_mutators(signs_in_content, absorbers=("strict", "strict")),
    *diff_mutators(signs_in_content_miscounted, no_newline_unmarked, truth="tolerate", absorber="tolerant"),
    *diff_mutators(newline_marked_missing, newline_mark_misplaced, truth="tolerate"),
    *diff_mutators(newline_mark_misspelt, truth="tolerate", absorber="tolerant"),
)  # fmt: skip
