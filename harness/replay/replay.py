"""Re-run a recorded session's calls through the tools, and compare each result with the recorded one.

The session's files are rebuilt in a folder of their own, from what the agent saw and wrote. After a difference the
files continue as they were recorded, so that it does not cause others. A call is not comparable if the log does not
say for certain what a file was or became: an unseen change is no difference of the tools.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.results import (
    AfterState,
    Texts,
    after_state,
    complete_diffs,
    contradicts_failure,
    exact_result,
)
from corpora.importers.rebuilding.session_state import Before, with_parsed_blocks
from corpora.importers.session import APPLIED, NOT_TRIED, Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.host.tool import Result
from editcore.quoting import first_line, shown
from editcore.text.diff import common_ends
from harness.replay.session_workspace import NotComparable, SessionWorkspace, arguments_of, tool_for

# The result of a replayed call, compared with the recorded one.

REASONS = {
    "no_match": "no_match", "ambiguous": "ambiguous", "identical": "identical", "unread": "unread",
    "stale": "stale_read", "malformed": "malformed",
}  # fmt: skip
"""Recorded outcome of a refused edit -> reason with which a tool refuses it here."""
LONGEST_MESSAGE = 300
"""Most characters of a kept message."""


class Agreement(StrEnum):
    """Agreement of a call's result with the recorded one, or the kind of difference."""

    SAME = "same"
    OTHER_TEXT = "other text"
    APPLIED_HERE = "applied here"
    REFUSED_HERE = "refused here"
    OTHER_REASON = "other reason"
    CRASHED = "crashed"
    NOT_COMPARABLE = "not comparable"

    @property
    def differs(self) -> bool:
        """True if the result is another one than the recorded one."""
        return self not in (Agreement.SAME, Agreement.NOT_COMPARABLE)


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call here, compared with the recorded one."""

    agreement: Agreement
    here: str | None = None
    """`applied`, or the reason of the refusal; None if the call was not made."""
    message: str = ""
    """One line: the tool's message, the place where the texts differ, or why the call is not comparable."""
    first_differing_line: int | None = None
    """1-based number of a line of the recorded text."""


def compare_results(recorded: str, result: Result) -> CallResult:
    """Compare the tool's answer with the recorded outcome. The texts are not compared."""
    message = first_line(result.output, limit=LONGEST_MESSAGE)
    if not result.is_refused:
        if recorded in APPLIED:
            return CallResult(Agreement.SAME, "applied")
        replacer = result.metadata.get("replacer")
        return CallResult(Agreement.APPLIED_HERE, "applied", f"found by {replacer}" if replacer else message)
    here = str(result.metadata.get("reason", "failed"))
    if recorded in APPLIED:
        return CallResult(Agreement.REFUSED_HERE, here, message)
    if here == REASONS[recorded]:
        return CallResult(Agreement.SAME, here)
    return CallResult(Agreement.OTHER_REASON, here, message)


def compare_texts(here: Texts, recorded: Texts) -> CallResult:
    """Compare the texts after a call that was applied both times."""
    path = next((path for path in sorted({*here, *recorded}) if here.get(path) != recorded.get(path)), None)
    if path is None:
        return CallResult(Agreement.SAME, "applied")
    if path not in here or path not in recorded:
        where = "here" if path in here else "in the recording"
        return CallResult(Agreement.OTHER_TEXT, "applied", f"{path.rpartition('/')[2]} is there only {where}")
    right, given = recorded[path], here[path]
    start, end = common_ends(right, given)
    first, last = (right.count("\n", 0, at) + 1 for at in (start, max(start, len(right) - end)))
    lines = f"line {first} differs" if first == last else f"lines {first}-{last} differ"
    there, ours = (ascii(text.split("\n")[first - 1])[:80] for text in (right, given))
    return CallResult(Agreement.OTHER_TEXT, "applied", f"{lines}: recorded {there}, here {ours}", first)


