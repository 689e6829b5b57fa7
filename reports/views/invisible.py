"""Names and paths as text in which nothing is invisible."""

from __future__ import annotations

import re

_ODD = re.compile(
    # C0 and C1 controls, spaces that look alike, invisible joiners, direction overrides, surrogates.
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """A name or path with each invisible character replaced by its code point, as in `U+202E`."""
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(lambda found: f"U+{ord(found[0]):04X}", text)
