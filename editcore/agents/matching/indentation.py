"""Moving lines to another indentation."""

from __future__ import annotations


def indentation(line: str) -> str:
    """The spaces and tabs at the start of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def moved(line: str, old: str, new: str) -> str:
    """A line with the indentation `old` replaced by `new`; one that is not indented so begins with `new`."""
    return new + (line[len(old) :] if line.startswith(old) else line.lstrip(" \t"))
