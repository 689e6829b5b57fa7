"""Search texts that match the file exactly; some edits contain texts that a careless program reads as commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, edited, needs
from corpora.mutators.mutator import Mutator, named, text_mutators
from corpora.mutators.spans import indentation, pick
from corpora.mutators.words import another_name, tokens
from editcore.types import Edit

_MARKERS = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "*** Begin Patch", "*** End Patch", "*** End of File",
    "@@ -1,3 +1,4 @@", "--- a/file", "+++ b/file", "```",
)  # fmt: skip
_REFERENCES = ("$&", "$1", "$$", "$`", "$'", r"\1", r"\g<0>", "${1}", "$<name>", "$0")
_WORD = re.compile(r"\w")


def marker_content(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Search text and new text contain lines that are markers of patches; degree is their number."""
    needs(clean.whole_lines)
    lines, new = list(clean.lines), clean.new
    for marker in pick(_MARKERS, degree, random):
        lines.insert(random.randint(1, len(lines)), marker)
        new += "\n" + marker
    return clean.with_old("\n".join(lines), new=new).exact()


def dollars_in_new(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""The new text contains references of regular expressions: $&, $1, \1 and others; degree is their number."""
    return replace(clean, new=_with_references(clean.new, degree, random)).exact()


def _with_references(text: str, n_references: int, random: Random) -> str:
    places = sorted([random.randint(len(indentation(text)), len(text)) for _ in range(n_references)], reverse=True)
    for at, reference in zip(places, random.sample(_REFERENCES, n_references), strict=True):
        text = text[:at] + reference + text[at:]
    return text


def renamed_everywhere(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """A name that occurs several times, never inside a longer one, is replaced everywhere."""
    names = dict.fromkeys(name[0] for name in tokens(clean.old, "name") if len(name[0]) > 1)
    return _replaced_everywhere(clean, list(names), lambda name: another_name(name, random), random)


def dollars_everywhere(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""A name is replaced everywhere by one that contains $&, $1, \1 and others; degree is their number."""
    names = dict.fromkeys(name[0] for name in tokens(clean.old, "name") if len(name[0]) > 1)
    return _replaced_everywhere(clean, list(names), lambda name: _with_references(name, degree, random), random)


def _replaced_everywhere(
    clean: CleanEdit, names: list[str], change: Callable[[str], str], random: Random
) -> Damaged | None:
    for name in random.sample(names, len(names)):
        pieces = clean.content.split(name)
        if len(pieces) > 2 and not any(_WORD.search(left[-1:] + right[:1]) for left, right in pairwise(pieces)):
            other = change(name)
            edit = Edit(name, other, replace_all=True)
            return edited(clean.path, clean.content, other.join(pieces), edit)
    return None


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(
        named("exact", "The edit without damage.", lambda clean, *_: clean.exact()),
        marker_content, dollars_in_new, renamed_everywhere, dollars_everywhere,
        absorber="simple",
    ),
)  # fmt: skip
