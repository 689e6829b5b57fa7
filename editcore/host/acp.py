"""A call of a tool and its result, as the Agent Client Protocol (ACP) shows them in an editor.

    call_entry      {"sessionUpdate": "tool_call", "toolCallId": "c1", "kind": "edit", "status": "in_progress", ...}
    result_entry    {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed", "content": [...]}

Each is the `update` of a notification `session/update`, as JSON values. The owner of the connection sends it. Paths
are absolute, as ACP requires.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from editcore.errors import ToolError
from editcore.host.parameters import read
from editcore.host.tool import Attachment, Effect, Result, Tool
from editcore.host.workspace import Workspace
from editcore.quoting import shown
from editcore.text.diff import changed_ranges
from editcore.text.encodings import shown as shown_bytes

_KINDS: Mapping[Effect, str] = {"reads": "read", "edits": "edit", "runs": "other"}
_OTHER_KINDS = {"glob": "search", "grep": "search", "bash": "execute"}
_NO_FILES = frozenset({"doc_edit"})
"""Tools whose paths name no files on the disk."""
_MOST_LOCATIONS = 100
_RAW = ("reason", "summary", "error", "changed_paths", "diagnostics", "exit", "notes")
"""Keys of the metadata that become the raw output. Texts of files are in the content instead."""


def call_entry(tool: Tool[Any], workspace: Workspace, call_id: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The entry for a call that begins, with the files that its parameters name."""
    paths = [path for path in _named(tool, params) if path]
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": call_id,
        "title": " ".join([tool.id, *map(shown, paths[:1])]),
        "kind": _OTHER_KINDS.get(tool.id, _KINDS[tool.effect]),
        "status": "in_progress",
        "locations": [{"path": path} for path in _absolute(workspace, paths)],
        "rawInput": dict(params),
    }


def result_entry(workspace: Workspace, call_id: str, result: Result) -> dict[str, Any]:
    """The entry for the result of a call: its text, and a diff and a location of each changed file."""
    is_made = not (result.is_error or result.metadata.get("dry_run"))
    diffs = list(result.metadata.get("filediffs", ()))[:_MOST_LOCATIONS] if is_made else []
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call_id,
        "title": result.title,
        "status": "failed" if result.is_error else "completed",
        "content": [
            _content({"type": "text", "text": shown_bytes(result.output)}),
            *map(_content, map(_attached, result.attachments)),
            *(_diff(workspace, one) for one in diffs),
        ],
        "locations": list(_locations(workspace, result, diffs)) if is_made else [],
        "rawOutput": {name: result.metadata[name] for name in _RAW if name in result.metadata},
    }


def _named(tool: Tool[Any], params: Mapping[str, Any]) -> Iterable[str]:
    if tool.files is None or tool.id in _NO_FILES:
        return ()
    try:
        return tool.files(read(tool.id, tool.parameters, params))
    except ToolError:
        return ()  # The call will be refused.


def _absolute(workspace: Workspace, paths: Iterable[str]) -> Iterator[str]:
    for path in list(dict.fromkeys(paths))[:_MOST_LOCATIONS]:
        yield os.path.normpath(os.path.join(workspace.root, path))


def _content(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "content", "content": block}


def _attached(attachment: Attachment) -> dict[str, Any]:
    data = attachment.url.partition(",")[2]
    if attachment.type == "image":
        return {"type": "image", "data": data, "mimeType": attachment.mime}
    resource = {"uri": f"editgauge:{attachment.id}", "mimeType": attachment.mime, "blob": data}
    return {"type": "resource", "resource": resource}


def _diff(workspace: Workspace, one: Mapping[str, Any]) -> dict[str, Any]:
    [path] = _absolute(workspace, [one["file"]])
    old = {"oldText": shown_bytes(one["before"])} if one["before"] else {}  # A new file has none.
    return {"type": "diff", "path": path, **old, "newText": shown_bytes(one["after"])}


def _locations(workspace: Workspace, result: Result, diffs: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The changed files, each with its first changed line."""
    lines = {one["file"]: changed_ranges(one["before"], one["after"])[0][0] for one in diffs}
    for path in result.metadata.get("changed_paths", ()):
        [absolute] = _absolute(workspace, [path])
        yield {"path": absolute, **({"line": lines[path]} if path in lines else {})}
