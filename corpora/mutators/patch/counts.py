"""Diffs with wrong line counts in hunk headers. Hunks that would then look cut off are left alone."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import HunkNumbers, PatchText, diff_mutator

_ABSURD = (10**4, 10**6, 2 * 10**9, 2**63, 10**30)


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
    n_lines = _ABSURD[degree - 1]
    return _with_larger_counts(patch, n_lines, n_lines)


def ends_in_context(patch: PatchText) -> bool:
    """Whether every hunk has context below its last change.

    A longer one would visibly not have been cut off there.
    """
    return all(patch.lines[hunk[-1]].kind == " " for hunk in patch.hunks)


def counts_swapped(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The counts of old and new lines are swapped."""

    def swapped(numbers: HunkNumbers) -> HunkNumbers:
        return numbers._replace(source_length=numbers.target_length, target_length=numbers.source_length)

    return patch.with_numbers(swapped) if ends_in_context(patch) else None


def counts_left_out(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The hunk headers have starts and no counts; exactly read, a missing count is 1."""
    text = patch.text_with_headers(lambda numbers: f"@@ -{numbers.source_start} +{numbers.target_start} @@")
    return patch.damaged(text)


def counts_zero(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """All counts are 0."""
    return patch.with_headers(lambda numbers: f"@@ -{numbers.source_start},0 +{numbers.target_start},0 @@")


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


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    diff_mutator(counts_too_small, absorber="tolerant"),
    diff_mutator(counts_too_large, absorber="tolerant"),
    diff_mutator(old_count_too_large, absorber="tolerant"),
    diff_mutator(new_count_too_large, absorber="tolerant"),
    diff_mutator(counts_absurd, absorber="tolerant"),
    diff_mutator(counts_swapped, absorber="tolerant", degrees=(1,)),
    diff_mutator(counts_left_out, absorber="tolerant", degrees=(1,)),
    diff_mutator(counts_zero, absorber="tolerant", degrees=(1,)),
    diff_mutator(counts_of_changes, absorber="tolerant", degrees=(1,)),
)
