"""Fuzz targets `log/*`: a log of a drawn session, in the words of an agent, gives back the edits that were drawn.

    fields    a file, and pairs of an old and a new text     ("a\\nb\\n", "b", "c", "")
    session   a call that writes the file, and a call for each pair; some calls fail
    log       what the agent writes of it                    {"type": "assistant", "message": {...
    samples   what the importer makes of that: each edit with the file as it was, and with its result

The session is simulated: a pair whose old text is there once is made, any other fails. An importer knows nothing of
that; it reads what a log says. To add a log, write the lines of a call and of its result, and put them into the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any, NamedTuple

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from editcore.text.lines import BOM
from editcore.types import Edit
from harness.fuzz.finding import Violation
from harness.fuzz.inputs import Fields, question_of

_FOLDER = "/home/user/demo"
_PATH = f"{_FOLDER}/a.py"


class Step(NamedTuple):
    """One call of an edit, and the file before and after it."""

    edit: Edit
    before: str
    after: str
    n_places: int

    @property
    def is_made(self) -> bool:
        return self.n_places == 1 or (self.n_places > 1 and self.edit.replace_all)


def _steps(fields: Fields) -> list[Step]:
    text, found = fields[0], list[Step]()
    for old, new, flag in zip(fields[1::3], fields[2::3], (*fields[3::3], ""), strict=False):
        n_places = sum(text.startswith(old, at) for at in range(len(text))) if old and old != new else 0
        step = Step(Edit(old, new, replace_all=flag == "all"), text, text, n_places)
        text = text.replace(old, new) if step.is_made else text
        found.append(step._replace(after=text))
    return found


Call = tuple[str, str, dict[str, Any], str]
"""The id of a call, the tool, its arguments, and what the agent is told if the call failed."""
Lines = list[dict[str, Any]]
Back = tuple[tuple[Edit, ...] | None, str, str | None]
"""The edits of a sample, and the file before and after them."""


class Agent(NamedTuple):
    """An agent's tools and its log."""

    write: tuple[str, str, str]
    """The tool that writes a file, and its arguments: the path and the text."""
    edit: tuple[str, str, str, str]
    """The tool for a pair, and its arguments: the path, the old and the new text."""
    errors: tuple[str, str]
    """What the agent is told if the old text is nowhere, and if it has several places."""
    lines: Callable[[list[Call]], Lines]
    """The lines of the log, of calls and their results."""
    every: str = ""
    """The argument that is true if all places are replaced; empty if there is none."""

    def log(self, content: str, steps: list[Step]) -> bytes:
        """The log of a session that writes a file and edits it."""
        tool, path, text = self.write
        calls: list[Call] = [("w", tool, {path: _PATH, text: content}, "")]
        tool, path, old, new = self.edit
        for n, step in enumerate(steps):
            asked: dict[str, Any] = {path: _PATH, old: step.edit.old_string, new: step.edit.new_string}
            if self.every:
                asked[self.every] = step.edit.replace_all
            calls.append((f"c{n}", tool, asked, "" if step.is_made else self.errors[step.n_places > 1]))
        return "".join([f"{json.dumps(line)}\n" for line in self.lines(calls)]).encode()


def _claude_code(calls: list[Call]) -> Lines:
    lines: Lines = []
    for key, name, asked, error in calls:
        use = {"type": "tool_use", "id": key, "name": name, "input": asked}
        result = {"type": "tool_result", "tool_use_id": key, "content": error or "done", "is_error": bool(error)}
        lines.append({"type": "assistant", "version": "2.1.44", "cwd": _FOLDER, "message": {"content": [use]}})
        lines.append({"type": "user", "cwd": _FOLDER, "message": {"content": [result]}})
    return lines


