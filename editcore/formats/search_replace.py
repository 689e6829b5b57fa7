"""`search_replace`: blocks of a search text and its replacement between marker lines, as aider asks for them.

    a.py
    <<<<<<< SEARCH
    x = 1
    =======
    x = 2
    >>>>>>> REPLACE

A sample may have `edits` instead, if its blocks were parsed elsewhere.
"""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written, unique_pairs
from editcore.formats.str_replace import apply_pairs
from editcore.types import EditResult


def _apply(files: Files, edit: EditText, seen: Files | None, cascade: Cascade) -> EditResult:
    from editcore.patches.search_replace import apply_search_replace

    if edit.patch is None:
        return apply_pairs(files, edit, seen, cascade, whole_lines=True)
    return apply_search_replace(files, edit.patch, cascade=cascade, seen=seen)


def _write(path: str, before: str, after: str) -> Written:
    blocks = [
        "".join(f"{row}\n" for row in (path, "<<<<<<< SEARCH", old, "=======", new, ">>>>>>> REPLACE"))
        for old, new in unique_pairs(before, after)
    ]
    return Written(patch="".join(blocks))


SEARCH_REPLACE = Format(
    "search_replace", ("patch",), "search_replace/recommended", _apply, _write, has_edits=True, several_files=True
)
