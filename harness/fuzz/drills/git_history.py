"""Drill: the diffs of a git repository's history are applied, reversed and applied twice; ours, git's, and envelopes.

For every file of every commit reachable from HEAD, compared with the commit's first parent:

    round trip   our diff of before and after, applied to before at each strictness, gives after
    reverse      our diff of after and before, applied to after, gives before
    twice        our diff, applied to after, is refused, unless its old lines are still there
    git          git's own diff, applied to before at each strictness, gives after
    envelope     our diff as a Begin/End Patch, applied to before in each reading, gives after

A diff cannot distinguish an empty file from a missing one, so our diffs treat them alike. A text with conflict
markers may be refused as not allowed: `tolerant` and `lenient` write no such line to a file that has none. Files that
are not UTF-8 text, links, submodules and changes of the mode alone are counted as left out.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from pathlib import Path
from time import monotonic

from corpora.diff_hunks import diff_hunks
from corpora.importers.git_history.changes import find_block, read_changed_lines
from corpora.importers.git_history.repository import Repository
from editcore.errors import PatchError, UsageError
from editcore.formats import FORMATS
from editcore.patches.begin_patch import Reading, apply_begin_patch
from editcore.patches.reading.file_headers import unquoted
from editcore.patches.sections import inside
from editcore.patches.unified_diff import STRICTNESSES, Strictness, apply_unified_diff
from editcore.text.diff import unified_diff
from editcore.types import Applied, EditResult, Reason
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial

# Every file diff of a repository's history, as two blob ids and as git's patch. Nothing is checked out.

_LOG = (
    "-c", "core.quotePath=false", "log", "--root", "--diff-merges=first-parent", "--no-renames", "--no-color",
    "--no-show-signature", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none",
    "--submodule=short", "-O/dev/null", "--raw", "--no-abbrev", "-p", "--unified=3", "--inter-hunk-context=0",
    "--diff-algorithm=myers", "--no-indent-heuristic", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
    "--format=commit %H",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file in one commit, compared with the commit's first parent."""

    commit: str
    path: str
    status: str
    """Git's letter: A, M, D, T (another type) ..."""
    modes: tuple[str, str]
    before: str
    """The id of the blob; all zeros if the file is missing."""
    after: str
    patch: str
    """The output of `git log -p`, from the `diff --git` line on."""

    @property
    def is_file(self) -> bool:
        """True if the file is a regular file on each side where it exists."""
        return all(mode.startswith("100") or mode == "000000" for mode in self.modes)


def file_diffs(repository: Repository) -> Iterator[FileDiff]:
    """The file diffs of all commits reachable from HEAD, merges included, newest commit first.

    Of each commit, git lists the files first, as modes and ids, and then their patches in the same order.
    """
    commit, entries, patch = "", deque[str](), list[str]()
    for line in chain(repository.lines(*_LOG, "HEAD"), ["commit "]):
        # No line of a hunk can begin so.
        if line.startswith(("commit ", "diff --git ")):
            if patch and (entry := entries.popleft()):
                yield _file_diff(commit, entry, "".join([f"{one}\n" for one in patch]))
            patch = [line] if line.startswith("diff") else []
            commit = commit if patch else line.removeprefix("commit ")
        elif patch:
            patch.append(line)
        elif line.startswith(":"):
            entries.append(line)
            if line[1:4] != line[8:11] and line.split("\t")[0].endswith(" T"):
                entries.append("")  # Another type: git removes one file and adds the other.


def _file_diff(commit: str, entry: str, patch: str) -> FileDiff:
    told, _, name = entry.partition("\t")
    old_mode, new_mode, before, after, status = told[1:].split(" ")
    path = unquoted(name) if name.startswith('"') else name
    return FileDiff(commit, path, status, (old_mode, new_mode), before, after, patch)


Files = dict[str, str]
_READINGS: tuple[Reading, ...] = ("strict", "lenient")
_CONFLICT = re.compile(r"^(<{7}|>{7})( |\r?$)", re.MULTILINE)


def _trials(settings: DrillSettings) -> Iterator[Trial]:
    folder = settings.repository or Path.cwd()
    repository = Repository.at(folder)
    if repository is None:
        raise UsageError(f"{folder} is not in a git repository", "Name one with --repo PATH.")
    until = settings.deadline()
    with repository:
        diffs = takewhile(lambda _: monotonic() < until, file_diffs(repository))
        trials = (trial for diff in diffs for trial in trials_of_diff(diff, repository))
        yield from islice(trials, settings.runs)


HISTORY = Drill(
    "history",
    "The diffs of a git repository's history: applied, reversed, applied twice.",
    _trials,
    frozenset({"repository"}),
)


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


