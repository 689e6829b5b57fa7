"""Languages of files, by file name."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath


@lru_cache(maxsize=1024)
def _language_of(name: str) -> str:
    from pygments.lexers import find_lexer_class_for_filename

    lexer = find_lexer_class_for_filename(name)
    return str(lexer.aliases[0]) if lexer and lexer.aliases else "other"


def language(path: str) -> str:
    """The language of a file by its name, as Pygments calls it; `other` where Pygments knows none."""
    name = PurePosixPath(path)
    return _language_of(f"x{name.suffix.lower()}" if name.suffix else name.name)
