"""The sample of an edit attempt whose label is settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import xxhash

from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.results import Texts
from corpora.importers.rebuilding.session_state import Before, SessionState
from corpora.importers.rebuilding.views import Seen
from corpora.importers.session import APPLIED, Attempt
from corpora.languages import language
from corpora.sample import SEEN_SAME, Label, Provenance, Sample, SeenLines
from editcore.text.encodings import with_text
from editcore.text.lines import n_lines
from editcore.types import Edit, File

DOUBTFUL = "doubtful"
"""The tag of a failed edit whose text comes from a commit. Uncommitted changes may have made the edit fail."""


def attempt_sample(
    attempt: Attempt,
    before: Before,
    session: SessionState,
    seen: Seen,
    *,
    label: Label = "unlabelled",
    after: Texts | None = None,
    label_source: str | None = None,
    tags: tuple[str, ...] = (),
) -> Sample:
    """The attempt as a sample, its paths relative to the session's folder."""
    old, source = before
    agent, cwd = session.opened.agent, session.opened.cwd
    first = next(iter(old or after or {}), attempt.path or "")
    found = [f"language:{language(first)}", f"before:{source}", *attempt.tags, *tags]
    if drift := _drift(attempt.edits or (), next(iter(old.values()), "")):
        found.append(f"drift:{drift}")
    if not session.is_certain(attempt, old):
        found.append("before:disturbed")
    if source == "git" and attempt.before is None and attempt.outcome not in APPLIED:
        found.append(DOUBTFUL)
    if attempt.end_line is not None and attempt.end_line > max(map(n_lines, old.values()), default=attempt.end_line):
        found.append("range:past_end")
    if attempt.against_original:
        found.append("edits:against_original")
    if seen.same:
        found.append(SEEN_SAME)
    before_files, target = sample_files(old, session), None if after is None else sample_files(after, session)
    if target and _lacks_a_character(target, before_files):
        # The agent wrote the file in another encoding, or broke it.
        label, target, label_source = "unlabelled", None, None
    provenance = Provenance(
        agent=agent, model=attempt.model, repo=session.opened.repo, commit=session.opened.commit,
        license=session.opened.license, recorded_outcome=attempt.outcome, recorded_error=attempt.error,
    )  # fmt: skip
    return Sample(
        id=f"{agent}-{_hash(attempt)}", format=attempt.format, before=before_files, label=label,
        edits=attempt.edits if old or attempt.patch is None else None,
        patch=paths.patch_with_sample_paths(attempt, cwd), line=attempt.line, end_line=attempt.end_line, target=target,
        seen=sample_files(seen.files, session) if seen.files else None, seen_lines=_seen_lines(seen, cwd) or None,
        label_source=label_source, tags=tuple(found), provenance=provenance,
    )  # fmt: skip


def sample_files(texts: Texts, session: SessionState) -> tuple[File, ...]:
    """The files as a sample has them: in their encodings, their paths relative to the session's folder."""

    def file(path: str, text: str) -> File:
        name, like = paths.sample_path(path, session.opened.cwd), session.encoded.get(path)
        return File(name, text) if like is None else with_text(replace(like, path=name), text)

    return tuple(file(path, text) for path, text in texts.items())


def _lacks_a_character(target: Sequence[File], before: Sequence[File]) -> bool:
    """True if the encoding of a file lacks a character of the new text."""
    had = {file.path for file in before if file.raw is not None}
    return any(file.path in had and file.raw is None for file in target)


def _seen_lines(seen: Seen, cwd: str | None) -> tuple[SeenLines, ...]:
    """The lines that were shown of files that were shown in part."""
    return tuple(
        SeenLines(paths.sample_path(path, cwd), first, last)
        for path, lines in seen.lines.items()
        for first, last in lines
    )


def _hash(attempt: Attempt) -> str:
    """A hash of the call. All copies of the call in other logs have the same hash."""
    identity = (attempt.key, attempt.format, attempt.edits, attempt.patch, attempt.line, attempt.end_line)
    return xxhash.xxh3_64_hexdigest(repr(identity).encode("utf-8", "surrogatepass"))


def _drift(edits: tuple[Edit, ...], text: str) -> str | None:
    """The relation of the search texts to the file text: exact, whitespace (only whitespace differs) or absent.

    None if there is no search text or no file text.
    """
    if not edits or not text:
        return None
    if all(edit.old_string in text for edit in edits):
        return "exact"
    squeezed = "".join(text.split())
    return "whitespace" if all("".join(edit.old_string.split()) in squeezed for edit in edits) else "absent"
