"""How VS Code guesses the indentation of lines, and how Copilot converts added lines to it.

Read: vscode-copilot-chat, src/extension/prompt/node/indentationGuesser.ts of 2025, which is VS Code's own guess. Tabs
or spaces: whichever begins more lines. Spaces per level: the most frequent difference, of 2 to 8, between a line and
the next one. Differences that look like an alignment do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editcore.text.diff import common_prefix
from editcore.text.whitespace import SPACES_AND_TABS, indent

_MOST_LINES = 10_000
_SIZES = (2, 4, 6, 8, 3, 5, 7)


@dataclass(frozen=True, slots=True)
class Indentation:
    """Tabs, or a number of spaces for each level."""

    size: int
    has_spaces: bool

    @property
    def unit(self) -> str:
        return " " * self.size if self.has_spaces else "\t"


def guessed(lines: Sequence[str], default: Indentation) -> Indentation:
    """The indentation of `lines`; what the lines do not show is taken from `default`."""
    n_tabs = n_spaces = 0
    counts = [0] * 9
    above, above_indent = "", ""
    for line in lines[:_MOST_LINES]:
        here = indent(line, SPACES_AND_TABS)
        if len(here) == len(line):
            continue
        if "\t" in here:
            n_tabs += 1
        elif len(here) > 1:
            n_spaces += 1
        difference, is_alignment = _difference(above, above_indent, line, here)
        if is_alignment and not (default.has_spaces and default.size == difference):
            continue
        if difference <= 8:
            counts[difference] += 1
        above, above_indent = line, here
    has_spaces = default.has_spaces if n_tabs == n_spaces else n_tabs < n_spaces
    size = default.size
    if has_spaces:
        best = max(_SIZES, key=lambda one: counts[one])
        size = best if counts[best] else default.size
        if size == 4 and 0 < counts[4] <= 2 * counts[2]:
            size = 2
    return Indentation(size, has_spaces)


def _difference(above: str, above_indent: str, line: str, line_indent: str) -> tuple[int, bool]:
    """(number of spaces by which the second line is indented otherwise, True if that looks like an alignment).

    Where tabs differ too, the number is the spaces for each tab.
    """
    shared = common_prefix(above_indent, line_indent)
    one, two = above_indent[shared:], line_indent[shared:]
    if len(set(one)) == 2 or len(set(two)) == 2:
        return 0, False
    n_tabs = abs(one.count("\t") - two.count("\t"))
    n_spaces = abs(one.count(" ") - two.count(" "))
    if n_tabs:
        return (n_spaces // n_tabs if n_spaces % n_tabs == 0 else 0), False
    at = two.count(" ")
    is_alignment = (
        n_spaces > 0
        and 0 < at <= len(above)
        and at < len(line)
        and line[at] != " "
        and above[at - 1] == " "
        and above.endswith(",")
    )
    return n_spaces, is_alignment


def level(line: str, size: int) -> int:
    """The level of a line's indentation, with `size` columns for each level."""
    columns = 0
    for character in indent(line, SPACES_AND_TABS):
        columns += 1 if character == " " else size - columns % size
    return columns // size


def changed(line: str, old: Indentation, new: Indentation) -> str:
    """The line with its leading levels written in the indentation `new`."""
    if (old.has_spaces, old.size) == (new.has_spaces, new.size):
        return line
    n_levels = 0
    while line.startswith(old.unit, n_levels * len(old.unit)):
        n_levels += 1
    return new.unit * n_levels + line[n_levels * len(old.unit) :]
