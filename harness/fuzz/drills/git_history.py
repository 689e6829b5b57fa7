"""The diffs of a git repository's history, applied, reversed, and applied twice; ours, git's, and as envelopes.

For every file of every commit that HEAD has behind it, compared with the commit's first parent:

    round trip   our diff of before and after, applied to before at each strictness, gives after
    reverse      our diff of after and before, applied to after, gives before
    twice        our diff, applied to after, is refused; where its old lines still stand there it may fit again
    git          git's own diff, applied to before at each strictness, gives after
    envelope     our diff as a Begin/End Patch, applied to before in each reading, gives after

A diff cannot tell an empty file from none, so ours treats one as the other. Files that are no UTF-8 text, links,
submodules and changes of the mode alone are counted as left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic

from corpora.diff_hunks import diff_hunks
from corpora.importers.git_history.edits import places, read_changed_lines
from corpora.importers.git_history.repository import Repository
from editcore.diff import unified_diff
from editcore.errors import PatchError, UsageError
from editcore.patches.begin_patch import Reading, apply_begin_patch
from editcore.patches.sections import inside
from editcore.patches.unified_diff import STRICTNESSES, Strictness, apply_unified_diff
from editcore.types import Applied, EditResult
from harness.fuzz.drills.drill import Drill, Orders, Trial
from harness.fuzz.drills.file_diffs import FileDiff, file_diffs

Files = dict[str, str]
_READINGS: tuple[Reading, ...] = ("strict", "lenient")


def _trials(orders: Orders) -> Iterator[Trial]:
    folder = orders.repo or Path.cwd()
    repository = Repository.at(folder)
    if repository is None:
        raise UsageError(f"{folder} lies in no git repository", "Name one with --repo PATH.")
    end = None if orders.seconds is None else monotonic() + orders.seconds
    with repository:
        trials = (trial for diff in _until(end, file_diffs(repository)) for trial in replayed(diff, repository))
        yield from islice(trials, orders.runs)


REPLAY = Drill("history", "The diffs of a git repository's history: applied, reversed, applied twice", _trials)


def _until(end: float | None, diffs: Iterator[FileDiff]) -> Iterator[FileDiff]:
    for diff in diffs:
        if end is not None and monotonic() > end:
            return
        yield diff


@dataclass(frozen=True, slots=True)
class _Change:
    """A file diff and its texts."""

    diff: FileDiff
    before: str
    after: str
    ours: str
    """Our diff of the two."""

    @property
    def path(self) -> str:
        return self.diff.path


def replayed(diff: FileDiff, repository: Repository) -> Iterator[Trial]:
    """A trial for each check of a file diff, or one that says why it was left out."""
    where = f"{diff.commit[:12]}:{diff.path}"
    pair = _texts(diff, repository)
    if isinstance(pair, str):
        yield Trial(f"left out: {pair}", where)
        return
    before, after = pair
    change = _Change(diff, before, after, unified_diff(before, after, path=diff.path))
    for group, check in _CHECKS.items():
        broken = check(change)
        yield Trial(group, where, broken=broken and f"{where}: {broken}")


def _texts(diff: FileDiff, repository: Repository) -> tuple[str, str] | str:
    """The texts before and after; or why not."""
    if not diff.is_file:
        return "a link or a submodule"
    if not _can_be_named(diff.path):
        return "a name that no patch may give"
    if diff.before == diff.after:
        return "its mode alone"
    texts = []
    for blob in (diff.before, diff.after):
        data = b"" if not blob.strip("0") else repository.blob(blob)
        if data is None:
            return "too large"
        try:
            texts.append(data.decode())
        except UnicodeDecodeError:
            return "no UTF-8 text"
        if b"\0" in data:
            return "no UTF-8 text"
    return texts[0], texts[1]


def _can_be_named(path: str) -> bool:
    try:
        return inside(path, 1) == path
    except PatchError:
        return False


def _files(path: str, text: str) -> Files:
    """The files of which this is the only one; an empty one counts as none."""
    return {path: text} if text else {}


def _round_trip(change: _Change) -> str | None:
    return _turned(change.ours, change.path, change.before, change.after)


def _reverse(change: _Change) -> str | None:
    back = unified_diff(change.after, change.before, path=change.path)
    return _turned(back, change.path, change.after, change.before)


def _turned(patch: str, path: str, before: str, after: str) -> str | None:
    """What is wrong with a patch that is to turn one text into the other."""
    if before == after:
        return f"a diff of nothing: {patch[:80]!r}" if patch else None
    wanted = _files(path, after)
    return _first(patch, _files(path, before), lambda _, result: _differs(result, wanted))


def _first(patch: str, files: Files, judge: Callable[[Strictness, EditResult], str | None]) -> str | None:
    """What is wrong at the first strictness at which something is."""
    for strictness in STRICTNESSES:
        broken = judge(strictness, apply_unified_diff(files, patch, strictness=strictness))
        if broken:
            return f"{strictness}: {broken}"
    return None


def _differs(result: EditResult, wanted: Files) -> str | None:
    if not isinstance(result, Applied):
        return f"refused ({result.reason}): {result.message}"
    return None if result.files == wanted else "applied, but the text is another"


def _twice(change: _Change) -> str | None:
    """Where every hunk's old lines stand in the text afterwards, a second application is nothing to refuse."""
    if change.before == change.after:
        return None
    text = _squeezed(change.after.split("\n"))
    blocks = [hunk.old for hunk in diff_hunks(change.ours) or ()]
    if all(_squeezed(block) in text for block in blocks):
        return None
    # As far as `fuzz` goes, two outer lines on either side may differ.
    may_fit = all(_squeezed(block[2:-2]) in text for block in blocks)

    def judge(strictness: Strictness, result: EditResult) -> str | None:
        again = isinstance(result, Applied) and not (strictness == "fuzz" and may_fit)
        return "applied a second time, although its old lines are gone" if again else None

    return _first(change.ours, _files(change.path, change.after), judge)


