"""The tools an agent calls to edit the files of a workspace, one file each, by the names agents' prompts use.

Every one takes its arguments by name, `workspace` among them. A refused edit is a value, its message written
for the model that must retry; a disk that fails raises `WorkspaceError`, but for `edit.patch`, whose answer is always
one of two shapes. Each call is an event of the workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from editcore.tools.edit_file import edit_file
from editcore.tools.edit_patch import edit_patch
from editcore.tools.insert_at import insert_at
from editcore.tools.patch_file import patch_file

__all__ = ["TOOLS", "edit_file", "edit_patch", "insert_at", "patch_file"]

TOOLS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        "edit_file": edit_file,
        "patch_file": patch_file,
        "insert_at": insert_at,
        "edit.patch": edit_patch,
    }
)
"""Name -> tool. Explicit: adding one is adding a file and a line here."""
