"""Insertions and replacements by line number: wrong numbers, and texts with other line endings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, needs
from corpora.mutators.mutator import Mutator, Truth, degrees_of, named, summary_of
from corpora.mutators.words import invented_statement
from corpora.sample import Format
from editcore.types import File


@dataclass(frozen=True)
class _LineEdit:
    """An edit by line number: the lines of the file and the new lines, with their line feeds."""

    path: str
    lines: tuple[str, ...]
    first: int
    """1-based line at which the span starts."""
    last: int
    new: str

    def inserted(self, after: int, *, text: str | None = None, lines: Sequence[str] | None = None) -> Damaged:
        """The insertion of the new lines below the line `after`; the edit writes them as `text`."""
        lines = self.lines if lines is None else lines
        target = "".join([*lines[:after], self.new, *lines[after:]])
        return self._damaged(lines, target, text, after, None)

    def replaced(self, first: int, last: int, *, text: str | None = None) -> Damaged:
        """The replacement of the lines `first` to `last` by the new lines; the edit writes them as `text`."""
        target = "".join([*self.lines[: first - 1], self.new, *self.lines[last:]])
        return self._damaged(self.lines, target, text, first, last)

    def _damaged(self, lines: Sequence[str], target: str, text: str | None, line: int, end_line: int | None) -> Damaged:
        return Damaged(
            before=(File(self.path, "".join(lines)),), target=(File(self.path, target),),
            patch=self.new if text is None else text, line=line, end_line=end_line,
        )  # fmt: skip


_Damage = Callable[[_LineEdit, int, Random], Damaged | None]


def _number_and_damage(damage: _Damage, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Damage an edit of whole lines that has lines below it; Unfit for other edits."""
    content, new = clean.content, clean.new
    needs(clean.whole_lines and content.endswith("\n") and clean.end != len(content) and new.strip())
    needs("\r" not in content + new and not new.endswith("\n"))
    lines = tuple([line + "\n" for line in content[:-1].split("\n")])
    last = clean.line + len(clean.lines) - 1
    return damage(_LineEdit(clean.path, lines, clean.line, last, new + "\n"), degree, random)


def _mutators(*damages: _Damage, truth: Truth = "apply") -> Iterator[Mutator[CleanEdit]]:
    for damage in damages:
        name, damages_edit = damage.__name__, partial(_number_and_damage, damage)
        format: Format = "insert" if name.startswith("insert") else "line_range"
        yield Mutator(name, summary_of(damage), format, damages_edit, truth, degrees=degrees_of(damage))


def _refused(damaged: Damaged, reason: str, *, twin: Damaged | None = None) -> Damaged:
    """The edit as a refusal; its twin is the same edit of the file that the model saw."""
    seen = None if twin is None or twin.target is None else (twin.before, twin.target)
    return replace(damaged, target=None, twin=seen, reason=reason)


def _with_crlf_files(damaged: Damaged) -> Damaged:
    """The edit of a file whose lines end in CRLF and stay so."""
    before, target = (
        tuple(File(file.path, file.content.replace("\n", "\r\n")) for file in files)
        for files in (damaged.before, damaged.target or ())
    )
    return replace(damaged, before=before, target=target)


