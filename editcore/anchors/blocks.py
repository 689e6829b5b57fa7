"""Where the block ends that begins in a line, by brackets and indentation, as gptme finds it.

A line that opens brackets or a string goes on until they are closed; then follow all lines that are indented deeper,
and, in Python, the clauses of the same statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editcore.errors import PatchError
from editcore.text.whitespace import indent

_TOKEN = re.compile(r"\\.|\"\"\"|'''|[\"'#()\[\]{}]")
_STATEMENT = re.compile(r"(?:async\s+)?(?:def|class|if|for|while|with|try)\b")
_CLAUSE = re.compile(r"(?:elif|else|except|finally)\b")


def block_end(lines: Sequence[str], first: int) -> int:
    """The 1-based last line of the block that begins in a line. Raises PatchError where it does not end."""
    if not 1 <= first <= len(lines):
        raise PatchError(f"Line {first} does not exist (file has {len(lines)} lines)")
    header = lines[first - 1]
    width, has_clauses = len(indent(header)), bool(_STATEMENT.match(header.lstrip()))
    depth, quote = _scanned(header, "")
    end = first
    for n in range(first + 1, len(lines) + 1):
        line = lines[n - 1]
        bare = line.lstrip()
        if depth > 0 or quote:
            opened, quote = _scanned(line, quote)
            depth, end = depth + opened, n
        elif not bare:
            continue
        elif len(line) - len(bare) > width:
            _, quote = _scanned(line, quote)
            end = n
        elif not bare.startswith("#"):
            if not (has_clauses and len(line) - len(bare) == width and _CLAUSE.match(bare)):
                break
            end = n
    if depth > 0 or quote:
        raise PatchError(f"the block that begins in line {first} does not end: give its last line instead.")
    return end


def _scanned(line: str, quote: str) -> tuple[int, str]:
    """By how many brackets a line opens more than it closes, and the long quote that it leaves open, if any.

    `quote` is the one left open above.
    """
    depth, short = 0, ""
    for found in _TOKEN.finditer(line):
        token = found[0]
        if quote or short:
            if token == quote:
                quote = ""
            elif token == short:
                short = ""
        elif token == "#":
            break
        elif len(token) == 3:
            quote = token
        elif token in "'\"":
            short = token
        elif token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
    return depth, quote
