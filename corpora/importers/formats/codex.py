"""Codex CLI: `~/.codex/sessions/*/*/*/rollout-*.jsonl`, one JSON object per line; 0.46 to 0.145-alpha were seen.

A patch is a `custom_tool_call` of apply_patch, a here-document of a shell call, or in code mode a literal in the
JavaScript of an `exec` call. Its result is the output of the call and, from 0.118 on, a `patch_apply_end` event with
the diff of each file. Without that event (0.46 to 0.63, 0.92, 0.107 to 0.114) a patch has a known result only if no
other result is possible. Traps:

- In code mode the event has an id of its own: it belongs to the open script with a patch that fits it.
- A script may contain several patches, and continue after the output of its call until a `wait` brings the rest.
- File texts are logged where a shell command shows them. An event shows a deleted or new file with its text, and a
  moved file with its new path.
- If a patch has several sections for one file, the event has the diff of the last one.
- An output is text, JSON in a string, or a list of texts, with or without a few lines about the run before it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from posixpath import join, normpath
from typing import Any, NamedTuple

from corpora.importers import embedded_patches
from corpora.importers.calls import Call, Tool, at_time, classify_error, command_of, with_error, with_shown
from corpora.importers.faults import may_edit
from corpora.importers.git_history.changes import repository_name
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, Tally, dig, embedded, joined_text, json_lines, text
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Ran, Read, RecordedDiff
from editcore.text.diff import unified_diff

# Reads: Codex has no tool that reads files, so models use `cat` and `sed -n`.

_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")
_LINES = re.compile(r"(\d{1,8}),(\d{1,8})p")
_CUT = re.compile(
    r"omitted \d+ of \d+ lines|\d+ (?:tokens|chars|lines) truncated|Total output lines: |truncated output"
)
_LONGEST_COMMAND = 10_000


class Shown(NamedTuple):
    """The file, and its lines, that a command shows."""

    path: str
    first_line: int = 1
    last_line: int | None = None
    """None if the file is shown to its end."""


def shown_file(arguments: Any) -> Shown | None:
    """The file that the command of a shell call shows, if the command does nothing else."""
    command = next((dig(arguments, name) for name in ("command", "cmd") if dig(arguments, name)), None)
    folder = text(dig(arguments, "workdir")) or text(dig(arguments, "working_directory"))
    words = _words(command)
    match words:
        case ["cat", path]:
            return Shown(join(folder, path)) if not path.startswith("-") else None
        case ["sed", "-n", lines, path] if found := _LINES.fullmatch(lines):
            return Shown(join(folder, path), int(found[1]), int(found[2])) if int(found[1]) else None
    return None


def read_of(shown: Shown, output: str, exit_code: int | None) -> Read | None:
    """The read of a file by its command's output. None if the output may be cut, or is something else."""
    if exit_code != 0 or not output.endswith("\n") or _CUT.search(output):
        return None
    n_lines = output.count("\n")
    reaches_end = shown.last_line is None or n_lines <= shown.last_line - shown.first_line
    return Read(shown.path, output, shown.first_line, whole=shown.first_line == 1 and reaches_end)


def _words(command: Any) -> list[str]:
    """The words of a command without the shell around it; none if there is more than one command."""
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        if len(command) != 3 or command[0] not in _SHELLS or command[1] not in ("-c", "-lc"):
            return command
        command = command[2]
    if (
        not isinstance(command, str)
        or len(command) > _LONGEST_COMMAND
        or re.search(r"[|&;<>$`()*?\[\]{}~\n\\]", command)
    ):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []


# The changes in a `patch_apply_end` event (0.118 to 0.145-alpha), one per absolute path.

_NAMED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)", re.MULTILINE)
_UPWARDS = re.compile(r"^(?:\.\./)+")


def named_files(patch: str) -> list[str]:
    return _NAMED.findall(patch)


