"""aider: `.aider.chat.history.md` in the project's folder, Markdown; versions 0.35 to 0.86 were seen.

`# aider chat started at` begins a chat. Lines that begin with `#### ` are the user's, those with `> ` aider's, and the
rest are the model's. The file texts come from the project's git: from the commit that aider names after the edits, and
from its parent. Traps:

- Inside a block or a fence a line is code, however it begins.
- Depending on the version, long messages have `> ` on every line or on the first only. They quote the block that
  failed, which is not the next reply.
- Uncommitted work of the user is committed first: the commit of an edit is the one after `Applied edit`. Without
  commits of its own (`--no-auto-commits`), the commit before an edit still has the text that it met.
- A message may be broken into two lines, of which only the first has the mark.
- A commit that was rebased is found by its subject if only one commit has it.
- If some blocks of a reply failed, the others were applied; a file with a failed block has no texts.
- In the edit format `whole` the model writes whole files, without a search text: the texts are known from there on, and
  there is no edit to make a sample of.
- aider 0.35 to 0.84 replaces the first of several matches and forgives missing indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from corpora.importers.aider import commits
from corpora.importers.aider.replies import OpenBlock, ReplyEdit, blocks, diffs, whole_files
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.log import Log, text_lines
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Wrote
from editcore.types import Edit

_CHAT = re.compile(r"# aider chat started at \d{4}-")
_VERSION = re.compile(r"Aider v(\S+)")
_MODEL = re.compile(r"(Main model|Models?|Editor model): (\S+) with (?:[\w-]+ )*?(\S+) edit format")
_APPLIED = re.compile(r"Applied edit to (.+)")
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.*)")
_COMMITTING = re.compile(r"Committing (.+) before applying edits")
_COST = re.compile(r"Cost: \$[\d.,]+ (?:message|request), \$[\d.,]+ session\.")
"""The second line of the message about tokens, where it is broken."""
_MALFORMED = re.compile(r"The LLM did not conform to the edit format|Malformed response")
_FAILED_BLOCK = re.compile(r"## SearchReplaceNoExactMatch: .*\blines in (.+)")
_FAILED_HUNK = re.compile(r"(UnifiedDiffNoMatch|UnifiedDiffNotUnique): hunk failed to apply")
_FAILED_PATH = re.compile(r"(.+?) (?:does not contain|contains multiple)\b")
_OTHERS = re.compile(r"# The other (\d+) SEARCH/REPLACE blocks? were applied successfully")
_SURE = re.compile(
    r"> (?:Tokens: |Applied edit to |The LLM did not conform|# \d+ SEARCH|Commit [0-9a-f]{7,40} ).* {2}$"
)
_LINK = re.compile(r"> https?://\S+ *$")
_TAIL = re.compile(r"# The other \d+ SEARCH/REPLACE|Don't re-send them|Just reply with fixed versions of the")
_REPORT_ENDS = re.compile(r"(?:The SEARCH section must exactly|\^\^\^ |Only some hunks did apply)")
_CHANGES = re.compile(r"#### +(?:/(?:run|test|lint|git|undo)\b|!)")

_Format = Literal["search_replace", "unified_diff", "whole", "none"]
_FORMATS: dict[str, _Format] = {"udiff": "unified_diff", "whole": "whole", "ask": "none", "architect": "none"}
_LARGEST_REPLY = 8 << 20
"""Characters."""


@dataclass(slots=True)
class _Turn:
    """A reply, and aider's messages about it."""

    key: str
    reply: list[str] = field(default_factory=list)
    size: int = 0
    answered: bool = False
    """A message of aider came after it: more text of the model is another reply."""
    applied: list[str] = field(default_factory=list)
    failed: bool = False
    error: str | None = None
    failing: list[tuple[str, list[str]]] = field(default_factory=list)
    """(path, the block as aider reports it) of each block that failed to match."""
    hunk: str | None = None
    hunk_path: str | None = None
    n_others: int = 0
    commit: tuple[str, str] | None = None
    """(hash, subject) of the commit with the edits."""
    committed_before: tuple[str, str] | None = None
    dirty: list[str] = field(default_factory=list)
    """The files whose texts were committed before the edits."""

    def hold(self, line: str) -> None:
        """Add a line of the reply, unless the reply is too large."""
        self.size += len(line) + 1
        if self.size < _LARGEST_REPLY:
            self.reply.append(line)


