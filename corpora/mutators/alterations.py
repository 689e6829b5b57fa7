"""Alterations: what a line may say instead, so that it contradicts the line of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

from corpora.mutators.search_lines import indentation
from corpora.mutators.words import invented_statement, renamed, replace_tokens, tokens
from editcore.text.comments import is_comment
from editcore.types import File

_OPPOSITES = {
    "==": "!=", "!=": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<=", "+": "-", "-": "+", "*": "/", "/": "*",
    "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
}  # fmt: skip
_SHORTEST = 3
"""Characters of a line that says something."""
_FAR = 20
"""Lines that are further apart are in different places: an edit of both does not just leave out what is between."""

Alter = Callable[[str, File, Random], str]
"""(line, its file, randomness) -> another line, or the same where it has nothing to alter."""


def _word(line: str, _file: File, random: Random) -> str:
    return renamed(line, random)


def _number(line: str, _file: File, random: Random) -> str:
    found = tokens(line, "number")
    if not found:
        return line
    chosen = random.choice(found)
    return replace_tokens(line, [(chosen, str(int(float(chosen[0])) + random.randint(1, 9)))])


def _operator(line: str, _file: File, random: Random) -> str:
    found = [token for token in tokens(line, "operator") if token[0] in _OPPOSITES]
    if not found:
        return line
    chosen = random.choice(found)
    return replace_tokens(line, [(chosen, _OPPOSITES[chosen[0]])])


def _another_line(line: str, file: File, random: Random) -> str:
    lines = file.content.split("\n")
    places = [n for n, one in enumerate(lines) if one == line]
    near = {one.strip() for n in places for one in lines[max(n - _FAR, 0) : n + _FAR]}
    elsewhere = [one.strip() for one in lines if len(one.strip()) >= _SHORTEST and one.strip() not in near]
    from_file = elsewhere and random.random() < 0.5
    return indentation(line) + (random.choice(elsewhere) if from_file else invented_statement(file.path, random))


ALTERATIONS: Mapping[str, tuple[str, Alter]] = MappingProxyType(
    {
        "word": ("other names than the file", _word),
        "number": ("another number than the file", _number),
        "operator": ("the opposite operator of the file's", _operator),
        "line": ("another statement than the file", _another_line),
    }
)
"""Name -> what an altered line has, in words, and the function that alters it."""


def altered(line: str, file: File, alter: Alter, random: Random) -> str | None:
    """The line altered; None where it says the same, or is a comment, whose words may drift, or says too little."""
    if len(line.strip()) < _SHORTEST or is_comment(line, file.path):
        return None
    other = alter(line, file, random)
    return None if "".join(other.split()) == "".join(line.split()) else other
