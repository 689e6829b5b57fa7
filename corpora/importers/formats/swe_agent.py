"""SWE-agent: trajectories `*.traj`, one JSON document per run, of its line-range editor and of `str_replace_editor`.

`trajectory` is a list of steps, each with its `action` (one shell command), its `observation` and `state`. Without it,
`history` is read: `tool_calls` of the assistant, and tool messages that name them in `tool_call_ids`. The version is in
`info.swe_agent_version`; every version is read.

Three editors are read: `str_replace_editor COMMAND PATH --old_str ... --new_str ...` with values quoted for a shell;
`edit 10:15`, new lines, `end_of_edit`; and `edit SEARCH REPLACE`, which searches in the window only. Traps:

- The line-range editor names no file: it edits the file in the observation's window, else the last opened file.
- A linter may undo an edit that was applied: this is recorded as declined.
- `str_replace_editor` turns the tabs of a file into spaces, both in its output and in the file. A file in which all
  indentations are multiples of eight may have had tabs, so it is not taken as seen whole.
- A new file is one blank line, which the first edit replaces by the whole text: this is no edit, but a written file.
- A window shows no line endings. Before 1.0 the line-range editor ends every line that it writes.
- A range may go past the end of the file: before 1.0 it is cut there.
- The model is named by the run's configuration: in the log, or in a file of YAML beside it or above.
- Long output is cut.

Windows leave most texts unknown. `--base REPO@COMMIT` gives the texts of a commit. `--repo REPO` alone gives the texts
that the submission (`info.submission`, a diff) names by their git ids, which also prove results.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from corpora.importers.calls import RUN, Call, Calls, Tool, attempt_of, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.listings import CAT_N, COLON, unnumbered
from corpora.importers.log import Log, Tally, dig, embedded, items, joined_text, json_document, text
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Ran, Read, Wrote
from corpora.importers.swe_agent_runs import configured_model, with_submission
from editcore.types import Edit, File

_APPLIED = re.compile(
    r"\A\s*The file [^\n]+ has been edited|^File updated\.|^Text replaced\.|^Replaced \d+ occurrences|^Inserted ",
    re.MULTILINE,
)
_OUTCOMES = (
    ("declined", re.compile(r"introduced new syntax error|changes have NOT been applied", re.IGNORECASE)),
    ("ambiguous", re.compile(r"Multiple occurrences of old_str|Found more than one occurrence")),
    ("identical", re.compile(r"is the same as new_str|search and replace strings are the same")),
    ("no_match", re.compile(r"did not appear verbatim|not found in displayed lines")),
    (
        "malformed",
        re.compile(r"Parameter `\w+` is required|Usage: edit|syntax error|unexpected EOF|unrecognized arguments"),
    ),
)
_LINES = re.compile(r"edit\s+(\d{1,8}):(\d{1,8})[^\n]*\n(.*?)(?:\n?end_of_edit\s*)?\Z", re.DOTALL)
_WINDOW = re.compile(r"^\[File: (.+?) \((\d+) lines total\)\]$", re.MULTILINE)
_ABOVE = re.compile(r"^\(\d+ more lines above\)$", re.MULTILINE)
_BELOW = re.compile(r"^\(\d+ more lines below\)$", re.MULTILINE)
_QUIET = "did not produce any output"
_CLIPPED = "<response clipped>"
_TOOLS = {
    "str_replace": Tool("edit", "path", "new_str", "old_str", quirks=("expands_tabs",), is_lenient=True),
    "insert": Tool("insert", "path", "new_str", line="insert_line", is_lenient=True),
    "create": Tool("write", "path", "file_text"),
    "view": Tool("read", "path"),
}
"""The commands of `str_replace_editor`."""
_LOOKING = ("open", "goto", "scroll_up", "scroll_down", "find_file", "search_dir", "search_file", "submit", "view", "")


@dataclass(slots=True)
class _Run:
    """The state of a run: its model, and the file in the window."""

    model: str | None
    ends_lines: bool
    """True if the line-range editor ends every line that it writes with a line feed."""
    open_file: str | None = None
    blank: set[str] = field(default_factory=set)
    """New files without a text yet."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One action and its observation. The observation is None if the run ended there."""

    key: str
    action: str
    observation: str | None
    open_file: str | None
    arguments: Any = None
    """The arguments of a function call. A shell command has them in the action."""


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    document = json_document(log, surroundings.tally)
    if document is None:
        return
    steps = dig(document, "trajectory")
    folder = text(dig(embedded(dig(steps, 0, "state")), "working_dir")) or None
    version = text(dig(document, "info", "swe_agent_version")) or None
    if not surroundings.repo:
        yield Opened(cwd=folder, version=version)
        yield from _run_events(document, log, surroundings.tally)
        return
    found = list(_run_events(document, log, surroundings.tally))
    folder = folder or _repository_folder(found)
    repository = surroundings.repository(folder)
    opened = Opened(cwd=folder, version=version)
    submission = text(dig(document, "info", "submission"))
    if repository and submission:
        yield from with_submission([opened, *found], submission, repository, folder, surroundings.tally)
    else:
        yield from (opened, *found)


