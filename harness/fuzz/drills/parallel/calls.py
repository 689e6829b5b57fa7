"""How a server's tools are called: the tool for an edit and the one for a read, with their arguments.

    {"edit": {"tool": "edit_file",
              "arguments": {"path": "{path}", "edits": [{"oldText": "{old}", "newText": "{new}"}]}},
     "read": {"tool": "read_text_file", "arguments": {"path": "{path}"}}}

In the arguments' texts, {path} is the file's absolute path, {name} the one below the folder, {old} and {new} the lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from corpora.regular_file import content
from editcore.errors import UsageError
from editcore.quoting import first_line
from harness.fuzz.drills.parallel.workload import Call

_LARGEST = 1 << 20
_WORD = re.compile(r"\{(path|name|old|new)\}")


class ToolCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool, and its arguments with words in braces."""

    tool: str
    arguments: dict[str, Any]


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The calls of a server."""

    edit: ToolCall
    read: ToolCall


class Asked(NamedTuple):
    """A call as it is sent."""

    tool: str
    arguments: dict[str, Any]


_READ = ToolCall("read", {"filePath": "{name}"})
_PAIR = {"oldString": "{old}", "newString": "{new}"}
_PATCH = "*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch"
OUR_CALLS: Mapping[str, Calls] = {
    "edit": Calls(ToolCall("edit", {"filePath": "{name}", **_PAIR}), _READ),
    "multi_edit": Calls(ToolCall("multi_edit", {"filePath": "{name}", "edits": [_PAIR]}), _READ),
    "edit_patch": Calls(ToolCall("edit_patch", {"patch": _PATCH}), _READ),
}
"""Tool of ours -> how it is called. A server that no file describes is called as `edit`."""


_EXAMPLE = json.dumps(msgspec.to_builtins(OUR_CALLS["edit"]))
_N_TOOLS = 30


def calls_tip(tools: Sequence[str]) -> str:
    """What to do where a server's read does not show a file; `tools` are those that it has."""
    more = ", ..." if len(tools) > _N_TOOLS else ""
    its = f" It has the tools {', '.join(tools[:_N_TOOLS])}{more}." if tools else ""
    return f"Write how it edits and reads to a file for --calls, like {_EXAMPLE}; or let it reach TMPDIR.{its}"


def read_calls(path: Path | None) -> Calls:
    """The calls in a JSON file. Raises UsageError for one that does not say them."""
    if path is None:
        return OUR_CALLS["edit"]
    try:
        return msgspec.json.decode(content(path, _LARGEST), type=Calls)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"{path} does not say how tools are called: {first_line(error)}", f"Write {_EXAMPLE}"
        ) from None


def asked(calls: Calls, call: Call, folder: Path) -> Asked:
    """A call with its texts in the places of the words."""
    tool = calls.edit if call.kind == "edit" else calls.read
    words = {"path": str(folder / call.path), "name": call.path, "old": call.old, "new": call.new}
    return Asked(tool.tool, {name: _filled(value, words) for name, value in tool.arguments.items()})


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """The value with words filled in; a text that is filled in is not looked into."""
    if isinstance(value, str):
        return _WORD.sub(lambda found: words[found[1]], value)
    if isinstance(value, list):
        return [_filled(one, words) for one in value]
    return {name: _filled(one, words) for name, one in value.items()} if isinstance(value, dict) else value
