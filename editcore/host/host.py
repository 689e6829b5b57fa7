"""Settings and services that the tools of one host share: workspace, ledger, resolved paths, checkers of files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from editcore.cascade import RECOMMENDED, Cascade
from editcore.errors import ToolError, UsageError, WorkspaceError, did_you_mean
from editcore.host.overlaps import Overlaps
from editcore.host.tool import BYPASS, Context, PermissionRequest, outside_request, unknown_request
from editcore.host.truncation import Outputs
from editcore.host.workspace import Proposal, Workspace
from editcore.host.workspace.ledger import Ledger
from editcore.quoting import shown
from editcore.stale import DEFAULT, stale_rule
from editcore.stale.trail import spans_of
from editcore.types import Applied, Reason, Rejected

if TYPE_CHECKING:
    from editcore.host.documents.commands import Command
    from editcore.host.documents.store import Documents


_MAX_CHARACTERS = 1_000_000
"""Longer files are not checked, because the caller waits."""


def undressed(root: str, path: str) -> str:
    """The path without quotation marks around it and without `@` before it, if a file has its name only then.

    Raises ToolError for quotation marks around a path that no file has.
    """
    bare = path.strip("`'\"").removeprefix("@")
    if bare in ("", path) or os.path.lexists(os.path.join(root, path)):
        return path
    if os.path.lexists(os.path.join(root, bare)):
        return bare
    if path[0] == path[-1] != "@":
        message = f"{shown(path)} has quotation marks around it: did you mean {shown(bare)}?"
        raise ToolError(message, reason=Reason.MALFORMED)
    return path


@dataclass(frozen=True, slots=True)
class DiagnosticError:
    line: int
    """1-based."""
    column: int
    """1-based, in code points."""
    message: str


Checker = Callable[[str, str], Sequence[DiagnosticError]]
"""Path and text of a file -> its errors."""


def python(path: str, text: str) -> Sequence[DiagnosticError]:
    """The syntax errors that Python's compiler reports. Nothing is executed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The compiler does not take lone surrogates, which stand for bytes that are no text.
            compile(text.encode("utf-8", "replace").decode(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [DiagnosticError(error.lineno or 1, max(error.offset or 1, 1), error.msg)]
    except (ValueError, RecursionError, MemoryError) as error:
        return [DiagnosticError(1, 1, str(error) or type(error).__name__)]
    return []


CHECKERS: Mapping[str, Checker] = MappingProxyType({".py": python, ".pyi": python})
"""Suffix -> checker."""


def diagnose(path: str, text: str, checkers: Mapping[str, Checker]) -> Sequence[DiagnosticError]:
    """The errors that the checker for the file's suffix finds; none if there is no such checker."""
    checker = checkers.get(PurePosixPath(path).suffix.lower())
    return checker(path, text) if checker and len(text) <= _MAX_CHARACTERS else []


ANCHORED = ("hashline_h2", "hashline_h4")
"""Formats with anchors in which the tools can show and edit lines."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, and the tools selected for it."""

    name: str = "agent"
    description: str = ""
    tools: frozenset[str] | None = None
    """The ids of its tools; None for all."""
    model: str = ""
    """As `provider/model`; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class Task:
    description: Annotated[str, Meta(description="The task, in three to five words.", min_length=1)]
    prompt: Annotated[str, Meta(description="Everything that the other agent needs to know.", min_length=1)]
    agent: Annotated[str, Meta(description="The name of the agent that does the task.", min_length=1)]


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A file or directory named in a call."""

    workspace: Workspace
    """A view for this call. It asks for permission before it writes; the session has then read what it wrote."""
    path: str
    """Relative to the workspace's root; empty for the root. Links that stay inside are resolved."""
    given: str
    """The same path before its links were resolved."""
    absolute: str
    name: str
    """For messages: relative to the project's root inside the project, else absolute."""
    overlaps: list[Mapping[str, Any]] = field(default_factory=list)
    """Overlaps of the call's refused changes with others' changes, in both versions."""
    seen: dict[str, str] = field(default_factory=dict)
    """Path -> the text that was shown whose lines or occurrences the call counts."""
    shifts: dict[tuple[str, int], tuple[int, bool]] = field(default_factory=dict)
    """Path and number of a line that the call names -> its number now, where that is another one, and True if nothing
    but the session's own edits moved it.
    """


@dataclass(frozen=True, slots=True)
class Host:
    """Settings and services that all tools of a registry share. Safe to use from several threads."""

    workspace: Workspace
    cascade: Cascade = RECOMMENDED
    """Finds the text that `edit` and `multi_edit` replace."""
    stale: str = DEFAULT
    """The name of the rule of `editcore.stale` for a file that was changed since the session read it: `recommended`,
    `gate`, `match_live`, ...
    """
    anchors: str | None = None
    """The format with anchors in which `read` shows lines and `edit_lines` names them, `hashline_h2` or `hashline_h4`.
    None: `read` numbers lines, and `edit_lines` is not offered."""
    ledger: Ledger = field(default_factory=Ledger)
    outputs: Outputs = field(default_factory=Outputs)
    checkers: Mapping[str, Checker] = field(default_factory=lambda: CHECKERS)
    """File suffix -> checker, run on each edited file."""
    task: Callable[[Context, Task], str] | None = None
    """Runs a task and returns its result, in a thread of its own. Without it the tool `task` is not offered.

    After `context.cancellation` nobody waits for the result.
    """
    documents: Documents | None = None
    """The documents that `doc_edit` edits. Without them the tool is not offered."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """Further commands of `doc_edit`, by name."""
    shell_edits: Literal["check", "refuse", "allow"] = "check"
    """What becomes of files that a command of `bash` edits (see `editcore.host.shell.guard`)."""
    empty_overwrites: bool = False
    """True if an edit with an empty `oldString` may overwrite an existing file."""
    backups: bool = False
    """True if each file is kept as it was before its first edit. The tools `rollback` and `cleanup` are offered then.

    True also if the workspace keeps backups by itself.
    """

    def __post_init__(self) -> None:
        """Make `backups` agree with the workspace's. Raises UsageError for an unknown rule or format."""
        stale_rule(self.stale)
        if self.anchors is not None and self.anchors not in ANCHORED:
            meant = did_you_mean(self.anchors, ANCHORED)
            raise UsageError(
                f"The tools have no anchors {self.anchors!r}", f"{meant}Choose from: {', '.join(ANCHORED)}."
            )
        backups = self.backups or self.workspace.backups
        object.__setattr__(self, "backups", backups)
        if not self.workspace.backups and backups:
            object.__setattr__(self, "workspace", self.workspace.with_callbacks(backups=True))

    def file(self, context: Context, path: str) -> ResolvedPath:
        """Resolve the path of a file, absolute or relative to the project's root.

        Asks for permission outside the project. Raises ToolError if it is refused.
        """
        absolute = self._absolute(path)
        return self._resolved(context, *self._root_of(absolute), absolute)

    def directory(self, context: Context, path: str) -> ResolvedPath:
        """Resolve the path of a directory in the same way; the empty path is the project's root."""
        absolute = self._absolute(path)
        root, name = self._root_of(absolute) if self._is_inside(absolute) else (absolute, "")
        return self._resolved(context, root, "" if name == "." else name, absolute)

    def end(self, session: str) -> None:
        """End a session: forget what it has read, and remove the backups that no other session needs.

        A backup that somebody else has written to, or that can't be removed, stays.
        """
        for path in self.ledger.forget(session) if self.backups else ():
            root, name = self._root_of(path)
            with suppress(WorkspaceError):
                self.workspace.with_callbacks(root=root).cleanup(name)

    def ask_unknown(self, context: Context, words: tuple[str, ...]) -> None:
        """Ask for permission for words of a script whose paths are unknown. Raises ToolError if it is refused."""
        if context.extra.get(BYPASS) is not True:
            context.ask(unknown_request(words))

    def ask_outside(self, context: Context, path: str, directory: str) -> None:
        """Ask for permission for a path whose directory lies outside the project. Raises ToolError if it is refused."""
        self._ask_outside(context, path, self._absolute(directory))

    def name_of(self, absolute: str) -> str:
        """The name of an absolute path in messages: relative to the project's root if the path is inside."""
        return os.path.relpath(absolute, self.workspace.root) if self._is_inside(absolute) else absolute

    def _bound(self, context: Context, workspace: Workspace, overlaps: list[Mapping[str, Any]]) -> Workspace:
        """The workspace for one call. It asks for permission before it writes, and records what it wrote as read."""
        root, session, ledger = workspace.root, context.session_id, self.ledger

        def request(proposal: Proposal, **metadata: object) -> PermissionRequest:
            names = tuple(proposal.name(one.path) for one in proposal.changes)
            paths = ", ".join(os.path.join(root, one.path) for one in proposal.changes)
            return PermissionRequest("edit", names, ("*",), {"filepath": paths, **metadata})

        def approve(proposal: Proposal) -> Rejected | None:
            try:
                context.ask(request(proposal, tool=proposal.tool, diff=proposal.diff))
            except ToolError as error:
                return Rejected(error.reason, error.message)
            return None

        def remember(proposal: Proposal, result: Applied) -> None:
            # The files are still locked: no other call sees the new text before the ledger has it.
            for path in (path for one in proposal.changes for path in (one.moved_from, one.path) if path):
                where, before, after = f"{root}/{path}", proposal.before.get(path), proposal.after.get(path)
                spans = spans_of(before or "", after or "", result, path)
                ledger.record_written(session, where, before or "", after, spans)
                if before is None and after is not None:
                    ledger.record_read(session, where, after)

        reading = workspace.with_callbacks(cancellation=context.cancellation)
        settle = Overlaps(ledger, context, reading, overlaps).settle
        return reading.with_callbacks(
            approve=approve,
            answers_at_once=lambda proposal: context.knows(request(proposal)),
            on_written=remember,
            settle=settle,
        )

    def _absolute(self, path: str) -> str:
        if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in path):
            raise ToolError(
                f"{shown(path)} is not a valid path: it contains a NUL or a lone surrogate. Send it as valid text.",
                reason=Reason.MALFORMED,
            )
        plain = os.path.normpath(os.path.join(self.workspace.root, undressed(self.workspace.root, path)))
        # The root may be reached through a link, under another name.
        above, name = os.path.split(plain)
        return plain if self._is_inside(plain) else os.path.normpath(os.path.join(os.path.realpath(above), name))

    def _root_of(self, absolute: str) -> tuple[str, str]:
        """The root of the workspace for a file, and the path from there. Outside the project, the root is its
        directory.
        """
        if self._is_inside(absolute):
            return self.workspace.root, os.path.relpath(absolute, self.workspace.root)
        return os.path.split(absolute)

    def _is_inside(self, absolute: str) -> bool:
        root = self.workspace.root
        return absolute == root or absolute.startswith(root.rstrip("/") + "/")

    def _resolved(self, context: Context, root: str, path: str, absolute: str) -> ResolvedPath:
        self._ask_outside(context, absolute, root)
        workspace = self.workspace.with_callbacks(root=root)
        given, path = path, workspace.followed(path) if path else path
        absolute = os.path.join(workspace.root, path) if path != given else absolute
        overlaps: list[Mapping[str, Any]] = []
        bound = self._bound(context, workspace, overlaps)
        return ResolvedPath(bound, path, given, absolute, self.name_of(absolute), overlaps)

    def _ask_outside(self, context: Context, absolute: str, directory: str) -> None:
        if context.extra.get(BYPASS) is True or self._is_inside(directory):
            return
        # Long outputs are kept in that directory for the agent to read.
        if directory != os.path.realpath(self.outputs.directory):
            context.ask(outside_request(absolute, directory))