def _run_events(document: Any, log: Log, tally: Tally) -> Iterator[Event]:
    name = PurePath(log.name).name
    steps = dig(document, "trajectory")
    model = text(dig(embedded(dig(document, "replay_config")), "agent", "model", "name")) or configured_model(log.path)
    run = _Run(model or None, ends_lines=text(dig(document, "info", "swe_agent_version")) < "1")
    if not steps and not dig(document, "history"):
        tally.add("document holds no steps", log.name)
    for step in _steps(steps, name) if steps else _message_steps(dig(document, "history"), name, tally):
        for event in with_shown(_step_events(step, run), [step.action, step.arguments], step.observation):
            yield from _without_new_files(event, run, tally)


def _repository_folder(found: list[Event]) -> str | None:
    """The folder below the root that contains all files of a run: SWE-agent clones a repository there."""
    named = {event.path for event in found if isinstance(event, Attempt | Read | Wrote) and event.path}
    folders = {path.split("/")[1] for path in named if path.startswith("/") and path.count("/") > 1}
    return f"/{folders.pop()}" if len(folders) == 1 else None


def _without_new_files(event: Event, run: _Run, tally: Tally) -> Iterator[Event]:
    """The event. The first text of a new file becomes a `Wrote`; a failed edit of a blank file is left out."""
    if isinstance(event, Wrote) and event.content == "\n":
        run.blank.add(event.path)
    elif isinstance(event, Attempt) and event.path in run.blank:
        tally.add("left out: the first text of a new file")
        if event.outcome != "applied":
            return
        run.blank.discard(event.path)
        yield Wrote(event.path, event.after[0].content if event.after else event.patch or "")
        return
    yield event


def _steps(trajectory: Any, name: str) -> Iterator[_Step]:
    for number, step in enumerate(items(trajectory)):
        observation = step.get("observation")
        output = observation if isinstance(observation, str) else None
        state = step.get("state")
        open_file = text(dig(embedded(state), "open_file"))
        yield _Step(f"{name}:{number}", text(step.get("action")).strip(), output, open_file or None)


def _message_steps(history: Any, name: str, tally: Tally) -> Iterator[_Step]:
    """The steps of a run whose log has only its messages."""
    calls = Calls(tally, {})
    for number, message in enumerate(items(history)):
        for call in items(message.get("tool_calls")):
            arguments = embedded(dig(call, "function", "arguments"))
            asked = Call(text(dig(call, "function", "name")), arguments=arguments)
            calls.open(text(call.get("id")) or f"{name}:{number}", asked)
        ids = message.get("tool_call_ids")
        for key in ids if message.get("role") == "tool" and isinstance(ids, list) else ():
            if answered := calls.answered(text(key), name):
                yield _Step(key, answered.name, joined_text(message.get("content")), None, answered.arguments)
    for key, left in calls.left():
        yield _Step(key, left.name, None, None, left.arguments)


def _step_events(step: _Step, run: _Run) -> Iterator[Event]:
    output = step.observation or ""
    word = step.action.split(None, 1)[0] if step.action else ""
    window = _WINDOW.search(output)
    run.open_file = window[1] if window else run.open_file or step.open_file
    if word == "str_replace_editor":
        yield from _editor_events(step, output, run)
        return
    shown = (
        list(_window_reads(output[window.start() :], window)) if window and not _OUTCOMES[0][1].search(output) else []
    )
    if word in ("edit", "insert"):
        if attempt := _windowed(step, run):
            attempt = _with_outcome(attempt, step)
            if run.ends_lines and attempt.format == "line_range" and attempt.outcome == "applied":
                shown = [
                    replace(one, content=one.content + "\n", ends_shown=True) if one.whole else one for one in shown
                ]
            yield _with_window(attempt, shown)
        elif step.observation is not None:
            yield Disturbed()
    elif word == "create" and window:
        yield Wrote(window[1], "\n")
    elif word not in _LOOKING:
        # The log has no exit codes. A command that edits and succeeds prints nothing.
        code = 0 if not output.strip() or _QUIET in output else None
        yield Ran(None, step.key, step.action, exit=code, model=run.model)
    yield from shown


