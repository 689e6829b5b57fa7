"""Logs with a run in each record: a JSON document or a list of them, JSON lines, Parquet, or a dataset of the hub.

Rows are read one at a time: public sets have some hundred thousand runs of a megabyte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from corpora.importers.importer import files_matching
from corpora.importers.log import Log, Tally, items, json_document, json_lines
from corpora.parquet import limited_memory, open_parquet
from corpora.segments import HUB, check_reachable
from editcore.errors import UsageError, importing


def record_logs(path: Path) -> Iterator[Log]:
    """The logs at a path, or the dataset `hub:OWNER/NAME`."""
    if str(path).startswith(HUB):
        yield Log(str(path), _not_a_file)
    else:
        yield from files_matching("*.json", "*.jsonl", "*.parquet")(path)


def _not_a_file() -> BinaryIO:
    return BytesIO()


def records(log: Log, tally: Tally) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a log with their 1-based numbers, up to an error, which is counted. Raises nothing."""
    if log.name.startswith(HUB):
        yield from _until_error(_hub_rows, log, tally)
    elif log.path is not None and log.path.suffix == ".parquet":
        yield from _until_error(_parquet_rows, log, tally)
    elif log.name.endswith(".jsonl"):
        yield from json_lines(log, tally)
    else:
        document = json_document(log, tally)
        yield from enumerate(items(document if isinstance(document, list) else [document]), 1)


def _until_error(
    rows: Callable[[Log], Iterator[dict[str, Any]]], log: Log, tally: Tally
) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        yield from enumerate(rows(log), 1)
    except (UsageError, ValueError, OSError, MemoryError) as error:
        tally.add("cannot be read", f"{log.name}: {error}")


def _parquet_rows(log: Log) -> Iterator[dict[str, Any]]:
    """The rows of a file. Row groups of public sets are larger than memory, so pages are decoded as they are needed."""
    assert log.path is not None
    with open_parquet(log.path) as file:
        batches = file.iter_batches(batch_size=1, use_threads=False)
        while True:
            with limited_memory(log.path):
                batch = next(batches, None)
            if batch is None:
                return
            yield from batch.to_pylist()


def _hub_rows(log: Log) -> Iterator[dict[str, Any]]:
    """The rows of all splits. Only this function uses the network."""
    check_reachable(log.name)
    with importing("hub", needed_by=log.name):
        import datasets
    try:
        splits = datasets.load_dataset(log.name.removeprefix(HUB), streaming=True)
        for rows in splits.values():
            yield from map(dict, rows)
    except Exception as error:
        # Whatever the library raises, the cause is the name or the network.
        raise UsageError(f"it cannot be loaded: {error}", "Check the name and the network.") from error
