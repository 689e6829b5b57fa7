"""Texts in case files, in which what can't be seen is drawn:

␠ blank   ␉ tab   ␍ carriage return   ␊ one more line feed   ␃ no line feed at the end   <U+00A0> anything else
"""

from __future__ import annotations

import re

_DRAWN = str.maketrans({"␠": " ", "␉": "\t", "␍": "\r", "␊": "\n"})


def undrawn(lines: list[str], *, is_file: bool) -> str:
    """The text that the lines of a section stand for; the last line of a file ends in a line feed too."""
    text = "\n".join(lines) + ("\n" if is_file and lines else "")
    text = re.sub(r"␃\n?\Z", "", text).translate(_DRAWN)
    return re.sub(r"<U\+([0-9A-F]{4,6})>", lambda drawn: chr(int(drawn[1], 16)), text)
