"""The commands of `doc_edit`: what a model sends, what each command refuses, and the version that it makes.

A command is a row of `COMMANDS`. Each edit is recorded in the document's session, as the call was sent; a session's
version is its base snapshot with `apply_to_version` of each edit, in order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from msgspec import Meta

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.diagnosis import identical, in_words_of
from editcore.errors import DocumentError, ErrorCode
from editcore.host.documents.suggestions import (
    RecordedEdit,
    Suggestion,
    check_text,
    document_path,
    folder_path,
    invalid,
    is_folder,
)
from editcore.host.where_applied import where_applied
from editcore.host.workspace.ledger import Ledger
from editcore.patches.line_edits import insert_lines
from editcore.quoting import shown
from editcore.text.document import Document
from editcore.text.endings import LineFeedView
from editcore.types import Applied, Edit, EditResult, Match, Reason, Rejected

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents

__all__ = ["COMMANDS", "Command", "Turn"]

_T = TypeVar("_T")
_COMMAND = Meta(description="What to do.")
_MOST_BYTES = 45_000
"""Of the content of a view as JSON. A longer result would be cut for the model, and would no longer be JSON."""
_LONGEST_LINE = 5_000
"""Characters that a view shows of a line which is too long by itself."""
_SUGGESTED = "The edit is suggested to the user"
_NAMES = {"old_string": "old_str", "new_string": "new_str", "read the file there": "view it"}


@dataclass(frozen=True, slots=True)
class Parameters:
    """One command and its arguments. Each command checks that it has the arguments it needs."""

    command: Annotated[Literal["view", "str_replace", "insert", "append", "create"], _COMMAND]
    path: Annotated[
        str,
        Meta(
            description="The document, such as /characters/protagonist.md; view also takes a folder, which ends in /."
        ),
    ]
    view_range: Annotated[
        list[int] | None,
        Meta(
            description="For view: the first and the last line to show, counted from 1; -1 as the last means the end."
        ),
    ] = None
    old_str: Annotated[
        str | None, Meta(description="For str_replace: the text to replace, copied exactly; it must occur only once.")
    ] = None
    new_str: Annotated[
        str | None, Meta(description="For str_replace: the replacement text. For insert and append: the lines to add.")
    ] = None
    insert_line: Annotated[
        int | None,
        Meta(description="For insert: the line to insert after; 0 means before the first line, -1 at the end."),
    ] = None
    file_text: Annotated[str | None, Meta(description="For create: the whole text of the new document.")] = None


def parameters_for(names: Iterable[str]) -> type[Parameters]:
    """The class of parameters whose `command` is one of `names`."""
    choices: Any = Annotated[Literal[tuple(names)], _COMMAND]
    made: type[Parameters] = make_dataclass("Parameters", [("command", choices)], bases=(Parameters,), frozen=True)
    return made


@dataclass(frozen=True, slots=True)
class Seen:
    """The versions of documents that one session of a host was shown. In memory only, like the ledger of files.

    The line numbers that a model sends count lines of the version that it was shown last.
    """

    ledger: Ledger = field(default_factory=Ledger)
    session: str = ""
    project: str = ""

    def show(self, path: str, version: str) -> None:
        """Record that the model was shown a version, or wrote all of it."""
        self.ledger.record_read(self.session, self._key(path), version)

    def edit(self, path: str, before: str, after: str) -> None:
        """Record an edit by the model: it knows the version after the edit if it knew the version before."""
        if self._is_current(path, before):
            self.show(path, after)

    def check(self, path: str, version: str) -> None:
        """Raise DocumentError if the model was shown another version. A model that was shown none is not refused."""
        if self.ledger.has_read(self.session, self._key(path)) and not self._is_current(path, version):
            raise DocumentError(
                f"{shown(path)} has changed since you viewed it, so insert_line may mean another line: view it again.",
                code=ErrorCode.CONFLICT,
            )

    def older(self, path: str, version: str) -> str | None:
        """The version that the model was shown; None if it is `version`, or is not known."""
        base = self.ledger.base(self.session, self._key(path))
        return None if base is None or self._is_current(path, version) else base

    def _is_current(self, path: str, version: str) -> bool:
        return self.ledger.refusal(self.session, self._key(path), version, name=path) is None

    def _key(self, path: str) -> str:
        return f"document {self.project}:{path}"  # Unlike any absolute path of a file.


@dataclass(frozen=True, slots=True)
class Turn:
    chat_id: str | None = None
    turn_id: str | None = None
    seen: Seen = field(default_factory=Seen)


@dataclass(frozen=True, slots=True)
class Command:
    """One command. Its functions refuse by raising DocumentError."""

    name: str
    validate: Callable[[Parameters], None]
    """Checks the parameters, without reading any document."""
    execute: Callable[[Documents, Turn, Parameters], dict[str, Any]]
    """Runs the command and returns the result for the model. Raises WorkspaceError if the database fails."""
    apply_to_version: Callable[[str, Suggestion, Cascade], str]
    """The next version of the document. Pure: a session's version is its base with this applied for each edit."""


