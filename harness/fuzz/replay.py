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
from itertools import islice
from pathlib import Path
from time import monotonic

from corpora.importers.git_edits import hunks_of, places
from corpora.importers.repository import Repository
from editcore.diff import unified_diff
from editcore.errors import UsageError
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.unified_diff import STRICTNESSES, Strictness, apply_unified_diff
from editcore.types import Applied, EditResult
from harness.fuzz.drill import Drill, Orders, Trial
from harness.fuzz.history import FileDiff, file_diffs

Files = dict[str, str]


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


def replayed(diff: FileDiff, repository: Repository) -> Iterator[Trial]:
    """A trial for each check of a file diff, or one that says why it was left out."""
    where = f"{diff.commit[:12]}:{diff.path}"
    pair = _texts(diff, repository)
    if isinstance(pair, str):
        yield Trial(f"left out: {pair}", where)
        return
    for group, check in _CHECKS.items():
        broken = check(diff, *pair)
        yield Trial(group, where, broken=broken and f"{where}: {broken}")


def _texts(diff: FileDiff, repository: Repository) -> tuple[str, str] | str:
    """The texts before and after; or why not."""
    if not diff.is_file:
        return "a link or a submodule"
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


def _files(path: str, text: str) -> Files:
    """The files of which this is the only one; an empty one counts as none."""
    return {path: text} if text else {}


def _round_trip(diff: FileDiff, before: str, after: str) -> str | None:
    return _applied(_ours(diff, before, after), diff.path, before, after)


def _reverse(diff: FileDiff, before: str, after: str) -> str | None:
    return _applied(_ours(diff, after, before), diff.path, after, before)


def _ours(diff: FileDiff, before: str, after: str) -> str:
    return unified_diff(before, after, path=diff.path)


def _applied(patch: str, path: str, before: str, after: str) -> str | None:
    if before == after:
        return f"a diff of nothing: {patch[:80]!r}" if patch else None
    files, wanted = _files(path, before), _files(path, after)
    return _first(patch, files, lambda _, result: _differs(result, wanted))


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


def _twice(diff: FileDiff, before: str, after: str) -> str | None:
    """Where every hunk's old lines stand in the text afterwards, a second application is nothing to refuse."""
    if before == after:
        return None
    patch = _ours(diff, before, after)
    text = _squeezed(after.split("\n"))
    blocks = [[line[1:] for line in hunk if line[0] != "+"] for hunk in _bodies(patch)]
    if all(_squeezed(block) in text for block in blocks):
        return None
    cores = [block[2:-2] for block in blocks]
    may_be_fuzzy = all(_squeezed(core) in text for core in cores)

    def judge(strictness: Strictness, result: EditResult) -> str | None:
        again = isinstance(result, Applied) and not (strictness == "fuzz" and may_be_fuzzy)
        return "applied a second time, although its old lines are gone" if again else None

    return _first(patch, _files(diff.path, after), judge)


def _bodies(patch: str) -> list[list[str]]:
    """The lines of each hunk of a diff of ours."""
    bodies: list[list[str]] = []
    for line in patch.split("\n")[2:-1]:
        if line.startswith("@@ "):
            bodies.append([])
        elif not line.startswith("\\"):
            bodies[-1].append(line)
    return bodies


def _squeezed(lines: list[str]) -> str:
    """The lines without white space at their ends, to be found as whole ones."""
    return "\n".join(["", *(line.strip() for line in lines), ""])


def _of_git(diff: FileDiff, before: str, after: str) -> str | None:
    files = {diff.path: before} if diff.before.strip("0") else {}
    wanted = {diff.path: after} if diff.after.strip("0") else {}
    return _first(diff.patch.decode(), files, lambda _, result: _differs(result, wanted))


def _as_envelope(diff: FileDiff, before: str, after: str) -> str | None:
    """An envelope has no place for a missing last line feed, nor for hunks that fit in several places."""
    patch = _envelope(diff, before, after)
    if patch is None:
        return None
    wanted = _files(diff.path, after)
    for reading in ("strict", "lenient"):
        broken = _differs(apply_begin_patch(_files(diff.path, before), patch, reading=reading), wanted)
        if broken:
            return f"{reading}: {broken}"
    return None


def _envelope(diff: FileDiff, before: str, after: str) -> str | None:
    """Our diff as an envelope; None where it can't be said in one for certain."""
    if before == after or "\r" in before + after or any(text[-1:] not in ("", "\n") for text in (before, after)):
        return None
    if not before:
        body = [f"*** Add File: {diff.path}", *(f"+{line}" for line in after.split("\n")[:-1])]
    elif not after:
        body = [f"*** Delete File: {diff.path}"]
    else:
        patch = _ours(diff, before, after)
        if any(len(places(before, hunk.block)) != 1 for hunk in hunks_of(patch)):
            return None
        body = [f"*** Update File: {diff.path}", *("@@" if line[0] == "@" else line for line in patch.split("\n")[2:-1])]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"]) + "\n"


_CHECKS: dict[str, Callable[[FileDiff, str, str], str | None]] = {
    "round trip": _round_trip,
    "reverse": _reverse,
    "twice": _twice,
    "git": _of_git,
    "envelope": _as_envelope,
}
