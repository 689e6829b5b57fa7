"""Words of source code in any language (names, numbers, strings, comments), and substitutes for words and lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from random import Random
from types import MappingProxyType

from corpora.mutators.clean_edit import CleanEdit, needs
from corpora.mutators.spans import indentation, pick, pick_share
from editcore.text.comments import is_comment
from editcore.text.lines import pieces_with
from editcore.types import File

_TOKEN = re.compile(
    r"""(?P<comment>(?:\#|//)[^\n]*)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<operator>(?<=\ )(?:[=!<>]=|[-+*/]=|&&|\|\||[-+*/<>])(?=\ ))""",
    re.VERBOSE,
)
INNER_SPACE = re.compile(r"(?<=[^ \t\n]) (?=[^ \t\n])")
"""A single space within a line."""
_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+")
_words = str.split
_KEYWORDS = frozenset(
    _words(
        """
        False None True and as assert async await bool boolean break case catch char class const continue def
        default del delete do double elif else end enum except export extends false final finally float fn for
        from func function global if impl import in instanceof int interface is lambda let long match mod mut
        new nil not null or package pass private protected pub public raise return self short static str
        string struct super switch this throw throws trait true try type typeof undefined use var void while
        with yield
        """
    )
)
_NOUNS = tuple(_words("amount batch buffer cursor draft entry field group handle label margin offset packet"))
_VERBS = tuple(_words("check clear close drop flush log mark notify open record reset send store trace update"))
_HASH = frozenset(_words("cfg coffee conf ex exs gitignore ini jl pl pm ps1 py pyi r rb sh tf toml txt yaml yml"))
_DASHES = frozenset(_words("ada elm hs lua sql vhd"))

Token = re.Match[str]


def tokens(text: str, kind: str, *, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a kind (comment, string, name, number or operator) in a part of a text; keywords are not names."""
    found = _TOKEN.finditer(text, start, len(text) if end is None else end)
    return [token for token in found if token.lastgroup == kind and token[0] not in _KEYWORDS]


def keywords(text: str) -> list[Token]:
    """The keywords in a text, outside strings and comments."""
    return [token for token in _TOKEN.finditer(text) if token[0] in _KEYWORDS]


def replace_tokens(text: str, others: Iterable[tuple[Token, str]]) -> str:
    """The text with some tokens replaced; the tokens must be in order."""
    return "".join(pieces_with(text, ((*token.span(), other) for token, other in others)))


def replace_share(
    text: str, pattern: str | re.Pattern[str], write: Callable[[Token], str], degree: int, random: Random
) -> str:
    """The text with a fifth of a pattern's matches replaced for each step of degree."""
    picked = pick_share(list(re.finditer(pattern, text)), degree, random)
    return replace_tokens(text, [(found, write(found)) for found in picked])


def another_name(name: str, random: Random) -> str:
    """A name of the same shape with one part replaced by another noun."""
    parts = list(_PART.finditer(name))
    if not parts:
        return name + random.choice(_NOUNS)
    part = random.choice(parts)
    noun = random.choice([noun for noun in _NOUNS if noun != part[0].lower()])
    noun = noun.upper() if len(part[0]) > 1 and part[0].isupper() else noun.capitalize() if part[0].istitle() else noun
    return replace_tokens(name, [(part, noun)])


def another_number(number: str, random: Random) -> str:
    """The number with another last digit."""
    return number[:-1] + str((int(number[-1]) + random.randint(1, 9)) % 10)


def another_string(literal: str, random: Random) -> str:
    """The string literal with another word in it."""
    words = tokens(literal, "name", start=1, end=len(literal) - 1)
    if not words:
        return literal[:-1] + random.choice(_NOUNS) + literal[-1]
    word = random.choice(words)
    return replace_tokens(literal, [(word, another_name(word[0], random))])


def renamed(text: str, random: Random) -> str:
    """The text with all names replaced; equal names get equal replacements."""
    others: dict[str, str] = {}
    names = tokens(text, "name")
    for name in names:
        if name[0] not in others:
            others[name[0]] = another_name(name[0], random)
    return replace_tokens(text, [(name, others[name[0]]) for name in names])


def comment_marker(path: str) -> str:
    """The start of a comment in a file with this name."""
    suffix = path.rpartition(".")[2].lower()
    return "#" if suffix in _HASH else "--" if suffix in _DASHES else "//"


def as_comment(clean: CleanEdit) -> str:
    """The old text with a comment marker before each nonblank line."""
    mark = comment_marker(clean.path)
    return "\n".join([f"{indentation(line)}{mark} {line.lstrip()}" if line.strip() else line for line in clean.lines])


def invented_statement(path: str, random: Random) -> str:
    """A call that no file is likely to contain, in the language of the file."""
    call = f"{random.choice(_VERBS)}_{random.choice(_NOUNS)}({random.choice(_NOUNS)}_{random.randint(2, 99)})"
    return call if comment_marker(path) == "#" else call + ";"


def with_invented_statements(clean: CleanEdit, n: int, random: Random) -> str:
    """The old text with n lines inserted between its lines. Raises Unfit for a single line."""
    lines = list(clean.lines)
    needs(len(lines) >= 2)
    for _ in range(n):
        at = random.randint(1, len(lines) - 1)
        lines.insert(at, indentation(lines[at]) + invented_statement(clean.path, random))
    return "\n".join(lines)


def with_comment_words(clean: CleanEdit, words: str) -> CleanEdit:
    """The edit of a file with these words in a comment of the span, after an existing comment."""
    comment = next(iter(tokens(clean.old, "comment")), None)
    if comment is not None:
        other = f"{comment[0]} {words}"
        return clean.with_old(
            replace_tokens(clean.old, [(comment, other)]), new=clean.new.replace(comment[0], other, 1)
        )
    line = next(line for line in clean.lines if line.strip()) if clean.old.strip() else clean.old
    other = f"{line}  {comment_marker(clean.path)} {words}"
    return clean.with_old(clean.old.replace(line, other, 1), new=clean.new.replace(line, other, 1))


def similar_text(text: str, n_words: int, random: Random) -> str | None:
    """The text with n names and numbers changed; None if it has none, or if the result contains the text."""
    words = sorted(tokens(text, "name") + tokens(text, "number"), key=Token.start)
    others = [
        (word, another_number(word[0], random) if word.lastgroup == "number" else another_name(word[0], random))
        for word in pick(words, n_words, random)
    ]
    changed = replace_tokens(text, others)
    return None if text in changed else changed


# Alterations: changes of a line that make it contradict the line of the file.

_OPPOSITES = {
    "==": "!=", "!=": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<=", "+": "-", "-": "+", "*": "/", "/": "*",
    "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
}  # fmt: skip
_SHORTEST = 3
"""The least characters of a line that is altered."""
_FAR = 20
"""Lines that are farther apart belong to different places: an edit of both does more than skip the lines between."""

Alter = Callable[[str, File, Random], str]
"""(line, its file, randomness) -> another line, or the same line if it has nothing to alter."""


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
"""Name -> a description of the altered line, and the function that alters it."""


def altered(line: str, file: File, alter: Alter, random: Random) -> str | None:
    """The altered line; None for a comment, a very short line, or a line that differs in whitespace only."""
    if len(line.strip()) < _SHORTEST or is_comment(line, file.path):
        return None
    other = alter(line, file, random)
    return None if "".join(other.split()) == "".join(line.split()) else other
