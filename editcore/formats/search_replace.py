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

from collections.abc import Iterable

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written, unique_pairs
from editcore.formats.str_replace import apply_pairs
from editcore.types import Edit, EditResult


def _apply(files: Files, edit: EditText, seen: Files | None, cascade: Cascade) -> EditResult:
    from editcore.patches.search_replace import apply_search_replace

    if edit.patch is None:
        return apply_pairs(files, edit, seen, cascade, whole_lines=True)
    return apply_search_replace(files, edit.patch, cascade=cascade, seen=seen)


def blocks_of(path: str, edits: Iterable[Edit]) -> str | None:
    """Edits of a file as blocks of whole lines; None if blocks cannot express them."""
    blocks = []
    for edit in edits:
        texts = (edit.old_string, edit.new_string)
        old, new = (text if not text or text.endswith("\n") else f"{text}\n" for text in texts)
        is_marker = any(line[:5] in ("<<<<<", "=====", ">>>>>") for line in f"{old}{new}".split("\n"))
        if edit.replace_all or edit.occurrence or is_marker:
            return None
        blocks.append(f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
    return "".join(blocks)


def _write(path: str, before: str, after: str) -> Written:
    blocks = [
        "".join(f"{row}\n" for row in (path, "<<<<<<< SEARCH", old, "=======", new, ">>>>>>> REPLACE"))
        for old, new in unique_pairs(before, after)
    ]
    return Written(patch="".join(blocks))


SEARCH_REPLACE = Format(
    "search_replace", ("patch",), "search_replace/recommended", _apply, _write, has_edits=True, several_files=True
)