_NOT_KNOWN = "the file's text is not known"
_UNSEEN = "the file may have changed unseen"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a session."""

    number: int
    """1-based, counted over the calls that read, write or edit."""
    tool: str
    """The tool that makes the call here; the edit's format if no tool takes it."""
    path: str
    """Path below the session's folder; several are joined by commas."""
    recorded: str
    result: CallResult


def replayed(importer: Importer, log: Log, *, cascade: Cascade, repo: Path | None = None) -> Iterator[Call]:
    """Re-run the calls of a session, one at a time.

    `repo` is the repository for file texts that the log lacks; by default the repository of the session's folder.
    """
    with closing(Surroundings(repo=repo)) as surroundings, tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        session = _Session(SessionWorkspace(Path(name).resolve(), surroundings, cascade))
        for event in importer.events(log, surroundings):
            if not isinstance(event, Sample) and (call := session.take(event)):
                yield call


class _Session:
    """The calls of a session so far."""

    def __init__(self, files: SessionWorkspace) -> None:
        self.files = files
        self.n_calls = 0

    def take(self, event: Event) -> Call | None:
        """Re-run the call of an event; None for an event that is no call."""
        match event:
            case Opened():
                self.files.open(event)
            case Disturbed():
                self.files.disturb()
            case Wrote(content=None):
                with suppress(NotComparable):
                    self.files.set_text(self.files.absolute(event.path), None)
            case Read():
                return self._call("read", [event.path], "applied", event)
            case Wrote():
                return self._call("write", [event.path], "applied", event)
            case Attempt():
                attempt = with_parsed_blocks(event)
                return self._call(tool_for(attempt), paths.named(attempt), attempt.outcome, attempt)
        return None

    def _call(self, tool: str, named: list[str], recorded: str, event: Read | Wrote | Attempt) -> Call:
        self.n_calls += 1
        places = named
        try:
            places = self.files.places(named)
            result = self._result(event)
        except NotComparable as reason:
            result = CallResult(Agreement.NOT_COMPARABLE, message=str(reason))
        except Exception as error:  # The next calls are re-run after any failure.
            message = first_line(f"{type(error).__name__}: {error}", limit=LONGEST_MESSAGE)
            result = CallResult(Agreement.CRASHED, message=message)
        return Call(self.n_calls, tool, ", ".join(map(shown, places)), recorded, result)

    def _result(self, event: Read | Wrote | Attempt) -> CallResult:
        match event:
            case Read():
                return self._read(event)
            case Wrote():
                return self._write(event)
            case Attempt():
                return self._attempt(event)

    # Reads and writes.

    def _read(self, event: Read) -> CallResult:
        path = self.files.absolute(event.path)
        arguments: dict[str, Any] = {"filePath": self.files.place(path)}
        if not event.whole:
            if self.files.known(path)[0] is None:
                raise NotComparable(_NOT_KNOWN)
            n_lines = event.content.removesuffix("\n").count("\n") + 1
            arguments |= {"offset": event.first_line, "limit": n_lines}
        if not self.files.see(event):
            raise NotComparable(_UNSEEN)
        return compare_results("applied", self.files.call("read", arguments))

    def _write(self, event: Wrote) -> CallResult:
        path, content = self.files.absolute(event.path), event.content or ""
        self.files.known(path)
        answer = self.files.call("write", {"filePath": self.files.place(path), "content": content})
        result = compare_results("applied", answer)
        if result.agreement is Agreement.SAME:
            result = compare_texts(self.files.texts([path]), {path: content})
        self.files.set_text_and_show(path, content)
        return result

    # Edits.

    def _attempt(self, attempt: Attempt) -> CallResult:
        if attempt.outcome in NOT_TRIED:
            raise NotComparable(f"it was not tried: {attempt.outcome}")
        named = self.files.absolute_paths(attempt)
        before = self.files.before(attempt)
        if attempt.outcome in APPLIED:
            return self._applied(attempt, before)
        if attempt.outcome not in REASONS:
            self.files.lose(named)
            raise NotComparable("its outcome was not recorded")
        if attempt.outcome == "stale" and attempt.before is None:
            self.files.lose(named)
            raise NotComparable(_UNSEEN)
        if attempt.outcome == "unread" and before is None and named:
            return self._unread(attempt, named)
        if before is None:
            raise NotComparable(_NOT_KNOWN)
        return self._refused(attempt, before.texts)

    def _applied(self, attempt: Attempt, before: Before | None) -> CallResult:
        """Result of an edit that was recorded as applied. Afterwards the files are as recorded, or unknown."""
        if before is None:
            self.files.leave(attempt, {}, self.files.by_path(attempt.after or ()))
            raise NotComparable(_NOT_KNOWN)
        old, source = before
        done = after_state(attempt, old, source, self.files.absolute)
        is_certain = self.files.is_certain(attempt, old) or done.evidence not in ("", "exact")
        try:
            result, done = self._compared(attempt, old, done)
        finally:
            self.files.leave(attempt, old, None if done.is_lost else done.texts)
        if result.agreement.differs and not is_certain:
            raise NotComparable(_UNSEEN)
        if result.agreement.differs and attempt.against_original and len(attempt.edits or ()) > 1:
            raise NotComparable("each of its edits is for the text before all of them")
        return result

    def _compared(self, attempt: Attempt, old: Texts, done: AfterState) -> tuple[CallResult, AfterState]:
        """The result, and the files afterwards: the workspace's files if the recorded diffs agree with them."""
        diffs = complete_diffs(attempt, self.files.absolute)
        if done.why_not and not (diffs and done.is_lost):
            raise NotComparable(done.why_not)
        result = compare_results("applied", self._edit(attempt, old))
        here = self.files.texts(dict.fromkeys([*old, *(done.texts or {}), *self.files.absolute_paths(attempt)]))
        if result.agreement is Agreement.SAME and not done.why_not and here == done.texts:
            return result, done
        if result.agreement is Agreement.SAME and diffs and self._agree(diffs, old, here):
            return result, AfterState(here, "tool_result")
        if done.why_not:
            raise NotComparable(done.why_not)
        if result.agreement is not Agreement.SAME:
            return result, done
        if done.texts is None:
            raise NotComparable("what it left is not known")
        return compare_texts(here, done.texts), done

    def _agree(self, diffs: Iterable[RecordedDiff], old: Texts, here: Texts) -> bool:
        absolute = self.files.absolute
        return all(
            recorded_diff.agrees(
                diff, old.get(absolute(diff.path), ""), here.get(absolute(diff.moved_to or diff.path), "")
            )
            for diff in diffs
        )

    def _refused(self, attempt: Attempt, old: Texts) -> CallResult:
        """Result of an edit that was recorded as refused. The files stay unchanged."""
        if contradicts_failure(attempt, exact_result(attempt, old).n_found):
            self.files.lose(old)
            raise NotComparable("the text contradicts the recorded failure")
        is_certain = self.files.is_certain(attempt, old)
        try:
            result = compare_results(attempt.outcome, self._edit(attempt, old))
        finally:
            for path, text in old.items():
                self.files.put(path, text)
        if result.agreement.differs and not is_certain:
            raise NotComparable(_UNSEEN)
        return result

    def _unread(self, attempt: Attempt, named: list[str]) -> CallResult:
        """Result of an edit of files that were not read. Their texts do not matter, so they are empty."""
        try:
            return compare_results(attempt.outcome, self._edit(attempt, dict.fromkeys(named, "")))
        finally:
            self.files.lose(named)

    def _edit(self, attempt: Attempt, old: Texts) -> Result:
        """Call the tool of an edit. Before that, the files are restored and read as far as the agent had read them."""
        arguments = arguments_of(attempt, self.files)
        for path, text in old.items():
            self.files.put(path, text)
            if attempt.outcome not in ("unread", "stale"):
                self.files.read(path)
        return self.files.call(tool_for(attempt), arguments)
