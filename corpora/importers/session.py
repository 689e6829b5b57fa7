"""The events of a session, common to all agents.

An importer yields them in the order in which they happened. A call comes where its result is in the log, since that is
when the files changed. Paths are spelled as in the log, absolute or relative to the session's folder. No event
contains prompts or chat. An importer says what the agent was shown, with `corpora.importers.calls.with_shown`; what it
had seen of a file at an edit is decided from that (`corpora.importers.rebuilding.views`).
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
    """Of the agent."""
    commit: str | None = None
    """The commit of the project's repository."""
    repo: str | None = None
    """owner/name"""
    agent: str | None = None
    """The agent, if its name is not the importer's."""
    afresh: bool = False
    """It is another session than the one before: nothing is known of any file."""


@dataclass(frozen=True, slots=True)
class Read:
    """The agent saw a file's text."""

    path: str
    content: str
    """As in the file, without line numbers or notes."""
    first_line: int = 1
    """1-based."""
    whole: bool = True
    """False if the content is some of the lines only; a line feed at its end then says nothing."""
    ends_shown: bool = True
    """False if it shows lines only: neither which line endings they have nor whether the last one has any."""


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
    """The agent saw a text that may have lines of any file: the answer of a search, or of an edit."""

    text: str


@dataclass(frozen=True, slots=True)
class SeenUnknown:
    """What the agent has seen is not known any more: calls of another agent follow, or a read is left out."""


@dataclass(frozen=True, slots=True)
class RecordedDiff:
    """The diff of one file that the agent's tool recorded: it shows where the edit was applied."""

    path: str
    text: str
    """A unified diff: hunks with exact line numbers; without hunks, the text did not change.

    File headers may be missing; `+++ /dev/null` says that the file was removed.
    """
    tabs_shown_as: str = "\t"
    """The text with which the agent shows each tab of an indentation."""
    numbers_hold: bool = True
    """False if the line numbers may be wrong."""
    ends_shown: bool = True
    """False if it cannot show that the file does not end in a line feed."""
    dedented: bool = False
    """The indentation that all its lines share may have been cut off."""
    moved_to: str | None = None
    """The file's path afterwards, if it was moved."""


Quirk = Literal["takes_line_feed", "ends_in_line_feed", "expands_tabs", "sees_window"]
"""What an agent's tool does besides replacing the search text: it removes the line feed after a search text that is
replaced by nothing; it ends the file with a line feed; it turns the tabs of the whole file into spaces; it searches in
the shown lines of the file only."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One edit call as the model wrote it, and its result as far as the log has it."""

    key: str
    """The unique id of the call: that of the log if there is one. Copies of a call have the same key."""
    format: Format
    path: str | None = None
    """The file; None if the patch names its files."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    model: str | None = None
    time: float | None = None
    """When the call was made, in seconds since 1970."""
    outcome: str = "unknown"
    """applied, applied_with_fuzz, no_match, ambiguous, identical, unread, stale, malformed, unknown; or `NOT_TRIED`."""
    error: str | None = None
    """The first line of the tool's error."""
    before: tuple[File, ...] | None = None
    """The files before the edit, if the result has them, which the agent need not have seen; paths as in the log."""
    after: tuple[File, ...] | None = None
    """The files after the edit, likewise; a file of `before` that is missing here was deleted."""
    left: tuple[File, ...] | None = None
    """The files as the tool left them, where that says nothing of what is right."""
    seen: tuple[File, ...] | None = None
    """The files as the agent wrote the edit against them, where the call or its result says so itself."""
    evidence: str = "tool_result"
    """Where `before`, `after` and `diffs` come from: tool_result, git."""
    diffs: tuple[RecordedDiff, ...] = ()
    changed_by_user: bool = False
    """The user altered the proposal before it was applied."""
    against_original: bool = False
    """Several edits, each against the text before the first."""
    quirks: tuple[Quirk, ...] = ()
    tags: tuple[str, ...] = ()


APPLIED = ("applied", "applied_with_fuzz")
"""Outcomes of edits that were made."""
NOT_TRIED = ("declined", "cancelled")
"""Outcomes that say nothing about the edit: the user or a hook declined it, or another call of the turn failed."""

Event = Opened | Read | Wrote | Disturbed | Shown | SeenUnknown | Attempt
