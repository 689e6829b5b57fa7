"""Fuzz target: calls on a document in a real database, compared with the same calls on texts in memory."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from editcore.apply import apply_edit
from editcore.cascade import EXACT
from editcore.errors import DocumentError
from editcore.host.documents.commands import COMMANDS
from editcore.host.tools import Agent, Context, Host, Registry
from editcore.host.tools.doc_edit import DOC_EDIT
from editcore.host.workspace import Workspace
from editcore.text.lines import BOM
from editcore.types import Applied, Edit
from harness.fuzz.finding import Violation
from harness.fuzz.generators.documents import document, line
from harness.fuzz.generators.edits import cut, replacement
from harness.fuzz.generators.mutate import drifted
from harness.fuzz.inputs import Fields

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents

_UNIT = "\x1f"
"""Separates the parts of a call."""
_KINDS = (
    "str_replace", "str_replace", "insert", "append", "create", "view", "save", "accept", "merge", "force", "reject",
    "resolve", "reopen",
)  # fmt: skip
_number = count()


@dataclass
class _Model:
    text: str | None = None
    """The stored text; None if the document does not exist."""
    base: str = ""
    version: str | None = None
    """The running version of the active session; None without one."""
    n_edits: int = 0
    seen: str | None = None
    """The version that the caller was shown; None if none was."""
    created: bool = False
    """True if the document was created in the active session and its user has not saved it since."""

    @property
    def shown(self) -> str:
        return (self.text or "") if self.version is None else self.version

    def edited(self, version: str) -> None:
        """Record one more edit, whose result is `version`."""
        if self.seen == self.shown:
            self.seen = version
        if self.version is None:
            self.base, self.n_edits = self.text or "", 0
        self.version, self.n_edits = version, self.n_edits + 1


@dataclass
class _Place:
    documents: Documents
    registry: Registry
    agent: Agent = field(default_factory=Agent)
    context: Context = field(default_factory=Context)


def history(rng: Random) -> Fields:
    """A saved text, and the calls that follow."""
    content = document(rng)[:400]
    calls = []
    for _ in range(rng.randint(1, 8)):
        kind = rng.choice(_KINDS)
        parts: list[str] = []
        if kind == "str_replace":
            search = cut(content, rng)
            parts = [search if rng.random() < 0.7 else drifted(search, rng), replacement(search, rng)]
        elif kind == "insert":
            parts = [str(rng.randint(-2, content.count("\n") + 2)), line(rng)]
        elif kind == "view":
            parts = [str(rng.randint(-1, 4)), str(rng.choice((-1, 1, 3, content.count("\n"))))]
        elif kind in ("append", "create", "save", "resolve"):
            parts = [line(rng) if rng.random() < 0.8 else rng.choice(("", "\0", "\ud800"))]
        calls.append(_UNIT.join([kind, *[part.replace(_UNIT, "") for part in parts]]))
    return (content, *calls)


def sessions_agree(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """After each call the database equals the model in memory, and its edits applied in order make its version."""
    if any("\r" in field or BOM in field for field in fields):
        return ()  # The endings of inserted lines are for another target, and so is what a byte order mark is.
    place, path, model = _place(), f"/d{next(_number)}.md", _Model()
    found: list[Violation] = []
    for call in (f"save{_UNIT}{fields[0]}", *fields[1:]):
        kind, *parts = call.split(_UNIT)
        wanted = _in_memory(kind, parts, model)
        if wanted is None:
            continue
        reported = _on_database(kind, parts, path, place)
        if reported != wanted:
            found.append(
                Violation("database_equals_memory", f"{kind}: told", f"{kind} reports {reported}, the model {wanted}")
            )
        if wrong := _differs(model, path, place.documents):
            found.append(Violation("database_equals_memory", f"{kind}: {wrong}", f"after {kind} its {wrong} differs"))
            break
    return tuple(found)


@cache
def _place() -> _Place:
    from editcore.host.documents.store import Documents  # Needs the extra `tools`, which other targets do not.

    folder = Path(tempfile.mkdtemp(prefix="editgauge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    documents = Documents(url=f"sqlite:///{folder}/documents.db", cascade=EXACT, durable=False)
    host = Host(Workspace(folder, lock_directory=folder / "locks"), documents=documents)
    return _Place(documents, Registry(host, {"doc_edit": DOC_EDIT}))


def _is_stored(*texts: str) -> bool:
    return not any(letter == "\0" or "\ud800" <= letter <= "\udfff" for text in texts for letter in text)


def _in_memory(kind: str, parts: list[str], model: _Model) -> str | None:
    """The expected result of a call, which changes the model; None if it is not a call."""
    if kind == "str_replace" and len(parts) == 2:
        return _replaced(parts[0], parts[1], model)
    if kind == "insert" and len(parts) == 2 and _is_number(parts[0]):
        return _inserted(int(parts[0]), parts[1], model)
    if kind == "view" and len(parts) == 2 and all(map(_is_number, parts)):
        n = model.shown.count("\n") + (model.shown[-1:] not in ("", "\n"))
        first, last = int(parts[0]), n if parts[1] == "-1" else int(parts[1])
        is_range = (first, last) == (1, n) or 1 <= first <= last <= n
        if model.text is not None and is_range:
            model.seen = model.shown
        return "DOC_NOT_FOUND" if model.text is None else "success" if is_range else "INVALID_INPUT"
    if kind in ("append", "create", "save", "resolve") and len(parts) == 1:
        return _written(kind, parts[0], model)
    if kind in ("accept", "merge", "force", "reject") and not parts:
        return _closed(kind, model)
    return "success" if kind == "reopen" and not parts else None


def _is_number(text: str) -> bool:
    return len(text) < 6 and text.removeprefix("-").isdecimal()


def _replaced(old: str, new: str, model: _Model) -> str:
    if old == new or not _is_stored(old, new):
        return "INVALID_INPUT"
    if model.text is None:
        return "DOC_NOT_FOUND"
    if not old:
        return "INVALID_INPUT"
    at = model.shown.find(old)
    if at < 0:
        return "NO_MATCH"
    if model.shown.find(old, at + 1) >= 0:
        return "AMBIGUOUS_MATCH"
    after = model.shown[:at] + new + model.shown[at + len(old) :]
    if model.seen not in (None, model.shown):
        placed = apply_edit(model.shown, Edit(old, new), EXACT, seen=model.seen)
        if not isinstance(placed, Applied) or placed.content != after:
            return "CONFLICT"
    model.edited(after)
    return "success"


def _inserted(after: int, new: str, model: _Model) -> str:
    if not new or not _is_stored(new):
        return "INVALID_INPUT"
    if model.text is None:
        return "DOC_NOT_FOUND"
    if after not in (0, -1) and model.seen not in (None, model.shown):
        return "CONFLICT"
    lines = model.shown.split("\n")
    is_ended = not lines[-1]
    n_lines = len(lines) - is_ended
    if not -1 <= after <= n_lines:
        return "INVALID_INPUT"
    at = n_lines if after == -1 else after
    inserted = new.removesuffix("\n").split("\n")
    if at == n_lines and not is_ended:
        model.edited("\n".join([*lines, *inserted]))
    else:
        model.edited("\n".join([*lines[:at], *inserted, *lines[at:]]))
    return "success"


def _written(kind: str, text: str, model: _Model) -> str:
    if not _is_stored(text) or (kind == "append" and not text):
        return "INVALID_INPUT"
    if kind == "save":
        model.text, model.created = text, False
    elif kind == "create":
        if model.text is not None:
            return "INVALID_INPUT"
        model.text, model.version = "", None
        model.edited(text)
        model.created, model.seen = True, text
    elif model.text is None:
        return "DOC_NOT_FOUND"
    elif kind == "append":
        between = "\n" if model.shown and not model.shown.endswith("\n") else ""
        model.edited(model.shown + between + text)
    elif model.version is None:
        return "SESSION_NOT_FOUND"
    else:
        model.text, model.version, model.created = text, None, False
    return "success"


def _closed(kind: str, model: _Model) -> str:
    if model.text is None:
        return "DOC_NOT_FOUND"
    if model.version is None:
        return "SESSION_NOT_FOUND"
    if kind in ("accept", "merge", "force"):
        from editcore.host.documents.store import merge_texts  # Needs the extra `tools`, which other targets do not.

        has_moved = model.text not in (model.base, model.version)
        merged = merge_texts(model.base, model.text, model.version) if kind == "merge" and has_moved else None
        if has_moved and kind != "force" and not (merged and merged.is_clean):
            return "CONFLICT"
        model.text = merged.text if merged else model.version
    elif model.created:
        model.text = None
    model.version, model.created = None, False
    return "success"


def _on_database(kind: str, parts: list[str], path: str, place: _Place) -> str:
    documents = place.documents
    try:
        if kind == "reopen":
            documents.close()
        elif kind == "save":
            documents.save(path, parts[0])
        elif kind == "resolve":
            documents.resolve(path, parts[0])
        elif kind == "reject":
            documents.reject(path)
        elif kind in ("accept", "merge", "force"):
            documents.accept(path, merge=kind == "merge", force=kind == "force")
        else:
            params = {"command": kind, "path": path, **_params(kind, parts)}
            answer = json.loads(place.registry.call(place.agent, "doc_edit", place.context, params).output)
            return "success" if answer["success"] else str(answer["error_code"])
    except DocumentError as error:
        return str(error.code)
    return "success"


def _params(kind: str, parts: list[str]) -> dict[str, object]:
    if kind == "str_replace":
        return {"old_str": parts[0], "new_str": parts[1]}
    if kind == "insert":
        return {"insert_line": int(parts[0]), "new_str": parts[1]}
    if kind == "view":
        return {"view_range": [int(parts[0]), int(parts[1])]}
    return {"file_text" if kind == "create" else "new_str": parts[0]}


def _differs(model: _Model, path: str, documents: Documents) -> str | None:
    """The first part in which the database and the model differ; None if they agree."""
    try:
        text = documents.text(path)
    except DocumentError:
        return None if model.text is None else "text"
    if text != model.text:
        return "text"
    if documents.version(path) != model.shown:
        return "version"
    session = documents.session(path)
    if session is None or model.version is None:
        return None if (session is None) == (model.version is None) else "session"
    if session.base_snapshot != model.base:
        return "base"
    edits = documents.edits(session.id)
    if [one.edit_order for one in edits] != list(range(1, model.n_edits + 1)):
        return "order"
    rebuilt = session.base_snapshot
    for one in edits:
        rebuilt = COMMANDS[one.suggestion.command].apply_to_version(rebuilt, one.suggestion, documents.cascade)
    return None if rebuilt == session.ai_version else "fold"
