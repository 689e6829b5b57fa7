"""Intents: the meaning of the edit is certain, but both its texts, or the search text alone, are written badly.

Other mutators damage the search text only. A model that copies line numbers copies them into both texts, and its new
text may share nothing with the old one. The degree says which texts are damaged:

    1   both texts are damaged alike          4   as 1, and the new text shares nothing with the old one
    2   the search text alone is damaged      5   as 2, and the new text shares nothing with the old one
    3   as 1, and the new text is shorter

Right answers are the intended result, results that differ from it only where nobody can know, and a refusal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from random import Random
from typing import NamedTuple

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.spans import dedent_lines, indent_lines, indentation
from corpora.mutators.words import INNER_SPACE, comment_marker, invented_statement
from editcore.types import Edit, File

_ALIKE, _SEARCH_ONLY, _SHORTER, _REWRITTEN, _REWRITTEN_SEARCH_ONLY = 1, 2, 3, 4, 5
_CURLY = str.maketrans({'"': "\u201d", "'": "\u2019", "-": "\u2013", " ": "\u00a0"})

Write = Callable[[str], str | None]
"""A text -> the text as a model writes it; None if it cannot be written that way."""


class Habit(NamedTuple):
    """One bad way of writing both texts of an edit."""

    name: str
    summary: str
    of: Callable[[CleanEdit, Random], tuple[Write, Write]]
    """Returns how the search text and the new text are written."""
    is_within_lines: bool = False
    """True if the habit changes words or spaces of lines; a new line may then be meant as it is written."""


def _same(write: Write) -> tuple[Write, Write]:
    return write, write


def _numbered(clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    first, width = clean.line, random.choice((0, 6))
    sign = random.choice(("\u2192", "\t", " | ", ": "))

    def write(text: str) -> str:
        return "\n".join([f"{n:{width}}{sign}{line}" for n, line in enumerate(text.split("\n"), first)])

    return _same(write)


def _fenced(_clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    opening = random.choice(("```", "```python", "~~~"))
    return _same(lambda text: f"{opening}\n{text}\n{opening[:3]}")


def _as_diff(_clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    return (lambda text: _prefixed(text, "-")), (lambda text: _prefixed(text, "+"))


def _quoted(_clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    return _same(lambda text: _prefixed(text, "> "))


def _prefixed(text: str, mark: str) -> str:
    return "\n".join([mark + line for line in text.split("\n")])


def _json(_clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    return _same(lambda text: json.dumps(text, ensure_ascii=False)[1:-1])


def _quotes_escaped(_clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    quote = random.choice("\"'`")
    return _same(lambda text: None if "\\" in text else text.replace(quote, "\\" + quote))


def _html(_clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    return _same(lambda text: escape(text, quote=False))


def _shifted(clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    own = min((len(indentation(line)) for line in clean.lines if line.strip()), default=0)
    by = random.choice([n for n in (-4, -2, 2, 4) if own + n >= 0])

    def write(text: str) -> str | None:
        lines = text.split("\n")
        if by < 0 and any(line.strip() and not line.startswith(" " * -by) for line in lines):
            return None
        return "\n".join([(" " * by + line if by > 0 else line[-by:]) if line.strip() else line for line in lines])

    return _same(write)


def _look_alikes(_clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    some = {code: other for code, other in _CURLY.items() if random.random() < 0.6}
    return _same(lambda text: "\n".join([_body(line, lambda body: body.translate(some)) for line in text.split("\n")]))


def _spaces_doubled(_clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    return _same(
        lambda text: "\n".join([_body(line, lambda body: INNER_SPACE.sub("  ", body)) for line in text.split("\n")])
    )


def _body(line: str, change: Callable[[str], str]) -> str:
    start = len(indentation(line))
    return line[:start] + change(line[start:])


def _elided(clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    middle = "\n".join(clean.lines[1:-1])
    within = indentation(clean.lines[1] if len(clean.lines) > 2 else "")
    comment = f"{within}{comment_marker(clean.path)} ... existing code ..."

    def write(text: str) -> str | None:
        return text.replace(middle, comment) if len(clean.lines) > 3 and text.count(middle) == 1 else None

    return _same(write)


HABITS = (
    Habit("numbers", "have line numbers before each line", _numbered),
    Habit("fence", "have a code fence around them", _fenced),
    Habit("diff_marks", "have minus signs before old lines, plus signs before new ones", _as_diff),
    Habit("quotation", "have marks of a quotation before each line", _quoted),
    Habit("json", "are escaped as in JSON, on one line", _json),
    Habit("quotes", "have one kind of quote escaped", _quotes_escaped),
    Habit("html", "have HTML entities", _html),
    Habit("shift", "are indented by a few columns more or less", _shifted),
    Habit("look_alikes", "have curly quotes, dashes or no-break spaces", _look_alikes, is_within_lines=True),
    Habit("spaces", "have doubled spaces", _spaces_doubled, is_within_lines=True),
    Habit("elision", "have a comment for the lines in the middle", _elided),
)


def _intent(habit: Habit, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The edit as a model with this habit writes it."""
    meant = _meant(clean, degree, random)
    if meant is None or meant.new == meant.old or not meant.whole_lines:
        return None
    write_old, write_new = habit.of(meant, random)
    old = write_old(meant.old)
    new = meant.new if degree in (_SEARCH_ONLY, _REWRITTEN_SEARCH_ONLY) else write_new(meant.new)
    if old is None or new is None or old == new or old in meant.content or not old.strip():
        return None
    if new == meant.new and _is_written_so(meant.new, write_new):
        return None  # Both texts look damaged, so nobody can know whether the new one is.
    back = _shifted_back(meant, old, new) if habit.name == "shift" else None
    results = [meant.target, *_unknowable(habit, meant, new, back)]
    if meant.content in results:
        return None
    files = [(File(meant.path, content),) for content in dict.fromkeys(results)]
    return Damaged(
        (File(meant.path, meant.content),), files[0], edits=(Edit(old, new),), alternatives=tuple(files[1:]) or None
    )