def _pi(calls: list[Call]) -> Lines:
    lines: Lines = [{"type": "session", "version": 3, "id": "s", "cwd": _FOLDER}]
    for key, name, asked, error in calls:
        call = {"type": "toolCall", "id": key, "name": name, "arguments": asked}
        result = {"role": "toolResult", "toolCallId": key, "content": [{"type": "text", "text": error}]}
        lines.append({"type": "message", "message": {"role": "assistant", "content": [call]}})
        lines.append({"type": "message", "message": {**result, "isError": bool(error)}})
    return lines


def _copilot_cli(calls: list[Call]) -> Lines:
    lines: Lines = [{"type": "session.start", "data": {"copilotVersion": "1.0.64", "context": {"cwd": _FOLDER}}}]
    for key, name, asked, error in calls:
        ended = {"error": {"message": error}} if error else {"result": {"content": ""}}
        started = {"toolCallId": key, "toolName": name, "arguments": asked}
        lines.append({"type": "tool.execution_start", "data": started})
        lines.append({"type": "tool.execution_complete", "data": {"toolCallId": key, "success": not error, **ended}})
    return lines


def _gemini_cli(calls: list[Call]) -> Lines:
    made = [
        {"id": key, "name": name, "args": asked, "status": "error" if error else "success",
         "result": [{"functionResponse": {"id": key, "name": name, "response": {"error": error} if error else {}}}]}
        for key, name, asked, error in calls
    ]  # fmt: skip
    return [{"sessionId": "s", "messages": [{"id": "1", "type": "gemini", "model": "m", "toolCalls": made}]}]


LOGS: Mapping[str, Agent] = {
    "claude_code": Agent(
        ("Write", "file_path", "content"), ("Edit", "file_path", "old_string", "new_string"),
        ("String to replace not found in file.", "Found 2 matches of the string to replace, but replace_all is false."),
        _claude_code, "replace_all",
    ),
    "pi": Agent(
        ("write", "path", "content"), ("edit", "path", "oldText", "newText"),
        ("Could not find the exact text in a.py.", "Found 2 occurrences of the text in a.py."), _pi,
    ),
    "copilot_cli": Agent(
        ("create", "path", "file_text"), ("edit", "path", "old_str", "new_str"),
        ("No match found", "Multiple matches found"), _copilot_cli,
    ),
    "gemini_cli": Agent(
        ("write_file", "file_path", "content"), ("replace", "file_path", "old_string", "new_string"),
        ("0 occurrences found", "Expected 1 occurrence but found 2"), _gemini_cli,
    ),
}  # fmt: skip
"""Importer -> the agent whose logs it reads."""


def edits_come_back(importer: Importer, agent: Agent) -> Callable[[Fields, bool], tuple[Violation, ...]]:
    """The check that an importer gives back the edits of a session: the pair, the file before, and the result."""

    def check(fields: Fields, _: bool) -> tuple[Violation, ...]:
        fields = question_of(fields)
        if len(fields) < 3 or any(mark in field for field in fields for mark in ("\r", BOM, "\0")):
            return ()  # What an agent makes of these is for its rule to say.
        steps = _steps(fields)
        if not agent.every and any(step.edit.replace_all for step in steps):
            return ()
        data = agent.log(fields[0], steps)
        surroundings = Surroundings()
        log = Log("input", lambda: BytesIO(data))
        found: list[Back] = [
            (sample.edits, sample.before[0].content, sample.target[0].content if sample.target else None)
            for sample in rebuilt_samples(importer.events(log, surroundings), importer, surroundings)
            if sample.before
        ]
        return tuple(_differences(steps, found))

    return check


def _differences(steps: list[Step], found: list[Back]) -> Iterator[Violation]:
    """The edits that are missing, or have another file before or after them."""
    for step in steps:
        same = [one for one in found if one[0] == (step.edit,)]
        wanted = ((step.edit,), step.before, step.after if step.is_made else None)
        if wanted in same:
            continue
        what = "lost" if not same else "before" if step.before not in [one[1] for one in same] else "after"
        made = f"it came back as {same[0]!a:.300}" if same else "no sample has it"
        yield Violation("edits_come_back", what, f"{what}: of {step!a:.300}, {made}")
