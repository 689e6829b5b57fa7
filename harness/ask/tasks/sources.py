"""Sources of tasks: texts to change, or changes that somebody made.

mutations:PATH      source files below a folder, or the files of a corpus, changed by `mutations`
git:REPOSITORY      the change of each file in each commit
CORPUS              the files and right results of its samples
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random

from corpora.generation.sources import source_files, source_text
from corpora.importers.git_history.changes import changes, remote_repository, written_text
from corpora.importers.git_history.repository import Repository
from corpora.importers.log import Tally
from corpora.load import BUNDLED, load
from corpora.sample import Provenance, text_hash
from editcore.errors import UsageError
from editcore.types import File

DEFAULT = "mutations:house"
MUTATIONS, GIT = "mutations:", "git:"
_LARGEST = 400_000
"""Most characters of a file that is asked about."""
_MOST_TEXTS = 400
"""Number of a corpus's texts that are kept."""
_MOST_DRAWN = 200


@dataclass(frozen=True, slots=True)
class Origin:
    """A text before and after a change that somebody made."""

    path: str
    before: str
    after: str
    kind: str
    provenance: Provenance


class Texts:
    """Texts to change: source files, which are read when they are needed, or the files of a corpus."""

    def __init__(self, place: str) -> None:
        """Raises UsageError where there are none."""
        self._by_suffix: dict[str, list[File | tuple[str, Path]]] = {}
        is_corpus = not Path(place).exists() or Path(place).suffix in (".jsonl", ".parquet")
        for one in _kept(place) if is_corpus else source_files([Path(place)]):
            name = one.path if isinstance(one, File) else one[0]
            self._by_suffix.setdefault(name.rpartition(".")[2], []).append(one)
        if not self._by_suffix:
            raise UsageError(f"{place} has no source files", "Name a folder with source files, or a corpus.")
        self._suffixes = [suffix for suffix, found in self._by_suffix.items() for _ in found]

    def drawn(self, n_lines: int, rng: Random) -> list[File]:
        """Different texts of one language with about `n_lines` lines together, if there are so many."""
        of_kind = self._by_suffix[rng.choice(self._suffixes)]
        found, n = list[File](), 0
        for one in rng.sample(of_kind, min(len(of_kind), _MOST_DRAWN)):
            if isinstance(one, File):
                found.append(one)
            elif (text := source_text(one[1])) is not None:
                found.append(File(one[0], text))
            else:
                continue
            n += found[-1].content.count("\n")
            if n >= n_lines:
                break
        return found


@lru_cache(maxsize=1)
def _kept(corpus: str) -> Sequence[File]:
    """At most `_MOST_TEXTS` distinct files of a corpus, chosen by the lowest hashes."""
    kept: dict[int, File] = {}
    for sample in load(corpus):
        for file in sample.before:
            if "\r" in file.content or file.content.startswith("\ufeff") or not 200 < len(file.content) < _LARGEST:
                continue
            kept[text_hash(file.content)] = file
            if len(kept) > _MOST_TEXTS:
                del kept[max(kept)]
    return [kept[key] for key in sorted(kept)]


def origins(spec: str) -> Iterator[Origin]:
    """The changes in a repository or a corpus. Raises UsageError if it does not exist."""
    if not spec.startswith(GIT):
        yield from _of_corpus(spec)
        return
    repository = Repository.at(Path(spec.removeprefix(GIT)))
    if repository is None:
        raise UsageError(f"{spec.removeprefix(GIT)} is not in a git repository", "Name a folder in one.")
    with repository:
        yield from _of_git(repository)


def _of_git(repository: Repository) -> Iterator[Origin]:
    repo = remote_repository(repository)
    for change in changes(repository, Tally()):
        before, after = (written_text(repository, blob, Tally(), "") for blob in (change.before, change.after))
        if before is not None and after is not None:
            yield Origin(change.path, before, after, "commit", Provenance(repo=repo, commit=change.commit))


def _of_corpus(corpus: str) -> Iterator[Origin]:
    seen = set[int]()
    for sample in load(corpus):
        if sample.label != "apply" or sample.alternatives or len(sample.before) != 1 or len(sample.target or ()) != 1:
            continue
        (before,), (after,) = sample.before, sample.target or ()
        key = text_hash(f"{before.path}\0{before.content}\0{after.content}")
        if before.path == after.path and before.content != after.content and key not in seen:
            seen.add(key)
            origin = replace(sample.provenance, recorded_outcome=None, recorded_error=None, parent_id=sample.id)
            yield Origin(before.path, before.content, after.content, "sample", origin)


def is_mutated(spec: str) -> bool:
    """True for a source of texts to change."""
    return spec.startswith(MUTATIONS)


def check(spec: str) -> None:
    """Raise UsageError for a source that does not exist."""
    if spec.startswith((MUTATIONS, GIT)) or spec in BUNDLED or Path(spec).exists() or spec.startswith("hub:"):
        return
    raise UsageError(f"There are no tasks {spec!r}", f"Write {MUTATIONS}PATH, {GIT}REPOSITORY, or name a corpus.")
