"""Edits of documents, as operations: each is recorded whole or not at all, and its report is true.

SQLite writes without Python's `os` calls, so these operations are for strace.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from editcore.host.documents.commands import COMMANDS
from editcore.host.tools import TOOLS, Agent, Context, Host, Registry
from editcore.host.workspace import Workspace
from harness.fuzz.drills.faults.operation import FaultOutcome, run_forked

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents

_PATH = "/chapters/one.md"
_TEXT = "Ann is tall.\nShe sings.\n"
_REPLACED = {"command": "str_replace", "path": _PATH, "old_str": "tall", "new_str": "small"}
_APPENDED = {"command": "append", "path": _PATH, "new_str": "She laughs.\n"}
_RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """A call of `doc_edit` on a document in an SQLite database."""

    name: str
    call: dict[str, str]
    first: dict[str, str] | None = None
    """An earlier call, made without faults."""
    max_faults: int = 10_000

    def set_up(self, folder: Path) -> None:
        """Save the document in a process of its own: a database connection must not pass through a fork."""
        import_module("editcore.host.documents.store")
        import_module("sqlalchemy.dialects.sqlite")
        run_forked(partial(_save_document, folder, self.first))

    def prepare(self, folder: Path) -> Callable[[], str]:
        return partial(_call, _documents(folder), self.call)

    def state(self, folder: Path) -> object:
        """Texts, versions and edits, as the next process that opens the database reads them."""
        return run_forked(partial(_read_state, folder)).answer

    def violation(self, folder: Path, outcome: FaultOutcome, old: object, new: object) -> str | None:
        found, reported = self.state(folder), outcome.ended.answer
        if not outcome.ended.is_killed and outcome.ended.how != "exit code 0":
            return f"ended with {outcome.ended.how}"
        # If the disk fails at the last moment, the database cannot know which state it is in, and reports an error.
        wanted = [new] if reported == _RECORDED else [old, new]
        if found not in wanted:
            return f"reported {reported!r}, but the state is {found}"
        again = run_forked(partial(_call_again, folder)).answer
        return None if again == _RECORDED else f"the next edit fails: {again}"


def _documents(folder: Path) -> Documents:
    from editcore.host.documents.store import Documents  # Needs the extra `tools`.

    return Documents(url=f"sqlite:///{folder}/documents.db", lock_timeout=5.0)


def _save_document(folder: Path, first: dict[str, str] | None) -> str:
    documents = _documents(folder)
    documents.save(_PATH, _TEXT)
    reported = _call(documents, first) if first else ""
    documents.close()
    return reported


def _call(documents: Documents, call: dict[str, str]) -> str:
    host = Host(Workspace("/"), documents=documents)
    result = Registry(host, {"doc_edit": TOOLS["doc_edit"]}).call(Agent(), "doc_edit", Context(), call)
    return result.output if result.is_error else _RECORDED


def _read_state(folder: Path) -> str:
    documents = _documents(folder)
    session = documents.session(_PATH)
    if session is None:
        return json.dumps([documents.text(_PATH)])
    edits = documents.edits(session.id)
    rebuilt = session.base_snapshot
    for one in edits:
        rebuilt = COMMANDS[one.suggestion.command].apply_to_version(rebuilt, one.suggestion, documents.cascade)
    numbers = [one.edit_order for one in edits]
    return json.dumps([documents.text(_PATH), session.base_snapshot, session.ai_version, numbers, rebuilt])


def _call_again(folder: Path) -> str:
    return _call(_documents(folder), _APPENDED)


DOCUMENT_EDITS = (
    DocumentEdit("doc_edit", _REPLACED),
    DocumentEdit("doc_edit in a session", _APPENDED, first=_REPLACED),
)
