"""The severity of a wrong edit: the severity of its worst file."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

import editcore.grammars
import editcore.notebooks
import editcore.text.diff
from corpora.cache_folder import cache_folder
from corpora.languages import language
from editcore.grammars import GRAMMARS
from harness.run.syntax.data_formats import READERS
from harness.run.syntax.parser import ParserProcess
from harness.run.syntax.trees import source
from reports.runs.rows import Severity

# Kept severities: the next run need not judge a pair of texts that an earlier one has judged.
#
# The user's cache has a file of fixed size, which any number of processes read and write in place without locks. An
# entry is a hash of a question together with its answer. An entry that is damaged, torn by two writers, or from another
# version of the code therefore matches no question, and newer entries replace it in time. Without the file nothing is
# kept.

_ENTRY = 16
"""Bytes of an entry."""
_BUCKET = 16 * _ENTRY
"""Bytes of a bucket: entries of questions with similar hashes, the newest first. The oldest is dropped."""
_N_BUCKETS = 1 << 16
"""The file has at most 16 MiB and a million answers."""


class KeptAnswers:
    """Answers in a file, which is made if it does not exist. A path of None keeps nothing."""

    def __init__(self, path: Path | None, answers: Sequence[str]) -> None:
        self._answers = answers
        self._file = None if path is None else _opened(path)

    def answer(self, question: bytes, ask: Callable[[], str | None]) -> str | None:
        """The kept answer to a question, which is a hash; else the answer of `ask`, which is kept unless it is None."""
        at = int.from_bytes(question[:8], "big") % _N_BUCKETS * _BUCKET
        bucket = self._read(at)
        known = next((one for one in self._answers if _entry(question, one) in bucket), None)
        if known is not None:
            return known
        answer = ask()
        if answer is not None and answer in self._answers:
            # The bucket is read again: asking took long.
            self._write(at, (_entry(question, answer) + self._read(at))[:_BUCKET])
        return answer

    def _read(self, at: int) -> bytes:
        if self._file is not None:
            with suppress(OSError):
                return os.pread(self._file, _BUCKET, at)
        return b""

    def _write(self, at: int, bucket: bytes) -> None:
        if self._file is not None:
            try:
                os.pwrite(self._file, bucket, at)
            except OSError:  # The disk is full, say: this process keeps nothing more.
                self._file = None


def _entry(question: bytes, answer: str) -> bytes:
    return hashlib.sha256(question + answer.encode()).digest()[:_ENTRY]


def _opened(path: Path) -> int | None:
    """A descriptor that forked processes may share: reads and writes name their offset."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return None


def kept_severities() -> KeptAnswers:
    try:
        return _kept_in(cache_folder() / "severities")
    except RuntimeError:  # There is no home.
        return _kept_in(None)


@cache
def _kept_in(path: Path | None) -> KeptAnswers:
    return KeptAnswers(path, [one.value for one in Severity])


class RightText:
    """A text that is hashed once for all texts that are compared with it."""

    def __init__(self, language: str, data: bytes) -> None:
        self.language, self.data = language, data
        self._hash = hashlib.sha256(f"{_judge(language)} {len(data)}\n".encode() + data)

    def question(self, given: bytes) -> bytes:
        """A hash of everything that decides the severity of another text."""
        state = self._hash.copy()
        state.update(given)
        return state.digest()


@cache
def _judge(language: str) -> str:
    """A hash of what judges texts of a language: this code, Python's parsers, tree-sitter and the grammar."""
    others = map(Path, (editcore.text.diff.__file__, editcore.grammars.__file__, editcore.notebooks.__file__))
    try:
        paths = [*sorted(Path(__file__).parent.glob("*.py")), *others]
        code = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
        names = ("tree_sitter", GRAMMARS[language][0]) if language in GRAMMARS else ()
        parsers = [("python", platform.python_version()), *((name, version(name)) for name in ("pyyaml", *names))]
    except (OSError, PackageNotFoundError):
        return token_hex()  # It is like no other, so what is kept now is never used again.
    return hashlib.sha256(repr((language, code, parsers)).encode()).hexdigest()


LARGEST = 1_000_000
"""The most characters of a text that is parsed."""
_MOST_NAMED = 3

_PROCESS = ParserProcess()
_WORST_FIRST = (Severity.BROKEN, Severity.OTHER_TREE, Severity.UNKNOWN, Severity.SAME_TREE)


def why_unknown() -> str | None:
    """The reason why every severity is unknown here, in one line; None if there is none."""
    missing = [name for name in ("tree_sitter", *sorted({module for module, _ in GRAMMARS.values()})) if not _has(name)]
    if not missing:
        return None
    are = "are" if len(missing) > 1 and "tree_sitter" not in missing else "is"
    many = f"{len(missing)} grammars of tree-sitter" if len(missing) > _MOST_NAMED else ", ".join(missing)
    what = "tree-sitter" if "tree_sitter" in missing else many
    return f"the severity of wrong edits is unknown where {what} {are} needed: pip install 'editgauge[syntax]'"


@cache
def _has(module: str) -> bool:
    return find_spec(module) is not None


class SeverityJudge:
    """Judges wrong results of one sample. If a parser failed for a file, the file is not parsed again."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Severity] = {}
        self._failed: set[str] = set()
        self._rights: dict[tuple[str, str], RightText] = {}

    def severity(self, right: Mapping[str, str], given: Mapping[str, str]) -> Severity:
        """The severity of the given files, by path, compared with the right files."""
        paths = [path for path in {**right, **given} if right.get(path) != given.get(path)]
        found = {self._of_file(path, right.get(path), given.get(path)) for path in paths}
        return next((one for one in _WORST_FIRST if one in found), Severity.SAME_TREE)

    def _of_file(self, path: str, right: str | None, given: str | None) -> Severity:
        if right is None or given is None:
            return Severity.OTHER_TREE  # A file too many or too few is another meaning in any language.
        if (path, right, given) not in self._known:
            self._known[path, right, given] = self._parsed(path, right, given)
        return self._known[path, right, given]

    def _parsed(self, path: str, right: str, given: str) -> Severity:
        name = language(path)
        is_judged = name in READERS or (name in GRAMMARS and _has("tree_sitter"))
        if not is_judged or path in self._failed or max(len(right), len(given)) > LARGEST:
            return Severity.UNKNOWN
        if (name, right) not in self._rights:
            self._rights[name, right] = RightText(name, source(right))
        text, data = self._rights[name, right], source(given)
        ask = partial(_PROCESS.severity, name, text.data, data)
        found = kept_severities().answer(text.question(data), ask)
        if found is None:
            self._failed.add(path)
            return Severity.UNKNOWN
        return Severity(found)