def trials_of_diff(diff: FileDiff, repository: Repository) -> Iterator[Trial]:
    """One trial for each check of a file diff, or one trial that names the reason why the file is left out."""
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
    """The texts before and after; or the reason why the file is left out."""
    if not diff.is_file:
        return "a link or a submodule"
    if not _can_be_named(diff.path):
        return "a name that a patch may not contain"
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
            return "not UTF-8 text"
        if b"\0" in data:
            return "not UTF-8 text"
    return texts[0], texts[1]


def _can_be_named(path: str) -> bool:
    try:
        return inside(path, 1) == path
    except PatchError:
        return False


def _files(path: str, text: str) -> Files:
    return {path: text} if text else {}


def _round_trip(change: _Change) -> str | None:
    return _conversion_error(change.ours, change.path, change.before, change.after)


def _reverse(change: _Change) -> str | None:
    back = unified_diff(change.after, change.before, path=change.path)
    return _conversion_error(back, change.path, change.after, change.before)


def _conversion_error(patch: str, path: str, before: str, after: str) -> str | None:
    """The defect of a patch that should change `before` to `after`; None if it has none."""
    if before == after:
        return f"a diff of nothing: {patch[:80]!r}" if patch else None
    wanted = _files(path, after)
    return _first(patch, _files(path, before), lambda _, result: _difference(result, wanted))


def _first(patch: str, files: Files, judge: Callable[[Strictness, EditResult], str | None]) -> str | None:
    """The defect at the first strictness that has one; None if no strictness has."""
    for strictness in STRICTNESSES:
        broken = judge(strictness, apply_unified_diff(files, patch, strictness=strictness))
        if broken:
            return f"{strictness}: {broken}"
    return None


def _difference(result: EditResult, wanted: Files) -> str | None:
    if not isinstance(result, Applied):
        if result.reason == Reason.NOT_ALLOWED and any(_CONFLICT.search(text) for text in wanted.values()):
            return None
        return f"refused ({result.reason}): {result.message}"
    return None if result.files == wanted else "applied, but the text is wrong"


def _twice(change: _Change) -> str | None:
    """A second application need not be refused if the old lines of every hunk are still in the text."""
    if change.before == change.after:
        return None
    text = _squeezed(change.after.split("\n"))
    blocks = [hunk.old for hunk in diff_hunks(change.ours) or ()]
    if all(_squeezed(block) in text for block in blocks):
        return None
    # With `fuzz`, the two outermost context lines on either side may differ.
    may_fit = all(_squeezed(block[2:-2]) in text for block in blocks)

    def judge(strictness: Strictness, result: EditResult) -> str | None:
        again = isinstance(result, Applied) and not (strictness == "fuzz" and may_fit)
        return "applied a second time, although its old lines are gone" if again else None

    return _first(change.ours, _files(change.path, change.after), judge)


def _squeezed(lines: list[str]) -> str:
    """The stripped lines between newlines: a search then finds whole lines only."""
    return "\n".join(["", *(line.strip() for line in lines), ""])


def _git_diff(change: _Change) -> str | None:
    diff = change.diff
    files = {diff.path: change.before} if diff.before.strip("0") else {}
    wanted = {diff.path: change.after} if diff.after.strip("0") else {}
    return _first(diff.patch, files, lambda _, result: _difference(result, wanted))


def _as_envelope(change: _Change) -> str | None:
    """Begin/End Patch can express neither a missing final newline nor which of several places a hunk is for."""
    patch = _envelope(change)
    if patch is None:
        return None
    files, wanted = _files(change.path, change.before), _files(change.path, change.after)
    for reading in _READINGS:
        broken = _difference(apply_begin_patch(files, patch, reading=reading), wanted)
        if broken:
            return f"{reading}: {broken}"
    return None


def _envelope(change: _Change) -> str | None:
    """Our diff as a Begin/End Patch; None if a Begin/End Patch cannot express it for certain."""
    before, after, path = change.before, change.after, change.path
    plain = path.isprintable() and path.strip("`'\" ") == path
    whole = all(text[-1:] in ("", "\n") and "\r" not in text for text in (before, after))
    if before == after or not plain or not whole:
        return None
    if not before:
        body = [f"*** Add File: {path}", *(f"+{line}" for line in after.split("\n")[:-1])]
    elif not after:
        body = [f"*** Delete File: {path}"]
    elif any(len(find_block(before, hunk.block)) != 1 for hunk in read_changed_lines(change.ours)):
        return None
    else:
        written = FORMATS["begin_patch"].write(path, before, after)
        return None if written is None else written.patch
    return "".join([f"{line}\n" for line in ("*** Begin Patch", *body, "*** End Patch")])


_CHECKS: dict[str, Callable[[_Change], str | None]] = {
    "round trip": _round_trip,
    "reverse": _reverse,
    "twice": _twice,
    "git": _git_diff,
    "envelope": _as_envelope,
}
