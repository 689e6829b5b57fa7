"""Record edit calls as samples, which are appended to a corpus file while an agent works.

A call becomes the same sample that an importer would make of it: the files before, the agent's view of them, the edit
as the model wrote it, and a label where it is certain by the edit and the texts alone. The result of an inexact edit
is no right answer, so its sample stays unlabelled. A failed edit waits for a retry in the same texts. It is written
when the retry comes, when the file changes, or when the session ends.
"""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from types import MappingProxyType
from typing import Any

from corpora.importers.calls import with_shown
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.rebuild import RebuiltSession
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, SeenUnknown, Shown, Wrote
from corpora.sample import Sample, text_size, validated
from corpora.scrub import scrub
from corpora.write import SampleAppender
from editcore.anchors import DEFAULT as DEFAULT_ANCHORS
from editcore.anchors.views import ended_lines
from editcore.errors import ToolError, WorkspaceError
from editcore.host.parameters import read
from editcore.host.tool import Result
from editcore.host.tools import TOOLS, Host
from editcore.host.tools.edit_lines import format_of, raw_call
from editcore.host.tools.read import headed, listed
from editcore.quoting import first_line
from editcore.text.encodings import bytes_file, decode
from editcore.types import Edit, File, Rejected
from harness.replay.replay import REASONS

# The files as a call shows them to the agent: its next edits are written against this view.

TextOf = Callable[[str], str | None]
"""Path as a call names it -> current text of the file."""


def shown_events(
    tool: str, arguments: Mapping[str, Any], result: Result, text_of: TextOf, anchors: str | None
) -> Iterator[Event]:
    """Events of a call that is no edit, and of its result. `anchors` is the format in which lines are shown."""
    path = arguments.get("filePath")
    if tool == "read" and "first_line" in result.metadata and isinstance(path, str):
        yield _read_event(path, result, text_of(path), anchors)
    elif tool == "write" and not result.is_error and isinstance(path, str):
        yield Wrote(path, arguments["content"])
    elif tool == "rollback" and not result.is_error:
        yield SeenUnknown()
    elif tool != "read":
        yield from with_shown([Disturbed()], arguments, result.output)


def _read_event(path: str, result: Result, text: str | None, anchors: str | None) -> Event:
    """The read of a file; unknown if the file's lines have changed since they were shown."""
    first, last = result.metadata["first_line"], result.metadata["last_line"]
    if text is None or last > len(ended_lines(text)):
        return SeenUnknown()
    head = headed(text, result.title, anchors)
    if result.output.split("\n")[1 : 2 + len(head) + last - first] != [
        *head,
        *listed(text, range(first, last + 1), anchors),
    ]:
        return SeenUnknown()
    if first == 1 and last == result.metadata["n_lines"]:
        return Read(path, text)
    return Read(path, "\n".join(text.split("\n")[first - 1 : last]), first, whole=False)


_log = logging.getLogger(__name__)
_LARGEST_SESSION = 2 << 30
"""Most characters of all samples of a session; later calls are not recorded."""
_LONGEST_ERROR = 300
_FUZZLESS = (None, "simple", "exact", DEFAULT_ANCHORS)
"""Replacers, tiers and the rule for anchors that match exactly; None stands for patches, which name no replacer."""
_OUTCOMES = {reason: outcome for outcome, reason in REASONS.items()} | {"disproportionate": "no_match"}
"""Reason of a refused edit -> recorded outcome. Calls refused for other reasons say nothing about their edit."""


def _edit(params: Any) -> Attempt | None:
    # An edit with an empty search text writes a whole file.
    return _replacements(params.filePath, [_replacement(params)]) if params.oldString else None


def _multi_edit(params: Any) -> Attempt:
    return _replacements(params.filePath, list(map(_replacement, params.edits)))


def _edit_file(params: Any) -> Attempt:
    which = params.occurrence
    edit = Edit(params.old_content, params.new_content, which == 0, which or None)
    return _replacements(params.path, [edit])


def _replacements(path: str, edits: Sequence[Edit]) -> Attempt:
    return Attempt("", "str_replace", path, tuple(edits))


