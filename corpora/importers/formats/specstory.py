"""SpecStory: `.specstory/history/*.md` in a project's folder, other agents' sessions as Markdown, by its source.

Calls are between `<tool-use data-tool-name="...">` and `</tool-use>`, below a line that names the agent's model and
the time (version 2.1). Edits have three forms: a Begin/End Patch as a whole, its sections below the names of
their files (Codex), and arguments by name with a result or an error (tools without a form of their own). Traps:

- Claude Code's edits have only their answers, other agents' edits a diff: neither is the model's text.
- Texts of files are rare. `--repo` gives the texts of the commit at a call's time.
- Blank lines at the end of a patch's section are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpora.importers.calls import at_time, edits_in, with_error
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, text_lines
from corpora.importers.session import Attempt, Disturbed, Event, Opened

_AGENT = re.compile(
    r"_\*\*Agent(?: - sidechain)?(?: \((?:(\S+) )?(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)([Z+-]\S*)\))?\*\*_"
)
_OPENS = re.compile(r'<tool-use data-tool-type="(\w+)" data-tool-name="([^"\n]{1,99})"[^>\n]{0,200}>(?:<details>)?')
_CLOSES = ("</details></tool-use>", "</tool-use>")
_FENCE = re.compile(r"(`{3,})([\w+-]*)")
_SECTION = re.compile(r"\*\*(Add|Modify|Update|Delete): `(.+)`\*\*")
_ARGUMENT = re.compile(r"- (\w+):(?: `(.*)`)?", re.DOTALL)
_BEGINS = "*** Begin Patch"
_DONE = re.compile(r"(?:\{\"output\":\")?Success\. Updated|Exit code: 0\b")
_PATCHES = re.compile(r"^(?:\*\*\* |@@|[+-])", re.MULTILINE)
_NAMES = (
    ("file_path", "filePath", "path"),
    ("old_string", "oldString", "old_str", "oldText"),
    ("new_string", "newString", "new_str", "newText"),
)
"""Names of the arguments of edits: the file, the search text, the new text."""
_ERROR_PHRASES = (
    ("no_match", "Failed to find", "not found in", "o match"),
    ("ambiguous", "multiple"),
    ("identical", "identical", "must be different"),
    ("malformed", "nvalid"),
    ("declined", "rejected"),
    ("cancelled", "aborted"),
)
_LARGEST = 16 << 20
"""The greatest number of characters of a call."""


@dataclass(slots=True)
class _Call:
    """A call: its lines that are not blank, each with the texts of the fences below it."""

    kind: str
    key: str
    lines: list[tuple[str, list[str]]] = field(default_factory=list)
    fence: list[str] | None = None
    mark: str = ""
    """The mark that closes the open fence."""
    size: int = 0

    def take(self, line: str) -> None:
        self.size += len(line) + 1
        if self.size > _LARGEST:
            return
        if self.fence is not None:
            if line.strip() != self.mark:
                self.fence.append(line)
                return
            self.lines = self.lines or [("", [])]
            self.lines[-1][1].append("\n".join(self.fence))
            self.fence = None
        elif marked := _FENCE.fullmatch(line):
            self.mark, self.fence = marked[1], []
        elif line.strip():
            self.lines.append((line, []))

    def fences(self) -> Iterator[str]:
        """The texts of all fences, the last one first."""
        return (text for _, texts in reversed(self.lines) for text in reversed(texts))


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    folder = log.path.absolute().parents if log.path else ()
    yield Opened(str(folder[2]) if len(folder) > 2 and folder[1].name == ".specstory" else None)
    model: str | None = None
    time, call = "", None
    for number, line in text_lines(log, surroundings.tally):
        if call is not None and (call.fence is not None or line not in _CLOSES):
            call.take(line)
        elif call is not None:
            yield from at_time(_call_events(call, model), time)
            call = None
        elif found := _AGENT.fullmatch(line):
            model, time = found[1] or model, f"{found[2]}T{found[3]}{found[4]}"
        elif opened := _OPENS.match(line):
            call = _Call(opened[1], f"{log.name}:{number}")


def _call_events(call: _Call, model: str | None) -> Iterator[Event]:
    if call.kind == "shell":
        yield Disturbed("\n".join([*(line for line, _ in call.lines), *call.fences()]))
    elif (patch := _patch(call)) is not None:
        said = next((text for text in call.fences() if not _PATCHES.search(text)), "")
        yield _judged(
            Attempt(call.key, "begin_patch", patch=patch, model=model), said, is_done=bool(_DONE.search(said))
        )
    elif attempt := _edit(call, model):
        answers = dict(call.lines)
        said = "\n".join(answers.get("**Error:**", ()))
        yield _judged(attempt, said, is_done="**Result:**" in answers)


def _judged(attempt: Attempt, said: str, *, is_done: bool) -> Attempt:
    """The attempt with its outcome by the tool's answer; unknown without an answer."""
    if is_done:
        return replace(attempt, outcome="applied")
    return with_error(attempt, said, _ERROR_PHRASES) if said else attempt


def _patch(call: _Call) -> str | None:
    """The patch of a call, put together from its sections; None if it is no patch."""
    whole = next((text for text in call.fences() if text.startswith(_BEGINS)), None)
    if whole is not None:
        return whole + "\n"
    sections = [(found, texts) for line, texts in call.lines if (found := _SECTION.fullmatch(line))]
    parts = [
        f"*** {one[1].replace('Modify', 'Update')} File: {one[2]}\n" + "".join(f"{text}\n" for text in texts[:1])
        for one, texts in sections
    ]
    return f"{_BEGINS}\n{''.join(parts)}*** End Patch\n" if parts else None


def _edit(call: _Call, model: str | None) -> Attempt | None:
    """The call's arguments as an edit; None for another call."""
    given: dict[str, str] = {}
    for line, texts in call.lines:
        if found := _ARGUMENT.fullmatch(line):
            given[found[1]] = "".join(texts[:1]) if found[2] is None else found[2]
    path, old, new = (next((given[name] for name in names if name in given), None) for names in _NAMES)
    edits = edits_in([{"old": old, "new": new}], "old", "new")
    return Attempt(call.key, "str_replace", path, edits, model=model) if path and edits else None


def is_log(file: Path) -> bool:
    return file.absolute().parts[-3:-1] == (".specstory", "history")
