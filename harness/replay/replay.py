"""A recorded session, made again through the tools: each call's outcome here beside the one that was recorded.

The files are rebuilt in a folder of their own from what the agent saw and wrote. Where a call comes out otherwise, the
files go on as they were recorded, so that one difference does not make others. Where the log does not tell for certain
what a file was or became, the call is not comparable: what may have changed unseen is no difference of the tools.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log
from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.after_state import (
    Afterwards,
    Source,
    Texts,
    afterwards,
    complete,
    contradicts,
    stands,
)
from corpora.importers.rebuilding.before_state import beforehand
from corpora.importers.rebuilding.rebuild import with_edits
from corpora.importers.rebuilding.session import NOT_TRIED, Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.errors import WorkspaceError
from editcore.quoting import first_line, shown
from editcore.tools import TOOLS
from editcore.tools.host.host import Agent, Host
from editcore.tools.host.registry import Registry
from editcore.tools.host.tool import Context, Result
from editcore.tools.host.truncation import Outputs
from editcore.types import Edit, File
from editcore.workspace import Workspace
from editcore.workspace.boundary import clean_path
from harness.replay.outcomes import APPLIED, LONGEST_MESSAGE, REASONS, Outcome, Verdict, beside, with_texts

_OUTSIDE = "outside"
"""Below it lie the files that were outside of the session's folder."""
_NOT_KNOWN = "the file's text is not known"
_UNSEEN = "the file may have changed unseen"
_AGENT, _CONTEXT = Agent(), Context()


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a session."""

    number: int
    """1-based, of those in the session that read, write or edit."""
    tool: str
    """The one it is made with here; the format of an edit that none takes."""
    path: str
    """Below the session's folder; several are joined by commas."""
    recorded: str
    outcome: Outcome


def replayed(importer: Importer, log: Log, *, cascade: Cascade, repo: Path | None = None) -> Iterator[Call]:
    """The calls of a session, each as soon as it has been made again.

    `repo` is the project's repository, for texts that the log lacks; by default the session's own folder.
    """
    with (
        closing(Surroundings(repo=repo)) as surroundings,
        tempfile.TemporaryDirectory(prefix="editgauge-") as name,
    ):
        session = _Session(Path(name).resolve(), surroundings, cascade)
        for event in importer.events(log, surroundings):
            if not isinstance(event, Sample) and (call := session.take(event)):
                yield call


class _NotComparable(Exception):
    """Says why."""


