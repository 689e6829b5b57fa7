"""Lines of the files that look like a part of the patch, and last lines without a line feed."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch.counts import ends_in_context
from corpora.mutators.patch_lines import PatchText, both_mutators, diff_mutator
from corpora.mutators.search_lines import pick
from editcore.types import File

_DIFF_MARKERS = (
    "@@ -1,3 +1,4 @@",
    "--- a/old.py",
    "+++ b/new.py",
    "diff --git a/x b/x",
    "```",
    "\\ No newline at end of file",
)
_ENVELOPE_MARKERS = (
    "*** End Patch",
    "*** Update File: other.py",
    "*** Begin Patch",
    "@@",
    "*** End of File",
    "+++",
    "```",
)
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
    exact = _with_content_lines(patch, _header_lookalikes(patch, random))
    if exact is None or exact.patch is None or not ends_in_context(patch):
        return None
    lines = exact.patch.split("\n")
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
    """The change of files with other texts in some lines, and the patch that says so."""
    if not texts:
        return None
    text = patch.text_with({n: patch.lines[n].text[0] + other for n, other in texts.items()})
    return patch.damaged(text, clean=patch.clean_with_lines(texts))


def no_newline_unmarked(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The last file ends without a line feed, in context of the last hunk, and the diff does not say so."""
    ending = _ending_in_context(patch)
    return None if ending is None else patch.damaged(patch.text, clean=_without_last_newline(ending))


def newline_marked_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The last file ends in a line feed, in context of the last hunk, which the diff says is missing."""
    ending = _ending_in_context(patch)
    return None if ending is None else patch.damaged(f"{patch.text}{_NO_NEWLINE_MARKER}\n", clean=ending)


def newline_mark_misplaced(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The marker of a missing final line feed is inside a hunk."""
    inside = [n for n in patch.indexes(" ") if n + 1 < len(patch.lines) and patch.lines[n + 1].kind == " "]
    if not inside:
        return None
    n = random.choice(inside)
    return patch.with_lines({n: f"{patch.lines[n].text}\n{_NO_NEWLINE_MARKER}"})


def newline_mark_misspelt(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The marker of a missing final line feed is misspelt."""
    ending = _ending_in_context(patch)
    mark = random.choice(
        (" " + _NO_NEWLINE_MARKER, "\\ No newline", "\\No newline at end of file", "[No newline at end of file]")
    )
    return None if ending is None else patch.damaged(f"{patch.text}{mark}\n", clean=_without_last_newline(ending))


def _ending_in_context(patch: PatchText) -> CleanPatch | None:
    """The change of files whose last one ends where its last hunk does, in context; None where it cannot."""
    last = patch.lines[-1]
    if last.kind != " " or not last.text.strip():
        return None
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
    *both_mutators(markers_in_context, absorbers=("strict", "codex")),
    *both_mutators(markers_in_changes, absorbers=("strict", "codex")),
    *both_mutators(line_separators, absorbers=("strict", "codex")),
    *both_mutators(signs_in_content, absorbers=("strict", "strict"), degrees=(1,)),
    diff_mutator(signs_in_content_miscounted, truth="tolerate", absorber="tolerant"),
    diff_mutator(no_newline_unmarked, truth="tolerate", absorber="tolerant", degrees=(1,)),
    diff_mutator(newline_marked_missing, truth="tolerate", degrees=(1,)),
    diff_mutator(newline_mark_misplaced, truth="tolerate", degrees=(1,)),
    diff_mutator(newline_mark_misspelt, truth="tolerate", absorber="tolerant", degrees=(1,)),
)
