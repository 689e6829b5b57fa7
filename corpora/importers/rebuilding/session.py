"""What an agent's log says, in words common to all agents.

A parser yields these in the order in which things happened: a call stands where its result came, since that
is when the files changed. Paths are as the log has them, absolute or relative to the session's folder.
Nothing here carries prompts or chat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpora.sample import Format
from editcore.types import Edit, File


@dataclass(frozen=True, slots=True)
class Opened:
    """A session starts, or goes on in another folder, at another commit or under another version."""

    cwd: str | None = None
    version: str | None = None
    """Of the agent."""
    commit: str | None = None
    """What the project's repository was at."""
    repo: str | None = None
    """owner/name"""
    agent: str | None = None
    """Whose log it is, where that is not the importer's name."""
    afresh: bool = False
    """It has nothing to do with what came before: no file is known any more."""


@dataclass(frozen=True, slots=True)
class Read:
    """The agent saw a file's text."""

    path: str
    content: str
    """As it is in the file: without line numbers or notes."""
    first_line: int = 1
    """1-based."""
    whole: bool = True
    """False where the content is a stretch of lines; the line feed at its end is then not to be trusted."""


@dataclass(frozen=True, slots=True)
class Wrote:
    """A tool other than an edit wrote a whole file, or removed it."""

    path: str
    content: str | None
    """The file's text now; None where it was removed."""


@dataclass(frozen=True, slots=True)
class Disturbed:
    """Something ran that may have changed any file: a shell command, a formatter, the user."""


@dataclass(frozen=True, slots=True)
class RecordedDiff:
    """The diff that the agent's tool showed for one file: where the edit landed."""

    path: str
    text: str
    """A unified diff: hunks with exact line numbers; without any, the text stayed as it was.

    File headers may be missing; `+++ /dev/null` says that the file is gone.
    """
    tabs_shown_as: str = "\t"
    """How the agent renders each tab of a line's indentation."""
    numbers_hold: bool = True
    """False where the line numbers are not to be trusted."""
    dedented: bool = False
    """Indentation that all its lines share may have been cut off."""
    moved_to: str | None = None
    """The file's path afterwards, where that is another one."""


Quirk = Literal["takes_line_feed", "ends_in_line_feed", "expands_tabs", "sees_window"]
"""What an agent's tool does beside replacing the text found: where nothing replaces it, the line feed behind it goes
too; a file gets a last line feed; tabs of the whole file become blanks; only a stretch of the file is looked at."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One edit call, as the model wrote it, and all that the log says about what became of it."""

    key: str
    """Of the call, unique: the tool-call id where there is one. The same call stored twice has the same key."""
    format: Format
    path: str | None = None
    """The file; None where the patch names its files."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    model: str | None = None
    outcome: str = "unknown"
    """applied, applied_with_fuzz, no_match, ambiguous, identical, unread, stale, malformed, unknown; or `NOT_TRIED`."""
    error: str | None = None
    """The tool's first line about why not."""
    before: tuple[File, ...] | None = None
    """The files as the tool's result has them; paths as in the log."""
    after: tuple[File, ...] | None = None
    """The files afterwards, likewise; one of `before` that is missing here was deleted."""
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
"""Outcomes of edits that changed their files."""
NOT_TRIED = ("declined", "cancelled")
"""Outcomes that say nothing about the edit: the user or a hook said no, a sibling call failed."""

Event = Opened | Read | Wrote | Disturbed | Attempt