def _replacement(params: Any) -> Edit:
    return Edit(params.oldString, params.newString, params.replaceAll)


_ATTEMPTS: Mapping[str, Callable[[Any], Attempt | None]] = MappingProxyType(
    {
        "edit": _edit,
        "multi_edit": _multi_edit,
        "edit_file": _edit_file,
        "patch_file": lambda params: Attempt("", "unified_diff", params.path, patch=params.patch),
        "insert_at": lambda params: Attempt("", "insert", params.path, patch=params.content, line=params.line),
        "edit_patch": lambda params: Attempt("", "begin_patch", patch=params.patch),
        "edit_lines": lambda params: Attempt("", format_of(params), patch=raw_call(params)),
    }
)
"""Tool -> the edit in its parameters; None if they hold no edit."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An edit call before it is made."""

    attempt: Attempt
    before: Mapping[str, str]
    """Path below the workspace's root -> text, for the existing files that the call names."""


class Recording:
    """The corpus file for all sessions of a server. Safe to use from several threads."""

    def __init__(self, host: Host, appender: SampleAppender) -> None:
        self.host = host
        self.workspace = host.workspace
        self.left_out: Counter[str] = Counter()
        """Reason -> number of calls that were not recorded."""
        self._appender = appender
        self._lock = Lock()

    @property
    def n_written(self) -> int:
        return self._appender.n_written

    def add(self, sample: Sample) -> int:
        """Scrub and append a sample. Return its size in characters, or 0 for a sample that is left out and counted."""
        try:
            scrubbed = scrub(validated(sample))
        except ValueError as error:
            return self.leave_out(f"not a valid sample: {error}")
        if scrubbed.sample is None:
            return self.leave_out(scrubbed.why_not)
        with self._lock:
            try:
                if self._appender.add(scrubbed.sample):
                    return text_size(scrubbed.sample)
            except OSError as error:
                return self.leave_out(f"the file could not be written: {error.strerror or error}")
        return self.leave_out("its files are too large for a sample")

    def leave_out(self, why: str) -> int:
        """Count a call that is not recorded. The first one for each reason is logged."""
        why = first_line(why, limit=_LONGEST_ERROR)
        with self._lock:
            self.left_out[why] += 1
            is_first = self.left_out[why] == 1
        if is_first:
            _log.warning("an edit was not recorded: %s", why)
        return 0