@dataclass(slots=True)
class _Chat:
    """The current chat."""

    format: _Format = "search_replace"
    model: str | None = None
    has_architect: bool = False
    """A reply may be a plan for another model, which makes the edits."""
    report: bool = False
    """The current line is in a message about failed edits."""
    n_report: int = 0
    """The lines of that message so far."""
    prefixed: bool = False
    """Every line of that message has aider's mark, since its second line has."""


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a history, each reply at the place where the next one begins."""
    folder = log.path.parent if log.path else None
    repository = surroundings.repository(folder)
    chat, turn, inside = _Chat(), _Turn(f"{log.name}:0"), OpenBlock()
    for number, line in text_lines(log, surroundings.tally):
        is_chat = bool(_CHAT.match(line))
        if inside and not is_chat and not _SURE.match(line):
            inside.take(line)
            turn.hold(line)
            continue
        inside = OpenBlock() if inside else inside
        if is_chat or line.startswith("#### "):
            yield from _turn_events(turn, chat, repository)
            turn = _Turn(f"{log.name}:{number}")
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
            turn = _Turn(f"{log.name}:{number}")
            chat.report = False
            inside.take(line)
            turn.hold(line)
        else:
            inside.take(line)
            turn.hold(line)
    yield from _turn_events(turn, chat, repository)


def _is_message(line: str, chat: _Chat) -> bool:
    """Whether a line is aider's: it has the mark, or continues a message with the mark on its first line."""
    marked = line.startswith("> ")
    if chat.report and not _MALFORMED.match(line[2:]) and not _LINK.match(line):
        chat.n_report += 1
        chat.prefixed = marked if chat.n_report == 2 else chat.prefixed
    if _COST.match(line):
        return True
    return marked or (chat.report and not chat.prefixed) or bool(_TAIL.match(line))


def _take_message(message: str, turn: _Turn, chat: _Chat) -> None:
    """Take in a line of aider's messages."""
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
    elif found := _OTHERS.match(message):
        turn.n_others = int(found[1][:6])
    elif turn.failed and chat.report:
        _take_failure(message, turn, chat)


def _take_failure(message: str, turn: _Turn, chat: _Chat) -> None:
    """Take in a line of a message about failed edits."""
    if found := _FAILED_BLOCK.match(message):
        turn.failing.append((found[1].strip(), []))
        turn.error = turn.error or message.lstrip("# ")[:300]
    elif found := _FAILED_HUNK.match(message):
        turn.hunk = "ambiguous" if found[1] == "UnifiedDiffNotUnique" else "no_match"
        turn.error = turn.error or message[:300]
    elif turn.hunk and not turn.hunk_path and (found := _FAILED_PATH.match(message)):
        turn.hunk_path = found[1].strip()
    elif _REPORT_ENDS.match(message):
        chat.report = False
        if message.startswith("^^^ "):
            turn.error = turn.error or message.removeprefix("^^^ ")[:300]
    elif turn.failing:
        turn.failing[-1][1].append(message)


def _set_model(chat: _Chat, what: str, model: str, edit_format: str) -> None:
    """Take in the model that makes the edits, and its edit format."""
    if what != "Editor model" or chat.has_architect:
        chat.model = model
        chat.has_architect = edit_format == "architect" or (chat.has_architect and what == "Editor model")
        chat.format = _FORMATS.get(edit_format.removeprefix("editor-").removesuffix("-simple"), "search_replace")


