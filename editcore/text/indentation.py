"""The indentation of a line, and lines moved to another one."""

from __future__ import annotations

from editcore.text.whitespace import WHITESPACE


def indent(line: str) -> str:
    """The whitespace at the start of a line, of any kind."""
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def indentation(line: str) -> str:
    """The spaces and tabs at the start of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def moved(line: str, old: str, new: str) -> str:
    """A line with the indentation `old` replaced by `new`; one that is not indented so begins with `new`."""
    return new + (line[len(old) :] if line.startswith(old) else line.lstrip(" \t"))
