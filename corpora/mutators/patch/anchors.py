"""Text after `@@` that is no range of lines: a line above the hunk, a part of one, or a line that no file has."""

from __future__ import annotations

from collections import Counter
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, both_mutators, envelope_mutator
from corpora.mutators.search_lines import indentation
from corpora.mutators.words import invented_statement


def _unique_lines_above(patch: PatchText) -> dict[int, list[str]]:
    """For each hunk header, the unique nonblank lines between the hunk before it and the hunk."""
    found = {}
    for number, hunk in enumerate(patch.hunks):
        lines = patch.file(hunk[0]).content.split("\n")
        before = patch.hunks[number - 1] if number else ()
        same = before and patch.lines[before[0]].file == patch.lines[hunk[0]].file
        first = max((patch.lines[index].source_line for index in before), default=0) if same else 0
        numbers = patch.lines[hunk[0]].numbers
        above = lines[first : numbers.source_start - 1] if numbers else []
        counts = Counter(line.strip() for line in lines)
        found[hunk[0]] = [line for line in above if line.strip() and counts[line.strip()] == 1]
    return found


def _with_anchors(patch: PatchText, form: str, random: Random) -> Damaged | None:
    """The patch with a line above each hunk in its header; None where, without counts, it might look cut off."""
    anchors = {index: random.choice(above).strip() for index, above in _unique_lines_above(patch).items() if above}
    lines = {index: form.format(line) for index, line in anchors.items()}
    return None if patch.lines[-1].kind == "-" else patch.with_lines(lines)


def line_above(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line from above the hunk follows @@, without its indentation."""
    return _with_anchors(patch, "@@ {}", random)


def line_above_closed(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line from above the hunk is between two @@."""
    return _with_anchors(patch, "@@ {} @@", random)


def line_above_unspaced(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line from above the hunk follows @@ without a space."""
    return _with_anchors(patch, "@@{}", random)


def part_of_line_above(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The first words of a line from above the hunk follow @@; degree is the number of words left out."""
    others: dict[int, str | None] = {}
    for index, above in _unique_lines_above(patch).items():
        words = [line.split() for line in above if len(line.split()) > 1]
        if words:
            chosen = random.choice(words)
            others[index] = "@@ " + " ".join(chosen[: max(len(chosen) - degree, 1)])
    return patch.with_lines(others)


def stacked_lines_above(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Two lines from above the hunk, the first without indentation, each after an @@."""
    others: dict[int, str | None] = {}
    for index, above in _unique_lines_above(patch).items():
        flush = [at for at, line in enumerate(above) if not indentation(line)]
        inner = [line for line in above[flush[0] :] if indentation(line)] if flush else []
        if inner:
            others[index] = f"@@ {above[flush[0]].strip()}\n@@ {random.choice(inner).strip()}"
    return patch.with_lines(others)


def line_that_is_nowhere(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A line that no file has follows @@."""
    return patch.with_lines({n: "@@ " + invented_statement(patch.file(n).path, random) for n in patch.indexes("@@")})


def first_line_repeated(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The first line of each hunk also follows @@."""
    first = {hunk[0]: patch.lines[hunk[1]] for hunk in patch.hunks}
    lines = {n: f"@@ {line.text[1:].strip()}" for n, line in first.items() if line.kind == " " and line.text.strip()}
    return patch.with_lines(lines)


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(line_above, absorbers=("tolerant", "codex"), degrees=(1,)),
    *both_mutators(line_above_closed, truth="tolerate", absorbers=("tolerant", "lenient"), degrees=(1,)),
    envelope_mutator(line_above_unspaced, truth="tolerate", absorber="lenient", degrees=(1,)),
    envelope_mutator(part_of_line_above, truth="tolerate", absorber="lenient"),
    envelope_mutator(stacked_lines_above, absorber="lenient", degrees=(1,)),
    *both_mutators(line_that_is_nowhere, truth="tolerate", absorbers=("tolerant", "lenient"), degrees=(1,)),
    *both_mutators(first_line_repeated, truth="tolerate", absorbers=("tolerant", "lenient"), degrees=(1,)),
)
