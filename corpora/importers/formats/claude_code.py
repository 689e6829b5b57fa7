"""Claude Code: `~/.claude/projects/*/*.jsonl`, one JSON object per line; versions 2.0.64 to 2.1.219 were seen.

A call is a `tool_use` block of an assistant line. Its result is a `tool_result` block of a user line, with
`toolUseResult` beside the message. Lines of sub-agents may come between the two. Traps:

- `originalFile` is null for files above some 10 kB in later versions: only the diff is left then.
- `structuredPatch` shows each tab of an indentation as two spaces.
- An empty `new_string` also removes the line feed after the match.
- Typographic quotes match ASCII ones: `toolUseResult.oldString` is the text that was replaced, the call has the text
  that the model wrote.
- A refusal by the user can consist of the user's words alone (2.0.x). Errors of the tools are in `<tool_use_error>`,
  and errors of the system begin with a code or the name of an exception.
- `attachment` lines also show a file to the agent, or report that the user changed one.
- A result of Bash has `bashEditDiff` from 2.1.269 on: the changed files with their hunks. It was not seen in logs.
- MultiEdit is documented but was not seen. Its edits are made one after the other, all or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from corpora.importers.calls import LOOK, RUN, Call, Calls, Tool, at_time, classify_error, edits_in, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, dig, items, joined_text, json_lines, text
from corpora.importers.rebuilding.recorded_diff import agrees
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, SeenUnknown, Wrote
from editcore.types import Edit, File

_RELEVANT = (b'"tool_use', b'"tool_result', b'"attachment"', b"<bash-input>")
"""Every line that is read contains one of these."""
_TAB = "  "
_HEAD = 1000
_TEXTS: dict[str, Any] = {"path": "file_path", "old": "old_string", "new": "new_string", "every": "replace_all"}
_TOOLS = {
    "Edit": Tool("edit", **_TEXTS, quirks=("takes_line_feed",)),
    "MultiEdit": Tool("edit", **_TEXTS, several="edits", quirks=("takes_line_feed",)),
    "Write": Tool("write", "file_path", "content"),
    "Read": Tool("read", "file_path"),
    **dict.fromkeys(("Bash", "PowerShell", "NotebookEdit", "Task", "Agent"), RUN),
}
"""Other tools change no file, except the tools of MCP servers."""
_ERROR_PHRASES = (
    ("declined", "The user doesn't want to", "hook error", "Permission to use", "requested permissions"),
    ("cancelled", "Sibling tool call errored", "Request interrupted by user"),
    ("malformed", "InputValidationError"),
    ("no_match", "String to replace not found"),
    ("ambiguous", "matches of the string to replace, but replace_all is false"),
    ("unread", "File has not been read yet"),
    ("stale", "File has been modified since read", "File has been unexpectedly modified"),
    ("identical", "No changes to make"),
)
_EXIT = re.compile(r"\s*(?:<[^>\n]*>)?Exit code (\d{1,3})\b")
_UNCERTAIN = ("unavailable", "shared", "skippedLarge", "restricted")
"""Fields of `bashEditDiff` that say that changes may be missing, or that another command made them."""
_CHANGED = re.compile(
    r"(?:changed|modified) (?:on disk )?since|has changed on disk|changed since it was", re.IGNORECASE
)
_WRAPPER = re.compile(r"</?tool_use_error>")
_SYSTEM_ERROR = re.compile(
    r"\s*(?:Error: )?(?:E[A-Z]{3,}\b|\w*(?:Error|Exception)\b|File (?:does not exist|not found)|(?:Request|Tool) )"
)


@dataclass(slots=True)
class _Session:
    calls: Calls
    opened: Opened = field(default_factory=Opened)
    agent: Any = None
    """The id of the sub-agent that made the last call; False for the main agent."""

    def take(self, line: dict[str, Any], where: str) -> Iterator[Event]:
        opened = Opened(text(line.get("cwd")) or self.opened.cwd, text(line.get("version")) or self.opened.version)
        if opened != self.opened:
            self.opened = opened
            yield opened
        agent = text(line.get("agentId")) or line.get("isSidechain") is True
        if agent != self.agent and self.agent is not None:
            yield SeenUnknown()
        self.agent = agent
        if text(dig(line, "attachment", "type")) == "edited_text_file":
            yield Disturbed(text(dig(line, "attachment", "snippet")) or None)
        yield from _read_events(dig(line, "attachment", "content"))
        content = dig(line, "message", "content")
        if text(content).startswith("<bash-input>"):
            yield Disturbed(text(content))
        blocks = items(content)
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for n, block in enumerate(blocks):
            if block.get("type") == "tool_use":
                key, model = text(block.get("id")) or f"{where}#{n}", text(dig(line, "message", "model")) or None
                call = self.calls.call(key, text(block.get("name")), block.get("input"), where, model=model)
                self.calls.open(key, call)
        for block in results:
            # In a line with several results it is not known to which of them it belongs.
            result = line.get("toolUseResult") if len(results) == 1 else None
            if asked := self.calls.answered(text(block.get("tool_use_id")), where):
                told = joined_text(block.get("content"), "\n")
                yield from with_shown(_result_events(asked, block, result), asked.arguments, told)


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    session = _Session(Calls(surroundings.tally, _TOOLS, otherwise=LOOK))
    for number, line in json_lines(log, surroundings.tally, only=_RELEVANT):
        yield from at_time(session.take(line, f"{log.name}:{number}"), line.get("timestamp"))
    yield from session.calls.unanswered()


def _result_events(call: Call, block: dict[str, Any], result: Any) -> Iterator[Event]:
    failed = block.get("is_error") is True or text(result).startswith("Error")
    if call.attempt and failed:
        message = joined_text(block.get("content"), "\n")
        outcome, error = classify_error(_WRAPPER.sub("", message) or text(result), _ERROR_PHRASES)
        if outcome == "unknown" and _is_own_words(message, result):
            outcome, error = "declined", None
        yield replace(call.attempt, outcome=outcome, error=error)
    elif call.attempt:
        # From 2.1.28x on an edit of a file that has changed since it was read succeeds with a note.
        if _CHANGED.search(joined_text(block.get("content"), "\n")[:_HEAD].partition("\n")[0]):
            yield Disturbed()
        yield _applied(call.attempt, result)
    elif call.tool.kind == "read":
        yield from _read_events(result)
    elif call.name.startswith("mcp__"):
        yield Disturbed()
    else:
        path, written = text(dig(result, "filePath")), dig(result, "content")
        code = _EXIT.match(joined_text(block.get("content"), "\n")) if failed else None
        yield from call.other_events(
            succeeded=not failed, path=path, written=written, diffs=_bash_diffs(result),
            exit_code=int(code[1]) if code else None if failed else 0,
        )  # fmt: skip


def _bash_diffs(result: Any) -> tuple[RecordedDiff, ...] | None:
    """The changes of files by a command, from 2.1.269 on. None if they may be incomplete, or another command's."""
    found = dig(result, "bashEditDiff")
    files = items(dig(found, "files"))
    if found is None or dig(found, "moreFiles") or any(dig(found, name) for name in _UNCERTAIN):
        return None
    diffs = [
        RecordedDiff(text(file.get("filePath")), _file_diff(file), tabs_shown_as=_TAB) for file in files
        if text(file.get("filePath"))
    ]  # fmt: skip
    return tuple(diffs) if len(diffs) == len(files) and all(diff.text for diff in diffs) else None


