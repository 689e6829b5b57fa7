"""A clean patch as text, line by line. Each line knows its kind and its place in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from random import Random
from typing import Literal, NamedTuple

from corpora.diff_hunks import DiffHunk, HunkNumbers, diff_hunks
from corpora.mutators.clean_edit import CleanPatch, Damaged, n_places, needs, text_of
from corpora.mutators.mutator import Mutator, Truth, degrees_of, named, summary_of
from editcore.text.diff import unified_diff
from editcore.types import File

PatchFormat = Literal["unified_diff", "begin_patch"]
PATCH_ENDINGS: tuple[tuple[PatchFormat, str], ...] = (("unified_diff", "diff"), ("begin_patch", "envelope"))
"""Format -> the ending of the names of its mutators, if mutators of other formats have the same name."""
BEGIN, END = "*** Begin Patch", "*** End Patch"


class PatchLine(NamedTuple):
    """A line of a patch."""

    text: str
    kind: str
    """begin, end; file: a file header; @@: a hunk header; space, - or +: a line of a hunk."""
    file: int = -1
    """The 0-based index of the file that the line belongs to; -1 for the markers around the patch."""
    hunk: int = -1
    """The 0-based index of its hunk in the patch; -1 outside of hunks."""
    source_line: int = 0
    """The 1-based line in the file before, for context and removed lines; otherwise 0."""
    target_line: int = 0
    """The 1-based line in the file after, for context and added lines; otherwise 0."""
    numbers: HunkNumbers | None = None
    """For hunk headers of both formats."""


@dataclass(frozen=True)
class PatchText:
    """An undamaged patch, to be damaged line by line."""

    clean: CleanPatch
    format: PatchFormat
    lines: tuple[PatchLine, ...]

    @cached_property
    def text(self) -> str:
        """The text of the whole patch."""
        return text_of(line.text for line in self.lines)

    def indexes(self, *kinds: str) -> list[int]:
        """The indexes of the lines of some kinds."""
        return [index for index, line in enumerate(self.lines) if line.kind in kinds]

    def places(self, name: str) -> list[int]:
        """The indexes of the lines of a kind; or a part of them, by its name."""
        match name:
            case "---" | "+++":
                return self.indexes("file")[name == "+++" :: 2]
            case "later file":
                return self.indexes("file")[1:]
            case "first @@" | "later @@":
                return [n for n in self.indexes("@@") if (self.lines[n - 1].kind == "file") is (name == "first @@")]
            case "last of hunk":
                return [hunk[-1] for hunk in self.hunks]
        return self.indexes(name)

    @cached_property
    def hunks(self) -> list[list[int]]:
        """The indexes of the lines of each hunk, its header first."""
        found: list[list[int]] = []
        for index, line in enumerate(self.lines):
            if line.kind == "@@":
                found.append([])
            if line.hunk >= 0:
                found[-1].append(index)
        return found

    @cached_property
    def n_files(self) -> int:
        """The number of files that the patch changes."""
        return len({line.file for line in self.lines if line.file >= 0})

    def text_with(self, others: Mapping[int, str | None]) -> str:
        """The text with some lines replaced, each by any number of lines; None removes a line."""
        texts = (others.get(index, line.text) for index, line in enumerate(self.lines))
        return text_of(text for text in texts if text is not None)

    def old_lines(self, hunk: Sequence[int]) -> list[str]:
        """The lines that a hunk searches for, without prefixes."""
        return [self.lines[index].text[1:] for index in hunk if self.lines[index].kind in " -"]

    def old_lines_by_hunk(self) -> list[tuple[int, list[str]]]:
        """For each hunk, the index of its file and the lines that it searches for."""
        return [(self.lines[hunk[0]].file, self.old_lines(hunk)) for hunk in self.hunks]

    def file(self, line: int) -> File:
        """The file before to which a line belongs."""
        return self.clean.before[self.lines[line].file]

    def damaged(self, text: str, *, clean: CleanPatch | None = None) -> Damaged | None:
        """The change written as `text`, with its own right answer or the one of `clean`; None if nothing changes."""
        meant = clean or self.clean
        return None if text == self.text and meant == self.clean else Damaged(meant.before, meant.target, patch=text)

    def with_lines(self, others: Mapping[int, str | None]) -> Damaged | None:
        return self.damaged(self.text_with(others))

    def with_numbers(self, change: Callable[[HunkNumbers], HunkNumbers]) -> Damaged | None:
        """The patch with other numbers in its hunk headers."""
        headers = [(index, self.lines[index].numbers) for index in self.indexes("@@")]
        return self.with_lines({index: f"@@ {change(numbers)} @@" for index, numbers in headers if numbers})

    def refused(self, text: str, reason: str) -> Damaged | None:
        """A text that is wrong for any files; Unfit if it is the undamaged patch."""
        needs(text != self.text)
        twin = (self.clean.before, self.clean.target)
        return Damaged(self.clean.before, None, patch=text, twin=twin, twin_patch=self.text, reason=reason)

    def stale(self, before: tuple[File, ...], reason: str) -> Damaged | None:
        """The undamaged patch after its files became `before`: it must be refused. Unfit for unchanged files."""
        needs(before != self.clean.before)
        return Damaged(before, None, patch=self.text, twin=(self.clean.before, self.clean.target), reason=reason)

    def clean_with_lines(self, others: Mapping[int, str]) -> CleanPatch:
        """The change of files with other texts in some lines of the hunks; `others` has texts without prefixes."""
        before = [file.content.split("\n") for file in self.clean.before]
        target = [file.content.split("\n") for file in self.clean.target]
        for index, text in others.items():
            line = self.lines[index]
            if line.kind in " -":
                before[line.file][line.source_line - 1] = text
            if line.kind in " +":
                target[line.file][line.target_line - 1] = text
        return CleanPatch(_with_contents(self.clean.before, before), _with_contents(self.clean.target, target))


def _with_contents(files: Sequence[File], lines: Sequence[list[str]]) -> tuple[File, ...]:
    return tuple(File(file.path, "\n".join(its)) for file, its in zip(files, lines, strict=True))


@lru_cache(maxsize=16)
def render_patch(clean: CleanPatch, format: PatchFormat) -> PatchText | None:
    """The patch as text in a format; None if anything about it would be uncertain.

    Certain means: every hunk occurs exactly once in its file, whitespace at line ends ignored; all files end in a
    line feed and have no carriage return; no line of a hunk looks like a file header or a mail signature.
    """
    lines: list[PatchLine] = []
    n_hunks = 0
    for number, (old, new) in enumerate(zip(clean.before, clean.target, strict=True)):
        if not all(file.content.endswith("\n") and "\r" not in file.content for file in (old, new)):
            return None
        # Both formats have the hunks of the diff: the envelope only lacks their numbers.
        diff = unified_diff(old.content, new.content, path=old.path)
        if not diff:
            continue
        headers = diff.split("\n", 2)[:2] if format == "unified_diff" else [f"*** Update File: {old.path}"]
        lines += [PatchLine(text, "file", number) for text in headers]
        for hunk in diff_hunks(diff) or ():
            lines += _hunk_lines(hunk, number, n_hunks, numbered=format == "unified_diff")
            n_hunks += 1
    if format == "begin_patch":
        lines = [PatchLine(BEGIN, "begin"), *lines, PatchLine(END, "end")]
    patch = PatchText(clean, format, tuple(lines))
    return patch if n_hunks and _is_certain(patch) else None


def _hunk_lines(hunk: DiffHunk, file: int, number: int, *, numbered: bool) -> list[PatchLine]:
    found = [PatchLine(hunk.header if numbered else "@@", "@@", file, number, numbers=hunk.numbers)]
    source, target = hunk.numbers.source_start, hunk.numbers.target_start
    for text in hunk.lines:
        kind = text[0]
        found.append(PatchLine(text, kind, file, number, source if kind in " -" else 0, target if kind in " +" else 0))
        source += kind in " -"
        target += kind in " +"
    return found


def _is_certain(patch: PatchText) -> bool:
    texts = [line.text for line in patch.lines if line.kind in " -+"]
    if any(text.rstrip() == "--" or text.startswith(("--- ", "+++ ")) for text in texts):
        return False
    return all(n_places(patch.clean.before[at].content, old) == 1 for at, old in patch.old_lines_by_hunk())


Damage = Callable[[PatchText, int, Random], Damaged | None]
Form = str | None | tuple[str | None, ...]
"""A template of a line; None removes the line. Of several, one is drawn, at all places the same."""
_OF_DEGREE = ("{blanks}", "{feeds}", "{again}")


def rewritten(
    name: str, summary: str, places: Mapping[str, Form], *, of: Callable[[PatchText], bool] = lambda _: True
) -> Damage:
    """A damage that writes the lines of some places (`PatchText.places`) in other forms; None of a patch unless `of`.

    {text} is the line, {path} its file's path; {n} a hunk's numbers, and {last} its last old line. As often as the
    degree says, {blanks} has a space, {feeds} a line feed, and {again} the line once more.
    """
    forms = {place: one if isinstance(one, tuple) else (one,) for place, one in places.items()}

    def damage(patch: PatchText, degree: int, random: Random) -> Damaged | None:
        chosen = random.randrange(max(map(len, forms.values())))
        others: dict[int, str | None] = {}
        for place, some in forms.items():
            for index in patch.places(place):
                line, form, numbers = patch.lines[index], some[chosen % len(some)], patch.lines[index].numbers
                others[index] = form and form.format(
                    text=line.text, path=patch.file(index).path, blanks=" " * degree, feeds="\n" * degree,
                    again=f"\n{line.text}" * degree, n=numbers,
                    last=numbers and numbers.source_start + numbers.source_length - 1,
                )  # fmt: skip
        return patch.with_lines(others) if of(patch) else None

    has_degrees = any(sign in (form or "") for some in forms.values() for form in some for sign in _OF_DEGREE)
    return named(name, summary, damage if has_degrees else lambda patch, _degree, random: damage(patch, 1, random))


def ends_whole(patch: PatchText) -> bool:
    """True unless the patch ends in a removed line: without counts, such a patch would look cut off."""
    return patch.lines[-1].kind != "-"


def _render_and_damage(
    format: PatchFormat, damage: Damage, clean: CleanPatch, degree: int, random: Random
) -> Damaged | None:
    patch = render_patch(clean, format)
    return None if patch is None else damage(patch, degree, random)


def _mutators(
    format: PatchFormat,
    *damages: Damage,
    ending: str = "",
    truth: Truth = "apply",
    absorber: str | None = None,
    degrees: tuple[int, ...] | None = None,
) -> tuple[Mutator[CleanPatch], ...]:
    """A mutator of patches in a format for each function, named after it, with `ending` appended."""
    return tuple(
        Mutator(
            one.__name__.removesuffix("_") + ending, summary_of(one), format,
            partial(_render_and_damage, format, one), truth, absorber, degrees or degrees_of(one),
        )
        for one in damages
    )  # fmt: skip


diff_mutators = partial(_mutators, "unified_diff")
envelope_mutators = partial(_mutators, "begin_patch")


def both_mutators(
    *damages: Damage,
    truth: Truth = "apply",
    absorbers: tuple[str | None, str | None] = (None, None),
    degrees: tuple[int, ...] | None = None,
) -> Iterator[Mutator[CleanPatch]]:
    """Two mutators for each function: NAME_diff for unified diffs, NAME_envelope for Begin/End Patches."""
    for damage in damages:
        for (format, ending), absorber in zip(PATCH_ENDINGS, absorbers, strict=True):
            yield from _mutators(format, damage, ending=f"_{ending}", truth=truth, absorber=absorber, degrees=degrees)
