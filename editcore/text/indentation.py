"""The indentation of lines, and lines moved to another one.

`of` are the characters that indent: all whitespace, if nothing is said; rules of other programs have sets of their own.
None is what Python takes for whitespace.
"""

from __future__ import annotations

from collections.abc import Iterable

from editcore.text.whitespace import WHITESPACE

SPACES_AND_TABS = " \t"


def indent(line: str, of: str | None = WHITESPACE) -> str:
    """The whitespace at the start of a line."""
    return line[: len(line) - len(line.lstrip(of))]


def indent_width(line: str, of: str | None = WHITESPACE) -> int:
    """The number of whitespace characters at the start of a line."""
    return len(line) - len(line.lstrip(of))


def least_indent(lines: Iterable[str], of: str | None = WHITESPACE) -> int:
    """The length of the shortest indentation among lines that are not blank; 0 if all are."""
    return min((len(line) - len(text) for line in lines if (text := line.lstrip(of))), default=0)


def dedented(lines: Iterable[str], by: int, of: str | None = WHITESPACE) -> list[str]:
    """The lines without so many characters at their start; blank lines as they are."""
    return [line[by:] if line.strip(of) else line for line in lines]


def indented(lines: Iterable[str], by: str, of: str | None = WHITESPACE) -> list[str]:
    """The lines behind more indentation; blank lines as they are."""
    return [by + line if line.strip(of) else line for line in lines]


def moved(line: str, old: str, new: str, of: str | None = SPACES_AND_TABS) -> str:
    """A line with the indentation `old` replaced by `new`; one that is not indented so begins with `new`."""
    return new + (line[len(old) :] if line.startswith(old) else line.lstrip(of))
