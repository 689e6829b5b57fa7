"""Concurrent changes from a git history: one hunk is the edit, other hunks are somebody else's changes.

    concurrent_hunks     two hunks of one commit: the model saw the file before it, somebody else made one hunk, the
                         edit is the other hunk
    concurrent_commits   two commits in a row: the model saw the file before both, somebody else made the first one, the
                         edit is a hunk of the second that does not touch the lines of the first
    concurrent_conflict  the same, but the hunk replaces lines that the first commit replaced: the edit must be refused

At least one unchanged line lies between two changes that are both made. There is no sample if the edit's lines occur
more than once in the current text, or if a label is not certain. Nothing is checked out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import xxhash

from corpora.generation.build import BuildSettings, BuiltCorpus, OnProgress
from corpora.generation.referee import objection
from corpora.importers.git_history.changes import (
    Change,
    changes,
    count_matches,
    remote_repository,
    replaced,
    written_text,
)
from corpora.importers.git_history.repository import Repository
from corpora.importers.log import Tally
from corpora.languages import language
from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.patch_lines import render_patch
from corpora.sample import Format, Provenance, Sample
from corpora.write import SampleWriter
from editcore.errors import UsageError
from editcore.text.diff import changed_ranges
from editcore.text.lines import with_feeds
from editcore.types import Edit, File

_MOST_FILES = 10_000
"""The number of files whose latest change is kept. Beyond it, the files unchanged for longest are forgotten."""
_WIDEST = 12
"""The number of lines that are added at most above and below to make a search text unique."""
_FORMATS: tuple[Format, ...] = ("str_replace", "str_replace", "unified_diff", "begin_patch")


class Hunk(NamedTuple):
    """The 0-based lines from `start` to before `end`, and the lines that replace them."""

    start: int
    end: int
    new: tuple[str, ...]
    """With their line feeds."""


@dataclass(frozen=True, slots=True)
class Concurrent:
    """An edit of the text `seen`, and the current text `now`, in which somebody else made a change."""

    kind: str
    seen: str
    now: str
    mine: Hunk
    target: str | None


def build_from_git(
    folder: Path, settings: BuildSettings, writer: SampleWriter, on_progress: OnProgress = lambda *_: None
) -> BuiltCorpus:
    """Write the concurrent changes in a repository's history, newest first, up to the total.

    `per_sample` is the greatest number of edits for one commit's change of a file. Raises UsageError if there is no
    repository, or no sample.
    """
    repository = Repository.at(folder)
    if repository is None:
        raise UsageError(f"No git repository at {folder}", "Name the folder of a repository with a history.")
    built, tally = BuiltCorpus(), Tally()
    with repository:
        for sample in _samples(repository, settings, tally, built):
            writer.add(sample)
            built.n_samples += 1
            built.labels[sample.label] += 1
            built.mutators[sample.provenance.mutator or ""] += 1
            on_progress(built.n_samples, settings.total or built.n_samples)
            if built.n_samples == settings.total:
                break
    built.dropped.update({what: n for what, n in tally.counts.items() if what.startswith("left out")})
    if not built.n_samples:
        raise UsageError("No sample was made: no two changes of a file can be told apart", "Name another repository.")
    return built


def _samples(repository: Repository, settings: BuildSettings, tally: Tally, built: BuiltCorpus) -> Iterator[Sample]:
    repo = remote_repository(repository)
    ids: set[str] = set()
    for change, versions in _versions(repository, tally):
        random = Random(f"{settings.seed}/{change.commit}/{change.path}")
        before, after, *later = versions
        found = [
            *_of_one_commit(before, after, random),
            *(one for text in later for one in _of_two_commits(before, after, text)),
        ]
        built.n_clean += 1
        for one in random.sample(found, min(len(found), settings.per_sample or len(found))):
            origin = Provenance(repo=repo, commit=change.commit, mutator=one.kind, seed=settings.seed)
            sample = _sample(change.path, one, random.choice(_FORMATS), origin)
            if sample is None or (why := objection(sample)):
                tally.add(f"left out: {why if sample else 'its lines do not occur once'}")
            elif sample.id not in ids:
                ids.add(sample.id)
                yield sample


def _versions(repository: Repository, tally: Tally) -> Iterator[tuple[Change, list[str]]]:
    """Each change of a file with its texts: before it, after it, and after the next change if that was read already."""
    newer: OrderedDict[str, Change] = OrderedDict()
    for change in changes(repository, tally):
        later = newer.pop(change.path, None)
        newer[change.path] = change
        if len(newer) > _MOST_FILES:
            newer.popitem(last=False)
        blobs = [change.before, change.after, *([later.after] if later and later.before == change.after else [])]
        where = f"{change.commit[:12]}:{change.path}"
        texts = [text for blob in blobs if (text := written_text(repository, blob, tally, where)) is not None]
        if len(texts) == len(blobs):
            yield change, texts


def _hunks(before: str, after: str) -> list[Hunk]:
    return [Hunk(first - 1, last, tuple(with_feeds(new))) for first, last, new in changed_ranges(before, after)]


def _of_one_commit(before: str, after: str, random: Random) -> Iterator[Concurrent]:
    """Each hunk of a commit as the edit; another hunk is the change of somebody else."""
    hunks = _hunks(before, after)
    for mine in hunks if len(hunks) > 1 else ():
        other = random.choice([one for one in hunks if one is not mine])
        now, target = (replaced(with_feeds(before), some) for some in ([other], sorted([mine, other])))
        yield Concurrent("concurrent_hunks", before, now, mine, target)


def _of_two_commits(seen: str, now: str, later: str) -> Iterator[Concurrent]:
    """Each hunk of a second commit as an edit of the text before the first commit."""
    first = _hunks(seen, now)
    second = _hunks(now, later)
    for hunk in second:
        touched = [n for n, one in enumerate(first) if _touch(hunk, *_lines_now(first, n))]
        if not touched:
            by = sum(
                len(one.new) - (one.end - one.start)
                for n, one in enumerate(first)
                if _lines_now(first, n)[1] <= hunk.start
            )
            mine = Hunk(hunk.start - by, hunk.end - by, hunk.new)
            yield Concurrent("concurrent_commits", seen, now, mine, replaced(with_feeds(now), [hunk]))
        elif len(touched) == 1 and (conflict := _conflict(seen, now, first, touched[0], hunk, second)):
            yield conflict


def _lines_now(hunks: list[Hunk], n: int) -> tuple[int, int]:
    """The first line of the n-th hunk's new lines in the new text, and the line after the last."""
    by = sum(len(one.new) - (one.end - one.start) for one in hunks[:n])
    return hunks[n].start + by, hunks[n].start + by + len(hunks[n].new)


