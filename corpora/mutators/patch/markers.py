"""Markers of Begin/End Patch: missing, doubled, misspelt, joined to a line, or misplaced."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.clean_edit import CleanPatch, text_of
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import BEGIN, END, PatchText, envelope_mutators

_HEADER = re.compile(r"\*\*\* (\w+) (.*)")


def begin_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The Begin Patch marker is missing."""
    return patch.with_lines({0: None})


def end_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The End Patch marker is missing, and nothing else."""
    return patch.with_lines({len(patch.lines) - 1: None})


def both_markers_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The Begin Patch and End Patch markers are missing."""
    return patch.with_lines({0: None, len(patch.lines) - 1: None})


def begin_doubled(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The Begin Patch marker is repeated; degree is the number of repetitions."""
    return patch.with_lines({0: "\n".join([BEGIN] * (degree + 1))})


def envelope_per_file(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Each file has its own envelope."""
    heads = patch.indexes("file")[1:]
    return patch.with_lines({n: f"{END}\n{BEGIN}\n{patch.lines[n].text}" for n in heads})


def end_between_files(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The End Patch marker is after each file."""
    heads = patch.indexes("file")[1:]
    return patch.with_lines({n: f"{END}\n{patch.lines[n].text}" for n in heads})


def end_glued(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The End Patch marker is at the end of the last line."""
    *_, last, end = range(len(patch.lines))
    return patch.with_lines({last: patch.lines[last].text + END, end: None})


def lower_case_markers(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The words of all markers are in lower or upper case."""
    case = random.choice((str.lower, str.upper))

    def cased(text: str) -> str:
        head, colon, path = text.partition(": ")
        return case(head) + colon + path

    return patch.with_lines({n: cased(patch.lines[n].text) for n in patch.indexes("begin", "file", "end")})


def padded_markers(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Spaces are around the Begin Patch and End Patch markers; degree is their number."""
    spaces = " " * degree
    return patch.with_lines({0: f"{spaces}{BEGIN}{spaces}", len(patch.lines) - 1: f"{spaces}{END}{spaces}"})


def colons_after_markers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """A colon follows the Begin Patch and End Patch markers."""
    return patch.with_lines({0: BEGIN + ":", len(patch.lines) - 1: END + ":"})


def other_stars(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The Begin Patch and End Patch markers have two or four stars."""
    stars = random.choice(("**", "****"))
    begin, end = (stars + marker[3:] for marker in (BEGIN, END))
    return patch.with_lines({0: begin, len(patch.lines) - 1: end})


def unspaced_markers(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """File headers lack the space after the stars or after the colon."""
    separator = random.choice(("*** ", ": "))
    heads = patch.indexes("file")
    return patch.with_lines({n: patch.lines[n].text.replace(separator, separator.strip(), 1) for n in heads})


def unknown_action(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """File headers name an action that the format lacks."""
    action = random.choice(("Modify", "Edit", "Change", "Patch", "Create or Update"))
    heads = patch.indexes("file")
    return patch.with_lines({n: _HEADER.sub(rf"*** {action} \2", patch.lines[n].text) for n in heads})


def action_missing(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """File headers name no action."""
    form = random.choice(("*** File: {}", "*** {}", "File: {}"))
    return patch.with_lines({n: form.format(patch.file(n).path) for n in patch.indexes("file")})


def first_header_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The first hunk of each file has no @@ line."""
    first = [hunk[0] for hunk in patch.hunks if patch.lines[hunk[0] - 1].kind == "file"]
    return patch.with_lines(dict.fromkeys(first))


def header_doubled(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Each hunk has more than one bare @@ line; degree is the number of repetitions."""
    return patch.with_headers(lambda _: "\n".join(["@@"] * (degree + 1)))


def header_of_other_signs(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The @@ lines have one sign, or three or four."""
    signs = random.choice(("@", "@@@", "@@@@"))
    return patch.with_headers(lambda _: signs)


def blank_after_begin(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Blank lines follow the Begin Patch marker; degree is their number."""
    return patch.with_lines({0: BEGIN + "\n" * degree})


def blank_after_header(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Blank lines follow the file headers; degree is their number."""
    return patch.with_lines({n: patch.lines[n].text + "\n" * degree for n in patch.indexes("file")})


def blank_between_hunks(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Blank lines follow each hunk; degree is their number."""
    return patch.with_lines({hunk[-1]: patch.lines[hunk[-1]].text + "\n" * degree for hunk in patch.hunks})


def end_of_file_misplaced(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """End of File markers follow hunks that end above the end of their file."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        numbers = patch.lines[hunk[0]].numbers
        n_lines = patch.file(hunk[0]).content.count("\n")
        if numbers and numbers.source_start + numbers.source_length <= n_lines:
            others[hunk[-1]] = patch.lines[hunk[-1]].text + "\n*** End of File"
    return patch.with_lines(others)


def lines_after_end_of_file(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """An End of File marker is inside each hunk."""
    others = {hunk[1]: patch.lines[hunk[1]].text + "\n*** End of File" for hunk in patch.hunks if len(hunk) > 2}
    return patch.with_lines(others)


def names_of_a_diff(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The --- and +++ lines of a diff follow the file headers."""
    heads = ((n, patch.file(n).path) for n in patch.indexes("file"))
    return patch.with_lines({n: f"{patch.lines[n].text}\n--- a/{path}\n+++ b/{path}" for n, path in heads})


def diff_in_envelope(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The envelope contains a unified diff."""
    return patch.damaged(f"{BEGIN}\n{patch.clean.unified()}{END}\n")


def section_per_hunk(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The file header is repeated before each hunk."""
    later = [hunk[0] for hunk in patch.hunks if patch.lines[hunk[0] - 1].kind != "file"]
    return patch.with_lines({n: f"*** Update File: {patch.file(n).path}\n@@" for n in later})


def lines_squashed(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines are joined with those below; degree is the number of lines."""
    filled = {n for n in patch.indexes(" ", "-", "+") if patch.lines[n].text[1:].strip()}
    same_hunk = [n for n in patch.indexes(" ", "-") if patch.lines[n + 1].hunk == patch.lines[n].hunk]
    inside = [n for n in same_hunk if {n, n + 1} <= filled]
    if not inside:
        return None
    first = random.choice(inside)
    last = min(first + degree, len(patch.lines) - 2)
    squashed = "".join(patch.lines[n].text for n in range(first, last + 1))
    texts = [line.text for line in patch.lines]
    return patch.damaged(text_of([*texts[:first], squashed, *texts[last + 1 :]]))


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *envelope_mutators(first_header_missing, absorber="codex"),
    *envelope_mutators(blank_between_hunks, absorber="lenient"),
    *envelope_mutators(begin_missing, end_missing, both_markers_missing, truth="tolerate", absorber="lenient"),
    *envelope_mutators(envelope_per_file, end_between_files, truth="tolerate"),
    *envelope_mutators(
        end_glued, lower_case_markers, colons_after_markers, other_stars, unspaced_markers,
        truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(unknown_action, action_missing, header_of_other_signs, truth="tolerate"),
    *envelope_mutators(end_of_file_misplaced, truth="tolerate", absorber="lenient"),
    *envelope_mutators(lines_after_end_of_file, names_of_a_diff, diff_in_envelope, truth="tolerate"),
    *envelope_mutators(section_per_hunk, truth="tolerate", absorber="codex"),
    *envelope_mutators(begin_doubled, truth="tolerate"),
    *envelope_mutators(padded_markers, truth="tolerate", absorber="codex"),
    *envelope_mutators(header_doubled, blank_after_begin, blank_after_header, truth="tolerate", absorber="lenient"),
    *envelope_mutators(lines_squashed, truth="tolerate"),
)  # fmt: skip
