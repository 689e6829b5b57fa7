"""Samples -> a corpus file, JSON Lines or Parquet by its suffix.

`SampleWriter` writes a whole file or nothing; `SampleAppender` adds single samples to a JSON Lines file.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from corpora.regular_file import append_whole, cannot_open, open_regular, temporary_beside
from corpora.sample import Sample, encode, for_readers, text_size
from corpora.segments import LONGEST_LINE
from editcore.errors import UsageError

_PIECE = 1 << 16
_START = b'{"id":"'
"""The start of every line that `SampleAppender` writes."""


class SampleAppender:
    """Appends samples to a JSON Lines file, which it creates if missing. A context manager.

    Each sample is one line; a lock keeps other processes from writing meanwhile. An unfinished last line, which a
    killed process left, is removed first. Raises UsageError if the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix != ".jsonl":
            raise UsageError(f"{path} does not end in .jsonl", "Samples are appended to a JSON Lines file: name one.")
        self.path = path
        self.n_written = 0

    def __enter__(self) -> SampleAppender:
        try:
            self._descriptor = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise cannot_open(self.path, error) from None
        try:
            with self._locked():
                self._end_last_line()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def add(self, sample: Sample) -> bool:
        """Append a sample. Return False, and write nothing, if it is too long to be read again.

        After an OSError the file is unchanged.
        """
        line = f"{encode(sample)}\n".encode()
        if len(line) > LONGEST_LINE:
            return False
        with self._locked():
            append_whole(self.path, self._descriptor, line)
        self.n_written += 1
        return True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _end_last_line(self) -> None:
        """Remove the text after the last line feed, if it is the start of a sample."""
        size = end = os.fstat(self._descriptor).st_size
        while end:
            start = max(end - _PIECE, 0)
            at = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            end = start + at + 1
            if at >= 0:
                break
        if end < size:
            if os.pread(self._descriptor, len(_START), end) != _START[: size - end]:
                raise UsageError(f"{self.path} does not end in a line feed", "It is no corpus: name another file.")
            os.ftruncate(self._descriptor, end)


_ROW_GROUP = 500
_ROW_GROUP_CHARACTERS = 32 << 20
_DICTIONARY_BYTES = 64 << 20
"""Large enough that a file text shared by several samples is stored once per row group."""


class SampleWriter:
    """Writes samples to a temporary file, which replaces the corpus file on success. A context manager.

    Without `keeps_empty`, a corpus without samples is not written. Raises UsageError if the file exists and `replace`
    is false, if it is one of the `inputs` that are being read, or if it cannot be written.
    """

    def __init__(
        self, path: Path, *, inputs: Iterable[Path] = (), replace: bool = False, keeps_empty: bool = True
    ) -> None:
        if path.suffix not in (".jsonl", ".parquet"):
            raise UsageError(f"{path} is neither .jsonl nor .parquet", "Give the corpus file one of these suffixes.")
        if path.is_symlink():
            raise UsageError(f"{path} is a link", "Name the file it leads to, or another one.")
        if path.is_dir():
            raise UsageError(f"{path} is a folder", "Name a file in it.")
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is not a regular file", "Name another file.")
        if path.exists() and any(one.exists() and path.samefile(one) for one in inputs):
            raise UsageError(f"{path} is one of the files that are read", "Name another file: those are kept.")
        if path.exists() and not replace:
            raise UsageError(f"{path} exists already", "Name another file, or overwrite it with --replace.")
        self.path = path
        self.n_written = 0
        self._keeps_empty = keeps_empty
        self._temporary = temporary_beside(path)

    def __enter__(self) -> SampleWriter:
        sink = _ParquetSink if self.path.suffix == ".parquet" else _JsonlSink
        with ExitStack() as left:  # Runs every callback, even if some fail.
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._temporary.touch(exist_ok=False)
                left.callback(self._temporary.unlink, missing_ok=True)
                self._sink: _JsonlSink | _ParquetSink = sink(self._temporary)
            except OSError as error:
                raise UsageError(
                    f"{self.path} cannot be written: {error.strerror or error}", "Name a place that can be written to."
                ) from None
            left.callback(self._sink.close)
            self._left = left.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._left:
            if kind is None:
                self._sink.finish()
                if self.n_written or self._keeps_empty:
                    self._temporary.replace(self.path)

    def add(self, sample: Sample) -> None:
        self._sink.add(sample)
        self.n_written += 1

    def add_lines(self, lines: list[str]) -> None:
        """Write lines of `encode`, perhaps made by another process; JSON Lines only."""
        assert isinstance(self._sink, _JsonlSink)
        self._sink.add_lines(lines)
        self.n_written += len(lines)

    def add_rows(self, batch: Any) -> None:
        """Write a batch of `record_batch`, perhaps made by another process; Parquet only."""
        assert isinstance(self._sink, _ParquetSink)
        self._sink.add_batch(batch)
        self.n_written += batch.num_rows


