"""The events of a session, common to all agents.

An importer yields them in the order in which they happened. A call is placed at its result in the log, since the
files changed then. Paths are spelled as in the log, absolute or relative to the session's folder. No event contains
prompts or chat. Importers report what the agent was shown with `corpora.importers.calls.with_shown`;
`corpora.importers.rebuilding.views` concludes what the agent had seen of a file at an edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpora.sample import Format
from editcore.types import Edit, File


@dataclass(frozen=True, slots=True)
class Opened:
    """A session starts, or continues in another folder, at another commit or with another version of the agent."""

    cwd: str | None = None
    version: str | None = None
    """The agent's version."""
    commit: str | None = None
    """The commit of the project's repository."""
    repo: str | None = None
    """owner/name"""
    license: str | None = None
    """The repository's licence, if the log names it."""
    agent: str | None = None
    """The agent, if its name is not the importer's."""
    afresh: bool = False
    """True if another session begins: nothing is known of any file."""


@dataclass(frozen=True, slots=True)
class Read:
    """The agent saw a file's text."""

    path: str
    content: str
    """The text as in the file, without line numbers or notes."""
    first_line: int = 1
    """1-based."""
    whole: bool = True
    """False if the content is only a part of the file. A final line feed then means nothing."""
    ends_shown: bool = True
    """False if the lines are shown without their line endings."""


@dataclass(frozen=True, slots=True)
class Wrote:
    """A tool other than an edit wrote a whole file, or removed it."""

    path: str
    content: str | None
    """The file's text now; None if it was removed."""


@dataclass(frozen=True, slots=True)
class Disturbed:
    """Something ran that may have changed any file: a shell command, a formatter, the user."""

    shown: str | None = None
    """The command and its output, as far as the agent saw them; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The agent saw a text that may have lines of any file: the result of a search or of an edit."""

    text: str


@dataclass(frozen=True, slots=True)
class SeenUnknown:
    """The agent's view of all files is unknown from here on: calls of another agent follow, or a read is left out."""


@dataclass(frozen=True, slots=True)
class RecordedDiff:
    """The diff of one file that the agent's tool recorded. It shows where the edit was applied."""

    path: str
    text: str
    """A unified diff: hunks with exact line numbers. Without hunks, the text did not change.

    File headers may be missing. `+++ /dev/null` means that the file was removed.
    """
    tabs_shown_as: str = "\t"
    """The text with which the agent shows each tab of an indentation."""
    numbers_hold: bool = True
    """False if the line numbers may be wrong."""
    ends_shown: bool = True
    """False if the diff cannot show a missing final line feed."""
    dedented: bool = False
    """True if the indentation that all lines share may have been cut off."""
    moved_to: str | None = None
    """The file's path afterwards, if it was moved."""


@dataclass(frozen=True, slots=True)
class Ran(Disturbed):
    """A shell command ran. Its edits may be worked out from its text (`rebuilding.shell_edits`)."""

    key: str = ""
    command: str = ""
    folder: str = ""
    """The folder in which it ran; empty for the session's."""
    meant: str = ""
    """The call's own description of the command."""
    exit: int | None = None
    """None if the log does not tell."""
    diffs: tuple[RecordedDiff, ...] | None = None
    """The changes of all files that the command changed; None if they are not known."""
    model: str | None = None
    time: float | None = None


Quirk = Literal["takes_line_feed", "ends_in_line_feed", "expands_tabs", "sees_window"]
"""A side effect of an agent's tool. `takes_line_feed`: an empty new text also removes the line feed after the match.
`ends_in_line_feed`: the file gets a final line feed. `expands_tabs`: all tabs of the file become spaces.
`sees_window`: only the shown lines of the file are searched.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One edit call as the model wrote it, and its result as far as the log has it."""

    key: str
    """The unique id of the call: the log's id if there is one. Copies of a call have the same key."""
    format: Format
    path: str | None = None
    """The file; None if the patch names its files."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    model: str | None = None
    time: float | None = None
    """The time of the call, in seconds since 1970."""
    outcome: str = "unknown"
    """applied, applied_with_fuzz, no_match, ambiguous, identical, unread, stale, malformed, unknown; or `NOT_TRIED`."""
    error: str | None = None
    """The first line of the tool's error."""
    before: tuple[File, ...] | None = None
    """The files before the edit, if the result has them. The agent need not have seen them. Paths are as in the log."""
    after: tuple[File, ...] | None = None
    """The files after the edit, if the result has them. A file of `before` that is missing here was deleted."""
    left: tuple[File, ...] | None = None
    """The files as the tool left them, if they are no evidence of the right result."""
    seen: tuple[File, ...] | None = None
    """The files that the edit was written against, if the call or its result names them."""
    evidence: str = "tool_result"
    """The origin of `before`, `after` and `diffs`: tool_result or git."""
    diffs: tuple[RecordedDiff, ...] = ()
    changed_by_user: bool = False
    """True if the user altered the proposal before it was applied."""
    against_original: bool = False
    """True if each of several edits is made against the text before the first."""
    quirks: tuple[Quirk, ...] = ()
    tags: tuple[str, ...] = ()
    reply: str = ""
    """The text of the tool's result, as the model saw it."""


@dataclass(frozen=True, slots=True)
class Unmade:
    """A call that was to edit and has no edit that the agent could read."""

    key: str
    fault: str = ""
    """What is wrong with the call's arguments, as in `corpora.importers.edit_calls`; empty if only the reply tells."""
    model: str | None = None
    time: float | None = None
    reply: str = ""


APPLIED = ("applied", "applied_with_fuzz")
"""Outcomes of edits that were made."""
NOT_TRIED = ("declined", "cancelled")
"""Outcomes without information about the edit: the user or a hook declined it, or another call of the turn failed."""

Event = Opened | Read | Wrote | Disturbed | Shown | SeenUnknown | Attempt | Unmade
