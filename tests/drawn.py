"""Texts in case files, in which invisible characters are written as visible ones:

␠ space   ␉ tab   ␍ carriage return   ␊ one more line feed   ␃ no line feed at the end   <U+00A0> anything else
"""

from __future__ import annotations

import re

_DRAWN = str.maketrans({"␠": " ", "␉": "\t", "␍": "\r", "␊": "\n"})
_VISIBLE = str.maketrans({"\t": "␉", "\r": "␍"})


def undrawn(lines: list[str], *, is_file: bool) -> str:
    """The text of a section's lines; in a file, the last line ends in a line feed as well."""
    text = "\n".join(lines) + ("\n" if is_file and lines else "")
    text = re.sub(r"␃\n?\Z", "", text).translate(_DRAWN)
    return re.sub(r"<U\+([0-9A-F]{4,6})>", lambda drawn: chr(int(drawn[1], 16)), text)


def drawn(text: str, *, is_file: bool) -> list[str]:
    """The lines of a section for a text: what `undrawn` makes the text of."""
    if not text:
        return []
    *lines, last = map(_shown, text.split("\n"))
    if is_file:
        return [*lines, f"{last}␃"] if last else lines
    return [*lines, last] if last else [*lines[:-1], f"{lines[-1]}␊"]


def _shown(line: str) -> str:
    line = re.sub(r"^=(?===)|[␠␉␍␊␃]|<(?=U\+)", lambda found: f"<U+{ord(found[0]):04X}>", line)
    line = re.sub(r" +$", lambda found: "␠" * len(found[0]), line).translate(_VISIBLE)
    return "".join(one if one.isprintable() else f"<U+{ord(one):04X}>" for one in line)
