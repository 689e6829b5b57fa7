"""The tools an agent calls, one per file, under the names that agents' prompts use.

`Registry(Host(workspace), TOOLS)` makes them for an agent, checks parameters against their schemas, asks for
permissions and shortens long outputs. `edit_file`, `patch_file`, `insert_at` and `edit_patch` are also plain functions
on a workspace: a refused edit is returned, and a disk that fails raises `WorkspaceError`. Each change is an event of
the workspace. `bash`, `glob` and `grep` need the packages of the extra `tools`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from editcore.errors import importing

with importing("tools", needed_by="Tools"):
    from editcore.tools.doc_edit import DOC_EDIT
    from editcore.tools.edit import EDIT
    from editcore.tools.edit_file import EDIT_FILE, edit_file
    from editcore.tools.edit_lines import EDIT_LINES
    from editcore.tools.edit_patch import EDIT_PATCH, edit_patch
    from editcore.tools.host.built_in import BuiltIn, Factory
    from editcore.tools.host.choices import BY_MODEL, Choice
    from editcore.tools.host.host import Agent, Host, ResolvedPath, Task
    from editcore.tools.host.permissions import PermissionRequest
    from editcore.tools.host.registry import Registry
    from editcore.tools.host.tool import Attachment, Context, Result, Tool
    from editcore.tools.insert_at import INSERT_AT, insert_at
    from editcore.tools.invalid import INVALID
    from editcore.tools.multi_edit import MULTI_EDIT
    from editcore.tools.patch_file import PATCH_FILE, patch_file
    from editcore.tools.read import READ
    from editcore.tools.rollback import CLEANUP, ROLLBACK
    from editcore.tools.shell.bash import BASH
    from editcore.tools.shell.glob import GLOB
    from editcore.tools.shell.grep import GREP
    from editcore.tools.task import TASK
    from editcore.tools.write import WRITE

__all__ = [
    "BY_MODEL",
    "TOOLS",
    "Agent",
    "Attachment",
    "BuiltIn",
    "Choice",
    "Context",
    "Factory",
    "Host",
    "PermissionRequest",
    "Registry",
    "ResolvedPath",
    "Result",
    "Task",
    "Tool",
    "edit_file",
    "edit_patch",
    "insert_at",
    "patch_file",
]

TOOLS: Mapping[str, BuiltIn[Any]] = MappingProxyType(
    {
        tool.id: tool
        for tool in (
            INVALID,
            READ,
            WRITE,
            GLOB,
            GREP,
            EDIT,
            MULTI_EDIT,
            EDIT_FILE,
            PATCH_FILE,
            INSERT_AT,
            EDIT_PATCH,
            EDIT_LINES,
            ROLLBACK,
            CLEANUP,
            DOC_EDIT,
            BASH,
            TASK,
        )
    }
)
"""Id -> tool. Explicit: adding one is adding a file and a line here."""