def _squeezed(lines: list[str]) -> str:
    """The lines without white space at their ends, to be found as whole ones."""
    return "\n".join(["", *(line.strip() for line in lines), ""])


def _of_git(change: _Change) -> str | None:
    diff = change.diff
    files = {diff.path: change.before} if diff.before.strip("0") else {}
    wanted = {diff.path: change.after} if diff.after.strip("0") else {}
    return _first(diff.patch.decode(), files, lambda _, result: _differs(result, wanted))


def _as_envelope(change: _Change) -> str | None:
    """An envelope has no place for a missing last line feed, nor for hunks that fit in several places."""
    patch = _envelope(change)
    if patch is None:
        return None
    files, wanted = _files(change.path, change.before), _files(change.path, change.after)
    for reading in _READINGS:
        broken = _differs(apply_begin_patch(files, patch, reading=reading), wanted)
        if broken:
            return f"{reading}: {broken}"
    return None


def _envelope(change: _Change) -> str | None:
    """Our diff as an envelope; None where it can't be said in one for certain."""
    before, after, path = change.before, change.after, change.path
    plain = path.isprintable() and path.strip("`'\" ") == path
    whole = all(text[-1:] in ("", "\n") and "\r" not in text for text in (before, after))
    if before == after or not plain or not whole:
        return None
    if not before:
        body = [f"*** Add File: {path}", *(f"+{line}" for line in after.split("\n")[:-1])]
    elif not after:
        body = [f"*** Delete File: {path}"]
    elif any(len(places(before, hunk.block)) != 1 for hunk in read_changed_lines(change.ours)):
        return None
    else:
        lines = change.ours.split("\n")[2:-1]
        body = [f"*** Update File: {path}", *("@@" if line[0] == "@" else line for line in lines)]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"]) + "\n"


_CHECKS: dict[str, Callable[[_Change], str | None]] = {
    "round trip": _round_trip,
    "reverse": _reverse,
    "twice": _twice,
    "git": _of_git,
    "envelope": _as_envelope,
}
