"""What tools work with: a workspace, what was read of it, and whom to ask before something is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from editcore.cascade import REFERENCE, Cascade
from editcore.errors import ToolError
from editcore.quoting import shown
from editcore.tools.host.checkers import CHECKERS, Checker
from editcore.tools.host.tool import EXTERNAL_DIRECTORY, Context, PermissionRequest
from editcore.tools.host.truncation import Outputs
from editcore.types import Applied, Reason, Rejected
from editcore.workspace import Event, Proposal, Workspace
from editcore.workspace.ledger import Ledger

if TYPE_CHECKING:
    from editcore.documents.store import Documents

BYPASS = "bypass_external_directory"
"""In `Context.extra`, true: what lies outside of the project is not asked for."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Whose tools they are."""

    name: str = "agent"
    description: str = ""
    tools: frozenset[str] | None = None
    """The ids of those it has; None for all."""


@dataclass(frozen=True, slots=True)
class Task:
    """Work that one agent hands to another."""

    description: str
    prompt: str
    agent: str


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A file or directory that a call names."""

    workspace: Workspace
    """Bound to the call: it asks before it writes, and what it writes is known to the session."""
    path: str
    """Relative to the workspace's root; the empty text is the root."""
    absolute: str
    name: str
    """For messages: relative inside the project, else absolute."""
    proposals: list[Proposal] = field(default_factory=list)
    """What the call was about to write, as it goes."""


@dataclass(frozen=True, slots=True)
class Host:
    """What all tools share. Safe to use from several threads."""

    workspace: Workspace
    """The project."""
    cascade: Cascade = REFERENCE
    """How `edit` and `multi_edit` find what they are to replace."""
    ledger: Ledger = field(default_factory=Ledger)
    outputs: Outputs = field(default_factory=Outputs)
    checkers: Mapping[str, Checker] = field(default_factory=lambda: CHECKERS)
    task: Callable[[Context, Task], str] | None = None
    """Does the work and says what came of it; without it there is no tool `task`."""
    documents: Documents | None = None
    """What `doc_edit` edits; without it there is none."""
    empty_overwrites: bool = False
    """An edit with an empty `oldString` may replace a file that exists: the older rule."""

    def file(self, context: Context, path: str) -> ResolvedPath:
        """The file of that path, absolute or below the project's root. Raises ToolError where it is not allowed."""
        absolute = self._absolute(path)
        if self._is_inside(absolute):
            return self._resolved(context, self.workspace, os.path.relpath(absolute, self.workspace.root), absolute)
        above, name = os.path.split(absolute)
        self._ask_outside(context, absolute, above)
        return self._resolved(context, self.workspace.with_callbacks(root=above), name, absolute)

    def directory(self, context: Context, path: str) -> ResolvedPath:
        """The directory of that path, likewise; the empty path is the project's root."""
        absolute = self._absolute(path)
        if self._is_inside(absolute):
            relative = os.path.relpath(absolute, self.workspace.root)
            return self._resolved(context, self.workspace, "" if relative == "." else relative, absolute)
        self._ask_outside(context, absolute, absolute)
        return self._resolved(context, self.workspace.with_callbacks(root=absolute), "", absolute)

    def _bound(self, context: Context, workspace: Workspace, proposals: list[Proposal]) -> Workspace:
        """The workspace as a call sees it: it asks before it writes, and the session knows what it wrote."""
        root, session, ledger = workspace.root, context.session_id, self.ledger

        def approve(proposal: Proposal) -> Rejected | None:
            proposals.append(proposal)
            paths = tuple(one.path for one in proposal.changes)
            try:
                context.ask(PermissionRequest("edit", paths, ("*",), {"tool": proposal.tool, "diff": proposal.diff}))
            except ToolError as error:
                return Rejected(error.reason, error.message)
            return None

        def remember(event: Event) -> None:
            files = event.result.files or {} if isinstance(event.result, Applied) else {}
            made = {path for proposal in proposals for path in proposal.after if path not in proposal.before}
            for path in event.changed_paths:
                # The session knows the text of a file that it made, and of one that it knew before.
                if path in files and (path in made or ledger.has_read(session, f"{root}/{path}")):
                    ledger.record_read(session, f"{root}/{path}", files[path])

        return workspace.with_callbacks(approve=approve, on_event=remember)

    def _absolute(self, path: str) -> str:
        if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in path):
            raise ToolError(
                f"{shown(path)} is no path: it has a NUL or half a character in it. Give it in plain text.",
                reason=Reason.MALFORMED,
            )
        plain = os.path.normpath(os.path.join(self.workspace.root, path))
        # A root that is reached through a link has two names.
        above, name = os.path.split(plain)
        return plain if self._is_inside(plain) else os.path.normpath(os.path.join(os.path.realpath(above), name))

    def _is_inside(self, absolute: str) -> bool:
        root = self.workspace.root
        return absolute == root or absolute.startswith(root.rstrip("/") + "/")

    def _resolved(self, context: Context, workspace: Workspace, path: str, absolute: str) -> ResolvedPath:
        name = os.path.relpath(absolute, self.workspace.root) if self._is_inside(absolute) else absolute
        proposals: list[Proposal] = []
        return ResolvedPath(self._bound(context, workspace, proposals), path, absolute, name, proposals)

    def _ask_outside(self, context: Context, absolute: str, directory: str) -> None:
        # What was cut out of an output is there to be looked at.
        if context.extra.get(BYPASS) is True or directory == os.path.realpath(self.outputs.directory):
            return
        pattern = os.path.join(directory, "*")
        context.ask(
            PermissionRequest(EXTERNAL_DIRECTORY, (pattern,), (pattern,), {"path": absolute, "directory": directory})
        )
