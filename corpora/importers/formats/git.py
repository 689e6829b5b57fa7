"""git: the history of any local repository. Each commit's changes of files are written as edits.

Against the file at the commit's parent, the right result is the file at the commit. Against the file at another
commit the edit is stale: it applies if its lines still occur and git merges it, must be refused if they are gone or the
change is made already, and is left out if neither is certain. Merges, new, removed and renamed files are left
out. Nothing is checked out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import xxhash

from corpora.importers.git_history.changes import (
    Change,
    Version,
    WrittenEdit,
    changes,
    remote_repository,
    versions,
    written_edits,
    written_text,
)
from corpora.importers.git_history.drift import Merges, settle
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, Tally
from corpora.languages import language
from corpora.sample import SEEN_SAME, Provenance, Sample
from editcore.types import File

_CONTEXTS = (1, 2, 3, 5)


@dataclass(frozen=True, slots=True)
class _Read:
    """A change, and the edits that express it."""

    change: Change
    before: str
    edits: tuple[WrittenEdit, ...]


def logs(path: Path) -> Iterator[Log]:
    """The repository that contains a folder, as one log."""
    if Repository.at(path):
        yield Log.at(path)


def events(log: Log, surroundings: Surroundings) -> Iterator[Sample]:
    """The samples of a history, newest commit first. Stale samples come when their other version is reached."""
    repository = Repository.at(log.path) if log.path else None
    if repository is None:
        surroundings.tally.add("no repository", log.name)
        return
    with repository, Merges.of(repository) as merges:
        yield from _samples(repository, merges, surroundings.tally)


def _samples(repository: Repository, merges: Merges, tally: Tally) -> Iterator[Sample]:
    repo = remote_repository(repository)
    read: _Read | None = None
    for change, version in versions(changes(repository, tally)):
        if read is None or read.change != change:
            # A change that comes again for an older version was counted the first time.
            read = _read(repository, change, tally if version is None else Tally())
        if version is None:
            yield from (_sample(read, edit, repo) for edit in read.edits)
        elif read.edits and version.blob != change.before:
            yield from _stale(read, version, repository, merges, repo, tally)


def _read(repository: Repository, change: Change, tally: Tally) -> _Read:
    """A change and its edits. Formats that cannot express the change are counted."""
    tally.add("changes of files")
    before, after = (written_text(repository, blob, tally, _place(change)) for blob in (change.before, change.after))
    if before is None or after is None:
        return _Read(change, "", ())
    edits: list[WrittenEdit] = []
    for edit in written_edits(change.path, before, after, _CONTEXTS[change.number % len(_CONTEXTS)]):
        if isinstance(edit, WrittenEdit):
            edits.append(edit)
        else:
            tally.add(f"left out: {edit}", _place(change))
    return _Read(change, before, tuple(edits))


def _stale(
    read: _Read, version: Version, repository: Repository, merges: Merges, repo: str | None, tally: Tally
) -> Iterator[Sample]:
    """The edits of a change against another version of its file, if their result is certain."""
    other = written_text(repository, version.blob, tally, f"{version.commit[:12]}:{read.change.path}")
    if other is None:
        return
    for edit in read.edits:
        outcome = settle(edit, read.before, other, merges)
        if isinstance(outcome, str):
            tally.add(f"left out: stale {edit.format}: {outcome}", _place(read.change))
            continue
        fresh = _sample(read, edit, repo)
        tags = [*(tag for tag in fresh.tags if tag != SEEN_SAME), "drift:stale", f"commits_apart:{version.apart}"]
        if outcome.target is None:
            tags += (f"refuse:{outcome.reason}", f"twin:{fresh.id}")
        yield replace(
            fresh,
            id=_id(read.change, edit, version.commit),
            before=(File(read.change.path, other),),
            seen=fresh.before,
            label="refuse" if outcome.target is None else "apply",
            target=None if outcome.target is None else (File(read.change.path, outcome.target),),
            label_source=outcome.source,
            tags=tuple(tags),
        )


def _sample(read: _Read, edit: WrittenEdit, repo: str | None) -> Sample:
    """The sample of an edit against the text that it was made for."""
    change = read.change
    return Sample(
        id=_id(change, edit),
        format=edit.format,
        before=(File(change.path, read.before),),
        label="apply",
        edits=edit.edits,
        patch=edit.patch,
        target=(File(change.path, edit.target),),
        label_source="git",
        tags=(f"language:{language(change.path)}", f"context:{edit.context}", SEEN_SAME),
        provenance=Provenance(agent="git", repo=repo, commit=change.commit),
    )


def _id(change: Change, edit: WrittenEdit, other: str = "") -> str:
    identity = (change.commit, change.path, edit.format, str(edit.hunk), other)
    return "git-" + xxhash.xxh3_64_hexdigest("\0".join(identity).encode())


def _place(change: Change) -> str:
    return f"{change.commit[:12]}:{change.path}"
