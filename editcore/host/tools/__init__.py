"""The tools an agent calls, under the names that agents' prompts use.

`Registry(Host(workspace), TOOLS)` makes them for an agent, checks parameters against their schemas, asks for
permissions and shortens long outputs. `edit_file`, `patch_file`, `insert_at` and `edit_patch` are also plain
functions on a workspace: they return a refusal as a value, and raise `WorkspaceError` if the disk fails. Each change
is an event of the workspace. `bash`, `glob` and `grep` need the packages of the extra `tools`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from editcore.errors import importing

with importing("tools", needed_by="Tools"):
    from editcore.host.host import Agent, Host, ResolvedPath, Task
    from editcore.host.registry import BY_MODEL, BuiltIn, Choice, Factory, Registry
    from editcore.host.shell.bash import BASH
    from editcore.host.shell.search import GLOB, GREP
    from editcore.host.tool import Attachment, Context, PermissionRequest, Result, Tool
    from editcore.host.tools.around import CLEANUP, INVALID, ROLLBACK, TASK
    from editcore.host.tools.doc_edit import DOC_EDIT
    from editcore.host.tools.edit import EDIT, MULTI_EDIT, WRITE
    from editcore.host.tools.edit_file import EDIT_FILE, INSERT_AT, edit_file, insert_at
    from editcore.host.tools.edit_lines import EDIT_LINES
    from editcore.host.tools.edit_patch import EDIT_PATCH, edit_patch
    from editcore.host.tools.patch_file import PATCH_FILE, patch_file
    from editcore.host.tools.read import READ

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
"""Id -> tool. Explicit: to add a tool, add a `BuiltIn` and a line here."""
