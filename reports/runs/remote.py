"""Run folders at a URL, through fsspec: a local folder mirrors the files that are needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from corpora.regular_file import temporary_beside
from editcore.errors import UsageError
from editcore.quoting import first_line
from reports.runs.manifest import FOLDERS, MANIFEST, Entry, Manifest, encoded, is_name, refuse_foreign
from reports.runs.parts import copied_part
from reports.runs.rows import KINDS

_LARGEST_FILE, _LARGEST_RUN = 4 << 30, 64 << 30
"""Bytes that are fetched at most."""
_LONGEST_S = 600.0
"""Seconds that fetching one file may take."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Remote:
    """A run folder at a URL. Every method raises UsageError if the URL cannot be used."""

    url: str

    def pull(self, folder: Path, kinds: Collection[str] = tuple(KINDS)) -> None:
        """Download the manifest, and the parts of these kinds that the folder lacks or has in another size.

        Raises UsageError if the URL holds something other than a run, if a file has more than 4 GB or the run more than
        64 GB, and if a file takes more than ten minutes.
        """
        with self._opened() as (files, root):
            there = {entry["name"].rpartition("/")[2]: entry for entry in self._listed(files, root)}
            if MANIFEST in there:
                _check_file(there[MANIFEST])
                folder.mkdir(parents=True, exist_ok=True)
                _fetch(files, f"{root}/{MANIFEST}", folder / MANIFEST, _LARGEST_FILE)
            elif there:
                raise UsageError(f"{self.url} is neither empty nor a run folder", "Name another with -o.")
            left = _LARGEST_RUN
            for kind in kinds:
                for entry in self._listed(files, f"{root}/{kind}"):
                    path = folder / kind / entry["name"].rpartition("/")[2]
                    is_part = is_name(path.name) and path.name.startswith("part-") and path.suffix == ".parquet"
                    if is_part and not (path.exists() and path.stat().st_size == entry["size"]):
                        _check_file(entry)
                        path.parent.mkdir(parents=True, exist_ok=True)
                        left -= _fetch(files, entry["name"], path, min(left, _LARGEST_FILE))

    def put_part(self, folder: Path, part: str) -> None:
        """Upload a part of the folder, its outcomes last: they mark it as done."""
        with self._opened() as (files, root):
            for kind in KINDS:
                files.makedirs(f"{root}/{kind}", exist_ok=True)
                path = copied_part(folder, kind, part)
                files.put_file(str(path), f"{root}/{kind}/{path.name}")

    def put_manifest(self, folder: Path) -> None:
        with self._opened() as (files, root):
            files.makedirs(root, exist_ok=True)
            files.put_file(str(folder / MANIFEST), f"{root}/{MANIFEST}")

    def remove(self, manifest: Manifest) -> None:
        """Delete the run, whose manifest has been read. Raises UsageError if the folder holds anything else.

        An interruption leaves an unfinished run.
        """
        with self._opened() as (files, root):
            found = list(self._entries(files, root))
            if not found:
                return
            refuse_foreign(self.url, found)
            files.pipe_file(f"{root}/{MANIFEST}", encoded(replace(manifest, finished=None)))
            for entry in found:
                if entry.is_file and entry.name != MANIFEST:
                    files.rm_file(f"{root}/{entry.name}")
            for entry in found:
                if entry.is_folder:
                    with suppress(FileNotFoundError):  # Some stores have no folders but those of files.
                        files.rmdir(f"{root}/{entry.name}")
            files.rm_file(f"{root}/{MANIFEST}")

    def _entries(self, files: Any, root: str) -> Iterator[Entry]:
        """The entries of the run's folder, and of the folders of rows in it."""
        for entry in self._listed(files, root):
            yield (one := _entry(entry, ""))
            if one.is_folder and one.name in FOLDERS:
                for inner in self._listed(files, f"{root}/{one.name}"):
                    yield _entry(inner, f"{one.name}/")

    @staticmethod
    def _listed(files: Any, path: str) -> list[dict[str, Any]]:
        try:
            return [entry for entry in files.ls(path, detail=True) if entry["name"].rstrip("/") != path]
        except FileNotFoundError:
            return []

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, str]]:
        """The fsspec file system, and the run's path in it."""
        from fsspec.core import url_to_fs

        try:
            files, root = url_to_fs(self.url)
            files.invalidate_cache()
            yield files, root.rstrip("/")
        except UsageError:
            raise
        except ImportError as error:
            raise UsageError(
                f"{self.url} needs another package: {error}", "Install it, or use a local folder."
            ) from None
        except Exception as error:
            # Each file system raises its own exceptions.
            reason = first_line(error)
            raise UsageError(
                f"{self.url} cannot be used: {reason}", "Check the address and your permissions."
            ) from error


def _check_file(listed: Mapping[str, Any]) -> None:
    """Raise UsageError unless it is a regular file: a pipe would block, and a link may lead anywhere."""
    if not _entry(listed, "").is_file:
        raise UsageError(f"{listed['name']} is not a regular file", "Fetch the run with another program.")


def _fetch(files: Any, source: str, path: Path, limit: int) -> int:
    """Copy a file from a store, and return its size. Raises UsageError for one that is too large or too slow.

    The file appears when it is whole.
    """
    end, size = monotonic() + _LONGEST_S, 0
    temporary = temporary_beside(path)
    try:
        with files.open(source, "rb") as there, temporary.open("xb") as here:
            while chunk := there.read(_CHUNK):
                size += len(chunk)
                if size > limit or monotonic() > end:
                    raise UsageError(
                        f"{source} is too large or too slow: {size >> 20:,} MB were read, of {limit >> 20:,} MB or "
                        f"{_LONGEST_S:g} s at most",
                        "Fetch the run with another program, and name its folder.",
                    )
                here.write(chunk)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return size


def _entry(listed: Mapping[str, Any], prefix: str) -> Entry:
    name, is_link = listed["name"].rstrip("/").rpartition("/")[2], listed.get("islink", False)
    kind = "link" if is_link else listed["type"]
    return Entry(prefix + name, kind == "directory", kind == "file")


@contextmanager
def mirror(place: str | None) -> Iterator[tuple[Path | None, Remote | None]]:
    """The folder of a run, and None; for a URL, an empty temporary folder, and the `Remote` to fill it from."""
    if place is None or not is_url(place):
        yield (Path(place) if place else None), None
    else:
        with TemporaryDirectory(prefix="editgauge-") as folder:
            yield Path(folder), Remote(place.rstrip("/"))


def is_url(name: str) -> bool:
    """True if the name is a URL rather than a folder."""
    return "://" in name
