"""Contradictions: one context line of a patch says something else than the file: they cannot both hold.

    patch  |@@                file  |if x < limit:
           | if x > limit:          |    stop()
           |-    stop()
           |+    halt()

Nobody can know whether the line is wrong in the patch or meant elsewhere: such a patch must be refused. Comments, whose
words may drift, are not drawn.
"""

from __future__ import annotations

from functools import partial
from random import Random

from corpora.mutators.alterations import ALTERATIONS, Alter, altered
from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchFormat, PatchText, n_places, render_patch


def _contradicted(format: PatchFormat, alter: Alter, clean: CleanPatch, _degree: int, random: Random) -> Damaged | None:
    """The patch, of which one context line of code is altered; the files stay as they are."""
    patch = render_patch(clean, format)
    chosen = patch.indexes(" ") if patch else []
    if patch is None or not chosen:
        return None
    n = random.choice(chosen)
    file = patch.file(n)
    other = altered(patch.lines[n].text[1:], file, alter, random)
    if other is None or not _stands_nowhere(patch, n, other):
        return None
    seen = patch.clean_with_lines({n: other})
    text = patch.text_with({n: f" {other}"})
    return Damaged(
        patch.clean.before, None, patch=text, twin=(seen.before, seen.target), twin_patch=text, reason="contradiction"
    )


def _stands_nowhere(patch: PatchText, line: int, other: str) -> bool:
    """Whether the hunk of a line stands nowhere once that line is another."""
    hunk = next(lines for lines in patch.hunks if line in lines)
    wanted = [other if n == line else patch.lines[n].text[1:] for n in hunk if patch.lines[n].kind in " -"]
    return n_places(patch.file(line).content, wanted) == 0


def _mutators(name: str, has: str, alter: Alter) -> tuple[Mutator[CleanPatch], ...]:
    summary = f"A line of context has {has}."
    formats: tuple[tuple[str, PatchFormat], ...] = (("diff", "unified_diff"), ("envelope", "begin_patch"))
    return tuple(
        Mutator(
            f"contradiction_{name}_{suffix}", summary, format, partial(_contradicted, format, alter), truth="refuse",
            degrees=(1,),
        )
        for suffix, format in formats
    )  # fmt: skip


MUTATORS: tuple[Mutator[CleanPatch], ...] = tuple(
    mutator for name, one in ALTERATIONS.items() for mutator in _mutators(name, *one)
)
