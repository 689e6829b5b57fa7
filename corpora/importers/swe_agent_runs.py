"""SWE-agent: the diff that a run submits, and the model that the run's configuration names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha1
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from corpora.importers.git_history.repository import Repository, decoded
from corpora.importers.log import Tally
from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.results import apply_exactly
from corpora.importers.session import APPLIED, Attempt, Event, Opened, Read, Wrote
from editcore.patches.line_edits import insert_split, replace_lines
from editcore.types import Applied, File

# The submitted diff. Its `index a..b` lines name each file before and after all edits of the run by git blob ids, which
# are hashes of the text. A text with the first id is the text before the run. If the recorded edits, made one after the
# other, lead to a text with the second id, every text in between is right too.

_INDEX = re.compile(r"index ([0-9a-f]{4,40})\.\.([0-9a-f]{4,40})(?: \d+)?")
_GIT = "diff --git "
_MOST_FILES = 1000


class _Submitted(NamedTuple):
    """A file of a submission."""

    path: str
    before: str
    """The id of the file's text before, or the start of the id."""
    after: str


def with_submission(
    found: Sequence[Event], submission: str, repository: Repository, cwd: str | None, tally: Tally
) -> Iterator[Event]:
    """The events of a run, with the texts of files that the ids of its submission prove."""
    events = list(found)
    known: list[Event] = []
    for one in _submitted(submission):
        path = paths.absolute(one.path, cwd)
        text = _text(repository.blob(one.before), one.before)
        if text is None:
            tally.add("file of a submission whose text is not in the repository", one.path)
            continue
        known.append(Read(path, text))
        made = _made(events, path, text, cwd)
        last = next((after for _, after in reversed(made) if after is not None), text)
        if not made or not blob_id(last).startswith(one.after):
            tally.add("file whose edits do not lead to the submitted text", one.path)
            continue
        tally.add("file whose edits the submission proves", one.path)
        for (number, after), before in zip(made, _texts_before(made, text), strict=True):
            events[number] = _with_texts(events[number], path, before, after)
    start = next((n + 1 for n, event in enumerate(events) if isinstance(event, Opened)), 0)
    yield from (*events[:start], *known, *events[start:])


def blob_id(text: str) -> str:
    """The id that git gives to a file text."""
    data = text.encode("utf-8", "surrogatepass")
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _submitted(submission: str) -> list[_Submitted]:
    """The files that a submission changes, without new, deleted and renamed ones."""
    found: list[_Submitted] = []
    path = ""
    for line in submission.split("\n"):
        if line.startswith(_GIT):
            names = line[len(_GIT) :]
            path = names[2 : (len(names) - 1) // 2]
            path = path if names == f"a/{path} b/{path}" else ""
        elif path and (match := _INDEX.fullmatch(line)):
            if {"0"} not in map(set, match.groups()) and len(found) < _MOST_FILES:
                found.append(_Submitted(path, *match.groups()))
            path = ""
    return found


def _text(data: bytes | None, name: str) -> str | None:
    text = decoded(data)
    return text if text is not None and blob_id(text).startswith(name) else None


def _made(events: Sequence[Event], path: str, text: str, cwd: str | None) -> list[tuple[int, str | None]]:
    """The ordinals of the file's edits with the texts after them (None if an edit failed), up to an unknown result."""
    made: list[tuple[int, str | None]] = []
    for number, event in enumerate(events):
        if isinstance(event, Wrote) and paths.absolute(event.path, cwd) == path and event.content is not None:
            return []
        if not isinstance(event, Attempt) or event.path is None or paths.absolute(event.path, cwd) != path:
            continue
        if event.outcome in APPLIED:
            after = _after(event, text)
            if after is None:
                return []
            text = after
            made.append((number, after))
        else:
            made.append((number, None))
    return made


def _after(attempt: Attempt, text: str) -> str | None:
    """The text after an applied edit as the editor makes it."""
    if attempt.edits:
        return apply_exactly(attempt, text).by_tool
    if attempt.line is None or attempt.patch is None:
        return None
    if attempt.end_line is None:
        done = insert_split(text, attempt.line, attempt.patch)
    else:
        done = replace_lines(text, attempt.line, attempt.end_line, attempt.patch)
    return done.content if isinstance(done, Applied) else None


def _texts_before(made: Sequence[tuple[int, str | None]], text: str) -> Iterator[str]:
    for _, after in made:
        yield text
        text = text if after is None else after


def _with_texts(event: Event, path: str, before: str, after: str | None) -> Event:
    assert isinstance(event, Attempt)
    done = None if after is None else (File(path, after),)
    return replace(event, before=(File(path, before),), after=done, evidence="git")


# The model in the run's configuration, a file of YAML beside the log or in the folder above: `args.yaml` before 1.0,
# then `<instance>.config.yaml` and `run_batch.config.yaml`. The name is in a block `model:`.

_NAMES = ("args.yaml", "run_single.config.yaml", "run_batch.config.yaml", "config.yaml")
_MODEL = re.compile(r"( *)model:\s*")
_NAME = re.compile(r"( *)(?:model_)?name: *([^\s#].*)")
_MOST_LINES = 20_000
_LONGEST = 4096


def configured_model(log: Path | None) -> str | None:
    """The model's name in the run's configuration; None without one."""
    found = (name for file in _files(log) if (name := _model(file))) if log else iter(())
    return next(found, None)


def _files(log: Path) -> Iterator[Path]:
    yield log.with_name(log.name.partition(".traj")[0] + ".config.yaml")
    for folder in (log.parent, log.parent.parent):
        yield from (folder / name for name in _NAMES)


def _model(file: Path) -> str | None:
    """The name in the first block `model:` of a file."""
    if not file.is_file():
        return None
    indentation: int | None = None
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in islice(iter(lambda: lines.readline(_LONGEST), ""), _MOST_LINES):
            if block := _MODEL.fullmatch(line):
                indentation = len(block[1])
            elif indentation is not None and (name := _NAME.fullmatch(line.rstrip())) and len(name[1]) > indentation:
                return name[2].strip().strip("'\"")
            elif indentation is not None and line.strip() and len(line) - len(line.lstrip()) <= indentation:
                indentation = None
    return None
