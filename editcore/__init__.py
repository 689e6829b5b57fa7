"""Every way to apply a coding model's edit to a text: text in, result out.

>>> from editcore import replace
>>> replace("x = 1\\n", "x = 1", "x = 2").content
'x = 2\\n'

The functions here are pure: they read and write no files, and an edit that cannot be applied is a `Rejected` result,
not an exception. Importing editcore imports none of its modules: each name brings its own when it is first used, from
the standard library only, and so does `editcore.host.workspace`, which edits files; rapidfuzz follows with the first
edit that is not exact. `editcore.host.tools` (the tools of agents) and `editcore.host.documents` need more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editcore.apply import apply_edit, replace
    from editcore.cascade import CASCADES, Cascade, Guards
    from editcore.errors import EditgaugeError, UsageError, WorkspaceError
    from editcore.patches.begin_patch import apply_begin_patch
    from editcore.patches.line_edits import insert_lines, insert_split, replace_lines
    from editcore.patches.search_replace import apply_search_replace
    from editcore.patches.unified_diff import apply_unified_diff
    from editcore.replacers import REPLACERS, Replacer
    from editcore.replacers.size_guard import SizeGuard
    from editcore.text.diff import changed_lines, unified_diff
    from editcore.text.document import Document
    from editcore.text.whitespace import WHITESPACE
    from editcore.types import (
        Applied,
        AppliedBytes,
        Edit,
        EditResult,
        File,
        FilePatch,
        Hunk,
        Landing,
        Match,
        Reason,
        Rejected,
    )

__version__ = "0.1.0"

_NAMES_OF = {
    "editcore.apply": "apply_edit replace", "editcore.cascade": "CASCADES Cascade Guards",
    "editcore.errors": "EditgaugeError UsageError WorkspaceError", "editcore.patches.begin_patch": "apply_begin_patch",
    "editcore.patches.line_edits": "insert_lines insert_split replace_lines",
    "editcore.patches.search_replace": "apply_search_replace", "editcore.patches.unified_diff": "apply_unified_diff",
    "editcore.replacers": "REPLACERS Replacer", "editcore.replacers.size_guard": "SizeGuard",
    "editcore.text.diff": "changed_lines unified_diff", "editcore.text.document": "Document",
    "editcore.text.whitespace": "WHITESPACE",
    "editcore.types": "Applied AppliedBytes Edit EditResult File FilePatch Hunk Landing Match Reason Rejected",
}  # fmt: skip
"""Module -> the names that are imported from it when one is first used."""
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "CASCADES", "REPLACERS", "WHITESPACE", "Applied", "AppliedBytes", "Cascade", "Document", "Edit", "EditResult",
    "EditgaugeError", "File", "FilePatch", "Guards", "Hunk", "Landing", "Match", "Reason", "Rejected", "Replacer",
    "SizeGuard", "UsageError", "WorkspaceError", "apply_begin_patch", "apply_edit", "apply_search_replace",
    "apply_unified_diff", "changed_lines", "insert_lines", "insert_split", "replace", "replace_lines", "unified_diff",
]  # fmt: skip
