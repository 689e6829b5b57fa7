"""Intents: the meaning of the edit is certain, but both its texts, or the search text alone, are written badly.

Other mutators damage the search text only. A model that copies line numbers copies them into both texts, and its new
text may share nothing with the old one. The degree says which texts are damaged:

    1   both texts are damaged alike          4   as 1, and the new text shares nothing with the old one
    2   the search text alone is damaged      5   as 2, and the new text shares nothing with the old one
    3   as 1, and the new text is shorter

Several habits at once damage the texts one after the other. Right answers are the intended result, results that differ
from it only where nobody can know, and a refusal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape
from random import Random
from typing import NamedTuple

from corpora.mutators.clean_edit import CleanEdit, Damaged, Unfit, given, needs
from corpora.mutators.mutator import Mutator
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


def _in_other_units(_clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    is_wider = random.random() < 0.5

    def write(text: str) -> str | None:
        depths = [len(line) - len(line.lstrip(" ")) for line in text.split("\n")]
        if not is_wider and any(depth % 2 for depth in depths):
            return None
        pairs = zip(depths, text.split("\n"), strict=True)
        return "\n".join([" " * (2 * n if is_wider else n // 2) + line[n:] for n, line in pairs])

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


def _numbered_otherwise(clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    first = clean.line
    shapes = random.sample(("{:6}\t", "{:6}\u2192", "{}: ", "{} | ", "L{}: ", "{}. ", "{:>3}) "), 2)

    def write(text: str, shape: str) -> str:
        return "\n".join([shape.format(n) + line for n, line in enumerate(text.split("\n"), first)])

    return partial(write, shape=shapes[0]), partial(write, shape=shapes[1])


def _marked_otherwise(clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    one, other = random.choice((("> ", " > "), (">", "> "), ("-", " +"), ("- ", "+ "), ("-", "+ ")))
    if other == "+ " and not {*clean.lines} & {*clean.new.split("\n")}:
        one = "- "  # Without a line of both texts, nobody knows whether the space is one of the mark.
    return partial(_prefixed, mark=one), partial(_prefixed, mark=other)


def _escaped_often(_clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    sign, n_backslashes = random.choice("\"'"), random.choice((2, 3, 4))
    return _same(lambda text: None if "\\" in text else text.replace(sign, "\\" * n_backslashes + sign))


def _wrapped(_clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    """Both texts break a line at the same space: every line of the old text that is in both, in the same way."""
    within, seed = random.choice(("", "    ")), random.random()

    def wrapped(line: str) -> str:
        spaces = [found.start() for found in INNER_SPACE.finditer(line)]
        drawn = Random(f"{seed}{line}")
        if not spaces or drawn.random() < 0.5:
            return line
        at = drawn.choice(spaces)
        return f"{line[:at]}\n{indentation(line)}{within}{line[at + 1 :]}"

    return _same(lambda text: "\n".join(map(wrapped, text.split("\n"))))


def _opened(clean: CleanEdit, random: Random) -> tuple[Write, Write]:
    """Both texts have a blank line below some lines that are in both."""
    seed, kept = random.random(), {*clean.lines} & {*clean.new.split("\n")}

    def write(text: str) -> str | None:
        *lines, last = text.split("\n")
        if not all(map(str.strip, (*lines, last))):
            return None  # Nobody knows which of several blank lines the file has.
        opened = [line + "\n" * (line in kept and Random(f"{seed}{line}").random() < 0.5) for line in lines]
        return "\n".join([*opened, last])

    return _same(write)


def _ended(_clean: CleanEdit, _random: Random) -> tuple[Write, Write]:
    return (lambda text: f"{text}\n"), (lambda text: text)


HABITS_OF_LINES = (
    Habit("blank_lines", "have blank lines that the file lacks", _opened),
    Habit("wrapped", "have lines that are broken in two", _wrapped),
    Habit("shift", "are indented by a few columns more or less", _shifted),
    Habit("units", "are indented by half or twice as many spaces", _in_other_units),
    Habit("look_alikes", "have curly quotes, dashes or no-break spaces", _look_alikes),
    Habit("spaces", "have doubled spaces", _spaces_doubled),
)
"""Habits that damage each line. They come first and in this order; others may put all lines on one."""
HABITS = (
    *HABITS_OF_LINES,
    Habit("numbers", "have line numbers before each line", _numbered),
    Habit("fence", "have a code fence around them", _fenced),
    Habit("diff_marks", "have minus signs before old lines, plus signs before new ones", _as_diff),
    Habit("quotation", "have marks of a quotation before each line", _quoted),
    Habit("json", "are escaped as in JSON, on one line", _json),
    Habit("quotes", "have one kind of quote escaped", _quotes_escaped),
    Habit("html", "have HTML entities", _html),
    Habit("elision", "have a comment for the lines in the middle", _elided),
    Habit("other_numbers", "have line numbers, written in two ways", _numbered_otherwise),
    Habit("other_marks", "have marks of a quotation or a diff, written in two ways", _marked_otherwise),
    Habit("backslashes", "have several backslashes before one kind of quote", _escaped_often),
)
_ENDED = Habit("line_end", "end in a line feed, or not", _ended)


def _intent(habits: Sequence[Habit], clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The edit as a model with these habits writes it."""
    meant = _meant(clean, degree, random)
    needs(meant.new != meant.old and meant.whole_lines and (meant.new or len(habits) == 1))
    old, new, search_only = meant.old, meant.new, degree in (_SEARCH_ONLY, _REWRITTEN_SEARCH_ONLY)
    rights = [meant.new]
    for habit in sorted(habits, key=_order):
        write_old, write_new = habit.of(meant, random)
        before, after = write_old(old), new if search_only else write_new(new)
        # If both texts look damaged, nobody can know whether the new one is.
        looks_damaged = after == new and write_new(new) == new and any(sign in new for sign in ("\\", "&"))
        needs(before not in (None, old) and after is not None and not looks_damaged)
        rights += list(_unknowable(habit, meant, rights, write_old, None if search_only else write_new))
        old, new = given(before), given(after)
    results = [meant.with_span(right) for right in rights]
    needs(old != new and old not in meant.content and old.strip() and meant.content not in results)
    files = [(File(meant.path, content),) for content in dict.fromkeys(results)]
    return Damaged(
        (File(meant.path, meant.content),), files[0], edits=(Edit(old, new),), alternatives=tuple(files[1:]) or None
    )


