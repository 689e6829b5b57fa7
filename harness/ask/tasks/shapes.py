"""What a text is like before it is changed: how long, and with one thing in it that is hard to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

LENGTHS = (50, 300, 1500, 5000)
"""Lines of a file."""
N_HUNKS = (1, 3, 12)

Shape = Callable[[Sequence[str], Random], list[str]]


def nearest(n: int, groups: Sequence[int]) -> str:
    """The one of some numbers that is nearest by its ratio."""
    return str(min(groups, key=lambda one: max(one / n, n / one)))


def of_length(texts: Sequence[Sequence[str]], n_lines: int, rng: Random) -> Sequence[str]:
    """About as many lines, of one text or of several below each other."""
    lines = texts[0] if len(texts) == 1 else [line for text in texts for line in (*text, "")]
    if len(lines) <= n_lines:
        return lines
    starts = [at for at, line in enumerate(lines[: len(lines) - n_lines + 1]) if line[:1].strip()] or [0]
    start = rng.choice(starts)
    return lines[start : start + n_lines]


def tabs(lines: Sequence[str], _: Random) -> list[str]:
    """Each four blanks at the start of a line are a tab."""
    return ["\t" * (n // 4) + line[n - n % 4 :] if (n := len(line) - len(line.lstrip(" "))) else line for line in lines]


def alike(lines: Sequence[str], rng: Random) -> list[str]:
    """A block stands three times, and only its first line tells which is which."""
    firsts = [at for at, line in enumerate(lines[:-4]) if line.strip() and any(map(str.strip, lines[at + 1 : at + 4]))]
    if not firsts:
        return [*lines]
    first = rng.choice(firsts)
    head, body = lines[first], lines[first + 1 : first + 1 + rng.randint(3, 8)]
    copies = [line for n in (2, 3) for line in ("", f"{head}  # {n}", *body)]
    end = first + 1 + len(body)
    return [*lines[:end], *copies, *lines[end:]]


SHAPES: Mapping[str, Shape] = MappingProxyType({"tabs": tabs, "alike_blocks": alike})
"""Special -> what it makes of a text."""
STYLES = ("escapes", "long_lines", "non_ascii")
"""Specials of the new text."""
AFTERWARDS = ("crlf", "no_final_line_feed", "several_files", "made_already", "changed_since")
"""Specials of the files as a whole."""
SPECIALS = (*SHAPES, *STYLES, *AFTERWARDS)
