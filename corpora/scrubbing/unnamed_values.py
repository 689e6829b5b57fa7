"""The last rule: long random words without a name.

Such a key mixes lower case, capitals and digits, between quotes, commas, spaces or brackets. Digests, data URLs and
lock files contain such words too, and are recognized by the text before them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from corpora.scrubbing.rule import Rule, Span, surprise

_WORD = re.compile(r"(?<![\w+/=.%:@#-])[A-Za-z0-9+/_-]{32,}+={0,2}(?![\w+/=.%:@-])")
_LONGEST = 256
"""Longer words are data: an image, a font, a source map."""
_SHARE, _SHARE_OF_LETTERS = 0.45, 0.6
_MIXED = re.compile(r"(?=[^a-z]*[a-z])[^A-Z]*[A-Z]")
_DATA = re.compile(r"(?i)(?:sha-?\d{1,3}|md5|h1|integrity|checksum|digest|hash|base64|nonce)\W{0,6}$|base64,[\w+/=]*$")


def _words(text: str) -> Iterator[Span]:
    for match in _WORD.finditer(text):
        word = match[0]
        if len(word) > _LONGEST or not _MIXED.match(word):
            continue
        least = _SHARE if any(map(str.isdigit, word)) else _SHARE_OF_LETTERS
        if surprise(word) < least or _DATA.search(text[max(0, match.start() - 24) : match.start()]):
            continue
        if not _is_text(word):
            yield Span(*match.span())


def _is_text(word: str) -> bool:
    """Whether a word is text in base 64."""
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("ascii").isprintable()
    except ValueError:
        return False


UNNAMED_VALUE = Rule(
    "random", "random",
    "a random word of 32 to 256 letters and digits in quotes, brackets or between commas", (), _words,
    "client = Client('«{A40}»')",
    "sha512-x and src/components/SomeLongName/AnotherLongName and aVeryLongNameOfAFunctionInCode",
)  # fmt: skip
