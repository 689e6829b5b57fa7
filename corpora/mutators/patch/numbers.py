"""Hunk headers with wrong, absurd or missing starts, or in another form."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch.counts import ends_in_context
from corpora.mutators.patch_lines import HunkNumbers, PatchText, both_mutators, diff_mutator, envelope_mutator

_DISTANCES = (1, 3, 10, 100, 900)
_ABSURD = (10**6, 999_999_999, 2**31, 2**63, 10**30)


def starts_off(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Both starts are off by the same number of lines; degree is the distance, from 1 line to 900.

    No start is less than 1.
    """
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


def starts_negative(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The starts are negative."""
    return patch.without_counts(
        lambda n: f"@@ --{n.source_start},{n.source_length} +-{n.target_start},{n.target_length} @@"
    )


def _with_starts(patch: PatchText, line: int) -> Damaged | None:
    return patch.with_numbers(lambda n: n._replace(source_start=line, target_start=line))


def new_start_off(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The start among the new lines is too high; degree is the distance, from 1 line to 900."""
    distance = _DISTANCES[degree - 1]
    return patch.with_numbers(lambda n: n._replace(target_start=n.target_start + distance))


def shift_forgotten(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The new starts ignore what the hunks before added and removed."""
    return patch.with_numbers(lambda n: n._replace(target_start=n.source_start))


def sides_swapped(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The numbers of the old and the new side are swapped."""
    return patch.with_numbers(lambda n: HunkNumbers(*n[2:], *n[:2])) if ends_in_context(patch) else None


def bare_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Each hunk starts with @@ alone."""
    return patch.without_counts(lambda _: "@@")


def empty_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Each hunk starts with @@ @@."""
    return patch.without_counts(lambda _: "@@ @@")


def dotted_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Each hunk starts with @@ ... @@."""
    return patch.without_counts(lambda _: "@@ ... @@")


def letters_for_numbers(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The numbers are placeholder letters."""
    header = random.choice(("@@ -XX,XX +XX,XX @@", "@@ -N,M +N,M @@", "@@ -?,? +?,? @@", "@@ -x,y +x,z @@"))
    return patch.without_counts(lambda _: header)


def numbers_in_words(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The hunk headers say in words at which lines the hunk is."""
    form = random.choice(("@@ line {} @@", "@@ lines {}-{} @@", "@@ line {}", "@@ Line {}, @@"))
    return patch.without_counts(lambda n: form.format(n.source_start, n.source_start + n.source_length - 1))


def unspaced_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The numbers have no spaces around them."""
    return patch.with_headers(lambda numbers: f"@@{numbers}@@")


def unclosed_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The second @@ of each header is missing."""
    return patch.with_headers(lambda numbers: f"@@ {numbers}")


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
    """The @@ lines have numbers like those of a diff; degree is their distance, from 0 lines to 100."""
    distance = random.choice((-1, 1)) * (0, *_DISTANCES)[degree - 1]
    return patch.with_numbers(lambda numbers: numbers.moved(distance))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    diff_mutator(starts_off, absorber="offset"),
    diff_mutator(starts_absurd, absorber="offset"),
    diff_mutator(new_start_off, absorber="strict"),
    diff_mutator(starts_zero, absorber="offset", degrees=(1,)),
    diff_mutator(starts_one, absorber="offset", degrees=(1,)),
    diff_mutator(starts_negative, absorber="tolerant", degrees=(1,)),
    diff_mutator(shift_forgotten, absorber="strict", degrees=(1,)),
    diff_mutator(sides_swapped, absorber="tolerant", degrees=(1,)),
    diff_mutator(bare_headers, absorber="tolerant", degrees=(1,)),
    diff_mutator(dotted_headers, absorber="tolerant", degrees=(1,)),
    diff_mutator(letters_for_numbers, absorber="tolerant", degrees=(1,)),
    diff_mutator(unspaced_headers, absorber="tolerant", degrees=(1,)),
    diff_mutator(unclosed_headers, absorber="tolerant", degrees=(1,)),
    diff_mutator(section_text, absorber="strict", degrees=(1,)),
    diff_mutator(empty_headers, name="empty_headers_diff", absorber="tolerant", degrees=(1,)),
    diff_mutator(numbers_in_words, name="numbers_in_words_diff", absorber="tolerant", degrees=(1,)),
    envelope_mutator(empty_headers, name="empty_headers_envelope", truth="tolerate", absorber="lenient", degrees=(1,)),
    envelope_mutator(
        dotted_headers, name="dotted_headers_envelope", truth="tolerate", absorber="lenient", degrees=(1,)
    ),
    envelope_mutator(
        numbers_in_words, name="numbers_in_words_envelope", truth="tolerate", absorber="lenient", degrees=(1,)
    ),
    envelope_mutator(numbers_in_envelope, truth="tolerate", absorber="lenient"),
    *both_mutators(blanks_after_headers, absorbers=("strict", "codex")),
    *both_mutators(later_headers_missing, truth="tolerate", degrees=(1,)),
    diff_mutator(headers_missing_diff, truth="tolerate", degrees=(1,)),
)
