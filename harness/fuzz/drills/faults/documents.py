"""The document editor under faults: each edit is recorded in whole or not at all, and what was said is true.

What SQLite writes goes past Python, so this is for strace.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from editcore.documents.commands import COMMANDS
from editcore.documents.store import Documents
from editcore.tools import TOOLS, Agent, Context, Host, Registry
from editcore.workspace import Workspace
from harness.fuzz.drills.faults.child import forked
from harness.fuzz.drills.faults.operation import Struck

_PATH = "/chapters/one.md"
_TEXT = "Ann is tall.\nShe sings.\n"
_REPLACED = {"command": "str_replace", "path": _PATH, "old_str": "tall", "new_str": "small"}
_APPENDED = {"command": "append", "path": _PATH, "new_str": "She laughs.\n"}
_RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """A call of `doc_edit` on a document in a file of SQLite's."""

    name: str
    call: dict[str, str]
    first: dict[str, str] | None = None
    """The call that comes before it, without faults."""
    most: int = 10_000

    def lay(self, folder: Path) -> None:
        """The document; in a process of its own, since no connection may go through a fork."""
        import_module("sqlalchemy.dialects.sqlite")
        forked(partial(_laid, folder, self.first))

    def ready(self, folder: Path) -> Callable[[], str]:
        return partial(_called, _documents(folder), self.call)

    def state(self, folder: Path) -> object:
        """Texts, versions and edits, as whoever opens the database next finds them."""
        return forked(partial(_found, folder)).answer

    def flaw(self, folder: Path, struck: Struck, old: object, new: object) -> str | None:
        found, said = self.state(folder), struck.ended.answer
        if not struck.ended.is_killed and struck.ended.how != "exit code 0":
            return f"ended with {struck.ended.how}"
        # Where the disk fails at the last moment, the database can't say which of both it is, and says so.
        wanted = [new] if said == _RECORDED else [old, new]
        if found not in wanted:
            return f"said {said!r}, but there is {found}"
        again = forked(partial(_repeated, folder)).answer
        return None if again == _RECORDED else f"the next edit fails: {again}"


def _documents(folder: Path) -> Documents:
    return Documents(url=f"sqlite:///{folder}/documents.db", lock_timeout=5.0)


def _laid(folder: Path, first: dict[str, str] | None) -> str:
    documents = _documents(folder)
    documents.save(_PATH, _TEXT)
    said = _called(documents, first) if first else ""
    documents.close()
    return said


def _called(documents: Documents, call: dict[str, str]) -> str:
    host = Host(Workspace("/"), documents=documents)
    result = Registry(host, {"doc_edit": TOOLS["doc_edit"]}).call(Agent(), "doc_edit", Context(), call)
    return result.output if result.is_error else _RECORDED


def _found(folder: Path) -> str:
    documents = _documents(folder)
    session = documents.session(_PATH)
    if session is None:
        return json.dumps([documents.text(_PATH)])
    edits = documents.edits(session.id)
    again = session.base_snapshot
    for one in edits:
        again = COMMANDS[one.suggestion.command].apply_to_version(again, one.suggestion, documents.cascade)
    orders = [one.edit_order for one in edits]
    return json.dumps([documents.text(_PATH), session.base_snapshot, session.ai_version, orders, again])


def _repeated(folder: Path) -> str:
    return _called(_documents(folder), _APPENDED)


DOCUMENT_EDITS = (
    DocumentEdit("doc_edit", _REPLACED),
    DocumentEdit("doc_edit in a session", _APPENDED, first=_REPLACED),
)