def _meant(clean: CleanEdit, degree: int, random: Random) -> CleanEdit | None:
    """The edit with the new text that the degree asks for."""
    if degree == _SHORTER:
        kept = "\n".join([line for line in clean.lines if random.random() < 0.5])
        return replace(clean, new=kept.strip("\n")) if kept.strip() else None
    if degree in (_REWRITTEN, _REWRITTEN_SEARCH_ONLY):
        within = indentation(clean.lines[0])
        lines = [within + invented_statement(clean.path, random) for _ in range(random.randint(1, 3))]
        return replace(clean, new="\n".join(lines))
    return clean


def _is_written_so(text: str, write: Write) -> bool:
    """True if an unchanged text looks as if the habit had written it."""
    return write(text) == text and any(sign in text for sign in ("\\", "&"))


def _unknowable(habit: Habit, meant: CleanEdit, new: str, back: str | None) -> Iterator[str]:
    """Other results that may be meant: changed lines as written; new text without shared lines, indented as written."""
    if habit.is_within_lines:
        mine, written = meant.new.split("\n"), new.split("\n")
        mixed = [one if one in meant.lines else other for one, other in zip(mine, written, strict=True)]
        yield meant.with_span("\n".join(mixed))
    if habit.name == "shift" and not set(meant.lines) & set(meant.new.split("\n")):
        yield meant.with_span(new)
        if back is not None:
            yield meant.with_span(back)


def _shifted_back(meant: CleanEdit, old: str, new: str) -> str | None:
    """The new text shifted back by the distance that the search text was shifted; None if that is impossible."""
    before, after = (next(filter(str.strip, text.split("\n"))) for text in (meant.old, old))
    by = len(indentation(after)) - len(indentation(before))
    if by < 0:
        return indent_lines(new, " " * -by)
    return dedent_lines(new, " " * by)


def _mutator(habit: Habit) -> Mutator[CleanEdit]:
    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        return _intent(habit, clean, degree, random)

    summary = f"Both texts, or the search text alone, {habit.summary}; degree says which, and what the new text is."
    return Mutator(f"intent_{habit.name}", summary, "str_replace", damage, truth="tolerate")


MUTATORS: tuple[Mutator[CleanEdit], ...] = tuple(map(_mutator, HABITS))
