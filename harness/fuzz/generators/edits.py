"""Edits of a text: search texts that are cut from it, with small errors. Nobody knows what they mean."""

from __future__ import annotations

from random import Random

from editcore.text.diff import unified_diff
from harness.fuzz.generators.documents import document, line
from harness.fuzz.generators.mutate import drifted
from harness.fuzz.inputs import PATH, Fields

_ODD_SEARCHES = ("", " ", "\n", " \n", "\n\n\n", "\\", "\\\\", "\\n", "a", "\x85", "\x1c", "}", "{\n}")


def cut(content: str, rng: Random) -> str:
    """A piece of a text, mostly of whole lines."""
    if rng.random() < 0.8:
        lines = content.split("\n")
        start = rng.randrange(len(lines))
        return "\n".join(lines[start : start + rng.randint(1, 7)]) + rng.choice(("", "", "\n"))
    start = rng.randrange(len(content) + 1)
    return content[start : start + rng.randint(1, 30)]


def replacement(search: str, rng: Random) -> str:
    """A new text for a search text: another text, a part of it, or it with an addition."""
    half, changed = search[: len(search) // 2], search.replace("x", "y")
    return rng.choice(("N", "", f"{search}\nmore", f"N{search}", half, line(rng), "\\1$&", changed))


def str_replace(rng: Random) -> Fields:
    """File text, search text, new text, flags."""
    content = document(rng)
    search = rng.choice(_ODD_SEARCHES) if rng.random() < 0.05 else cut(content, rng)
    new = replacement(search, rng)
    search = drifted(search, rng)
    return (content, search, new, "all") if rng.random() < 0.08 else (content, search, new)


def insert(rng: Random) -> Fields:
    """File text, a line number, the text to insert."""
    content = document(rng)
    return content, _number(content, rng), _new_lines(rng)


def line_range(rng: Random) -> Fields:
    """File text, first and last line, the new text."""
    content = document(rng)
    first = _number(content, rng)
    last = str(int(first) + rng.choice((0, 0, 1, 2, -1, 50)))
    return content, first, last, _new_lines(rng)


def _new_lines(rng: Random) -> str:
    one, other = line(rng), line(rng)
    return rng.choice((one, f"{one}\n", f"{one}\n{other}\n", "\n", "", "a\r\nb", "a\r\nb\r\n"))


def _number(content: str, rng: Random) -> str:
    n_lines = content.count("\n") + 1
    return str(rng.choice((rng.randint(0, n_lines), rng.randint(0, n_lines), 0, -1, -2, n_lines, n_lines + 1)))


def pair(rng: Random) -> Fields:
    """A text before and after a few changes."""
    before = document(rng)
    return before, changed(before, rng)


def changed(text: str, rng: Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines) + 1)
        lines[at : at + rng.randint(0, 2)] = [line(rng) for _ in range(rng.randint(0, 2))]
    return "\n".join(lines)


def diff_of(before: str, after: str, rng: Random, *, path: str = PATH) -> str:
    """The unified diff of two texts, with 0 to 5 lines of context."""
    return unified_diff(before, after, path=path, context=rng.choice((3, 3, 1, 0, 5)))
