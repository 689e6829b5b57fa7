"""Misspelt lines: a context line that is the file's but for a word or two, or the words of a comment.

hunk  |for i in rnge(x):      file  |for i in range(x):      misspelt
      |for i in range(5):           |for i in range(6):      not: numbers say which line is meant
      |return term(x)               |return term()           not: signs and the number of words are the same
"""

from __future__ import annotations

import re

from editcore.text import distances
from editcore.text.whitespace import trim

_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"(?:#|//|--|\*|/\*|\"\"\"|<!--|;)")
_FACTS = re.compile(r"\d+|\b(?:not|no|never|none|without|un\w+|non\w+|\w+n't|true|false)\b", re.IGNORECASE)
"""What must be the same in any line: numbers and negations."""
_MOST_WORDS = 2
_ALIKE_WORDS = 0.6
_ALIKE_COMMENTS = 0.7
_LONGEST = 500
"""Characters of a line that is compared."""


def is_misspelt(written: str, line: str) -> bool:
    """Whether a line differs from the file's in the spelling of a word or two, or in the words of a comment."""
    one, other = trim(written), trim(line)
    if not one or not other or max(len(one), len(other)) > _LONGEST:
        return False
    if _FACTS.findall(one.lower()) != _FACTS.findall(other.lower()):
        return False
    if _COMMENT.match(one) and _COMMENT.match(other):
        return distances.indel_ratio(one, other) >= _ALIKE_COMMENTS
    ours, theirs = _TOKEN.findall(one), _TOKEN.findall(other)
    if len(ours) != len(theirs):
        return False
    pairs = [(mine, there) for mine, there in zip(ours, theirs, strict=True) if mine != there]
    return len(pairs) <= _MOST_WORDS and all(
        mine[0].isalnum() and there[0].isalnum() and distances.indel_ratio(mine, there) >= _ALIKE_WORDS
        for mine, there in pairs
    )
