"""aider: `.aider.chat.history.md` in the project's folder, Markdown; versions 0.35 to 0.86 were seen.

`# aider chat started at` begins a chat. Lines that begin with `#### ` are the user's, those with `> ` aider's, and the
rest are the model's. The file texts come from the project's git: from the commit that aider names after the edits, and
from its parent. Traps:

- Inside a block or a fence a line is code, however it begins.
- Depending on the version, long messages have `> ` on every line or on the first only. They quote the block
  that failed, which is no reply of the model.
- Uncommitted work of the user is committed first: the commit of an edit is the one after `Applied edit`. Without
  commits of its own (`--no-auto-commits`), the commit before an edit still has the text before the edit.
- A message may be broken into two lines. Only the first has the mark then.
- A commit that was rebased is found by its subject if only one commit has it.
- If some blocks of a reply failed, the others were applied; a file with a failed block has no texts.
- In the edit format `whole` the model writes whole files, without a search text: the texts are known from there on, but
  there is no edit to make a sample of.
- aider 0.35 to 0.84 replaces the first of several matches and forgives missing indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from corpora.importers.aider_replies import (
    OTHERS,
    OpenBlock,
    Turn,
    applied_as,
    attempts,
    blocks,
    diffs,
    resolve_commit,
    text_at,
    whole_files,
)
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, text_lines
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Wrote

_CHAT = re.compile(r"# aider chat started at \d{4}-")
_VERSION = re.compile(r"Aider v(\S+)")
_MODEL = re.compile(r"(Main model|Models?|Editor model): (\S+) with (?:[\w-]+ )*?(\S+) edit format")
_APPLIED = re.compile(r"Applied edit to (.+)")
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.*)")
_COMMITTING = re.compile(r"Committing (.+) before applying edits")
_COST = re.compile(r"Cost: \$[\d.,]+ (?:message|request), \$[\d.,]+ session\.")
"""The second line of the message about tokens, if the message is broken."""
_MALFORMED = re.compile(r"The LLM did not conform to the edit format|Malformed response")
_SURE = re.compile(
    r"> (?:Tokens: |Applied edit to |The LLM did not conform|# \d+ SEARCH|Commit [0-9a-f]{7,40} ).* {2}$"
)
_LINK = re.compile(r"> https?://\S+ *$")
_TAIL = re.compile(r"# The other \d+ SEARCH/REPLACE|Don't re-send them|Just reply with fixed versions of the")
_CHANGES = re.compile(r"#### +(?:/(?:run|test|lint|git|undo)\b|!)")

_Format = Literal["search_replace", "unified_diff", "whole", "none"]
_FORMATS: dict[str, _Format] = {"udiff": "unified_diff", "whole": "whole", "ask": "none", "architect": "none"}


@dataclass(slots=True)
class _Chat:
    """The current chat."""

    format: _Format = "search_replace"
    model: str | None = None
    has_architect: bool = False
    """True if a reply may be a plan for another model, which makes the edits."""
    report: bool = False
    """True if the current line is in a message about failed edits."""
    n_report: int = 0
    """The number of lines of that message so far."""
    prefixed: bool = False
    """True if the second line of that message has aider's mark: every line has it then."""


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a history. Each reply is placed where the next one begins."""
    folder = log.path.parent if log.path else None
    repository = surroundings.repository(folder)
    chat, turn, inside = _Chat(), Turn(f"{log.name}:0"), OpenBlock()
    for number, line in text_lines(log, surroundings.tally):
        is_chat = bool(_CHAT.match(line))
        # Inside a block a line is code, unless it can only be aider's: a block may never be closed.
        if inside and not is_chat and not _SURE.match(line):
            inside.take(line)
            turn.hold(line)
            continue
        inside = OpenBlock() if inside else inside
        if is_chat or line.startswith("#### "):
            yield from _turn_events(turn, chat, repository)
            turn = Turn(f"{log.name}:{number}")
            chat.report = False
            if is_chat:
                chat = _Chat()
                yield Opened(cwd=str(folder) if folder else None)
                yield Disturbed()
            elif _CHANGES.match(line):
                yield Disturbed()
        elif _is_message(line, chat):
            message = line.removeprefix("> ").rstrip()
            if version := _VERSION.match(message):
                yield Opened(version=version[1])
            _take_message(message, turn, chat)
        elif turn.answered and line.strip():
            yield from _turn_events(turn, chat, repository)
            turn = Turn(f"{log.name}:{number}")
            chat.report = False
            inside.take(line)
            turn.hold(line)
        else:
            inside.take(line)
            turn.hold(line)
    yield from _turn_events(turn, chat, repository)


def _is_message(line: str, chat: _Chat) -> bool:
    """True if a line is aider's: it has aider's mark, or continues a message whose first line has the mark."""
    marked = line.startswith("> ")
    if chat.report and not _MALFORMED.match(line[2:]) and not _LINK.match(line):
        chat.n_report += 1
        chat.prefixed = marked if chat.n_report == 2 else chat.prefixed
    if _COST.match(line):
        return True
    return marked or (chat.report and not chat.prefixed) or bool(_TAIL.match(line))


def _take_message(message: str, turn: Turn, chat: _Chat) -> None:
    """Process a line of aider's messages."""
    if found := _MODEL.match(message):
        _set_model(chat, *found.groups())
        return
    if message.startswith("Tokens: "):
        turn.answered = True
        chat.report = False
    elif found := _APPLIED.match(message):
        turn.answered = True
        turn.applied.append(found[1].strip())
        turn.commit = None
    elif found := _COMMITTING.match(message):
        turn.dirty.append(found[1].strip())
    elif found := _COMMIT.match(message):
        if turn.applied or turn.failed:
            turn.commit = turn.commit or (found[1], found[2])
        else:
            turn.committed_before = found[1], found[2]
    elif _MALFORMED.match(message):
        turn.answered = turn.failed = chat.report = True
        chat.n_report, chat.prefixed = 0, False
    elif turn.failed and (chat.report or OTHERS.match(message)):
        chat.report = turn.take_report(message) and chat.report


def _set_model(chat: _Chat, what: str, model: str, edit_format: str) -> None:
    """Set the model that makes the edits, and its edit format."""
    if what != "Editor model" or chat.has_architect:
        chat.model = model
        chat.has_architect = edit_format == "architect" or (chat.has_architect and what == "Editor model")
        chat.format = _FORMATS.get(edit_format.removeprefix("editor-").removesuffix("-simple"), "search_replace")


def _turn_events(turn: Turn, chat: _Chat, repository: Repository | None) -> Iterator[Event]:
    """The events of a reply, after all messages about it."""
    if chat.has_architect and not turn.applied and not turn.failed:
        return
    dirty: dict[str, str] = {}
    if turn.committed_before and (commit := resolve_commit(repository, *turn.committed_before)):
        yield Opened(commit=commit)
        dirty = dict.fromkeys(turn.dirty, commit)
    commit = resolve_commit(repository, *turn.commit) if turn.commit else None
    if chat.format == "whole":
        for piece in whole_files(turn.reply):
            if path := applied_as(piece, turn):
                yield Wrote(path, piece.text)
    elif chat.format != "none":
        read = diffs if chat.format == "unified_diff" else blocks
        blank = Attempt(turn.key, chat.format, model=chat.model, quirks=("ends_in_line_feed",))
        for attempt in attempts(list(read(turn.reply)), turn, blank, repository, commit):
            met = text_at(repository, dirty[attempt.path], attempt.path) if attempt.path in dirty else None
            yield attempt if met is None or attempt.before is not None else replace(attempt, before=met, evidence="git")
    if commit:
        yield Opened(commit=commit)
