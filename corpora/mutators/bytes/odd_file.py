"""An edit of a file that is more than UTF-8 text with one line ending, and the two samples that it makes.

Its apply sample has the right bytes by construction: those before, with the span of the edit replaced. Its refused
sibling is the same file with the lines of the edit in it twice, so that nothing says which are meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Damaged, Mutator, summary_of
from corpora.mutators.patch_lines import PATCH_ENDINGS, PatchFormat, render_patch
from corpora.mutators.spans import is_unique, span_of
from editcore.text.comments import comment
from editcore.text.encodings import UTF_8, decode_as, faithful
from editcore.types import Edit, File


@dataclass(frozen=True, slots=True)
class OddFile:
    """A file's text before an edit and after it, and what it is written in."""

    path: str
    before: str
    target: str
    edit: Edit
    encoding: str | None = UTF_8
    """None: UTF-8 with lone surrogates for bytes that it cannot have."""
    is_plain: bool = False
    """Whether its text says all: it is UTF-8."""
    block: str | None = None
    """The lines of the edit as the file has them, where that is not the search text."""

    def file(self, text: str) -> File | None:
        """The file with a text; None where the encoding lacks it."""
        if self.is_plain:
            return File(self.path, text)
        try:
            raw = text.encode(self.encoding or UTF_8, "strict" if self.encoding else "surrogateescape")
        except UnicodeEncodeError:
            return None
        read = decode_as(raw, self.encoding)
        content = faithful(raw, self.encoding)
        return File(self.path, content, raw, self.encoding) if read is not None and content == text else None


_UNSEEN = re.compile("[\ufeff\udc80-\udcff]")

Family = Callable[[CleanEdit, int, Random], OddFile | None]


def applied(odd: OddFile) -> Damaged | None:
    """The edit of the file; None where the encoding lacks a text."""
    before, target = odd.file(odd.before), odd.file(odd.target)
    return Damaged((before,), (target,), (odd.edit,)) if before and target and before != target else None


def refused(odd: OddFile, *, before: str | None = None, edit: Edit | None = None, reason: str) -> Damaged | None:
    """Another text, or another edit, which must be refused; its twin is the edit of the file."""
    right, given = applied(odd), odd.file(odd.before if before is None else before)
    if right is None or right.target is None or given is None:
        return None
    twin = None if edit else (right.before, right.target)
    return Damaged((given,), None, (edit or odd.edit,), twin=twin, reason=reason)


def patched(odd: OddFile, format: PatchFormat) -> Damaged | None:
    """The edit of the file as a patch; None where the encoding lacks a text, or the patch would show a byte of none."""
    made = applied(odd)
    files = File(odd.path, odd.before), File(odd.path, odd.target)
    written = render_patch(CleanPatch(files[:1], files[1:]), format)
    # A model writes what it is shown, and that are neither marks nor bytes.
    if made is None or written is None or _UNSEEN.search(written.text):
        return None
    return replace(made, edits=None, patch=written.text)


def patch_mutators_of(family: Family) -> tuple[Mutator[CleanPatch], ...]:
    """The mutators of a family of odd files for patches of one file: `NAME_diff` and `NAME_envelope`."""

    def damage(format: PatchFormat, patch: CleanPatch, degree: int, random: Random) -> Damaged | None:
        odd = family(span_of(patch.before[0], patch.target[0].content), degree, random)
        return None if odd is None else patched(odd, format)

    return tuple(
        Mutator(f"{family.__name__}_{ending}", summary_of(family), format, partial(damage, format), "apply")
        for format, ending in PATCH_ENDINGS
    )


def mutators_of(family: Family) -> tuple[Mutator[CleanEdit], Mutator[CleanEdit]]:
    """The mutators of a family of odd files: `NAME`, and its refused sibling `NAME_twice`."""

    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        odd = family(clean, degree, random)
        return None if odd is None else applied(odd)

    def twice(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        odd = family(clean, degree, random) if clean.whole_lines else None
        if odd is None:
            return None
        end = "" if odd.before.endswith("\n") else "\n"
        return refused(odd, before=f"{odd.before}{end}\n{odd.block or odd.edit.old_string}\n", reason="two_equal")

    name, summary = family.__name__, summary_of(family)
    second = f"{summary} The lines of the edit stand in it twice."
    return (
        Mutator(name, summary, "str_replace", damage, "apply", "simple"),
        Mutator(f"{name}_twice", second, "str_replace", twice, "refuse"),
    )


def among_comments(clean: CleanEdit, said: list[str], random: Random) -> CleanEdit | None:
    """The edit with comments that say these texts at the starts of lines outside its span; None where it has none."""
    lines = [comment(text, clean.path) for text in said]
    if None in lines or not clean.whole_lines or not is_unique(clean) or "\r" in clean.content or not clean.old.strip():
        return None
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    for line in lines:
        if after.startswith("\n") and random.random() < 0.5:
            after = _inserted(after, f"{line}\n", random)
        else:
            before = _inserted(before, f"{line}\n", random)
    found = clean.in_file(before, after)
    return found if is_unique(found) and found.old != found.new else None


def _inserted(text: str, line: str, random: Random) -> str:
    starts = [at + 1 for at, one in enumerate(text) if one == "\n"]
    at = random.choice(starts) if starts else 0
    return text[:at] + line + text[at:]