def _turn_events(turn: _Turn, chat: _Chat, repository: Repository | None) -> Iterator[Event]:
    """The events of a reply, after all messages about it."""
    if chat.has_architect and not turn.applied and not turn.failed:
        return
    dirty: dict[str, str] = {}
    if turn.committed_before and (commit := commits.resolve_commit(repository, *turn.committed_before)):
        yield Opened(commit=commit)
        dirty = dict.fromkeys(turn.dirty, commit)
    commit = commits.resolve_commit(repository, *turn.commit) if turn.commit else None
    if chat.format == "whole":
        for piece in whole_files(turn.reply):
            if path := _applied_as(piece, turn):
                yield Wrote(path, piece.text)
    elif chat.format != "none":
        read = diffs if chat.format == "unified_diff" else blocks
        for attempt in _attempts(list(read(turn.reply)), turn, chat, repository, commit):
            met = commits.text_at(repository, dirty[attempt.path], attempt.path) if attempt.path in dirty else None
            yield attempt if met is None or attempt.before is not None else replace(attempt, before=met, evidence="git")
    if commit:
        yield Opened(commit=commit)


def _attempts(
    pieces: list[ReplyEdit], turn: _Turn, chat: _Chat, repository: Repository | None, commit: str | None
) -> Iterator[Attempt]:
    """An attempt for each block that failed, and one for the other blocks of each file."""
    assert chat.format in ("search_replace", "unified_diff")
    blank = Attempt(turn.key, chat.format, model=chat.model, quirks=("ends_in_line_feed",))
    for number, (path, shown) in enumerate(turn.failing):
        piece = next((piece for piece in pieces if _is_reported(piece, shown)), None)
        patch = piece.text if piece else f"{path}\n" + "".join(line + "\n" for line in shown)
        pieces = [other for other in pieces if other is not piece]
        key = f"{turn.key}:failed:{number}"
        yield replace(blank, key=key, path=path, patch=patch, outcome="no_match", error=turn.error)
    others_passed = bool(turn.failing) and turn.n_others == len(pieces)
    by_file: dict[str | None, list[ReplyEdit]] = {}
    for piece in pieces:
        by_file.setdefault(_applied_as(piece, turn) or piece.path, []).append(piece)
    for file, some in by_file.items():
        attempt = replace(blank, key=f"{turn.key}:{file}", path=file, patch="".join(piece.text for piece in some))
        if file in turn.applied or others_passed:
            attempt = replace(attempt, outcome="applied")
            if repository and commit and file and all(file != failed for failed, _ in turn.failing):
                old_and_new = commits.texts_around(repository, commit, file)
                if old_and_new:
                    before, after = old_and_new
                    attempt = replace(attempt, before=before, after=after, evidence="git")
        elif turn.hunk:
            of_it = turn.hunk_path in (None, file)
            attempt = replace(attempt, outcome=turn.hunk if of_it else "unknown", error=turn.error)
        elif turn.failed and not turn.failing:
            attempt = replace(attempt, outcome="malformed", error=turn.error)
        yield attempt


def _applied_as(piece: ReplyEdit, turn: _Turn) -> str | None:
    """The file that aider reports as edited, under aider's name for it."""
    name = piece.path or ""
    exact = [path for path in turn.applied if path == name]
    ends = [path for path in turn.applied if f"/{path}".endswith(f"/{name}") or f"/{name}".endswith(f"/{path}")]
    return next(iter(exact), ends[0] if name and len(set(ends)) == 1 else None)


def _is_reported(piece: ReplyEdit, shown: list[str]) -> bool:
    """Whether a block is the one that a message shows; whitespace at line ends may be missing there."""
    found = next((other.edit for other in blocks(shown)), None)
    return found is not None and piece.edit is not None and _stripped(found) == _stripped(piece.edit)


def _stripped(edit: Edit) -> tuple[list[str], list[str]]:
    old, new = ([line.strip() for line in side.split("\n")] for side in (edit.old_string, edit.new_string))
    return old, new


IMPORTER = Importer(
    name="aider",
    summary="aider histories: .aider.chat.history.md, with the project's git repository",
    logs=files_matching(".aider.chat.history.md"),
    events=events,
    versions=("0.35.0", "0.86.2"),
)
