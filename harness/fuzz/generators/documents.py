"""Texts that look like code: repeated blocks, near duplicates, nested braces, blank lines, odd line endings."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

WORDS = (
    "a", "x", "go()", "return x", "x = 1", "x = 2", "name_of_it", "name_of_them", "f(a, b)", '"q"', "'it'", "`$v`",
    "$&",
    "\\", "\\n", "\\t", '\\"', "\\d", "end", "pass", "if ok:", "else:", "(*.)+?^|[", "é", "\U0001f600", "漢字", "\0",
    "\x85",
    "--", "++", "@@", "***", "=======", "#", "//",
)  # fmt: skip
INDENTS = ("", "", "", "    ", "    ", "  ", "\t", "        ", "\u3000", "\ufeff")
ENDS = ("", "", "", "", "", " ", "\t", "\r", "\x0c", "\\")
SPACES = (" ", " ", "  ", "\t", "\xa0", "\u3000", "\v")


def line(rng: Random) -> str:
    words = [rng.choice(WORDS) for _ in range(rng.randrange(1, 4))]
    return rng.choice(INDENTS) + rng.choice(SPACES).join(words) + rng.choice(ENDS)


def _repeated(rng: Random) -> list[str]:
    """Few distinct lines, many times."""
    pool = [line(rng) for _ in range(rng.randint(1, 5))]
    return [rng.choice(pool) for _ in range(rng.randint(0, 8))]


def _twins(rng: Random) -> list[str]:
    """A block, and a near duplicate of it."""
    block = [line(rng) for _ in range(rng.randint(2, 4))]
    twin = list(block)
    for _ in range(rng.randint(0, 2)):
        at = rng.randrange(len(twin))
        twin[at] = rng.choice([f"    {twin[at]}", twin[at].strip(), twin[at] + "s", line(rng)])
    between = [line(rng) for _ in range(rng.randint(0, 3))]
    return [*block, *between, *twin]


def _functions(rng: Random) -> list[str]:
    """Functions with different bodies."""
    lines: list[str] = []
    for number in range(rng.randint(1, 2)):
        lines += [
            f"def f{number}(x):",
            f"    y = x + {number}",
            *[f"    {line(rng).strip()}" for _ in range(rng.randint(0, 3))],
        ]
        lines += ["    return y", ""]
    return lines


def _nested(rng: Random) -> list[str]:
    """Nested braces, so that closing lines are alike."""
    depth = rng.randint(1, 3)
    opened = [f"{'  ' * n}{rng.choice(['if (a) {', 'for (;;) {', '{', 'fn() {'])}" for n in range(depth)]
    closed = [f"{'  ' * n}}}" for n in reversed(range(depth))]
    return [*opened, f"{'  ' * depth}{rng.choice(WORDS)};", *closed]


def _blank_runs(rng: Random) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        lines += [line(rng), *[rng.choice(["", "", "  "]) for _ in range(rng.randint(0, 4))]]
    return lines


def _long_lines(rng: Random) -> list[str]:
    return [rng.choice(WORDS) * rng.randint(1, 20) for _ in range(rng.randint(1, 3))]


_KINDS: tuple[Callable[[Random], list[str]], ...] = (
    _repeated, _repeated, _twins, _twins, _functions, _functions, _nested, _blank_runs, _long_lines,
)  # fmt: skip


def document(rng: Random) -> str:
    """A text of one or two kinds of lines, with LF, CRLF or mixed line endings, with or without a final one."""
    lines = rng.choice(_KINDS)(rng)
    if rng.random() < 0.2:
        lines += rng.choice(_KINDS)(rng)
    ending = rng.choice(("\n", "\n", "\n", "\n", "\r\n"))
    text = ending.join(lines)
    if rng.random() < 0.05:
        text = text.replace("\n", "\r\n", rng.randint(1, 3))
    if rng.random() < 0.05:
        text = "\ufeff" + text
    return text + rng.choice(("", ending, ending, ending, ending * 2))
