"""Calls as chat messages have them: a name, arguments and a text as the result, of any agent's tools.

The message layouts have the tools of many agents, and nothing but texts as results. A call is read by its arguments:
the editor's sub-command, or the names that agents give to a search text, a new text, a patch or a path. An applied edit
has a known result only if no other result is possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from corpora.importers.calls import LOOK, RUN, Call, Calls, Tool, with_error, with_shown
from corpora.importers.listings import ARROW, CAT_N, unnumbered
from corpora.importers.log import dig, embedded, text
from corpora.importers.session import Event, Read

_PATHS = ("path", "file_path", "filePath", "target_file")
_OLD = ("old_str", "old_string", "oldString", "oldText", "search")
_NEW = ("new_str", "new_string", "newString", "newText", "replace")
_CONTENTS = ("file_text", "content", "contents")
_PATCHES = ("patchText", "patch_text", "patch", "input")
_EVERY = ("replace_all", "replaceAll")
_LOOKING = ("think", "finish", "submit", "task_tracker", "todowrite", "glob", "grep", "ls", "webfetch", "websearch")
_COMMANDS: Mapping[str, Tool] = {
    "view": Tool("read", "path"),
    "create": Tool("write", "path", "file_text"),
    "str_replace": Tool("edit", "path", "new_str", "old_str"),
    "insert": Tool("insert", "path", "new_str", line="insert_line"),
    "undo_edit": RUN,
}
"""The sub-commands of the editor that OpenHands, SWE-agent and Anthropic's models share."""
_ERROR_PHRASES = (
    ("declined", "user doesn't want to", "rejected permission", "hook error", "enied permission"),
    ("cancelled", "Sibling tool call errored", "Request interrupted", "aborted"),
    ("unread", "has not been read yet", "ou must read", "must be read"),
    ("stale", "modified since", "unexpectedly modified"),
    ("identical", "No changes to make", "No changes to apply", "must be different", "is the same as", "are identical"),
    ("ambiguous", "ultiple occurrences", "matches of the string to replace", "ultiple matches", "multiple times"),
    ("no_match", "did not appear verbatim", "String to replace not found", "Could not find", "oldString not found",
     "old_string not found", "0 occurrences found", "Failed to find expected lines", "Failed to find context"),
    ("malformed", "is required", "InputValidationError", "invalid arguments", "nvalid hunk", "nvalid patch",
     "Missing required", "nrecognized", "o such tool"),
)  # fmt: skip
"""Outcomes, as the agents word them."""
_APPLIED = re.compile(
    r"has been (?:edited|updated)|updated successfully|Edit applied|Success\. Updated|edited successfully|Replaced \d"
    r"|Successfully (?:replaced|modified|edited)|^Inserted "
)
_FAILED = re.compile(r"\s*(?:<tool_use_error>|ERROR\b|Error\b|error:)")
_TAGS = re.compile(r"</?tool_use_error>|^\s*(?:ERROR|Error):?\s+")
_EXIT = re.compile(r"exit code:? (\d{1,3})\b")
_CLIPPED = ("<response clipped>", "truncated", "PARTIAL view")
_HEAD = 2000
_MOST_LINES = 2000
"""Number of lines from which on readers cut a file."""


class ChatCalls:
    """The calls of a session of chat messages."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def call(self, key: str, name: str, arguments: Any, where: str, model: str | None) -> None:
        """Keep a call until its result is read."""
        given = embedded(arguments) if isinstance(arguments, str) else arguments
        if isinstance(line := dig(given, "insert_line"), str) and line.isdecimal():
            given = {**given, "insert_line": int(line[:9])}
        name, tool, is_known = _tool(name, given)
        made = self._calls.read(key, name, tool, given, where, model)
        self._calls.open(key, replace(made, is_known=is_known), where)

    def result(self, key: str, output: str, where: str) -> Iterator[Event]:
        """The events of a call whose result is this text."""
        if call := self._calls.answered(key, where):
            yield from with_shown(_events(call, output), call.arguments, output)

    def unanswered(self) -> Iterator[Event]:
        """The edits that have no result."""
        yield from self._calls.unanswered()


def _tool(name: str, given: Any) -> tuple[str, Tool, bool]:
    """The name of a call, its tool by its arguments, and if there is such a tool in some agent."""
    lower, fields = name.lower(), given if isinstance(given, dict) else {}
    command = text(fields.get("command"))
    if command in _COMMANDS and ("edit" in lower or "str_replace" in lower or "path" in fields):
        return command, _COMMANDS[command], True
    path, old, new, patch, content, every = (
        next((one for one in some if one in fields), "") for some in (_PATHS, _OLD, _NEW, _PATCHES, _CONTENTS, _EVERY)
    )
    if isinstance(edits := embedded(fields.get("edits")), list) and path:
        one = edits[0] if edits and isinstance(edits[0], dict) else {}
        old, new = (next((one_ for one_ in some if one_ in one), "") for some in (_OLD, _NEW))
        return name, Tool("edit", path, new, old, _EVERY[0], "edits"), True
    if old and new:
        return name, Tool("edit", path, new, old, every), True
    if patch and "patch" in lower:
        return name, Tool("patch", new=patch), True
    if path and content and ("write" in lower or "create" in lower):
        return name, Tool("write", path, content), True
    if path and lower in ("read", "read_file", "view", "view_file", "cat"):
        return name, Tool("read", path), True
    if lower in ("edit", "multiedit", "str_replace_editor", "str_replace_based_edit_tool", "apply_patch"):
        return name, Tool("edit", path or _PATHS[0], new or _NEW[0], old or _OLD[0]), True
    is_shell = any(word in lower for word in ("bash", "shell", "exec", "terminal", "run", "python"))
    return name, LOOK if lower in _LOOKING else RUN, is_shell or lower in _LOOKING


def _events(call: Call, output: str) -> Iterator[Event]:
    failed = _FAILED.match(output) is not None
    head = _TAGS.sub("", output[:_HEAD], count=2)
    if call.attempt and (failed or not _APPLIED.search(head)):
        yield with_error(call.attempt, head, _ERROR_PHRASES)
    elif call.attempt:
        yield replace(call.attempt, outcome="applied")
    elif call.tool.kind == "read" and not failed and call.path:
        yield from _read(call, output)
    else:
        code = _EXIT.search(output[-_HEAD:])
        yield from call.other_events(succeeded=not failed, exit_code=int(code[1]) if code else None)


def _read(call: Call, output: str) -> Iterator[Event]:
    """The read of a file that is shown with line numbers."""
    found = unnumbered(output, CAT_N) or unnumbered(output, ARROW)
    if found is None:
        return
    first, content = found
    is_part = any(call.arguments.get(name) for name in ("view_range", "offset", "limit"))
    is_cut = content.count("\n") + 1 >= _MOST_LINES or any(word in output for word in _CLIPPED)
    whole = first == 1 and not is_part and not is_cut
    # The editor shows a final line feed as an empty last line.
    yield Read(call.path, content, first, whole, ends_shown=not whole or content.endswith("\n"))