def _with_window(attempt: Attempt, shown: list[Read]) -> Attempt:
    """The attempt with the text afterwards, if the window shows the whole file."""
    if attempt.outcome != "applied" or not shown or not (shown[0].whole and shown[0].ends_shown):
        return attempt
    return replace(attempt, after=(File(shown[0].path, shown[0].content),))


def _window_reads(shown: str, window: re.Match[str]) -> Iterator[Read]:
    """The lines of a file that a window shows."""
    body = _ABOVE.sub("", shown.partition("\n")[2], count=1).lstrip("\n")
    if found := unnumbered(body, COLON):
        first, content = found
        whole = first == 1 and not _BELOW.search(shown) and content.count("\n") + 1 == int(window[2][:9])
        yield Read(window[1], content, first, whole, ends_shown=not whole)


def _windowed(step: _Step, run: _Run) -> Attempt | None:
    """The edit of the file in the window; None if the command is not understood."""
    blank = Attempt(step.key, "str_replace", run.open_file, model=run.model)
    if match := _LINES.match(step.action):
        line, end_line = int(match[1]), int(match[2])
        patch = match[3] + "\n" if match[3] else ""
        return replace(blank, format="line_range", patch=patch, line=line, end_line=end_line)
    words = _words(step.action) or []
    if words[:1] == ["edit"] and len(words) in (3, 4):
        edit = Edit(words[1], words[2], replace_all=len(words) == 4)
        return replace(blank, edits=(edit,), tags=("window_only",), quirks=("sees_window",))
    if words[:1] == ["insert"] and len(words) == 3 and words[2].isdecimal():
        return replace(blank, format="insert", patch=words[1], line=int(words[2][:9]))
    return None


def _editor_events(step: _Step, output: str, run: _Run) -> Iterator[Event]:
    arguments = step.arguments if isinstance(step.arguments, dict) else _arguments(step.action)
    if arguments is None:
        yield _with_outcome(Attempt(step.key, "str_replace", model=run.model), step, otherwise="malformed")
        return
    line = arguments.get("insert_line")
    line = int(line[:9]) if isinstance(line, str) and line.isdecimal() else line
    given = arguments | {"insert_line": line, "new_str": text(arguments.get("new_str"))}
    tool = _TOOLS.get(text(arguments.get("command")), RUN)
    path = text(arguments.get("path"))
    if attempt := attempt_of(tool, step.key, given, run.model):
        yield _with_outcome(attempt, step)
    elif tool.kind == "read":
        if path and (found := unnumbered(output, CAT_N)) and _CLIPPED not in output:
            first, content = found
            whole = first == 1 and not arguments.get("view_range") and content.endswith("\n")
            yield Read(path, content, first, whole and not _may_have_had_tabs(content))
    elif tool.kind == "write":
        if path and "File created successfully" in output:
            yield Wrote(path, text(arguments.get("file_text")))
    elif tool.kind == "run":
        yield Disturbed()


def _may_have_had_tabs(content: str) -> bool:
    indents = {len(line) - len(line.lstrip(" ")) for line in content.split("\n") if line.strip()}
    return len(indents) > 1 and all(indent % 8 == 0 for indent in indents)


def _words(command: str) -> list[str] | None:
    try:
        return shlex.split(command)
    except ValueError:
        return None


def _arguments(command: str) -> dict[str, Any] | None:
    """The arguments of the editor's command line; None if it does not parse."""
    words = _words(command)
    if words is None or len(words) < 3:
        return None
    found: dict[str, Any] = {"command": words[1], "path": words[2]}
    n = 3
    while n < len(words):
        name, equals, value = words[n].partition("=")
        if name.startswith("--"):
            found[name[2:]] = value if equals else words[n + 1] if n + 1 < len(words) else ""
            n += 1 - bool(equals)
        n += 1
    return found


def _with_outcome(attempt: Attempt, step: _Step, *, otherwise: str = "unknown") -> Attempt:
    """The attempt with its outcome by its observation."""
    output = step.observation
    if output is None:
        return replace(attempt, outcome="unknown")
    # The window below repeats the file, whose words may look like an error.
    message = output.partition("[File: ")[0]
    if _APPLIED.match(output):
        return replace(attempt, outcome="applied")
    outcome = next((outcome for outcome, words in _OUTCOMES if words.search(message)), None)
    if outcome is None and _APPLIED.search(output):
        return replace(attempt, outcome="applied")
    error = message.strip().split("\n")[0][:300] or None
    outcome = outcome or otherwise
    return replace(attempt, outcome=outcome, error=error)