def _meant(clean: CleanEdit, degree: int, random: Random) -> CleanEdit:
    """The edit with the new text that the degree asks for."""
    if degree == _SHORTER:
        kept = "\n".join([line for line in clean.lines if random.random() < 0.5])
        needs(kept.strip())
        return replace(clean, new=kept.strip("\n"))
    if degree in (_REWRITTEN, _REWRITTEN_SEARCH_ONLY):
        within = indentation(clean.lines[0])
        lines = [within + invented_statement(clean.path, random) for _ in range(random.randint(1, 3))]
        return replace(clean, new="\n".join(lines))
    return clean


def _order(habit: Habit) -> int:
    """The order in which habits damage a text."""
    return HABITS_OF_LINES.index(habit) if habit in HABITS_OF_LINES else 99 if habit is _ENDED else 50


def _unknowable(
    habit: Habit, meant: CleanEdit, rights: Sequence[str], write_old: Write, write_new: Write | None
) -> Iterator[str]:
    """Other new texts that may be meant: new lines broken as written; new text without shared lines, indented as it is
    written, or shifted as the search text was.
    """
    kept = set(meant.lines)
    if habit.name == "wrapped" and write_new:
        for right in rights:
            yield "\n".join([line if line in kept else write_new(line) or line for line in right.split("\n")])
    if habit.name == "blank_lines" and write_new:
        lines = (write_new(meant.new) or "").split("\n")
        between = [(lines[n - 1], lines[n + 1]) if 0 < n < len(lines) - 1 else () for n in range(len(lines))]
        yield "\n".join([line for line, pair in zip(lines, between, strict=True) if line or not kept.issuperset(pair)])
        yield "\n".join([line for line, pair in zip(lines, between, strict=True) if line or kept.isdisjoint(pair)])
        yield "\n".join([line for line, pair in zip(lines, between, strict=True) if line or kept.isdisjoint(pair[:1])])
    if habit.name in ("shift", "units") and not kept & set(meant.new.split("\n")):
        before, after = (
            next(filter(str.strip, text.split("\n"))) for text in (meant.old, write_old(meant.old) or meant.old)
        )
        by = len(indentation(after)) - len(indentation(before))
        for right in rights:
            written = write_new(right) if write_new else right
            yield written or right
            yield (indent_lines(right, " " * -by) if by < 0 else dedent_lines(right, " " * by)) or right


def _mutator(habit: Habit) -> Mutator[CleanEdit]:
    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        return _intent((habit,), clean, degree, random)

    summary = f"Both texts, or the search text alone, {habit.summary}; degree says which, and what the new text is."
    return Mutator(f"intent_{habit.name}", summary, "str_replace", damage, truth="tolerate")


def _mutator_of_several(name: str, n: int) -> Mutator[CleanEdit]:
    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        for _ in range(_TRIES):
            with suppress(Unfit):
                return _intent(random.sample((*HABITS, _ENDED), n), clean, degree, random)
        raise Unfit

    which = "degree says which, and what the new text is."
    summary = f"Both texts, or the search text alone, have {name} slips at once; {which}"
    return Mutator(f"intent_{name}_slips", summary, "str_replace", damage, truth="tolerate")


_TRIES = 8
"""Draws of habits that can write an edit."""
SEVERAL_SLIPS = (_mutator_of_several("two", 2), _mutator_of_several("three", 3))
MUTATORS: tuple[Mutator[CleanEdit], ...] = (*map(_mutator, HABITS), *SEVERAL_SLIPS)