def with_changes(attempt: Attempt, changes: dict[str, Any]) -> Attempt:
    """The applied attempt with the diffs of its event. No diffs if one of the changes cannot be read."""
    diffs = [_diff(path, change) for path, change in changes.items()]
    readable = tuple(diff for diff in diffs if diff)
    return replace(attempt, outcome="applied", diffs=readable if len(readable) == len(diffs) else ())


def _diff(path: str, change: Any) -> RecordedDiff | None:
    match dig(change, "type"), dig(change, "content"), dig(change, "unified_diff"):
        case "add", str() as content, _:
            return RecordedDiff(path, unified_diff("", content, path=path))
        case "delete", str() as content, _:
            return RecordedDiff(path, unified_diff(content, "", path=path) or f"--- a/{path}\n+++ /dev/null\n")
        case "update", _, str() as diff:
            return RecordedDiff(path, diff, moved_to=text(dig(change, "move_path")) or None)
    return None


def changes_fit(patch: str, changes: dict[str, Any]) -> bool:
    """True if the changes can be a patch's: they have the same files, and the patch has all their lines."""
    names = {_UPWARDS.sub("", normpath(name)) for name in named_files(patch)}
    if not changes or len(names) != len(changes):
        return False
    if not all(any(path == name or path.endswith("/" + name) for name in names) for path in changes):
        return False
    held = {line[1:].rstrip() for line in patch.splitlines()}
    for change in changes.values():
        added = [line[1:] for line in text(dig(change, "unified_diff")).splitlines() if line.startswith("+")]
        if dig(change, "type") == "add":
            added = text(dig(change, "content")).splitlines()
        if any(line.rstrip() not in held for line in added):
            return False
    return True


_RELEVANT = (b'"session_meta"', b'"turn_context"', b"_call", b'"patch_apply_end"')
_HARMLESS = ("apply_patch", "update_plan", "view_image", "web_search", "request_user_input")
_SHELL_TOOLS = ("shell", "exec_command", "local_shell", "shell_command", "write_stdin", "unified_exec")
_OTHER_TOOL = re.compile(rf"\btools\s*(?:\[|\.\s*(?!(?:{'|'.join(_HARMLESS)})\b)\w)")
_ERROR_PHRASES = (
    ("no_match", "Failed to find expected lines", "Failed to find context"),
    ("malformed", "invalid hunk", "invalid patch", "Invalid patch", "without explicit call to apply_patch"),
    ("declined", "patch rejected"),
    ("cancelled", "aborted by user"),
    ("unknown", "apply_patch verification failed"),
)
_FAILED = re.compile(
    r"^(?:Error: )?(?=apply_patch verification failed|patch rejected|aborted by user|Invalid patch|Failed to find)(.*)",
    re.MULTILINE,
)
_SUCCESS = "Success. Updated the following files"
_PREAMBLE = re.compile(r"(?:[^\n]*\n){0,8}?Output:\n")
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (\d{1,9})", re.MULTILINE)
_RUNNING = re.compile(r"Script running with cell ID (\S+)")


@dataclass(slots=True)
class _Call:
    """A call that has no result yet."""

    patches: list[tuple[Attempt, str | None]] = field(default_factory=list)
    """Each patch with the folder of its paths; None for the session's folder."""
    disturbs: bool = False
    is_script: bool = False
    shows: Shown | None = None
    """The file that the call's command shows."""
    told: Any = None
    """The call's arguments."""
    command: str = ""
    folder: str = ""
    """The folder of the command; empty for the session's."""
    unmade: Call | None = None
    """The call, if it was to edit and has no patch."""
    waits_for: str = ""
    """The id of the call whose remaining output this one brings."""


