"""Families of pairs of texts, before and after, and of insertions, of any size.

Each family has its own unit of size.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from random import Random

from corpora.scrubbing.look import RULES
from corpora.scrubbing.rule import example_of
from harness.bench.growth_inputs.edits import code

Texts = tuple[str, str]


def code_lines(n: int) -> list[str]:
    return [f"{line}\n" for line in code(n).split("\n")]


def _each(lines: list[str], step: int, change: Callable[[str], str], start: int = 0) -> Texts:
    """The lines, and the same lines with every `step`-th one changed."""
    after = list(lines)
    for k in range(start, len(lines), step):
        after[k] = change(lines[k])
    return "".join(lines), "".join(after)


def _tailed(n: int, step: int, tail: int = 3) -> int:
    """A number of lines near `n` with exactly `tail` lines below the last changed one, if every `step`-th line
    changes.

    All lines of the texts are alike. The tail then decides in how many places the last hunk fits, and times of
    different sizes are comparable only with the same tail.
    """
    return n // step * step + 1 + tail


def _half(lines: list[str]) -> Texts:
    half = len(lines) // 2
    return "".join(lines), "".join(lines[half:] + lines[:half])


def _shuffled(n: int) -> Texts:
    lines = code_lines(n)
    other = list(lines)
    random.Random(n).shuffle(other)
    return "".join(lines), "".join(other)


def _twins(n: int) -> Texts:
    lines = [f"{line}\n" for k in range(n // 4) for line in (f"def get_{k}():", "    check()", "    return 1", "")]
    return _each(lines, 40, lambda _: "    check(self)\n", 1)


def _braces(n: int) -> Texts:
    lines = [f"{' ' * (k % 40)}{{\n" for k in range(n // 2)]
    lines += [line.replace("{", "}") for line in lines[::-1]]
    return _each(lines, 50, lambda line: f"{line[:-1]} // here\n")


def _random_words(n: int) -> Texts:
    chance = random.Random(n)
    before, after = ("".join(chance.choices(["a\n", "b\n", "c\n", "d\n"], k=n)) for _ in range(2))
    return before, after


def _few_words(n: int) -> Texts:
    """Lines of ten words, each in many places, and one line more in the middle."""
    lines = random.Random(n).choices([f"word_{k}\n" for k in range(10)], k=n)
    return "".join(lines), "".join([*lines[: n // 2], "new\n", *lines[n // 2 :]])


TEXT_FAMILIES: Mapping[str, Callable[[int], Texts]] = {
    "lines of ten words": _few_words,
    "one line, moved down by one": lambda n: ("ab\n" * n, "\n" + "ab\n" * (n - 1)),
    "many hunks": lambda n: _each(code_lines(n), 10, str.upper),
    "every other line": lambda n: _each(code_lines(n), 2, str.upper),
    "one hunk of many lines": lambda n: (code(n), code(n).replace("value", "other")),
    "one line of many": lambda n: _each(code_lines(n), n, str.upper, n // 2),
    "added lines between all lines": lambda n: _each(code_lines(n), 1, lambda line: f"{line}    pass\n"),
    "removed lines": lambda n: _each(code_lines(n), 10, lambda _: ""),
    "a new file": lambda n: ("", code(n)),
    "a deleted file": lambda n: (code(n), ""),
    "repeated context": lambda n: _each(["x = 1\n"] * _tailed(n, 10), 10, lambda _: "y = 2\n"),
    "repeated context, also below": lambda n: _each(["x = 1\n"] * _tailed(n, 10, 7), 10, lambda _: "y = 2\n"),
    "two lines in turn": lambda n: _each(["a\n", "b\n"] * (n // 2), 25, lambda _: "c\n"),
    "near twins": _twins,
    "nested braces": _braces,
    "blank lines": lambda n: _each(["\n"] * n, 20, lambda _: "x\n"),
    "carriage returns": lambda n: _each([f"{line[:-1]}\r\n" for line in code_lines(n)], 10, str.upper),
    "wide characters": lambda n: _each(
        ["    名前 = 🐍\n", "    値 = 🦀\n"] * (_tailed(n, 10) // 2), 10, lambda _: "🐢\n"
    ),
    "long lines": lambda n: _each([f"{'ab' * (n // 2)}{k}\n" for k in range(9)], 9, str.upper, 4),
    "the second half first": lambda n: _half(code_lines(n)),
    "lines in another order": _shuffled,
    "the other way round": lambda n: ("".join(code_lines(n)), "".join(code_lines(n)[::-1])),
    "four lines at random": _random_words,
    "equal lines, more of them": lambda n: ("x = 1\n" * n, "x = 1\n" * (2 * n)),
    "no final line feed": lambda n: (code(n), code(n) + "\nend"),
}
"""Family -> a function from a size to the texts before and after."""

INSERT_FAMILIES: Mapping[str, Callable[[int], tuple[str, int, str]]] = {
    "one line at the start": lambda n: (code(n), 0, "x = 1\n"),
    "one line in the middle": lambda n: (code(n), n // 2, "x = 1\n"),
    "one line at the end": lambda n: (code(n), -1, "x = 1\n"),
    "past the end": lambda n: (code(n), n + 1, "x = 1\n"),
    "many lines": lambda n: (code(n), n // 2, code(n)),
    "many lines into an empty file": lambda n: ("", 0, code(n)),
    "many lines into a file of one": lambda n: ("x = 1", 1, code(n)),
    "blank lines": lambda n: ("\n" * n, n // 2, "\n" * n),
    "carriage returns": lambda n: (code(n).replace("\n", "\r\n"), n // 2, code(n)),
    "carriage returns in the content": lambda n: (code(n), n // 2, code(n).replace("\n", "\r\n")),
    "nothing but carriage returns": lambda n: (code(n), n // 2, "\r" * n),
    "one long line": lambda n: ("ab" * n, 0, "ab" * n),
    "wide characters": lambda n: ("🐍\n" * n, n // 2, "🦀\n" * n),
}
"""Family -> a function from a size to the text, the line and the inserted content."""


# Families of texts for scrubbing: repeated beginnings of secrets, and many secrets.

_BEGIN, _END = ("-----" + edge + " PRIVATE KEY-----\n" for edge in ("BEGIN", "END"))
_EXAMPLES = "\n".join(example_of(rule.example, Random(7)).text for rule in RULES)
_HALVES = "\n".join(line[: len(line) // 2] for line in _EXAMPLES.split("\n"))
_NEEDLES = "".join(needle for rule in RULES for needle in rule.needles)
_REPEATED = (
    "token", "secret.", "a.", "sk-", "a", "A1b2", " ", "\\", "\\n", "=", "token=", "password: '", "://", "://a:", "@",
    "a@", "a@a.", "@h:~", "/home/", "/home/a", "home\\", "%2F", ".local", "-home-a", "eyJ", "eyJ.", "eyJ-", "AAAA",
    "M.", "login a ", "mysql ", "mysql -p", " -u a:", "x.atlasv1.", "1:AA", "Private-Lines: 1\n", "mnemonic: aaa ",
    "password>", "password=\n ", 'password a="b" ', '--password", ', "PASSWORD='aa ", "account a ", "://a:b@x@", "@h a",
)  # fmt: skip


def _repeat(piece: str) -> Callable[[int], str]:
    return lambda n: (piece * (n // len(piece) + 1))[:n] + " ://"


SECRET_FAMILIES: Mapping[str, Callable[[int], str]] = {
    **{f"{piece!r}, repeated": _repeat(piece) for piece in _REPEATED},
    "headers of private keys": lambda n: _BEGIN * (n // 28),
    "footers of private keys": lambda n: _END * (n // 26),
    "one private key without end": lambda n: _BEGIN + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n" * (n // 49),
    "prefixes of all keys": lambda n: (_NEEDLES * (n // len(_NEEDLES) + 1))[:n],
    "halves of all secrets": lambda n: (_HALVES * (n // len(_HALVES) + 1))[:n],
    "all secrets": lambda n: (_EXAMPLES * (n // len(_EXAMPLES) + 1))[:n],
    "different secrets": lambda n: "\n".join(example_of("ghp_{A36}", Random(k)).text for k in range(n // 40)),
    "code": code,
    "one long line": lambda n: "abc def, " * (n // 9),
    "one long word": lambda n: "aB3dE5fG7" * (n // 9),
    "wide characters": lambda n: "    名前 = 🐍\n" * (n // 11),
}
"""Family -> a function from a size to the text."""
