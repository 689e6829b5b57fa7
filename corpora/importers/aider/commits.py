"""aider: the commits that its history names, and the texts of a file before and after one."""

from __future__ import annotations

from corpora.importers.git_history.repository import Repository
from editcore.types import File


def resolve_commit(repository: Repository | None, commit: str, subject: str) -> str | None:
    """The full id of a commit. If it no longer exists, that of the only commit with its subject; None without one."""
    if repository is None:
        return None
    if name := repository.output("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"):
        return name.decode().strip()
    if not subject.strip():
        return None
    lines = repository.lines("log", "--all", "--fixed-strings", f"--grep={subject.strip()}", "--format=%H %s")
    same = {line.partition(" ")[0] for line in lines if line.partition(" ")[2].strip() == subject.strip()}
    return same.pop() if len(same) == 1 else None


def text_at(repository: Repository | None, commit: str, path: str) -> tuple[File, ...] | None:
    """The file at a commit; None if it is not there, or no text."""
    text = repository.text(commit, path) if repository else None
    return None if text is None else (File(path, text),)


def texts_around(repository: Repository, commit: str, path: str) -> tuple[tuple[File, ...], tuple[File, ...]] | None:
    """The file at a commit's parent, if it existed, and at the commit; None if it is not text, or was removed."""
    before, after = repository.text(f"{commit}^", path), repository.text(commit, path)
    if after is None or (before is None and repository.blob(f"{commit}^:{path}") is not None):
        return None
    return (File(path, before),) if before is not None else (), (File(path, after),)