def _file_diff(file: dict[str, Any]) -> str:
    hunks = "".join(map(_hunk_text, items(file.get("hunks"))))
    return f"--- a\n+++ /dev/null\n{hunks}" if file.get("deleted") is True else hunks


def _is_own_words(message: str, result: Any) -> bool:
    """True if an error is the user's answer to the proposal of the edit."""
    is_rejected = text(result).startswith("User rejected tool use")
    is_error = text(result).startswith("Error: ") and not _SYSTEM_ERROR.match(message)
    return bool(message.strip()) and not _WRAPPER.search(message) and (is_rejected or is_error)


def _read_events(result: Any) -> Iterator[Event]:
    file = dig(result, "file")
    path, content, first = text(dig(file, "filePath")), dig(file, "content"), dig(file, "startLine")
    if path and isinstance(content, str) and isinstance(first, int) and first > 0:
        n_lines = dig(file, "numLines")
        whole = first == 1 and n_lines is not None and n_lines == dig(file, "totalLines")
        yield Read(path, content, first, whole)


def _applied(attempt: Attempt, result: Any) -> Wrote | Attempt:
    """An applied edit with the texts and the diff of its result."""
    assert attempt.path is not None
    assert attempt.edits
    if attempt.edits[0].old_string == "" and len(attempt.edits) == 1:
        return Wrote(attempt.path, attempt.edits[0].new_string)
    patch = "".join(map(_hunk_text, items(dig(result, "structuredPatch"))))
    diffs = (RecordedDiff(attempt.path, patch, tabs_shown_as=_TAB),) if patch else ()
    applied = replace(attempt, outcome="applied", diffs=diffs, changed_by_user=dig(result, "userModified") is True)
    original = dig(result, "originalFile")
    if not isinstance(original, str):
        original = dig(result, "originalFileContents")
    if not isinstance(original, str):
        return applied
    after = _after(original, _replaced(attempt.edits, result))
    if after is None or not all(agrees(diff, original, after) for diff in diffs):
        return replace(applied, before=(File(attempt.path, original),))
    return replace(applied, before=(File(attempt.path, original),), after=(File(attempt.path, after),))


def _replaced(edits: tuple[Edit, ...], result: Any) -> tuple[Edit, ...]:
    """The edits as the tool made them, if its result has them; else as the model wrote them."""
    old, new = dig(result, "oldString"), dig(result, "newString")
    if len(edits) == 1 and isinstance(old, str) and isinstance(new, str):
        return (Edit(old, new, edits[0].replace_all),)
    return edits_in(dig(result, "edits"), "old_string", "new_string", "replace_all") or edits


def _after(content: str, edits: tuple[Edit, ...]) -> str | None:
    """The text after edits as Claude Code 2.1.219 makes them; None if a search text does not occur."""
    for edit in edits:
        old = edit.old_string
        if not edit.new_string and not old.endswith("\n") and old + "\n" in content:
            old += "\n"
        if not old or old not in content:
            return None
        content = content.replace(old, edit.new_string, -1 if edit.replace_all else 1)
    return content


def _hunk_text(hunk: dict[str, Any]) -> str:
    """A hunk of `structuredPatch` as text; empty if a part of it is missing."""
    numbers = [hunk.get(name) for name in ("oldStart", "oldLines", "newStart", "newLines")]
    lines = hunk.get("lines")
    if not all(type(number) is int for number in numbers) or not isinstance(lines, list):
        return ""
    if not all(isinstance(line, str) for line in lines):
        return ""
    return "@@ -{},{} +{},{} @@\n".format(*numbers) + "".join(f"{line}\n" for line in lines)