def record_edit(
    documents: Documents,
    turn: Turn,
    suggestion: Suggestion,
    apply_to_version: Callable[[str, Suggestion, Cascade], str],
) -> dict[str, Any]:
    """Record an edit in the document's session, and return the result for the model."""

    def apply(version: str) -> str:
        after = apply_to_version(version, suggestion, documents.cascade)
        turn.seen.edit(suggestion.path, version, after)
        return after

    edit = documents.record(suggestion, apply, chat_id=turn.chat_id, turn_id=turn.turn_id)
    return _answer(edit, f"{_SUGGESTED}; view shows the document with it.")


def _answer(edit: RecordedEdit, message: str) -> dict[str, Any]:
    return {"session_id": edit.session_id, "edit_id": edit.id, "path": edit.suggestion.path, "message": message}


def _required(name: str, value: _T | None, command: str) -> _T:
    if value is None:
        raise invalid(f"{name}: it is required for {command}: send the call again with it.")
    return value


# view


def _check_view(params: Parameters) -> None:
    (folder_path if is_folder(params.path) else document_path)(params.path)
    if params.view_range is not None and len(params.view_range) != 2:
        raise invalid("view_range: give two numbers, the first and the last line; -1 as the last means the end.")


def _view(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    """The numbered lines of a document, in its session's version; or the names in a folder."""
    rest = {}
    if is_folder(params.path):
        path, lines = folder_path(params.path), list(documents.names(params.path))
        first, last = _window(params.view_range, len(lines))
        chosen = lines[first - 1 : last]
    else:
        path, version = document_path(params.path), documents.version(params.path)
        # As `insert` counts lines: a line feed at the end does not begin another one.
        lines = version.removesuffix("\n").split("\n") if version else []
        first, wanted = _window(params.view_range, len(lines))
        chosen = _fitting(f"{n}: {line}" for n, line in enumerate(lines[first - 1 : wanted], first))
        last = first + len(chosen) - 1
        turn.seen.show(path, version)
        if last < wanted:
            to_continue = f"view with view_range [{last + 1}, {wanted}] to continue."
            rest = {"message": f"Lines {first} to {last} are shown: {to_continue}"}
    content = "\n".join(chosen)
    return {"path": path, "content": content, "line_count": len(lines), "view_range": [first, last], **rest}


def _fitting(lines: Iterable[str]) -> list[str]:
    """As many of the first lines as a model gets in one piece; at least one, cut if needed."""
    room, chosen = _MOST_BYTES, list[str]()
    for line in lines:
        room -= len(json.dumps(line, ensure_ascii=False).encode())
        if room < 0:
            cut = f"{line[:_LONGEST_LINE]}... (cut: the line has {len(line):,} characters)"
            return chosen or [cut]
        chosen.append(line)
    return chosen


def _window(view_range: Sequence[int] | None, n_lines: int) -> tuple[int, int]:
    """The first and the last line to show; (1, 0) for an empty text."""
    first, last = view_range or (1, -1)
    wanted_last = n_lines if last == -1 else last
    is_all = (first, wanted_last) == (1, n_lines)
    if is_all or 1 <= first <= wanted_last <= n_lines:
        return first, wanted_last
    there = "there is 1 line" if n_lines == 1 else f"there are {n_lines} lines"
    raise invalid(
        f"view_range: [{first}, {last}] is not a range of its lines, {there}: give the first and the last line, "
        "counted from 1; -1 as the last means the end."
    )


# str_replace


def _check_str_replace(params: Parameters) -> None:
    document_path(params.path)
    old_str = _required("old_str", params.old_str, params.command)
    new_str = _required("new_str", params.new_str, params.command)
    if old_str == new_str:
        raise invalid(in_words_of(identical(), _NAMES).message, reason=Reason.IDENTICAL)
    check_text("old_str", old_str)
    check_text("new_str", new_str)


def _str_replace(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    """Replace a text that occurs once in the session's version of the document."""
    suggestion = Suggestion(params.command, document_path(params.path), params.old_str, params.new_str)
    told = list[str]()

    def apply(version: str, suggestion: Suggestion, cascade: Cascade) -> str:
        replaced = _replacement(version, suggestion, cascade)
        after = replaced.content or ""
        told[:] = where_applied(version, after, replaced, what=_SUGGESTED).answer
        seen = turn.seen.older(suggestion.path, version)
        if seen is None:
            return after
        # An edit is kept as it was sent and applied again to later versions, so it cannot be moved for one of them.
        result = _applied(version, suggestion, cascade, seen=seen)
        if isinstance(result, Rejected) or result.content != after:
            raise DocumentError(
                "the document has changed since you viewed it, and old_str may now be at a place that was not meant: "
                "view it again, and send old_str with lines around it.",
                code=ErrorCode.CONFLICT,
                reason=Reason.STALE_READ,
            )
        return after

    answer = record_edit(documents, turn, suggestion, apply)
    return {**answer, "message": "\n".join(told)}


def _replaced(version: str, suggestion: Suggestion, cascade: Cascade) -> str:
    return _replacement(version, suggestion, cascade).content or ""


def _applied(version: str, suggestion: Suggestion, cascade: Cascade, *, seen: str | None = None) -> EditResult:
    edit = Edit(suggestion.old_str or "", suggestion.new_str or "")
    return apply_edit(version, edit, cascade, path=suggestion.path, seen=seen)


def _replacement(version: str, suggestion: Suggestion, cascade: Cascade) -> Applied:
    result = _applied(version, suggestion, cascade)
    if isinstance(result, Rejected):
        if not suggestion.old_str:
            nothing = "old_str: it is empty: give the text to replace, or add text with insert or append."
            raise invalid(nothing, reason=Reason.EMPTY)
        raise _refusal(Document(version), result)
    return result


def _refusal(document: Document, rejected: Rejected) -> DocumentError:
    """The cascade's refusal in the terms of this tool, which has documents and no `replace_all`."""
    places, reason = rejected.candidates, rejected.reason
    message, code = in_words_of(rejected, _NAMES).message, ErrorCode.NO_MATCH
    if reason is Reason.AMBIGUOUS:
        code = ErrorCode.AMBIGUOUS_MATCH
        if places:
            listed = ", ".join(str(document.line_of(place.start)) for place in places)
            message = f"old_str has multiple matches (lines {listed}): add surrounding lines until it occurs once."
    elif reason is Reason.NO_MATCH and not places:
        message = "old_str is not in the document as it is now: view it and copy the text exactly."
    return DocumentError(message, code=code, reason=reason)


# insert and append


def _check_append(params: Parameters) -> None:
    document_path(params.path)
    text = _required("new_str", params.new_str, params.command)
    if not text:
        raise invalid("new_str: it is empty: give the lines to add; a line feed alone is a blank line.")
    check_text("new_str", text)


def _check_insert(params: Parameters) -> None:
    _check_append(params)
    _required("insert_line", params.insert_line, params.command)


def _insert(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    path = document_path(params.path)
    suggestion = Suggestion(params.command, path, new_str=params.new_str, insert_line=params.insert_line)

    def apply(version: str, suggestion: Suggestion, cascade: Cascade) -> str:
        # The start and the end of a document are the same places in every version.
        if suggestion.insert_line not in (0, -1):
            turn.seen.check(suggestion.path, version)
        return _inserted(version, suggestion, cascade)

    return record_edit(documents, turn, suggestion, apply)


def _inserted(version: str, suggestion: Suggestion, _: Cascade) -> str:
    line = -1 if suggestion.insert_line is None else suggestion.insert_line
    result = insert_lines(version, line, suggestion.new_str or "")
    if isinstance(result, Rejected):
        raise invalid(f"insert_line: {result.message}")
    return result.content or ""


def _append(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    suggestion = Suggestion(params.command, document_path(params.path), new_str=params.new_str)
    return record_edit(documents, turn, suggestion, _appended)


def _appended(version: str, suggestion: Suggestion, _: Cascade) -> str:
    added, view = suggestion.new_str or "", LineFeedView(version)
    if view.text and not view.text.endswith("\n"):
        added = "\n" + added
    end = len(view.text)
    return view.replaced([Match(end, end, "append")], added)


# create


def _check_create(params: Parameters) -> None:
    document_path(params.path)
    check_text("file_text", _required("file_text", params.file_text, params.command))


def _create(documents: Documents, turn: Turn, params: Parameters) -> dict[str, Any]:
    suggestion = Suggestion(params.command, document_path(params.path), new_str=params.file_text)
    edit = documents.create(suggestion, chat_id=turn.chat_id, turn_id=turn.turn_id)
    turn.seen.show(suggestion.path, params.file_text or "")
    return _answer(edit, "The document is suggested to the user; view shows it.")


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        command.name: command
        for command in (
            Command("view", _check_view, _view, lambda version, _, __: version),
            Command("str_replace", _check_str_replace, _str_replace, _replaced),
            Command("insert", _check_insert, _insert, _inserted),
            Command("append", _check_append, _append, _appended),
            Command("create", _check_create, _create, lambda _, suggestion, __: suggestion.new_str or ""),
        )
    }
)
"""Name -> command. Explicit: adding a command is adding a row and its functions."""