@dataclass(slots=True)
class _Session:
    tally: Tally
    cwd: str | None = None
    model: str | None = None
    calls: dict[str, _Call] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)
    """The ids of the calls of running scripts, by the cell in which they run."""

    def take(self, line: dict[str, Any], where: str) -> Iterator[Event]:
        payload = line.get("payload")
        match line.get("type"), dig(payload, "type"):
            case "session_meta", _:
                self.cwd = text(dig(payload, "cwd")) or self.cwd
                commit, url = text(dig(payload, "git", "commit_hash")), text(dig(payload, "git", "repository_url"))
                version = text(dig(payload, "cli_version")) or None
                yield Opened(self.cwd, version, commit or None, repository_name(url))
            case "turn_context", _:
                self.model = text(dig(payload, "model")) or self.model
                cwd = text(dig(payload, "cwd"))
                if cwd and cwd != self.cwd:
                    self.cwd = cwd
                    yield Opened(cwd)
            case "event_msg", "patch_apply_end":
                yield from self._patch_event(payload, where)
            case "response_item", "custom_tool_call" | "function_call" | "local_shell_call":
                self._call(payload, text(dig(payload, "call_id")) or where, where)
            case "response_item", "custom_tool_call_output" | "function_call_output":
                yield from self._result(text(dig(payload, "call_id")), *_output(dig(payload, "output")))

    def unanswered(self) -> Iterator[Event]:
        """The patches without a result."""
        for call in self.calls.values():
            for attempt, folder in call.patches:
                yield from self._in_folder(attempt, folder)

    def _call(self, payload: Any, key: str, where: str) -> None:
        name, arguments = text(dig(payload, "name")), embedded(dig(payload, "arguments"))
        source = text(dig(payload, "input"))
        call = _Call(disturbs=name not in _HARMLESS, told=[source, arguments, dig(payload, "action")])
        found: Iterable[embedded_patches.EmbeddedPatch] = ()
        if name == "apply_patch":
            patch = source or text(dig(arguments, "input")) or text(dig(arguments, "patch"))
            found = [embedded_patches.EmbeddedPatch(patch)] if patch else []
            if not patch:
                call.unmade = Call(name, Tool("patch", new="input"), arguments, model=self.model, key=key)
        elif name == "exec" and source:
            call.is_script, call.disturbs = True, _OTHER_TOOL.search(source) is not None
            found = embedded_patches.in_javascript(source)
        elif name == "wait":
            call.waits_for = self.cells.get(str(dig(arguments, "cell_id")), "")
        else:
            if name not in _SHELL_TOOLS and may_edit(name):
                call.unmade = Call(name, model=self.model, key=key, is_known=False)
            action = dig(payload, "action")
            command = action if arguments is None else arguments
            found = embedded_patches.in_command(command)
            call.shows = shown_file(command)
            call.command, call.folder = command_of(command), text(dig(command, "workdir"))
            call.disturbs = call.disturbs and not call.shows
        found = list(found)
        if name not in ("apply_patch", "exec") and found:
            call.disturbs = not all(one.alone for one in found)
        for one in found:
            if one.patch is None:
                self.tally.add("patch built by a script from variables", where)
                continue
            n = len(call.patches) + 1
            attempt = Attempt(key if n == 1 else f"{key}#{n}", "begin_patch", patch=one.patch, model=self.model)
            call.patches.append((attempt, one.folder))
        self.calls[key] = call

    def _patch_event(self, payload: Any, where: str) -> Iterator[Event]:
        """The applied or failed patch that a `patch_apply_end` event is about."""
        changes = dig(payload, "changes")
        changes = changes if isinstance(changes, dict) else {}
        own = self.calls.get(text(dig(payload, "call_id")))
        # In code mode the event's id is not the call's: any open script may have written the patch.
        open_calls = [own] if own else [call for call in self.calls.values() if call.is_script]
        fitting = [
            (call, n)
            for call in open_calls
            for n, (one, _) in enumerate(call.patches)
            if changes_fit(one.patch or "", changes)
        ]
        if not fitting and own and len(own.patches) == 1:
            fitting = [(own, 0)]
        if not fitting:
            self.tally.add("patch event without its call", where)
            yield Disturbed()
            return
        call, n = fitting[0]
        attempt, folder = call.patches.pop(n)
        if dig(payload, "success") is True:
            yield from self._in_folder(with_changes(attempt, changes), folder)
        else:
            outcome, error = classify_error(text(dig(payload, "stderr")), _ERROR_PHRASES)
            if dig(payload, "status") == "declined":
                outcome, error = "declined", None
            yield from self._in_folder(replace(attempt, outcome=outcome, error=error), folder)

    def _result(self, key: str, message: str, exit_code: int | None) -> Iterator[Event]:
        call = self.calls.pop(key, None)
        if call is not None:
            yield from with_shown(self._answered(call, key, message, exit_code), call.told, message)

    def _answered(self, call: _Call, key: str, message: str, exit_code: int | None) -> Iterator[Event]:
        """The events of a call whose output has been read."""
        running = _RUNNING.match(message)
        if call.is_script and running:
            self.cells[running[1]] = key
            self.calls[key] = call
        else:
            for attempt, folder in _resolved(call, message, exit_code):
                yield from self._in_folder(attempt, folder)
        if call.unmade and exit_code != 0:
            yield from call.unmade.unmade()
        if call.disturbs and call.command and not call.patches:
            yield Ran(None, key, call.command, call.folder, exit=exit_code, model=self.model)
        elif call.disturbs:
            yield Disturbed()
        if call.shows and (seen := read_of(call.shows, message, exit_code)):
            yield seen
        if call.waits_for:
            yield from self._result(call.waits_for, message, exit_code)

    def _in_folder(self, attempt: Attempt, folder: str | None) -> Iterator[Event]:
        """The attempt, between events that set the folder of its paths."""
        place = normpath(join(self.cwd or "", folder)) if folder else self.cwd
        if place == self.cwd:
            yield attempt
        else:
            yield from (Opened(place), attempt, Opened(self.cwd))


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    session = _Session(surroundings.tally)
    for number, line in json_lines(log, surroundings.tally, only=_RELEVANT):
        yield from at_time(session.take(line, f"{log.name}:{number}"), line.get("timestamp"))
    yield from session.unanswered()