class SessionRecording:
    """The edit calls of one session."""

    def __init__(self, recording: Recording, session_id: str, client: str) -> None:
        self._recording = recording
        self._session_id = session_id
        agent = re.sub(r"[^\w.-]+", "-", client, flags=re.ASCII)[:40].strip("-") or "mcp"
        self._session = RebuiltSession(Importer(agent, "", lambda _: iter(()), lambda *_: iter(())), Surroundings())
        self._session.take(Opened(cwd=recording.workspace.root, agent=agent))
        self._n_calls = 0
        self._size = 0
        self._lock = Lock()

    def sent(self, tool: str, arguments: Mapping[str, Any]) -> Sent | None:
        """The edit of a call that is about to be made, with the current files; None for a call that is no edit."""
        if tool not in _ATTEMPTS:
            return None
        try:
            params = read(tool, TOOLS[tool].parameters_of(self._recording.host), arguments)
        except ToolError:
            return None
        attempt = None if getattr(params, "dry_run", False) else _ATTEMPTS[tool](params)
        if attempt is None:
            return None
        root = self._recording.workspace.root
        if os.path.realpath(os.path.join(root, getattr(params, "workspace_root", None) or "")) != root:
            return None  # The paths of all samples must be relative to one directory.
        named = list(map(self._relative, paths.named(attempt)))
        if not named or None in named:
            return None
        with self._lock:
            self._n_calls += 1
            key = f"{self._session_id}:{self._n_calls}"
        attempt = replace(attempt, key=key, path=attempt.path and named[0], tags=(f"tool:{tool}",))
        return Sent(attempt, self._texts(named))

    def done(self, sent: Sent, result: Result) -> None:
        """Record the result of an edit call. Never raises: recording must not break the call."""
        try:
            attempt = self._finished(sent, result)
            if attempt is not None:
                with self._lock:
                    self._write(self._session.take(attempt))
            # A refusal may show the agent what was changed since it read the file.
            with self._lock:
                self._session.take(Shown(result.output))
        except Exception as error:
            self._recording.leave_out(f"{type(error).__name__}: {error}")

    def showed(self, tool: str, arguments: Mapping[str, Any], result: Result) -> None:
        """Record what another call showed the agent. Never raises."""
        try:
            with self._lock:
                for event in shown_events(tool, arguments, result, self._text, self._recording.host.anchors):
                    if isinstance(event, Read) and not event.whole and (text := self._text(event.path)) is not None:
                        self._session.learn(Read(event.path, text))
                    self._write(self._session.take(event))
        except Exception as error:
            self._recording.leave_out(f"{type(error).__name__}: {error}")

    def end(self) -> None:
        """Write the failed edits that still wait for a retry."""
        with self._lock:
            self._write(self._session.end())

    def _write(self, samples: list[Sample]) -> None:
        for sample in samples:
            if self._size > _LARGEST_SESSION:
                self._recording.leave_out(f"the session has over {_LARGEST_SESSION >> 30} GB of samples")
            else:
                self._size += self._recording.add(sample)

    def _finished(self, sent: Sent, result: Result) -> Attempt | None:
        """The attempt with its outcome and the files it was made for; None if these are not certain."""
        before, left = dict(sent.before), None
        if result.is_refused:
            outcome = _OUTCOMES.get(str(result.metadata.get("reason")))
            if outcome is None:
                return None
            if self._texts(before) != before:
                self._recording.leave_out("its file changed meanwhile")
                return None
        else:
            outcome = "applied" if result.metadata.get("replacer") in _FUZZLESS else "applied_with_fuzz"
            # The text that the tool saw under its lock; the file may have changed before.
            for diff in result.metadata.get("filediffs", ()):
                if diff["file"] in before:
                    before[diff["file"]] = self._marked(diff["file"], diff["before"])
            changed = result.metadata.get("filediffs", ())
            after = before | {diff["file"]: self._marked(diff["file"], diff["after"]) for diff in changed}
            # `after` has an empty text for a deleted file, as for an emptied one.
            left = tuple(File(path, text) for path, text in after.items() if text)
        seen = result.metadata.get("seen")
        return replace(
            sent.attempt, seen=tuple(File(path, text) for path, text in seen.items()) if seen else None,
            outcome=outcome, error=first_line(result.output, limit=_LONGEST_ERROR) if result.is_refused else None,
            before=tuple(File(path, text) for path, text in before.items()), left=left,
        )  # fmt: skip

    def _marked(self, path: str, text: str) -> str:
        """The text of a file with its byte order mark, which the tools leave out of texts."""
        like = self._session.encoded.get(self._session.absolute(path))
        return f"\ufeff{text}" if text and like is not None and like.content.startswith("\ufeff") else text

    def _relative(self, path: str) -> str | None:
        """The path below the workspace's root; None for a path outside of it."""
        root = self._recording.workspace.root
        relative = os.path.relpath(os.path.join(root, path), root)
        return None if relative == ".." or relative.startswith("../") else relative

    def _text(self, path: str) -> str | None:
        return next(iter(self._texts([self._relative(path)]).values()), None)

    def _texts(self, named: Sequence[str | None] | Mapping[str, str]) -> dict[str, str]:
        return dict(self._read(path for path in named if path is not None))

    def _read(self, named: Iterator[str]) -> Iterator[tuple[str, str]]:
        for path in named:
            try:
                raw = self._recording.workspace.read_bytes(path)
            except WorkspaceError:
                continue
            read = decode(raw)
            if isinstance(read, Rejected):
                continue
            if (file := bytes_file(path, raw)) is not None:
                self._session.encoded[self._session.absolute(path)] = file
            yield path, read.text if file is None else file.content
