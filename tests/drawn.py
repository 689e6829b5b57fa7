"""Texts in case files, in which invisible characters are written as visible ones:

␠ space   ␉ tab   ␍ carriage return   ␊ one more line feed   ␃ no line feed at the end   <U+00A0> anything else
"""

from __future__ import annotations

import re

_DRAWN = str.maketrans({"␠": " ", "␉": "\t", "␍": "\r", "␊": "\n"})


def undrawn(lines: list[str], *, is_file: bool) -> str:
    """The text of a section's lines; in a file, the last line ends in a line feed as well."""
    text = "\n".join(lines) + ("\n" if is_file and lines else "")
    text = re.sub(r"␃\n?\Z", "", text).translate(_DRAWN)
    return re.sub(r"<U\+([0-9A-F]{4,6})>", lambda drawn: chr(int(drawn[1], 16)), text)
