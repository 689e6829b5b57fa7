"""A project whose tools are called as a host calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from editcore.host.documents.store import Documents
from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context, PermissionRequest, Result
from editcore.host.tools import TOOLS
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from tests.editcore.host.doc_edit_calls import PATH, Call, called, tool_of


@dataclass
class Project:
    """A directory, a host on it, and what was asked and answered."""

    root: Path
    host: Host
    asked: list[PermissionRequest] = field(default_factory=list)
    answer: Callable[[PermissionRequest], bool] = lambda _: True
    session: str = "s"
    extra: dict[str, Any] = field(default_factory=dict)
    entries: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    """Titles and metadata that the user interface was given."""

    def __post_init__(self) -> None:
        self.registry = Registry(self.host, TOOLS)
        self.agent = Agent("builder")

    @property
    def context(self) -> Context:
        """Of a call."""
        return Context(self.session, "m", self.agent.name, self.extra, self._show, self._ask)

    def _show(self, title: str, metadata: Mapping[str, Any]) -> None:
        self.entries.append((title, metadata))

    def _ask(self, request: PermissionRequest) -> bool:
        self.asked.append(request)
        return self.answer(request)

    def call(self, tool: str, /, **params: Any) -> Result:
        """The result of a call of the tool."""
        return self.registry.call(self.agent, tool, self.context, params)

    def done(self, tool: str, /, **params: Any) -> Result:
        """The result of a call that must succeed."""
        result = self.call(tool, **params)
        assert not result.is_error, result.output
        return result

    def refused(self, tool: str, reason: str | None, /, **params: Any) -> str:
        """The one line of a call that must be refused for that reason."""
        result = self.call(tool, **params)
        assert result.is_error, result
        assert result.metadata.get("reason") == reason, result
        assert "\n" not in result.output
        return result.output

    def with_host(self, **changes: Any) -> Project:
        """The same with other settings of the host."""
        return Project(self.root, replace(self.host, **changes))

    def lay(self, path: str, text: str | bytes, *, known: bool = True) -> Path:
        """A file of the project, read by the session unless it is not to be known."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        if known:
            name = self.host.file(self.context, path)
            self.host.ledger.record_read(self.session, name.absolute, name.workspace.read(name.path))
        return file


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (root := tmp_path / "project").mkdir()
    workspace = Workspace(root, lock_directory=tmp_path / "locks", durable=False)
    return Project(root.resolve(), Host(workspace, outputs=Outputs(tmp_path / "outputs")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Workspace:
    return Workspace(root, lock_directory=tmp_path / "locks", durable=False)


def envelope(*lines: str) -> str:
    """A patch with these lines."""
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def replacing(path: str, old: str, new: str, *, line: int = 1) -> dict[str, dict[str, Any]]:
    """Tool -> the parameters with which it replaces a whole line of a file."""
    pair = {"oldString": old, "newString": new}
    return {
        "edit": {"filePath": path, **pair},
        "multi_edit": {"filePath": path, "edits": [pair]},
        "edit_file": {"path": path, "old_content": old, "new_content": new},
        "patch_file": {"path": path, "patch": f"@@ -{line} +{line} @@\n-{old}\n+{new}\n"},
        "edit_patch": {"patch": envelope(f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")},
    }


@pytest.fixture
def call(documents: Documents, tmp_path: Path) -> Call:
    """Calls the tool with these parameters."""
    tool = tool_of(documents, tmp_path)
    return lambda command, path=PATH, **others: called(tool, Context(), {"command": command, "path": path, **others})
