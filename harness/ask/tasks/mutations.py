"""Changes of any code, drawn by its layout alone, and shapes of a file before it is changed.

A mutation returns a step in words. The step may be ambiguous: the caller asks it for its readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

from corpora.generation.sources import changed_text
from harness.ask.tasks.steps import AddArgument, Below, FromTo, InLine, Lines, Move, Rename, Step

_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,})\(")
_TOKENS = (
    ("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("&&", "||"), (" and ", " or "), (" or ", " and "),
    ("True", "False"), ("False", "True"), ("true", "false"), ("false", "true"), (" + ", " - "), (" - ", " + "),
    ("+=", "-="), ("[0]", "[1]"), (" not ", " "),
)  # fmt: skip
_LONGEST_BLOCK = 12
_MOST_NAMED = 40
"""Most places of a renamed word."""
_NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "print", "super", "function", "catch", "and", "not", "elif"}

Mutation = Callable[[Sequence[str], int, str, Random], Step | None]
"""(lines, 0-based line, style of new text, random) -> a step near the line."""


def _styled(line: str, style: str, rng: Random) -> str:
    """A line with a comment that is hard to write in calls and patches."""
    word = (_WORD.findall(line) or ["value"])[0]
    match style:
        case "escapes":
            hard = rng.choice((r"$& \1 $1 $$", r"\n\t\\", "\"'`", r"C:\new\table", "%s {0} ${x}"))
            return f"{line}  # {word} {hard}"
        case "long_lines":
            return f"{line}  # {' '.join(f'{word}_{n}' for n in range(60))}"
        case "non_ascii":
            return f"{line}  # {word}: {rng.choice(('naïve — “café” …', 'größer ≥ 5 µm', '値 → 変更', 'Ёлка 🎄'))}"
    return line


def token(lines: Sequence[str], at: int, _: str, rng: Random) -> Step | None:
    """Replace an operator or a constant by its counterpart."""
    found = [(old, new) for old, new in _TOKENS if old in lines[at]]
    return InLine(lines[at], *rng.choice(found)) if found else None


def line(lines: Sequence[str], at: int, style: str, rng: Random) -> Step | None:
    """Rewrite a line, from its own words."""
    new = changed_text(lines[at], rng)
    new = _styled(lines[at] if new is None else new, style, rng)
    return None if new == lines[at] else FromTo(lines[at], lines[at], (new,))


def insert(lines: Sequence[str], at: int, style: str, rng: Random) -> Step | None:
    """Add one to three lines below a line."""
    words = _WORD.findall(lines[at])
    if not words:
        return None
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    new = [
        _styled(f"{indent}{rng.choice(words)}_{n} = {rng.randint(1, 99)}", style, rng) for n in range(rng.randint(1, 3))
    ]
    return Below(lines[at], tuple(new))


def delete(lines: Sequence[str], at: int, _: str, rng: Random) -> Step | None:
    """Delete up to four lines."""
    last = min(at + rng.randint(0, 3), len(lines) - 1)
    return FromTo(lines[at], lines[last])


def block(lines: Sequence[str], at: int, style: str, rng: Random) -> Step | None:
    """Rewrite several lines."""
    last = min(at + rng.randint(2, _LONGEST_BLOCK), len(lines) - 1)
    new = changed_text("\n".join(lines[at : last + 1]), rng)
    if new is None:
        return None
    first, *rest = new.split("\n")
    return FromTo(lines[at], lines[last], (_styled(first, style, rng), *rest))


def move(lines: Sequence[str], at: int, _: str, rng: Random) -> Step | None:
    """Move some lines to another place."""
    last = min(at + rng.randint(0, 5), len(lines) - 1)
    below = rng.randrange(len(lines))
    near = at - 1 <= below <= last
    return (
        None if near or any(not lines[n].strip() for n in (last, below)) else Move(lines[at], lines[last], lines[below])
    )


def rename(lines: Sequence[str], at: int, _: str, rng: Random) -> Step | None:
    """Rename a word in the whole file."""
    words = _WORD.findall(lines[at])
    if not words:
        return None
    old = rng.choice(words)
    new = f"{old}_{rng.choice(('inner', 'next', 'v2'))}"
    text = "\n".join(lines)
    return None if new in text or text.count(old) > _MOST_NAMED else Rename(old, new)


def signature(lines: Sequence[str], at: int, _: str, rng: Random) -> Step | None:
    """Add an argument to a function and to its calls."""
    near = _CALL.findall("\n".join(lines[at : at + 60]))
    names = [name for name in near if name not in _NOT_FUNCTIONS]
    if not names:
        return None
    name = rng.choice(names)
    return (
        None
        if "\n".join(lines).count(f"{name}(") > _MOST_NAMED
        else AddArgument(name, rng.choice(("strict", "depth", "ctx")))
    )


def table_row(lines: Sequence[str], at: int, style: str, rng: Random) -> Step | None:
    """Add a row to a Markdown table."""
    rows = [n for n, one in enumerate(lines) if one.startswith("|") and one.endswith("|") and "---" not in one]
    if not rows:
        return None
    at = rng.choice(rows)
    cells = lines[at].strip("|").split("|")
    new = "|".join(f" {cell.strip() or 'none'} {rng.randint(2, 9)} " for cell in cells)
    return Below(lines[at], (f"|{_styled(new, style, rng)}|",))


MUTATIONS: Mapping[str, Mutation] = MappingProxyType(
    {one.__name__: one for one in (token, line, insert, delete, block, move, rename, signature, table_row)}
)
"""Name -> kind of change."""
SMALL = ("token", "line", "insert", "delete", "block")
"""Kinds of change that fit at several places of a file."""
STYLED = ("line", "insert", "block", "table_row")
"""Kinds of change whose new text can be written in a style."""


def telling(lines: Lines) -> list[int]:
    """0-based numbers of lines that are unique without their whitespace and hold a word."""
    return [places[0] for places in lines.table.at.values() if len(places) == 1 and _WORD.search(lines[places[0]])]


# The file before the change: its length, and one property that is hard to write

LENGTHS = (50, 300, 1500, 5000)
"""Lines of a file."""
N_HUNKS = (1, 3, 12)

Shape = Callable[[Sequence[str], Random], list[str]]


def nearest(n: int, groups: Sequence[int]) -> str:
    """The number in `groups` that is nearest to `n` by ratio."""
    return str(min(groups, key=lambda one: max(one / n, n / one)))


def of_length(texts: Sequence[Sequence[str]], n_lines: int, rng: Random) -> Sequence[str]:
    """About `n_lines` lines, from one text or from several joined ones."""
    lines = texts[0] if len(texts) == 1 else [line for text in texts for line in (*text, "")]
    if len(lines) <= n_lines:
        return lines
    starts = [at for at, line in enumerate(lines[: len(lines) - n_lines + 1]) if line[:1].strip()] or [0]
    start = rng.choice(starts)
    return lines[start : start + n_lines]


def tabs(lines: Sequence[str], _: Random) -> list[str]:
    """Indent with a tab in place of each four spaces."""
    return ["\t" * (n // 4) + line[n - n % 4 :] if (n := len(line) - len(line.lstrip(" "))) else line for line in lines]


def alike(lines: Sequence[str], rng: Random) -> list[str]:
    """Repeat a block twice. The three copies differ in their first lines only."""
    firsts = [at for at, line in enumerate(lines[:-4]) if line.strip() and any(map(str.strip, lines[at + 1 : at + 4]))]
    if not firsts:
        return [*lines]
    first = rng.choice(firsts)
    head, body = lines[first], lines[first + 1 : first + 1 + rng.randint(3, 8)]
    copies = [line for n in (2, 3) for line in ("", f"{head}  # {n}", *body)]
    end = first + 1 + len(body)
    return [*lines[:end], *copies, *lines[end:]]


SHAPES: Mapping[str, Shape] = MappingProxyType({"tabs": tabs, "alike_blocks": alike})
"""Name of a special property -> function that gives it to a text."""
STYLES = ("escapes", "long_lines", "non_ascii")
"""Special properties of the new text."""
AFTERWARDS = ("crlf", "no_final_line_feed", "several_files", "made_already", "changed_since")
"""Special properties of the files as a whole."""
SPECIALS = (*SHAPES, *STYLES, *AFTERWARDS)
