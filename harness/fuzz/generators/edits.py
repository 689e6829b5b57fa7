"""Edits of a text: search texts that are cut from it and changed as models err. Nobody knows what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from editcore.text.diff import unified_diff
from harness.fuzz.generators.documents import SPACES, document, line
from harness.fuzz.inputs import PATH, Fields

_ODD_SEARCHES = ("", " ", "\n", " \n", "\n\n\n", "\\", "\\\\", "\\n", "a", "\x85", "\x1c", "}", "{\n}")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "'": "\\'", "`": "\\`", "$": "\\$", "\\": "\\\\"}


def _stripped(text: str, rng: Random) -> str:
    del rng
    return "\n".join([one.strip() for one in text.split("\n")])


def _indented(text: str, rng: Random) -> str:
    indent = rng.choice(("    ", "  ", "\t", " "))
    return "\n".join([indent + one for one in text.split("\n")])


def _line_drifted(text: str, rng: Random) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    letter = rng.randint(0, len(lines[at]))
    lines[at] = rng.choice(
        (
            lines[at].strip(), rng.choice(SPACES) + lines[at], lines[at] + rng.choice(SPACES),
            lines[at].replace(" ", "  "), re.sub(r"[ \t]+", " ", lines[at]), line(rng),
            lines[at][:letter] + rng.choice(("", "z", "1")) + lines[at][letter + 1 :],
        )
    )  # fmt: skip
    return "\n".join(lines)


def _line_lost(text: str, rng: Random) -> str:
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def _line_doubled(text: str, rng: Random) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines.insert(at, rng.choice((lines[at], "", line(rng))))
    return "\n".join(lines)


def _escaped(text: str, rng: Random) -> str:
    some = rng.sample(list(_ESCAPES), rng.randint(1, 4))
    return "".join([_ESCAPES[letter] if letter in some else letter for letter in text])


def _unescaped(text: str, rng: Random) -> str:
    del rng
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _edged(text: str, rng: Random) -> str:
    edges = ("", " ", "\n", "\n\n", "\t")
    return rng.choice(edges) + text + rng.choice(edges)


def _other_ends(text: str, rng: Random) -> str:
    del rng
    return text.replace("\r\n", "\n") if "\r\n" in text else text.replace("\n", "\r\n")


def _joined(text: str, rng: Random) -> str:
    return text.replace("\n", " ", 1) if rng.random() < 0.5 else text.replace(" ", "\n", 1)


DRIFTS: tuple[Callable[[str, Random], str], ...] = (
    _stripped, _indented, _line_drifted, _line_drifted, _line_lost, _line_doubled, _escaped, _unescaped, _edged,
    _other_ends, _joined,
)  # fmt: skip
"""Small errors in a search text."""


def cut(content: str, rng: Random) -> str:
    """A piece of a text, mostly of whole lines."""
    if rng.random() < 0.8:
        lines = content.split("\n")
        start = rng.randrange(len(lines))
        return "\n".join(lines[start : start + rng.randint(1, 7)]) + rng.choice(("", "", "\n"))
    start = rng.randrange(len(content) + 1)
    return content[start : start + rng.randint(1, 30)]


def drifted(search: str, rng: Random) -> str:
    """A search text with no, one or two small errors."""
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        search = rng.choice(DRIFTS)(search, rng)
    return search


def replacement(search: str, rng: Random) -> str:
    """A new text for a search text: another text, a part of it, or it with an addition."""
    return rng.choice(
        (
            "N",
            "",
            search + "\nmore",
            f"N{search}",
            search[: len(search) // 2],
            line(rng),
            "\\1$&",
            search.replace("x", "y"),
        )
    )  # fmt: skip


def str_replace(rng: Random) -> Fields:
    """File text, search text, new text, flags."""
    content = document(rng)
    search = rng.choice(_ODD_SEARCHES) if rng.random() < 0.05 else cut(content, rng)
    new = replacement(search, rng)
    search = drifted(search, rng)
    return (content, search, new, "all") if rng.random() < 0.08 else (content, search, new)


def search_replace(rng: Random) -> Fields:
    content = document(rng)
    blocks = []
    for _ in range(rng.choice((1, 1, 2))):
        search = cut(content, rng)
        blocks.append(f"<<<<<<< SEARCH\n{drifted(search, rng)}\n=======\n{replacement(search, rng)}\n>>>>>>> REPLACE\n")
    patch = "\n".join(blocks)
    if rng.random() < 0.3:
        patch = _torn(patch, rng)
    return patch, PATH, content


def insert(rng: Random) -> Fields:
    """File text, a line number, the text to insert."""
    content = document(rng)
    return (
        content,
        _number(content, rng),
        rng.choice((line(rng), f"{line(rng)}\n", f"{line(rng)}\n{line(rng)}\n", "\n", "", "a\r\nb")),
    )


def line_range(rng: Random) -> Fields:
    """File text, first and last line, the new text."""
    content = document(rng)
    first = _number(content, rng)
    last = str(int(first) + rng.choice((0, 0, 1, 2, -1, 50)))
    return (
        content,
        first,
        last,
        rng.choice(("", line(rng), f"{line(rng)}\n", f"{line(rng)}\n{line(rng)}\n", "a\r\nb\r\n")),
    )


def _number(content: str, rng: Random) -> str:
    n_lines = content.count("\n") + 1
    return str(rng.choice((rng.randint(0, n_lines), rng.randint(0, n_lines), 0, -1, -2, n_lines, n_lines + 1)))


def _torn(patch: str, rng: Random) -> str:
    lines = patch.split("\n")
    at = rng.randrange(len(lines))
    lines[at : at + 1] = rng.choice(([], [lines[at], lines[at]], [lines[at].strip()], ["```"], [f" {lines[at]}"]))
    return "\n".join(lines)[: rng.choice((None, None, rng.randint(0, len(patch))))]


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