class _JsonlSink:
    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="ascii")

    def add(self, sample: Sample) -> None:
        self.add_lines([encode(sample)])

    def add_lines(self, lines: list[str]) -> None:
        self._file.writelines(f"{line}\n" for line in lines)

    def finish(self) -> None:
        self._file.close()

    def close(self) -> None:
        self._file.close()


class _ParquetSink:
    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self._writer = pq.ParquetWriter(
            path, schema(), compression="zstd", dictionary_pagesize_limit=_DICTIONARY_BYTES,
            data_page_size=_DICTIONARY_BYTES,
        )  # fmt: skip
        self._held: list[Sample] = []
        self._n_characters = 0

    def add(self, sample: Sample) -> None:
        self._held.append(sample)
        self._n_characters += text_size(sample)
        if len(self._held) >= _ROW_GROUP or self._n_characters >= _ROW_GROUP_CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self.add_batch(record_batch(self._held))
            self._held, self._n_characters = [], 0

    def add_batch(self, batch: Any) -> None:
        self._writer.write_batch(batch)

    def finish(self) -> None:
        self._flush()
        self._writer.close()

    def close(self) -> None:
        self._writer.close()


def schema() -> Any:
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    files = pa.list_(pa.struct([("path", text), ("content", text), ("raw", pa.binary()), ("encoding", text)]))
    lines = [("path", text), ("first", number), ("last", number)]
    edit = [("old_string", text), ("new_string", text), ("replace_all", pa.bool_()), ("occurrence", number)]
    names = (
        "agent", "model", "repo", "commit", "license", "recorded_outcome", "recorded_error", "parent_id", "mutator",
    )  # fmt: skip
    return pa.schema(
        [
            ("id", text), ("format", text), ("before", files), ("label", text), ("edits", pa.list_(pa.struct(edit))),
            ("patch", text), ("line", number), ("end_line", number), ("target", files),
            ("alternatives", pa.list_(files)), ("seen", files), ("seen_lines", pa.list_(pa.struct(lines))),
            ("label_source", text), ("tags", pa.list_(text)),
            ("provenance", pa.struct([*((name, text) for name in names), ("seed", number)])),
        ]
    )  # fmt: skip


def record_batch(samples: Iterable[Sample]) -> Any:
    """The samples as one Arrow record batch. Raises UsageError for lone surrogates, which UTF-8 cannot encode."""
    import pyarrow as pa

    plain = [msgspec.to_builtins(for_readers(one) if one.has_bytes else one, builtin_types=(bytes,)) for one in samples]
    try:
        return pa.RecordBatch.from_pylist(plain, schema=schema())
    except UnicodeEncodeError:
        bad = next(row["id"] for row in plain if not _is_utf8(json.dumps(row, ensure_ascii=False, default=str)))
        raise UsageError(
            f"Sample {bad} contains lone surrogates, which Parquet cannot store", "Write a .jsonl file."
        ) from None


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