@dataclass
class _Session:
    folder: Path
    surroundings: Surroundings
    cascade: Cascade
    opened: Opened = field(default_factory=Opened)
    home: str | None = None
    """The folder that the session started in: the workspace's root."""
    touched: set[str] = field(default_factory=set)
    """Paths whose text the repository no longer has."""
    certain: set[str] = field(default_factory=set)
    """Paths whose text nothing unseen may have changed since it was seen."""
    quiet: bool = True
    """Nothing has run yet that may have changed any file."""
    n_calls: int = 0

    def __post_init__(self) -> None:
        self._start()

    def take(self, event: Event) -> Call | None:
        """The call, made again; None for what is none."""
        match event:
            case Opened():
                self._open(event)
            case Disturbed():
                self.certain.clear()
                self.quiet = False
            case Wrote(content=None):
                self._remove(event)
            case Read():
                return self._told("read", [event.path], "applied", event)
            case Wrote():
                return self._told("write", [event.path], "applied", event)
            case Attempt():
                attempt = with_edits(event)
                return self._told(_tool(attempt), paths.named(attempt), attempt.outcome, attempt)
        return None

    def _told(self, tool: str, named: list[str], recorded: str, event: Read | Wrote | Attempt) -> Call:
        self.n_calls += 1
        places = named
        try:
            places = self._places(named)
            outcome = self._made(event)
        except _NotComparable as reason:
            outcome = Outcome(Verdict.NOT_COMPARABLE, message=str(reason))
        except Exception as error:  # Whatever it is, the calls behind it are made.
            message = first_line(f"{type(error).__name__}: {error}", limit=LONGEST_MESSAGE)
            outcome = Outcome(Verdict.CRASHED, message=message)
        return Call(self.n_calls, tool, ", ".join(map(shown, places)), recorded, outcome)

    def _made(self, event: Read | Wrote | Attempt) -> Outcome:
        match event:
            case Read():
                return self._read(event)
            case Wrote():
                return self._write(event)
            case Attempt():
                return self._attempt(event)

    # The session and its folder.

    def _start(self) -> None:
        self.root = self.folder / "workspace"
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        workspace = Workspace(self.root, durable=False, lock_directory=self.folder / "locks")
        outputs = Outputs(self.folder / "outputs")
        self.registry = Registry(Host(workspace, cascade=self.cascade, outputs=outputs, checkers={}), TOOLS)

    def _open(self, event: Opened) -> None:
        if event.afresh:
            self._start()
            self.touched.clear()
            self.certain.clear()
            self.quiet, self.opened, self.home = True, Opened(), None
        self.opened = Opened(event.cwd or self.opened.cwd, commit=event.commit or self.opened.commit)
        self.home = self.home or self.opened.cwd

    def _absolute(self, path: str) -> str:
        return paths.absolute(path, self.opened.cwd)

    def _place(self, path: str) -> str:
        """Where the file of an absolute path lies in the workspace. Raises _NotComparable where it can't."""
        if self.home and paths.is_below(path, self.home):
            place = paths.shown(path, self.home)
        elif paths.is_absolute(path):
            place = f"{_OUTSIDE}/{path.replace(':/', '/', 1).lstrip('/')}"
        else:
            place = path
        try:
            return clean_path(place)
        except WorkspaceError:
            raise _NotComparable("its path is none that a workspace has") from None

    def _places(self, named: list[str]) -> list[str]:
        """Likewise of several, as the log has them; where one can't lie there, nothing is known of the others."""
        absolute = list(map(self._absolute, named))
        try:
            return list(map(self._place, absolute))
        except _NotComparable:
            self._lose(absolute)
            raise

    # The files.

    def _text(self, path: str) -> str | None:
        """The text of a file, as it lies here; None where there is none."""
        try:
            return (self.root / self._place(path)).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None

    def _known(self, path: str) -> str | None:
        """Likewise, where it is not here as the repository has it, laid down."""
        text = self._text(path)
        if text is None and (text := self._from_repository(path)) is not None:
            self._lay(path, text)
        return text

    def _from(self, path: str) -> tuple[str | None, Source]:
        """Likewise, with where it comes from."""
        text = self._text(path)
        return (self._known(path), "git") if text is None else (text, "replayed")

    def _texts(self, wanted: Iterable[str]) -> Texts:
        return {path: text for path in wanted if (text := self._text(path)) is not None}

    def _lay(self, path: str, text: str | None) -> None:
        """The file as it was recorded, made by no tool; None where it was not there."""
        if self._text(path) == text:
            return
        place = self.root / self._place(path)
        try:
            place.unlink(missing_ok=True)
            if text is not None:
                data = text.encode()
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        except (OSError, UnicodeEncodeError):
            raise _NotComparable("its file can't be laid down here") from None

    def _set(self, path: str, text: str | None) -> None:
        """Likewise, where that is what the session made of it, or saw."""
        self.touched.add(path)
        self.certain.add(path)
        self._lay(path, text)

    def _show(self, path: str, text: str | None) -> None:
        """Likewise, where the agent knows it as well."""
        self._set(path, text)
        if text is not None:
            self._call("read", {"filePath": self._place(path)})

    def _lose(self, lost: Iterable[str]) -> None:
        """Nothing is known of some files any more."""
        for path in lost:
            self.touched.add(path)
            self.certain.discard(path)
            with suppress(_NotComparable):
                self._lay(path, None)

    def _remove(self, event: Wrote) -> None:
        with suppress(_NotComparable):
            self._set(self._absolute(event.path), None)

    def _from_repository(self, path: str) -> str | None:
        """The file's text at the session's commit, unless the session has changed it since."""
        commit = self.opened.commit
        if path in self.touched or not commit or not self.home or not paths.is_below(path, self.home):
            return None
        repository = self.surroundings.repository(self.home)
        return repository.text(commit, repository.prefix + paths.shown(path, self.home)) if repository else None

    # The calls.

    def _call(self, tool: str, sent: Mapping[str, Any]) -> Result:
        return self.registry.call(_AGENT, tool, _CONTEXT, sent)

    def _read(self, event: Read) -> Outcome:
        path = self._absolute(event.path)
        sent: dict[str, Any] = {"filePath": self._place(path)}
        if event.whole:
            self._set(path, event.content)
        else:
            lines = event.content.removesuffix("\n").split("\n")
            self._check_stretch(path, event.first_line, lines)
            sent |= {"offset": event.first_line, "limit": len(lines)}
        return beside("applied", self._call("read", sent))

    def _check_stretch(self, path: str, first_line: int, lines: list[str]) -> None:
        """Raises _NotComparable where lines that were seen are not those of the file."""
        text = self._known(path)
        if text is None:
            raise _NotComparable(_NOT_KNOWN)
        if text.split("\n")[first_line - 1 : first_line - 1 + len(lines)] != lines:
            self._lose([path])
            raise _NotComparable(_UNSEEN)

    def _write(self, event: Wrote) -> Outcome:
        path, content = self._absolute(event.path), event.content or ""
        self._known(path)
        result = self._call("write", {"filePath": self._place(path), "content": content})
        outcome = beside("applied", result)
        if outcome.verdict is Verdict.SAME:
            outcome = with_texts(self._texts([path]), {path: content})
        self._show(path, content)
        return outcome

    def _attempt(self, attempt: Attempt) -> Outcome:
        if attempt.outcome in NOT_TRIED:
            raise _NotComparable(f"it was not tried: {attempt.outcome}")
        named = list(dict.fromkeys(map(self._absolute, paths.named(attempt))))
        before = beforehand(attempt, named, self._absolute, self._from)
        if attempt.outcome in APPLIED:
            return self._applied(attempt, named, before)
        if attempt.outcome not in REASONS:
            self._lose(named)
            raise _NotComparable("its outcome was not recorded")
        if attempt.outcome == "stale" and attempt.before is None:
            self._lose(named)
            raise _NotComparable(_UNSEEN)
        if attempt.outcome == "unread" and before is None and named:
            return self._unread(attempt, named)
        if before is None:
            raise _NotComparable(_NOT_KNOWN)
        return self._refused(attempt, before[0])

    def _by_path(self, files: Iterable[File]) -> Texts:
        return {self._absolute(file.path): file.content for file in files}

    def _applied(self, attempt: Attempt, named: list[str], before: tuple[Texts, Source] | None) -> Outcome:
        """Of an edit that was recorded as applied; the files are then as it left them, or unknown."""
        if before is None:
            self._lose(named)
            for path, text in self._by_path(attempt.after or ()).items():
                self._show(path, text)
            raise _NotComparable(_NOT_KNOWN)
        old, source = before
        done = afterwards(attempt, old, source, self._absolute)
        is_certain = self._is_certain(attempt, old) or done.won not in ("", "exact")
        try:
            outcome, done = self._compared(attempt, old, done)
        finally:
            known = () if done.is_lost else dict.fromkeys([*old, *(done.texts or {})])
            self._lose(path for path in named if path not in known)
            for path in known:
                self._show(path, (done.texts or {}).get(path))
        if outcome.verdict.differs and not is_certain:
            raise _NotComparable(_UNSEEN)
        if outcome.verdict.differs and attempt.against_original and len(attempt.edits or ()) > 1:
            raise _NotComparable("each of its edits is for the text before all of them")
        return outcome

    def _compared(self, attempt: Attempt, old: Texts, done: Afterwards) -> tuple[Outcome, Afterwards]:
        """The outcome, and the files afterwards: as they are here, where they are as the recorded diffs say."""
        diffs = complete(attempt, self._absolute)
        if done.why_not and not (diffs and done.is_lost):
            raise _NotComparable(done.why_not)
        result = self._edit(attempt, old)
        outcome = beside("applied", result)
        here = self._texts(dict.fromkeys([*old, *(done.texts or {}), *map(self._absolute, paths.named(attempt))]))
        if outcome.verdict is Verdict.SAME and not done.why_not and here == done.texts:
            return outcome, done
        if outcome.verdict is Verdict.SAME and diffs and self._agree(diffs, old, here):
            return outcome, Afterwards(here, "tool_result")
        if done.why_not:
            raise _NotComparable(done.why_not)
        if outcome.verdict is not Verdict.SAME:
            return outcome, done
        if done.texts is None:
            raise _NotComparable("what it left is not known")
        return with_texts(here, done.texts), done

    def _agree(self, diffs: Iterable[RecordedDiff], old: Texts, here: Texts) -> bool:
        return all(
            recorded_diff.agrees(
                diff, old.get(self._absolute(diff.path), ""), here.get(self._absolute(diff.moved_to or diff.path), "")
            )
            for diff in diffs
        )

    def _refused(self, attempt: Attempt, old: Texts) -> Outcome:
        """Of an edit that was recorded as refused; the files stay as they were."""
        if contradicts(attempt, stands(attempt, old).n_found):
            self._lose(old)
            raise _NotComparable("the text contradicts the recorded failure")
        is_certain = self._is_certain(attempt, old)
        try:
            outcome = beside(attempt.outcome, self._edit(attempt, old))
        finally:
            for path, text in old.items():
                self._lay(path, text)
        if outcome.verdict.differs and not is_certain:
            raise _NotComparable(_UNSEEN)
        return outcome

    def _unread(self, attempt: Attempt, named: list[str]) -> Outcome:
        """Of an edit of files that were not read: what they hold is of no account, so that an empty one does."""
        try:
            return beside(attempt.outcome, self._edit(attempt, dict.fromkeys(named, "")))
        finally:
            self._lose(named)

    def _is_certain(self, attempt: Attempt, old: Texts) -> bool:
        return attempt.before is not None or self.quiet or self.certain.issuperset(old)

    def _edit(self, attempt: Attempt, old: Texts) -> Result:
        """The call of an edit, the files as they were and read as far as the agent had read them."""
        tool, sent = _tool(attempt), self._sent(attempt)
        for path, text in old.items():
            self._lay(path, text)
            if attempt.outcome not in ("unread", "stale"):
                self._call("read", {"filePath": self._place(path)})
        return self._call(tool, sent)

    def _sent(self, attempt: Attempt) -> dict[str, Any]:
        """The arguments of the call here. Raises _NotComparable where no tool takes such a call."""
        place = self._place(self._absolute(attempt.path)) if attempt.path is not None else None
        patch = paths.patch_with(attempt, lambda name: self._place(self._absolute(name)))
        match _tool(attempt):
            case "edit" if place and attempt.edits:
                return {"filePath": place, **_edit(attempt.edits[0])}
            case "multi_edit" if place and attempt.edits:
                return {"filePath": place, "edits": list(map(_edit, attempt.edits))}
            case "edit_patch" if patch:
                return {"patch": patch}
            case "patch_file" if place and patch:
                return {"path": place, "patch": patch}
            case "insert_at" if place and patch and attempt.line is not None:
                return {"path": place, "line": attempt.line, "content": patch}
        if attempt.edits is None and attempt.patch is None:
            raise _NotComparable("the log lacks its arguments")
        raise _NotComparable(f"no tool takes it: {attempt.format}")


def _tool(attempt: Attempt) -> str:
    """The tool that takes such an edit here; its format where none does."""
    if attempt.format in ("str_replace", "search_replace"):
        return "multi_edit" if len(attempt.edits or ()) > 1 else "edit"
    return {"begin_patch": "edit_patch", "unified_diff": "patch_file", "insert": "insert_at"}.get(
        attempt.format, attempt.format
    )


def _edit(edit: Edit) -> dict[str, Any]:
    return {"oldString": edit.old_string, "newString": edit.new_string, "replaceAll": edit.replace_all}
