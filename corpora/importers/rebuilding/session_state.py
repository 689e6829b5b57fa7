"""The files of a session after its events so far: their texts, and if something unseen may have changed them.

Rebuilding and replaying read a session by the same rules. A subclass decides where the texts are kept: in memory
(`rebuild`), or in a folder in which tools can edit them (`harness.replay`). Paths are absolute, except in events.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import astuple, replace
from typing import ClassVar, NamedTuple

from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.results import Source, Texts
from corpora.importers.session import Attempt, Opened, Read
from editcore.patches.search_replace import edits_of, read_blocks
from editcore.text.endings import line_feeds
from editcore.types import File, Rejected


class Before(NamedTuple):
    """The texts that an edit was made for."""

    texts: Texts
    """The texts of the files that existed."""
    source: Source


class SessionState(ABC):
    """The files of a session after the events so far."""

    keeps_bytes: ClassVar[bool] = False
    """True if files that are not plain UTF-8 are kept."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.opened = Opened()
        self.touched: set[str] = set()
        """Files that the session saw or may have written. The repository's text is out of date for them."""
        self.certain: set[str] = set()
        """Files that nothing unseen can have changed since their text was seen."""
        self.undisturbed = True
        """True until something runs that may have changed any file."""
        self.ends_unknown: set[str] = set()
        """Files whose lines are known, but not their line endings. The text is kept without a final line ending."""

        self.encoded: dict[str, File] = {}
        """Files that are not plain UTF-8, as they were first known. Their texts are written in the same encoding."""

    @abstractmethod
    def text(self, path: str) -> str | None:
        """The text that is kept of a file; None if there is none."""

    @abstractmethod
    def _store(self, path: str, text: str | None) -> None:
        """Keep the text of a file; None means that the file does not exist."""

    @abstractmethod
    def _forget(self, path: str) -> None:
        """Keep no text of a file."""

    # The session and its folder.

    def open(self, event: Opened) -> None:
        """Begin or continue a session. Fields that the event lacks stay unchanged."""
        known = self.opened
        if event.afresh:
            # Several sessions may be in one log: nothing of the previous one is known here.
            known = Opened(agent=known.agent)
            self.touched.clear()
            self.certain.clear()
            self.ends_unknown.clear()
            self.encoded.clear()
            self.undisturbed = True
        fields = zip(astuple(event)[:-1], astuple(known)[:-1], strict=True)
        self.opened = Opened(*(new or old for new, old in fields))

    def disturb(self) -> None:
        """Record that something ran that may have changed any file."""
        self.certain.clear()
        self.undisturbed = False

    def absolute(self, path: str) -> str:
        return paths.absolute(path, self.opened.cwd)

    def absolute_paths(self, attempt: Attempt) -> list[str]:
        """The absolute paths of the files that an edit names, each once."""
        return list(dict.fromkeys(map(self.absolute, paths.named(attempt))))

    def by_path(self, files: Iterable[File]) -> Texts:
        """The texts of files of an event, by absolute path."""
        return {self.absolute(file.path): file.content for file in files}

    def repository_folder(self) -> str | None:
        """The folder whose repository has the file texts that the log lacks."""
        return self.opened.cwd

    # The texts.

    def known(self, path: str, time: float | None = None) -> tuple[str | None, Source]:
        """The text of a file and its source: the kept text, else the text at the session's commit or at `time`."""
        text = self.text(path)
        if path in self.ends_unknown:
            return None, "replayed"
        if text is None and path not in self.touched:
            return self._from_repository(path, time), "git"
        return text, "git" if text is None else "replayed"

    def _from_repository(self, path: str, time: float | None) -> str | None:
        folder, commit = self.repository_folder(), self.surroundings.base or self.opened.commit
        repository = self.surroundings.repository(folder) if commit or time is not None else None
        if repository is None:
            return None
        if commit is None and self.surroundings.repo is not None and time is not None:
            commit = repository.commit_at(time)
        if commit is not None and self.surroundings.repo is not None and not (folder and paths.is_below(path, folder)):
            folder = self._root_elsewhere(path, repository, commit)
        if not commit or not folder or not paths.is_below(path, folder):
            return None
        at = repository.prefix + paths.sample_path(path, folder)
        text = repository.text(commit, at)
        found = repository.bytes_file(commit, at) if text is None and self.keeps_bytes else None
        if found is None:
            return text
        self.encoded[path] = found
        return found.content

    def _root_elsewhere(self, path: str, repository: Repository, commit: str) -> str | None:
        """The root of the user's repository on the machine of the session, which becomes the session's folder.

        The root is found by a file whose last parts, at least a folder and a name, are a path of the repository.
        """
        parts = path.split("/")
        for n in range(1, len(parts) - 1) if paths.is_absolute(path) else ():
            if repository.text(commit, repository.prefix + "/".join(parts[n:])) is not None:
                root = "/".join(parts[:n]) or "/"
                self.opened = replace(self.opened, cwd=root)
                return root
        return None

    def set_text(self, path: str, text: str | None) -> None:
        """Store the current text of a file; None if the file was removed."""
        self.touched.add(path)
        self.certain.add(path)
        self.ends_unknown.discard(path)
        self._store(path, text)

    def set_text_and_show(self, path: str, text: str | None) -> None:
        """Store the current text of a file that the agent knows."""
        self.set_text(path, text)

    def lose(self, lost: Iterable[str]) -> None:
        """Forget some files: nothing is known of them any more."""
        for path in lost:
            self.touched.add(path)
            self.certain.discard(path)
            self.ends_unknown.discard(path)
            self._forget(path)

    def see(self, event: Read) -> bool:
        """Compare a read with the kept text. Return False if the lines differ: the text is unknown then."""
        path = self.absolute(event.path)
        known = self.text(path)
        if event.whole and not event.ends_shown:
            self._see_lines(path, event.content)
        elif event.whole:
            if known is None and self.keeps_bytes and not event.content.isascii():
                # What was shown may lack bytes that the commit has.
                known, _ = self.known(path)
            text = known if known is not None and self._shows(path, known, event.content) else event.content
            if text != known:
                self.encoded.pop(path, None)
            if text != self.text(path):
                self.set_text(path, text)
            self.certain.add(path)
        elif known is not None:
            lines = event.content.removesuffix("\n").split("\n")
            its = known.split("\n")[event.first_line - 1 : event.first_line - 1 + len(lines)]
            if not self._shows(path, "\n".join(its), "\n".join(lines)):
                self.lose([path])
                return False
        return True

    def _shows(self, path: str, text: str, seen: str) -> bool:
        """True if `seen` is the text, or the text as a program shows it that reads every file as UTF-8."""
        like = self.encoded.get(path)
        return text == seen or (like is not None and _as_utf_8(text, like.encoding) == seen)

    def _see_lines(self, path: str, lines: str) -> None:
        """Store the lines of a whole file. A known text with these lines tells the line endings."""
        text, _ = self.known(path)
        if text is not None and has_lines(text, lines):
            self.set_text(path, text)
        elif path not in self.ends_unknown or self.text(path) != lines:
            self.set_text(path, lines)
            self.ends_unknown.add(path)
        self.certain.add(path)

    def ended(self, attempt: Attempt) -> Texts:
        """The texts of files with unknown line endings that a commit or a recorded diff makes known."""
        found: Texts = {}
        diffs = {self.absolute(diff.path): diff for diff in attempt.diffs if diff.ends_shown}
        for path in self.ends_unknown.intersection(self.absolute_paths(attempt)):
            lines = self.text(path) or ""
            either = [lines, lines + "\n"] if path in diffs else []
            fitting = [text for text in either if recorded_diff.apply_recorded(diffs[path], text) is not None]
            committed = self._from_repository(path, attempt.time)
            if committed is not None and has_lines(committed, lines):
                found[path] = committed
            elif len(fitting) == 1:
                found[path] = fitting[0]
        return found

    # The edits.

    def before(self, attempt: Attempt) -> Before | None:
        """The texts that an edit was made for; None if one of them is not known."""
        if attempt.before is not None:
            return Before(self.by_path(attempt.before), "git" if attempt.evidence == "git" else "tool_result")
        created = {self.absolute(path) for path in paths.created(attempt)}
        texts: Texts = {}
        source: Source = "replayed"
        for path in self.absolute_paths(attempt):
            text, source_of_text = self.known(path, attempt.time)
            if text is not None:
                texts[path] = text
                source = "git" if source_of_text == "git" else source
            elif path not in created:
                return None
        return Before(texts, source) if texts or created else None

    def is_certain(self, attempt: Attempt, before: Iterable[str]) -> bool:
        """True if nothing unseen can have changed the files that an edit was made for."""
        return attempt.before is not None or self.undisturbed or self.certain.issuperset(before)

    def leave(self, attempt: Attempt, before: Texts, after: Texts | None) -> None:
        """Store the files after an edit. A file without a text in `after` is unknown."""
        texts: Mapping[str, str | None] = {} if after is None else {**dict.fromkeys(before), **after}
        self.lose([path for path in self.absolute_paths(attempt) if path not in texts])
        for path, text in texts.items():
            self.set_text_and_show(path, text)


def has_lines(text: str, lines: str) -> bool:
    """True if a text consists of these lines, with any line endings. The last of `lines` has no ending."""
    return line_feeds(text).removesuffix("\n") == lines


def _as_utf_8(text: str, encoding: str | None) -> str | None:
    """The text as a program shows it that reads the bytes as UTF-8. None if the encoding lacks a character."""
    try:
        raw = text.encode(encoding) if encoding else text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return raw.decode("utf-8", "replace")


def with_parsed_blocks(attempt: Attempt) -> Attempt:
    """The attempt with its search/replace blocks as edits, if all of them are of one file."""
    if attempt.format != "search_replace" or attempt.edits or attempt.path is None or not attempt.patch:
        return attempt
    found = read_blocks(attempt.patch)
    return attempt if isinstance(found, Rejected) else replace(attempt, edits=edits_of(attempt.path, found))
