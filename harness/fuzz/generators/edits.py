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
