"""Documents against a model of them, whatever is done in whatever order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from editcore.errors import BaseMovedError, DocumentError
from editcore.host.documents.commands import COMMANDS
from editcore.host.documents.store import Documents, DocumentSession
from editcore.host.host import Agent, Host
from editcore.host.tool import Context
from editcore.host.tools.doc_edit import DOC_EDIT
from editcore.host.workspace import Workspace

paths = st.sampled_from(["/a.md", "/b/c.md"])
texts = st.text(st.sampled_from("ab\n"), max_size=6)


@dataclass
class Expected:
    """A session as it ought to be."""

    base: str
    version: str
    commands: list[str] = field(default_factory=list)
    status: str = "active"


@dataclass
class Stored:
    """A document as it ought to be."""

    text: str
    active: Expected | None = None


def lines_of(text: str) -> list[str]:
    """The lines with their ends."""
    return text.splitlines(keepends=True)


def inserted(text: str, line: int, new: str) -> str | None:
    """Computed on lists of lines; the product works on positions."""
    lines = lines_of(text)
    at = len(lines) if line == -1 else line
    if not 0 <= at <= len(lines) or not new:
        return None
    if not lines or at < len(lines) or text.endswith("\n"):
        new_lines = [one if one.endswith("\n") else one + "\n" for one in lines_of(new)]
        return "".join([*lines[:at], *new_lines, *lines[at:]])
    return text + "\n" + new.removesuffix("\n")


def replaced(text: str, old: str, new: str) -> str | None:
    """By looking at every position; an empty document takes all of the new text."""
    if not text and not old and new.strip():
        return new
    places = [n for n in range(len(text)) if text.startswith(old, n)] if old and old != new else []
    return text[: places[0]] + new + text[places[0] + len(old) :] if len(places) == 1 else None


def appended(text: str, new: str) -> str | None:
    lines = [*text.split("\n"), *new.split("\n")]
    return None if not new else new if not text else text + new if text.endswith("\n") else "\n".join(lines)


class Machine(RuleBasedStateMachine):
    """Actions of a model and its user, applied to documents and to a plain model of documents."""

    url = ""
    directory = Path()

    def __init__(self) -> None:
        super().__init__()
        self.project = uuid4().hex
        self.stored: dict[str, Stored] = {}
        self.sessions: dict[str, list[Expected]] = {}
        self.versions: dict[str, list[str]] = {}
        self._open()

    def _open(self) -> None:
        self.documents = Documents(url=self.url, project=self.project, durable=False)
        tool = DOC_EDIT(Host(Workspace(self.directory), documents=self.documents), Agent())
        assert tool is not None
        self.tool = tool

    def teardown(self) -> None:
        self.documents.close()

    def call(self, **params: Any) -> dict[str, Any]:
        return dict(self.tool.execute(Context(), params).metadata)

    def edit(self, path: str, expected: Callable[[str], str | None], **params: Any) -> None:
        """An edit goes well just if there is a document and something is expected of it."""
        document = self.stored.get(path)
        before = "" if document is None else document.active.version if document.active else document.text
        after = None if document is None else expected(before)
        answer = self.call(path=path, **params)
        assert answer["success"] is (after is not None), (answer, before)
        if document is not None and after is not None:
            if document.active is None:
                document.active = Expected(before, after)
                self.sessions.setdefault(path, []).append(document.active)
            document.active.version = after
            document.active.commands.append(params["command"])

    @rule(path=paths, text=texts)
    def create(self, path: str, text: str) -> None:
        answer = self.call(command="create", path=path, file_text=text)
        assert answer["success"] is (path not in self.stored)
        if answer["success"]:
            first = Expected("", text, ["create"])
            self.stored[path] = Stored("", first)
            self.sessions.setdefault(path, []).append(first)

    @rule(path=paths, old=texts, new=texts)
    def str_replace(self, path: str, old: str, new: str) -> None:
        self.edit(path, lambda text: replaced(text, old, new), command="str_replace", old_str=old, new_str=new)

    @rule(path=paths, data=st.data(), new=texts)
    def str_replace_of_what_is_there(self, path: str, data: st.DataObject, new: str) -> None:
        if path in self.stored:
            document = self.stored[path]
            text = document.active.version if document.active else document.text
            start = data.draw(st.integers(0, len(text)))
            self.str_replace(path, text[start : data.draw(st.integers(start, len(text)))], new)

    @rule(path=paths, line=st.integers(-2, 6), new=texts)
    def insert(self, path: str, line: int, new: str) -> None:
        self.edit(path, lambda text: inserted(text, line, new), command="insert", insert_line=line, new_str=new)

    @rule(path=paths, new=texts)
    def append(self, path: str, new: str) -> None:
        self.edit(path, lambda text: appended(text, new), command="append", new_str=new)

    @rule(path=paths, text=texts)
    def save(self, path: str, text: str) -> None:
        self.documents.save(path, text)
        self.stored.setdefault(path, Stored("")).text = text

    @rule(path=paths)
    def accept(self, path: str) -> None:
        document = self.stored.get(path)
        if document and document.active and document.text not in (document.active.base, document.active.version):
            with pytest.raises(BaseMovedError) as caught:
                self.documents.accept(path)
            error, active = caught.value, document.active
            assert (error.base, error.user, error.suggested) == (active.base, document.text, active.version)
        else:
            self.answer("accepted", path, lambda active: active.version)

    @rule(path=paths)
    def force(self, path: str) -> None:
        self.answer("accepted", path, lambda active: active.version, force=True)

    @rule(path=paths)
    def reject(self, path: str) -> None:
        self.answer("rejected", path, lambda _: None)

    @rule(path=paths, text=texts)
    def resolve(self, path: str, text: str) -> None:
        self.answer("resolved", path, lambda _: text, text)

    def answer(
        self, status: str, path: str, ended_with: Callable[[Expected], str | None], *texts: str, **how: bool
    ) -> None:
        document = self.stored.get(path)
        close = {"accepted": "accept", "rejected": "reject", "resolved": "resolve"}[status]
        if document is None or document.active is None:
            with pytest.raises(DocumentError):
                getattr(self.documents, close)(path, *texts)
            return
        getattr(self.documents, close)(path, *texts, **how)
        active, document.active = document.active, None
        active.status = status
        text = ended_with(active)
        kept = self.versions.setdefault(path, [])
        if text is not None:
            kept.append(document.text)
            document.text = text
        elif active.commands[0] == "create" and not document.text:
            del self.stored[path]
        kept.append(active.version)

    @rule(path=paths, data=st.data())
    def restore(self, path: str, data: st.DataObject) -> None:
        if versions := self.documents.versions(path):
            one = data.draw(st.sampled_from(versions))
            self.documents.restore(path, one.id)
            if path in self.stored:
                self.versions[path].append(self.stored[path].text)
            self.stored.setdefault(path, Stored("")).text = one.text

    @rule()
    def reopen(self) -> None:
        self.documents.close()
        self._open()

    @invariant()
    def all_is_as_it_ought_to_be(self) -> None:
        """S1 to S6: versions are folds, orders have no gaps, refused edits leave no row, bases stay, view shows it."""
        for path in ("/a.md", "/b/c.md"):
            found = [
                Expected(one.base_snapshot, one.ai_version, self._commands(one), one.status)
                for one in self.documents.sessions(path)
            ]
            assert found == self.sessions.get(path, [])
            if path in self.versions:
                assert sorted(one.text for one in self.documents.versions(path)) == sorted(self.versions[path])
            answer = self.call(command="view", path=path)
            assert answer["success"] is (path in self.stored)
            if path in self.stored:
                document = self.stored[path]
                shown = document.active.version if document.active else document.text
                assert answer["content"] == "\n".join(f"{n}: {line}" for n, line in enumerate(shown.splitlines(), 1))
                assert self.documents.version(path) == shown
                assert self.documents.text(path) == document.text

    def _commands(self, session: DocumentSession) -> list[str]:
        """The session's commands, which make its version of its base."""
        edits = self.documents.edits(session.id)
        assert [one.edit_order for one in edits] == list(range(1, len(edits) + 1))
        suggestions = [one.suggestion for one in edits]
        assert session.ai_version == reduce(
            lambda text, one: COMMANDS[one.command].apply_to_version(text, one, self.documents.cascade),
            suggestions,
            session.base_snapshot,
        )
        return [one.command for one in suggestions]


def run(url: str, directory: Path, *, n_examples: int, n_steps: int) -> None:
    class Bound(Machine):
        pass

    Bound.url, Bound.directory = url, directory
    run_state_machine_as_test(Bound, settings=settings(max_examples=n_examples, stateful_step_count=n_steps))


def test_documents_are_what_a_model_of_them_says(tmp_path: Path) -> None:
    run(f"sqlite:///{tmp_path}/documents.db", tmp_path, n_examples=5, n_steps=20)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_documents_are_what_a_model_of_them_says_for_long(url: str, tmp_path: Path) -> None:
    run(url, tmp_path, n_examples=60, n_steps=50)
