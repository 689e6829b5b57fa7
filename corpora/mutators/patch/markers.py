"""Markers of Begin/End Patch: missing, doubled, misspelt, joined to a line, or misplaced."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanPatch, Damaged, needs, text_of
from corpora.mutators.mutator import Mutator
from corpora.mutators.patch_lines import BEGIN, END, PatchText, envelope_mutators, rewritten


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


def diff_in_envelope(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The envelope contains a unified diff."""
    return patch.damaged(f"{BEGIN}\n{patch.clean.unified()}{END}\n")


def lines_squashed(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """Lines are joined with those below; degree is the number of lines."""
    filled = {n for n in patch.indexes(" ", "-", "+") if patch.lines[n].text[1:].strip()}
    same_hunk = [n for n in patch.indexes(" ", "-") if patch.lines[n + 1].hunk == patch.lines[n].hunk]
    inside = [n for n in same_hunk if {n, n + 1} <= filled]
    needs(inside)
    first = random.choice(inside)
    last = min(first + degree, len(patch.lines) - 2)
    squashed = "".join(patch.lines[n].text for n in range(first, last + 1))
    texts = [line.text for line in patch.lines]
    return patch.damaged(text_of([*texts[:first], squashed, *texts[last + 1 :]]))


_ACTIONS = ("Modify", "Edit", "Change", "Patch", "Create or Update")
MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *envelope_mutators(
        rewritten("first_header_missing", "The first hunk of each file has no @@ line.", {"first @@": None}),
        absorber="codex",
    ),
    *envelope_mutators(
        rewritten("blank_between_hunks", "Blank lines follow each hunk; degree is their number.",
                  {"last of hunk": "{text}{feeds}"}),
        absorber="lenient",
    ),
    *envelope_mutators(
        rewritten("begin_missing", "The Begin Patch marker is missing.", {"begin": None}),
        rewritten("end_missing", "The End Patch marker is missing, and nothing else.", {"end": None}),
        rewritten("both_markers_missing", "The Begin Patch and End Patch markers are missing.",
                  {"begin": None, "end": None}),
        truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(
        rewritten("envelope_per_file", "Each file has its own envelope.",
                  {"later file": f"{END}\n{BEGIN}\n{{text}}"}),
        rewritten("end_between_files", "The End Patch marker is after each file.", {"later file": END + "\n{text}"}),
        truth="tolerate",
    ),
    *envelope_mutators(
        end_glued, lower_case_markers,
        rewritten("colons_after_markers", "A colon follows the Begin Patch and End Patch markers.",
                  {"begin": "{text}:", "end": "{text}:"}),
        rewritten("other_stars", "The Begin Patch and End Patch markers have two or four stars.",
                  {"begin": ("** Begin Patch", "**** Begin Patch"), "end": ("** End Patch", "**** End Patch")}),
        rewritten("unspaced_markers", "File headers lack the space after the stars or after the colon.",
                  {"file": ("***Update File: {path}", "*** Update File:{path}")}),
        truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(
        rewritten("unknown_action", "File headers name an action that the format lacks.",
                  {"file": tuple(f"*** {action} File: {{path}}" for action in _ACTIONS)}),
        rewritten("action_missing", "File headers name no action.",
                  {"file": ("*** File: {path}", "*** {path}", "File: {path}")}),
        rewritten("header_of_other_signs", "The @@ lines have one sign, or three or four.",
                  {"@@": ("@", "@@@", "@@@@")}),
        truth="tolerate",
    ),
    *envelope_mutators(end_of_file_misplaced, truth="tolerate", absorber="lenient"),
    *envelope_mutators(
        lines_after_end_of_file,
        rewritten("names_of_a_diff", "The --- and +++ lines of a diff follow the file headers.",
                  {"file": "{text}\n--- a/{path}\n+++ b/{path}"}),
        diff_in_envelope, truth="tolerate",
    ),
    *envelope_mutators(
        rewritten("section_per_hunk", "The file header is repeated before each hunk.",
                  {"later @@": "*** Update File: {path}\n@@"}),
        truth="tolerate", absorber="codex",
    ),
    *envelope_mutators(
        rewritten("begin_doubled", "The Begin Patch marker is repeated; degree is the number of repetitions.",
                  {"begin": "{text}{again}"}),
        truth="tolerate",
    ),
    *envelope_mutators(
        rewritten("padded_markers", "Spaces are around the Begin Patch and End Patch markers; degree is their number.",
                  {"begin": "{blanks}{text}{blanks}", "end": "{blanks}{text}{blanks}"}),
        truth="tolerate", absorber="codex",
    ),
    *envelope_mutators(
        rewritten("header_doubled", "Each hunk has more than one bare @@ line; degree is the number of repetitions.",
                  {"@@": "{text}{again}"}),
        rewritten("blank_after_begin", "Blank lines follow the Begin Patch marker; degree is their number.",
                  {"begin": "{text}{feeds}"}),
        rewritten("blank_after_header", "Blank lines follow the file headers; degree is their number.",
                  {"file": "{text}{feeds}"}),
        truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(lines_squashed, truth="tolerate"),
)  # fmt: skip