def _touch(hunk: Hunk, start: int, end: int) -> bool:
    """True if no unchanged line lies between a hunk and the lines from `start` to before `end`."""
    return hunk.start <= end and start <= hunk.end


def _conflict(seen: str, now: str, first: list[Hunk], n: int, hunk: Hunk, second: list[Hunk]) -> Concurrent | None:
    """The edit that makes both hunks at once. None if it does not replace a line that the first hunk replaced."""
    start, end = _lines_now(first, n)
    hull_start, hull_end = min(start, hunk.start), max(end, hunk.end)
    if any(one is not hunk and _touch(one, hull_start, hull_end) for one in second):
        return None
    lines_seen, lines_now = with_feeds(seen), with_feeds(now)
    new = (*lines_now[hull_start : hunk.start], *hunk.new, *lines_now[hunk.end : hull_end])
    mine = Hunk(first[n].start - (start - hull_start), first[n].end + hull_end - end, new)
    replaced = {line.strip() for line in lines_seen[first[n].start : first[n].end] if line.strip()}
    made = {line.strip() for line in first[n].new if line.strip()}
    meant = {line.strip() for line in new}
    if not replaced - made - meant or not made - meant:
        return None
    return Concurrent("concurrent_conflict", seen, now, mine, None)


def _sample(path: str, one: Concurrent, format: Format, origin: Provenance) -> Sample | None:
    """The edit in a format. None if its lines are not unique in the text that was seen, or occur several times now."""
    edit = _pair(one)
    seen_target = replaced(with_feeds(one.seen), [one.mine])
    patch = None
    if format in ("unified_diff", "begin_patch"):
        clean = CleanPatch((File(path, one.seen),), (File(path, seen_target),))
        rendered = render_patch(clean, "unified_diff" if format == "unified_diff" else "begin_patch")
        patch = rendered.text if rendered else None
    if edit is None or (format != "str_replace" and patch is None):
        return None
    refused = one.target is None
    name = xxhash.xxh3_64_hexdigest(repr((path, one, format)).encode("utf-8", "surrogatepass"))
    tags = [f"language:{language(path)}", f"truth:{'refuse' if refused else 'tolerate'}"]
    return Sample(
        id=f"{one.kind}-{name}", format=format, before=(File(path, one.now),), label="refuse" if refused else "apply",
        edits=(edit,) if patch is None else None, patch=patch,
        target=None if one.target is None else (File(path, one.target),), seen=(File(path, one.seen),),
        label_source="constructed", tags=(*tags, *(["refuse:changed_since"] if refused else [])), provenance=origin,
    )  # fmt: skip


def _pair(one: Concurrent) -> Edit | None:
    """The edit as a search/replace pair, with as many lines around it as make it unique in the text that was seen."""
    lines, mine = with_feeds(one.seen), one.mine
    for wider in range(int(mine.start == mine.end), _WIDEST + 1):
        above = lines[max(mine.start - wider, 0) : mine.start]
        below = lines[mine.end : mine.end + wider]
        old, new = "".join([*above, *lines[mine.start : mine.end], *below]), "".join([*above, *mine.new, *below])
        if old.strip() and count_matches(one.seen, old) == 1:
            is_ended = old.endswith("\n") and new.endswith("\n")
            return None if count_matches(one.now, old) > 1 else Edit(old[:-1], new[:-1]) if is_ended else Edit(old, new)
    return None
