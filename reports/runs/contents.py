"""The files that a run writes into its folder: the check before a run is resumed, replaced or removed.

A folder may hold files of somebody else, or be no run at all: nothing is removed that no run writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from editcore.errors import UsageError
from editcore.quoting import shown
from reports.runs.manifest import LOCK, MANIFEST, PLOTS, SPOOL, STDERR, Manifest, read_manifest, write_manifest
from reports.runs.rows import KINDS

_PART = re.compile(r"part-.+\.parquet|\.part-.+\.tmp", re.DOTALL)
_STUDIES = r"orderings|sweep-\w+-\w+"
"""Names of the plots of `orderings` and `sweep`."""
_INSIDE: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(KINDS, _PART),
    STDERR: re.compile(r".+\.log", re.DOTALL),
    SPOOL: re.compile(r".+", re.DOTALL),
    PLOTS: re.compile(rf"(rates|latencies|decisions|{_STUDIES})\.(svg|png)|\..+\.tmp", re.ASCII),
}
"""Folder of a run folder -> pattern of the names of its files."""
FOLDERS = frozenset(_INSIDE)
"""The folders in a run folder."""
_TORN = r"\.\d+(?:\.[0-9a-f]{8})?\.tmp"
"""The end of the name of a temporary file, which a killed process may leave."""
_TORN_MANIFEST = re.compile(rf"\.manifest\.json{_TORN}", re.ASCII)
ANSWER = "answer.json"
"""The file with what `editgauge answer` says of a run."""
_FILES = re.compile(
    rf"(?:\.(?:answer\.json|manifest\.json|report\.html){_TORN}|answer\.json|manifest\.json|report\.html)|{re.escape(LOCK)}"
    rf"|({_STUDIES})\.(svg|png)",  # Where earlier versions drew them.
    re.ASCII,
)
MAIN = frozenset({*KINDS, STDERR, SPOOL, MANIFEST, LOCK})
"""Files and folders that a run writes; all others belong to the pages of its report."""


class Entry(NamedTuple):
    """A file, a folder or something else in a run folder."""

    name: str
    """Relative to the run folder, with `/`."""
    is_folder: bool
    is_file: bool
    """True for a regular file. A link is neither a file nor a folder."""


NIGHT = "night="
"""Prefix of a night's folder: Hive partitioning, which duckdb and pandas turn into a column."""


def is_name(name: str) -> bool:
    """True if the name is one component of a path: no separator, not `.` or `..`, and short enough for a file."""
    return (
        name not in ("", ".", "..")
        and not set(name) & {"/", os.sep, "\0"}
        and len(name.encode("utf-8", "surrogatepass")) < 256
    )


def foreign_entry(entries: Iterable[Entry]) -> str | None:
    """The first entry that no run and no report writes; None if there is none."""
    for entry in entries:
        folder, _, name = entry.name.partition("/")
        if not name:
            expected = entry.is_folder if folder in _INSIDE else entry.is_file and bool(_FILES.fullmatch(folder))
        else:
            expected = entry.is_file and folder in _INSIDE and bool(_INSIDE[folder].fullmatch(name))
        if not expected:
            return entry.name
    return None


def entries(folder: Path) -> Iterator[Entry]:
    """The entries of a folder and of the folders of a run in it, by name. Links are not followed."""
    for entry in _scanned(folder, ""):
        yield entry
        if entry.is_folder and entry.name in _INSIDE:
            yield from _scanned(folder / entry.name, f"{entry.name}/")


def _scanned(folder: Path, prefix: str) -> list[Entry]:
    with os.scandir(folder) as found:
        return sorted(
            Entry(prefix + one.name, one.is_dir(follow_symlinks=False), one.is_file(follow_symlinks=False))
            for one in found
        )


def check_unused(folder: Path) -> None:
    """Raise UsageError unless the folder is missing, empty, or left by a run that was killed at its start."""
    if not folder.exists():
        if folder.is_symlink():
            raise UsageError(f"{folder} is a link that leads nowhere", "Name another folder with -o.")
        return
    if not folder.is_dir() or any(not _is_leftover(folder, entry) for entry in entries(folder)):
        raise UsageError(f"{folder} is neither empty nor a run folder", "Name another folder with -o.")


def _is_leftover(folder: Path, entry: Entry) -> bool:
    """True for a partly written manifest, or an empty lock file: other programs have `.lock` files too."""
    if entry.name == LOCK:
        return entry.is_file and not (folder / LOCK).stat().st_size
    return entry.is_file and bool(_TORN_MANIFEST.fullmatch(entry.name))


def check_outside_runs(out: Path) -> None:
    """Raise UsageError if an output would lie in a run folder, unless it is a page of its report.

    A folder with anything else in it could not be replaced any more, and a part of a run must not be overwritten.
    """
    place = out.parent.resolve() / out.name
    for folder in place.parents:
        if (folder / MANIFEST).exists() and _is_taken(folder, place.relative_to(folder).as_posix()):
            raise UsageError(f"{out} would be a part of the run {folder}", "Name another place with -o.")


def _is_taken(folder: Path, name: str) -> bool:
    """True if a file of that name would be in the way of the run in the folder."""
    if name.partition("/")[0] in MAIN:
        return True
    with suppress(UsageError):  # Other programs have a manifest.json too.
        read_manifest(folder)
        return foreign_entry([Entry(name, is_folder=False, is_file=True)]) is not None
    return False


def check_run(folder: Path) -> Manifest:
    """The manifest of a folder that holds a run and nothing else. Raises UsageError for any other folder."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, so it is not replaced", "Name the folder it leads to.")
    refuse_foreign(str(folder), entries(folder))
    return read_manifest(folder)


def refuse_foreign(place: str, found: Iterable[Entry]) -> None:
    """Raise UsageError if a run folder has an entry that no run writes."""
    foreign = foreign_entry(found)
    if foreign is not None:
        raise UsageError(
            f"{place} holds {shown(foreign)}, which no run writes, so it is not removed",
            "Move that away, or name another folder with -o.",
        )


def empty_run(folder: Path) -> None:
    """Remove a run from its folder, whose lock this process has; the lock stays.

    Raises UsageError, with nothing removed, unless the folder holds a run and nothing else. An interruption leaves an
    unfinished run, which can be resumed or removed.
    """
    write_manifest(folder, replace(check_run(folder), finished=None))
    _remove(folder, keep=(MANIFEST, LOCK))
    (folder / MANIFEST).unlink()


def remove_leftover(folder: Path) -> None:
    """Remove the folder of a run of which parts may be missing, if it exists; its manifest goes first.

    Raises UsageError, with nothing removed, if it holds anything that no run writes.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder", "Move it away: nightly runs write there.")
    if not folder.exists():
        return
    refuse_foreign(str(folder), entries(folder))
    (folder / MANIFEST).unlink(missing_ok=True)
    _remove(folder)
    folder.rmdir()


def _remove(folder: Path, *, keep: Sequence[str] = ()) -> None:
    """Remove the files of a run and its empty folders, one by one: never a whole tree."""
    found = list(entries(folder))
    for entry in found:
        if entry.is_file and entry.name not in keep:
            (folder / entry.name).unlink(missing_ok=True)
    for entry in found:
        if entry.is_folder:
            (folder / entry.name).rmdir()