def _output(output: Any) -> tuple[str, int | None]:
    """The text of a call's output without the lines about the run, and the exit code if there is one."""
    if isinstance(output, list):
        message = joined_text(output, "\n")
    else:
        inner = embedded(output) if text(output).startswith("{") else output
        shown = dig(inner, "output") or dig(inner, "content")
        message = shown if isinstance(shown, str) else text(output)
        code = dig(inner, "metadata", "exit_code")
        if type(code) is int:
            return message, code
    preamble = _PREAMBLE.match(message)
    code = _EXIT.search(preamble[0]) if preamble else None
    cut = preamble.end() if preamble and not _RUNNING.match(message) else 0
    return message[cut:], int(code[1]) if code else None


def _resolved(call: _Call, message: str, exit_code: int | None) -> Iterator[tuple[Attempt, str | None]]:
    """The patches of a call without an event, with their outcomes by the output of the call."""
    failure = _FAILED.search(message)
    line = failure[1] if failure else ""
    attempts = [attempt for attempt, _ in call.patches]
    blamed = next((one for one in attempts if any(name in line for name in named_files(one.patch or ""))), None)
    succeeded = message.count(_SUCCESS) >= len(attempts) or (
        exit_code == 0 and not call.is_script and not call.disturbs
    )
    for attempt, folder in call.patches:
        if failure and attempt is (blamed or attempts[0]):
            yield with_error(attempt, line, _ERROR_PHRASES), folder
        elif succeeded and not failure:
            yield replace(attempt, outcome="applied"), folder
        else:
            # The output of a script or a shell is not the tool's own message.
            own = not (failure or call.is_script or call.disturbs)
            yield replace(attempt, error=classify_error(message, ())[1] if own else None), folder