def insert_after_unended_line(edit: _LineEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines go below a last line without a line feed; the file still ends without one."""
    needs(edit.lines[-1] != "\n")
    damaged = edit.inserted(len(edit.lines))
    before, target = (
        tuple(File(file.path, file.content[:-1]) for file in files) for files in (damaged.before, damaged.target or ())
    )
    return replace(damaged, before=before, target=target)


def insert_past_end(edit: _LineEdit, degree: int, random: Random) -> Damaged | None:
    """The line number is greater than the last, since the file has become shorter; degree is the difference."""
    longer = [*edit.lines, *(invented_statement(edit.path, random) + "\n" for _ in range(degree))]
    return _refused(
        replace(edit.inserted(0), line=len(longer)), "no_such_line", twin=edit.inserted(len(longer), lines=longer)
    )


def insert_off(edit: _LineEdit, degree: int, random: Random) -> Damaged | None:
    """The line number is too low or too high, and nothing shows it; degree is the distance."""
    line = edit.last + random.choice((-1, 1)) * degree
    return edit.inserted(line) if 0 <= line <= len(edit.lines) else None


def insert_of_older_view(edit: _LineEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added above since the number was read, and nothing shows it; degree is their number."""
    more = [invented_statement(edit.path, random) + "\n" for _ in range(degree)]
    return edit.inserted(edit.last, lines=[*more, *edit.lines])


def insert_repeats_line(edit: _LineEdit, _degree: int, _random: Random) -> Damaged | None:
    """The text repeats the line that it goes below."""
    needs(edit.lines[edit.last - 1].strip())
    return replace(edit, new=edit.lines[edit.last - 1] + edit.new).inserted(edit.last)


def range_reversed(edit: _LineEdit, _degree: int, _random: Random) -> Damaged | None:
    """The range ends above its start."""
    needs(edit.first != edit.last)
    return _refused(replace(edit.replaced(edit.first, edit.last), line=edit.last, end_line=edit.first), "no_such_line")


def range_past_end(edit: _LineEdit, degree: int, _random: Random) -> Damaged | None:
    """The range ends below the last line, since the file has become shorter; degree is the difference."""
    needs(edit.last - degree >= edit.first)
    shorter = [File(edit.path, "".join(edit.lines[: edit.last - degree]))]
    seen = edit.replaced(edit.first, edit.last)
    return _refused(replace(seen, before=tuple(shorter)), "no_such_line", twin=seen)


def range_from_zero(edit: _LineEdit, degree: int, _random: Random) -> Damaged | None:
    """The range starts above line 1; degree is the difference."""
    return _refused(replace(edit.replaced(edit.first, edit.last), line=1 - degree), "no_such_line")


def range_off(edit: _LineEdit, degree: int, random: Random) -> Damaged | None:
    """Both line numbers are too low or too high, and nothing shows it; degree is the distance."""
    by = random.choice((-1, 1)) * degree
    within = edit.first + by >= 1 and edit.last + by <= len(edit.lines)
    return edit.replaced(edit.first + by, edit.last + by) if within else None


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *_mutators(
        named("insert_crlf_text", "The text ends its lines in CRLF, the file in LF.",
              lambda edit, *_: edit.inserted(edit.last, text=edit.new.replace("\n", "\r\n"))),
        named("insert_crlf_file", "The file ends its lines in CRLF, the text in LF.",
              lambda edit, *_: _with_crlf_files(edit.inserted(edit.last))),
        named("insert_unended_text", "The text does not end in a line feed.",
              lambda edit, *_: edit.inserted(edit.last, text=edit.new[:-1])),
        named("insert_at_top", "The lines go below line 0.", lambda edit, *_: edit.inserted(0)),
    ),
    *_mutators(
        named("insert_at_minus_one", "The lines go below line -1, by which some tools mean the last line.",
              lambda edit, *_: replace(edit.inserted(len(edit.lines)), line=-1)),
        insert_after_unended_line,
        truth="tolerate",
    ),
    *_mutators(
        insert_past_end,
        named("insert_below_minus_one", "The line number is less than -1; degree is the difference.",
              lambda edit, degree, _: _refused(replace(edit.inserted(0), line=-1 - degree), "no_such_line")),
        named("insert_empty_text", "The text is empty.",
              lambda edit, *_: _refused(edit.inserted(edit.last, text=""), "empty")),
        truth="refuse",
    ),
    *_mutators(insert_off, insert_of_older_view, insert_repeats_line, truth="hazard"),
    *_mutators(
        named("range_crlf_text", "The new lines end in CRLF, the file's in LF.",
              lambda edit, *_: edit.replaced(edit.first, edit.last, text=edit.new.replace("\n", "\r\n"))),
        named("range_crlf_file", "The file's lines end in CRLF, the new ones in LF.",
              lambda edit, *_: _with_crlf_files(edit.replaced(edit.first, edit.last))),
        named("range_unended_text", "The new lines do not end in a line feed.",
              lambda edit, *_: edit.replaced(edit.first, edit.last, text=edit.new[:-1])),
    ),
    *_mutators(range_reversed, range_past_end, range_from_zero, truth="refuse"),
    *_mutators(range_off, truth="hazard"),
)  # fmt: skip
