"""Hunk headers with wrong, absurd or missing numbers, or in another form. Hunks that would look cut off are left
alone.
"""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import Damage, HunkNumbers, PatchText, both_mutators, diff_mutators, envelope_mutators

# Wrong line counts. Hunks that would then look cut off are left alone.

_ABSURD_COUNTS = (10**4, 10**6, 2 * 10**9, 2**63, 10**30)


def counts_too_small(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Both counts of each hunk are too small, but at least 1; degree is the difference."""

    def smaller(numbers: HunkNumbers) -> HunkNumbers:
        source, target = (max(n - degree, 1) for n in (numbers.source_length, numbers.target_length))
        return numbers._replace(source_length=source, target_length=target)

    return patch.with_numbers(smaller)


def counts_too_large(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Both counts of each hunk are too large; degree is the difference."""
    return _with_larger_counts(patch, degree, degree)


def old_count_too_large(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The count of old lines is too large; degree is the difference."""
    return _with_larger_counts(patch, degree, 0)


def new_count_too_large(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The count of new lines is too large; degree is the difference."""
    return _with_larger_counts(patch, 0, degree)


def _with_larger_counts(patch: PatchText, n_old: int, n_new: int) -> Damaged | None:
    return patch.with_numbers(lambda numbers: numbers.longer(n_old, n_new)) if ends_in_context(patch) else None


def counts_absurd(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Both counts are larger than any file; degree is the magnitude, up to 10^30."""
    n_lines = _ABSURD_COUNTS[degree - 1]
    return _with_larger_counts(patch, n_lines, n_lines)


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


def _headers(name: str, summary: str, *forms: str, counted: bool = False) -> Damage:
    """A damage of that name that gives hunk headers one of the forms; {0} stands for the numbers, {1} for the last
    line.

    Without counts a hunk may look cut off, see `PatchText.text_without_counts`; `counted` forms have counts.
    """

    def damage(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
        form = random.choice(forms)

        def write(numbers: HunkNumbers) -> str:
            return form.format(numbers, numbers.source_start + numbers.source_length - 1)

        return patch.with_headers(write) if counted else patch.without_counts(write)

    damage.__name__, damage.__doc__ = name, summary
    return damage


_EMPTY = _headers("empty_headers", "Each hunk starts with @@ @@.", "@@ @@")
_DOTTED = _headers("dotted_headers", "Each hunk starts with @@ ... @@.", "@@ ... @@")
_IN_WORDS = _headers(
    "numbers_in_words", "The hunk headers say in words at which lines the hunk is.",
    "@@ line {0.source_start} @@", "@@ lines {0.source_start}-{1} @@", "@@ line {0.source_start}",
    "@@ Line {0.source_start}, @@",
)  # fmt: skip


def starts_off(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Both starts are off by the same number of lines; degree is the distance, from 1 line to 900."""
    distance = random.choice((-1, 1)) * _DISTANCES[degree - 1]
    return patch.with_numbers(lambda numbers: numbers.moved(distance))


def starts_zero(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Every hunk starts at line 0."""
    return _with_starts(patch, 0)


def starts_one(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Every hunk starts at line 1."""
    return _with_starts(patch, 1)


def starts_absurd(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Every hunk starts at a line that no file has; degree is the magnitude, up to 10^30."""
    return _with_starts(patch, _ABSURD[degree - 1])


def _with_starts(patch: PatchText, line: int) -> Damaged | None:
    return patch.with_numbers(lambda n: n._replace(source_start=line, target_start=line))


def new_start_off(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The start among the new lines is too high; degree is the distance, from 1 line to 900."""
    distance = _DISTANCES[degree - 1]
    return patch.with_numbers(lambda n: n._replace(target_start=n.target_start + distance))


def shift_forgotten(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The new starts ignore the lines that earlier hunks added and removed."""
    return patch.with_numbers(lambda n: n._replace(target_start=n.source_start))


def sides_swapped(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The numbers of the old and the new side are swapped."""
    return patch.with_numbers(lambda n: HunkNumbers(*n[2:], *n[:2])) if ends_in_context(patch) else None


def blanks_after_headers(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Spaces follow the @@ lines; degree is their number."""
    return patch.with_lines({n: patch.lines[n].text + " " * degree for n in patch.indexes("@@")})


def section_text(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line that the file does not have follows the numbers."""
    text = random.choice(("def frobnicate(quux):", "class Frobnicator {", "# Frobnication", "fn frobnicate()"))
    if any(text in file.content for file in patch.clean.before):
        return None
    return patch.with_headers(lambda numbers: f"@@ {numbers} @@ {text}")


def headers_missing_diff(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """All @@ lines are missing."""
    return patch.with_headers(lambda _: None)


def later_headers_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Only the first hunk of each file has its @@ line."""
    later = [hunk[0] for hunk in patch.hunks if patch.lines[hunk[0] - 1].kind != "file"]
    return patch.with_lines(dict.fromkeys(later))


def numbers_in_envelope(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The @@ lines have numbers as in a diff; degree is their distance, from 0 lines to 100."""
    distance = random.choice((-1, 1)) * (0, *_DISTANCES)[degree - 1]
    return patch.with_numbers(lambda numbers: numbers.moved(distance))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *diff_mutators(starts_off, starts_absurd, absorber="offset"),
    *diff_mutators(new_start_off, absorber="strict"),
    *diff_mutators(starts_zero, starts_one, absorber="offset"),
    *diff_mutators(
        _headers(
            "starts_negative", "The starts are negative.",
            "@@ --{0.source_start},{0.source_length} +-{0.target_start},{0.target_length} @@",
        ),
        absorber="tolerant",
    ),
    *diff_mutators(shift_forgotten, absorber="strict"),
    *diff_mutators(
        sides_swapped, _headers("bare_headers", "Each hunk starts with @@ alone.", "@@"), _DOTTED,
        _headers(
            "letters_for_numbers", "The numbers are placeholder letters.",
            "@@ -XX,XX +XX,XX @@", "@@ -N,M +N,M @@", "@@ -?,? +?,? @@", "@@ -x,y +x,z @@",
        ),
        _headers("unspaced_headers", "The numbers have no spaces around them.", "@@{0}@@", counted=True),
        _headers("unclosed_headers", "The second @@ of each header is missing.", "@@ {0}", counted=True),
        absorber="tolerant",
    ),
    *diff_mutators(section_text, absorber="strict"),
    *diff_mutators(_EMPTY, _IN_WORDS, ending="_diff", absorber="tolerant"),
    *envelope_mutators(
        _EMPTY, _DOTTED, _IN_WORDS,
        ending="_envelope", truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(numbers_in_envelope, truth="tolerate", absorber="lenient"),
    *both_mutators(blanks_after_headers, absorbers=("strict", "codex")),
    *both_mutators(later_headers_missing, truth="tolerate"),
    *diff_mutators(headers_missing_diff, truth="tolerate"),
    *diff_mutators(
        counts_too_small, counts_too_large, old_count_too_large, new_count_too_large, counts_absurd, counts_swapped,
        _headers(
            "counts_left_out", "The hunk headers have starts and no counts; exactly read, a missing count is 1.",
            "@@ -{0.source_start} +{0.target_start} @@", counted=True,
        ),
        _headers("counts_zero", "All counts are 0.", "@@ -{0.source_start},0 +{0.target_start},0 @@", counted=True),
        counts_of_changes,
        absorber="tolerant",
    ),
)  # fmt: skip
