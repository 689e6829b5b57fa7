"""Hunk headers with wrong, absurd or missing numbers, or in another form. Hunks that would look cut off are left
alone.
"""

from __future__ import annotations

from random import Random

from corpora.diff_hunks import HunkNumbers
from corpora.mutators.clean_edit import CleanPatch, Damaged, needs
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.patch_lines import (
    Damage,
    PatchText,
    both_mutators,
    diff_mutators,
    ends_whole,
    envelope_mutators,
    rewritten,
)

# Wrong line counts. Hunks that would then look cut off are left alone.

_ABSURD_COUNTS = (10**4, 10**6, 2 * 10**9, 2**63, 10**30)


def counts_too_small(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Both counts of each hunk are too small, but at least 1; degree is the difference."""

    def smaller(numbers: HunkNumbers) -> HunkNumbers:
        source, target = (max(n - degree, 1) for n in (numbers.source_length, numbers.target_length))
        return numbers._replace(source_length=source, target_length=target)

    return patch.with_numbers(smaller)


def _with_larger_counts(patch: PatchText, n_old: int, n_new: int) -> Damaged | None:
    return patch.with_numbers(lambda numbers: numbers.longer(n_old, n_new)) if ends_in_context(patch) else None


def ends_in_context(patch: PatchText) -> bool:
    """True if every hunk has context below its last change. A truncated hunk would not end there."""
    return all(patch.lines[hunk[-1]].kind == " " for hunk in patch.hunks)


def counts_swapped(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The counts of old and new lines are swapped."""

    def swapped(numbers: HunkNumbers) -> HunkNumbers:
        return numbers._replace(source_length=numbers.target_length, target_length=numbers.source_length)

    return patch.with_numbers(swapped) if ends_in_context(patch) else None


def counts_of_changes(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The counts leave out context lines."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        kinds = [patch.lines[index].kind for index in hunk]
        numbers = patch.lines[hunk[0]].numbers
        if numbers is not None:
            changes = numbers._replace(source_length=kinds.count("-"), target_length=kinds.count("+"))
            others[hunk[0]] = f"@@ {changes} @@"
    return patch.with_lines(others)


# Wrong, absurd or missing starts, and headers in another form.

_DISTANCES = (1, 3, 10, 100, 900)
_ABSURD = (10**6, 999_999_999, 2**31, 2**63, 10**30)


def _headers(name: str, summary: str, *forms: str) -> Damage:
    """Hunk headers in other forms, without the counts: a patch that would look cut off is left alone."""
    return rewritten(name, summary, {"@@": forms}, of=ends_whole)


_EMPTY = _headers("empty_headers", "Each hunk starts with @@ @@.", "@@ @@")
_DOTTED = _headers("dotted_headers", "Each hunk starts with @@ ... @@.", "@@ ... @@")
_IN_WORDS = _headers(
    "numbers_in_words", "The hunk headers say in words at which lines the hunk is.",
    "@@ line {n.source_start} @@", "@@ lines {n.source_start}-{last} @@", "@@ line {n.source_start}",
    "@@ Line {n.source_start}, @@",
)  # fmt: skip


def starts_off(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Both starts are off by the same number of lines; degree is the distance, from 1 line to 900."""
    distance = random.choice((-1, 1)) * _DISTANCES[degree - 1]
    return patch.with_numbers(lambda numbers: numbers.moved(distance))


def section_text(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line that the file does not have follows the numbers."""
    text = random.choice(("def frobnicate(quux):", "class Frobnicator {", "# Frobnication", "fn frobnicate()"))
    needs(not any(text in file.content for file in patch.clean.before))
    return patch.with_lines({n: f"@@ {patch.lines[n].numbers} @@ {text}" for n in patch.indexes("@@")})


def numbers_in_envelope(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The @@ lines have numbers as in a diff; degree is their distance, from 0 lines to 100."""
    distance = random.choice((-1, 1)) * (0, *_DISTANCES)[degree - 1]
    return patch.with_numbers(lambda numbers: numbers.moved(distance))


def _with_starts(patch: PatchText, line: int) -> Damaged | None:
    return patch.with_numbers(lambda n: n._replace(source_start=line, target_start=line))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *diff_mutators(
        starts_off,
        named("starts_absurd", "Every hunk starts at a line that no file has; degree is the magnitude, up to 10^30.",
              lambda patch, degree, _: _with_starts(patch, _ABSURD[degree - 1])),
        absorber="offset",
    ),
    *diff_mutators(
        named("new_start_off", "The start among the new lines is too high; degree is the distance, from 1 line to 900.",
              lambda patch, degree, _: patch.with_numbers(
                  lambda n: n._replace(target_start=n.target_start + _DISTANCES[degree - 1]))),
        absorber="strict",
    ),
    *diff_mutators(
        named("starts_zero", "Every hunk starts at line 0.", lambda patch, *_: _with_starts(patch, 0)),
        named("starts_one", "Every hunk starts at line 1.", lambda patch, *_: _with_starts(patch, 1)),
        absorber="offset",
    ),
    *diff_mutators(
        rewritten("starts_negative", "The starts are negative.",
                  {"@@": "@@ --{n.source_start},{n.source_length} +-{n.target_start},{n.target_length} @@"},
                  of=ends_whole),
        absorber="tolerant",
    ),
    *diff_mutators(
        named("shift_forgotten", "The new starts ignore the lines that earlier hunks added and removed.",
              lambda patch, *_: patch.with_numbers(lambda n: n._replace(target_start=n.source_start))),
        absorber="strict",
    ),
    *diff_mutators(
        named("sides_swapped", "The numbers of the old and the new side are swapped.",
              lambda patch, *_: patch.with_numbers(lambda n: HunkNumbers(*n[2:], *n[:2]))
              if ends_in_context(patch) else None),
        _headers("bare_headers", "Each hunk starts with @@ alone.", "@@"), _DOTTED,
        _headers("letters_for_numbers", "The numbers are placeholder letters.",
                 "@@ -XX,XX +XX,XX @@", "@@ -N,M +N,M @@", "@@ -?,? +?,? @@", "@@ -x,y +x,z @@"),
        rewritten("unspaced_headers", "The numbers have no spaces around them.", {"@@": "@@{n}@@"}),
        rewritten("unclosed_headers", "The second @@ of each header is missing.", {"@@": "@@ {n}"}),
        absorber="tolerant",
    ),
    *diff_mutators(section_text, absorber="strict"),
    *diff_mutators(_EMPTY, _IN_WORDS, ending="_diff", absorber="tolerant"),
    *envelope_mutators(_EMPTY, _DOTTED, _IN_WORDS, ending="_envelope", truth="tolerate", absorber="lenient"),
    *envelope_mutators(numbers_in_envelope, truth="tolerate", absorber="lenient"),
    *both_mutators(
        rewritten("blanks_after_headers", "Spaces follow the @@ lines; degree is their number.",
                  {"@@": "{text}{blanks}"}),
        absorbers=("strict", "codex"),
    ),
    *both_mutators(
        rewritten("later_headers_missing", "Only the first hunk of each file has its @@ line.", {"later @@": None}),
        truth="tolerate",
    ),
    *diff_mutators(
        rewritten("headers_missing_diff", "All @@ lines are missing.", {"@@": None}), truth="tolerate",
    ),
    *diff_mutators(
        counts_too_small,
        named("counts_too_large", "Both counts of each hunk are too large; degree is the difference.",
              lambda patch, degree, _: _with_larger_counts(patch, degree, degree)),
        named("old_count_too_large", "The count of old lines is too large; degree is the difference.",
              lambda patch, degree, _: _with_larger_counts(patch, degree, 0)),
        named("new_count_too_large", "The count of new lines is too large; degree is the difference.",
              lambda patch, degree, _: _with_larger_counts(patch, 0, degree)),
        named("counts_absurd", "Both counts are larger than any file; degree is the magnitude, up to 10^30.",
              lambda patch, degree, _: _with_larger_counts(patch, *[_ABSURD_COUNTS[degree - 1]] * 2)),
        counts_swapped,
        rewritten("counts_left_out", "The hunk headers have starts and no counts; exactly read, a missing count is 1.",
                  {"@@": "@@ -{n.source_start} +{n.target_start} @@"}),
        rewritten("counts_zero", "All counts are 0.", {"@@": "@@ -{n.source_start},0 +{n.target_start},0 @@"}),
        counts_of_changes,
        absorber="tolerant",
    ),
)  # fmt: skip
