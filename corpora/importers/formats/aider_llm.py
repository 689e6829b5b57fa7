"""aider: `.aider.llm.history` (`--llm-history-file`), the requests to the model and its replies; known from its source.

`TO LLM <time>` begins a request: lines of `-------` separate its messages, and each line begins with the role.
`LLM RESPONSE <time>` begins a reply. A request has the current text of each file of the chat. These are the
texts before the edits of its reply; the next request has the texts afterwards. Traps:

- No message reports that a block was applied, but its file has changed in the next request. Blocks that failed are
  reported there, in the last message of the user.
- The closing fence of a file is on a line of its own if, and only if, the text ends in a line feed.
- CRLF, a form feed, and every other character at which Python splits lines become line feeds.
- The model is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from corpora.importers.aider_replies import OTHERS, Turn, attempts, blocks, diffs
from corpora.importers.calls import at_time
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, text_lines
from corpora.importers.session import Attempt, Event, Opened, Read
from editcore.types import File

_HEAD = re.compile(r"(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT\S{1,20})")
_LINE = re.compile(r"(SYSTEM|USER|ASSISTANT)(?: (.*))?", re.DOTALL)
_NEXT = "-------"
_FILES = re.compile(r"I have \*added these files to the chat\*|\*Trust this message as the true contents|"
                    r"[Hh]ere are the \*read-write\* files")  # fmt: skip
_FENCE = re.compile(r"(`{3,}|~{3,})|<((?:source|code|pre)(?:block|code)?)>")
_REPORT = re.compile(r"# \d+ SEARCH/REPLACE blocks? failed to match|\^\^\^ |UnifiedDiffNo\w+: hunk failed to apply")
_LARGEST = 64 << 20
"""The greatest number of characters of a request."""


@dataclass(slots=True)
class _Record:
    """A request or a reply, as (role, lines) of its messages."""

    kind: str = ""
    time: str = ""
    line: int = 0
    messages: list[tuple[str, list[str]]] = field(default_factory=list)
    size: int = 0

    def take(self, line: str) -> None:
        self.size += len(line) + 1
        if line == _NEXT:
            self.messages.append(("", []))
        elif self.size < _LARGEST and (found := _LINE.fullmatch(line)):
            if not self.messages or self.messages[-1][0] not in ("", found[1]):
                self.messages.append((found[1], []))
            lines = self.messages[-1][1]
            lines.append(found[2] or "")
            self.messages[-1] = found[1], lines

    def last(self, role: str) -> list[str]:
        """The lines of the last message of a role."""
        return next((lines for name, lines in reversed(self.messages) if name == role), [])


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a history. The edits of a reply are placed at the next request."""
    yield Opened(str(log.path.parent) if log.path else None)
    files: dict[str, str] = {}
    reply = _Record()
    for record in _records(log, surroundings):
        if record.kind == "LLM RESPONSE":
            reply = record
            continue
        now = _chat_files(record)
        yield from _reply_events(reply, files, now, record.last("USER"), log.name)
        yield from (Read(path, content) for path, content in now.items())
        files, reply = now, _Record()
    yield from _reply_events(reply, files, {}, [], log.name)


def _records(log: Log, surroundings: Surroundings) -> Iterator[_Record]:
    record = _Record()
    for number, line in text_lines(log, surroundings.tally):
        if head := _HEAD.fullmatch(line):
            if record.kind:
                yield record
            record = _Record(head[1], head[2], number)
        else:
            record.take(line)
    if record.kind:
        yield record


def _reply_events(
    reply: _Record, files: dict[str, str], now: dict[str, str], said: Sequence[str], name: str
) -> Iterator[Event]:
    """The edits of a reply. `files` and `now` are the chat's files before and after it; `said` is the next request."""
    changed = [path for path, content in now.items() if path in files and files[path] != content]
    turn = Turn(f"{name}:{reply.line}", reply.last("ASSISTANT"), applied=changed)
    if any(map(_REPORT.match, said)):
        turn.failed = is_open = True
        for line in said:
            if is_open or OTHERS.match(line):
                is_open = turn.take_report(line) and is_open
    pieces, kind = list(blocks(turn.reply)), "search_replace"
    if not pieces:
        pieces, kind = list(diffs(turn.reply)), "unified_diff"
    blank = Attempt(
        turn.key, "unified_diff" if kind == "unified_diff" else "search_replace", quirks=("ends_in_line_feed",)
    )
    failing = [path for path, _ in turn.failing]
    edits_of = {piece.path: piece.edit for piece in pieces}
    for attempt in attempts(pieces, turn, blank):
        path = attempt.path or ""
        edit = edits_of.get(path)
        if attempt.outcome == "unknown" and path in now and edit and edit.old_string == edit.new_string:
            attempt = replace(attempt, outcome="applied")
        if attempt.outcome == "applied" and path in now and path not in failing:
            attempt = replace(attempt, after=(File(path, now[path]),))
        yield from at_time([attempt], reply.time)


def _chat_files(record: _Record) -> dict[str, str]:
    """The texts of the chat's files, as a request shows them."""
    found: dict[str, str] = {}
    for role, lines in record.messages:
        if role == "USER" and any(map(_FILES.search, lines[:9])):
            found = dict(_files_in(lines))
    return found


def _files_in(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The path and text of each file in a message: an empty line, the path, and the text in fences."""
    at = 0
    while at + 2 < len(lines):
        fence = _FENCE.fullmatch(lines[at + 2])
        if lines[at] or not lines[at + 1].strip() or fence is None:
            at += 1
            continue
        closing = fence[1] or f"</{fence[2]}>"
        end = next((n for n in range(at + 3, len(lines)) if lines[n].endswith(closing)), len(lines))
        is_whole = end < len(lines) and (end + 1 == len(lines) or not lines[end + 1])
        if is_whole:
            content = "".join(line + "\n" for line in lines[at + 3 : end])
            yield lines[at + 1].strip(), content + lines[end].removesuffix(closing)
        at = end + 1
