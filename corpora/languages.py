"""Languages of files, by file name."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath

from editcore.notebooks import SUFFIX

_WILDCARD = re.compile(r"[*?\]]")


@lru_cache(maxsize=1024)
def _language_of(name: str) -> str:
    """The result of Pygments' own search, without compiling its thousand patterns in each process."""
    from pygments.lexers import find_lexer_class, get_all_lexers

    ratings = []
    for lexer, aliases, patterns, _ in get_all_lexers():
        matching = [one for one in patterns if name.endswith(_WILDCARD.split(one)[-1]) and fnmatchcase(name, one)]
        if matching:
            found = find_lexer_class(lexer)
            assert found
            bonus = 0.5 if any("*" not in one for one in matching) else 0
            ratings.append((found.priority + bonus, found.__name__, aliases[0] if aliases else "other"))
    return str(max(ratings)[-1]) if ratings else "other"


def language(path: str) -> str:
    """The language of a file by its name, as Pygments calls it; `notebook` for Jupyter's; `other` if unknown."""
    name = PurePosixPath(path)
    if name.suffix.lower() == SUFFIX:
        return "notebook"
    return _language_of(f"x{name.suffix.lower()}" if name.suffix else name.name)
