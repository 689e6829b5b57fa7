"""The outcomes of a run as arrays, from the user's cache where the run is large and was read before."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import msgspec
import numpy as np
import pyarrow as pa

from reports.measurements.interval import Estimate
from reports.measurements.measurement import Unit
from reports.measurements.table import MEASUREMENTS
from reports.page.columns import Columns, Facet, Kind, read_columns
from reports.page.packing import Progress, no_progress
from reports.runs.columns import Ids, integers, numbers_of
from reports.runs.run_cache import WORTH_KEEPING, cached_path, keep, used
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import Summary

_KINDS = ("outcomes", "samples", "texts")
_ARRAYS = ("kind", "latency_ns", "cluster", "share", "part", "n_characters", "order")
"""Fields of `Columns` that are numpy arrays."""


class _Words(msgspec.Struct):
    """The part of `Columns` that is not arrays."""

    strategies: list[str]
    kinds: list[Kind]
    facets: dict[str, list[str]]
    summaries: list[Summary]


def kept_columns(run: RunFolder, *, progress: Progress = no_progress) -> Columns:
    """`read_columns`, with a cache for large runs."""
    if run.manifest.n_samples < WORTH_KEEPING:
        return read_columns(run, progress=progress)
    path = cached_path(run, "columns", _KINDS)
    with suppress(
        OSError, ValueError, KeyError, EOFError, BadZipFile, msgspec.MsgspecError
    ):  # A file that was cut off.
        columns = _kept(path, run)
        used(path)
        return columns
    columns = read_columns(run, progress=progress)
    if len(columns.ids) >= WORTH_KEEPING:
        keep(path, lambda temporary: _write(temporary, columns))
    return columns


def _summary(kept: Summary) -> Summary:
    """The summary with estimates again, which are plain mappings in JSON."""
    estimate = Estimate | None
    values = {
        one.name: msgspec.convert(kept[one], estimate) if one.unit == Unit.SHARE else kept[one] for one in MEASUREMENTS
    }
    return Summary(kept.strategy, values)


def _write(path: Path, columns: Columns) -> None:
    facets = {name: facet.words for name, facet in columns.facets.items()}
    words = _Words(columns.strategies, columns.kinds, facets, columns.summaries)
    arrays = {name: getattr(columns, name) for name in _ARRAYS}
    arrays |= {f"facet {name}": facet.codes for name, facet in columns.facets.items()}
    arrays |= _of_texts("id", columns.ids.array) | _of_texts("path", columns.path.dictionary)
    arrays |= {
        "path": numbers_of(columns.path.indices)[0],
        "words": np.frombuffer(msgspec.json.encode(words), np.uint8),
    }
    with path.open("xb") as file:
        np.savez(file, **arrays)


def _kept(path: Path, run: RunFolder) -> Columns:
    with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
        found: dict[str, Any] = {name: file[name] for name in file.files}
    words = msgspec.json.decode(found["words"].tobytes(), type=_Words)
    paths = pa.DictionaryArray.from_arrays(integers(found["path"]), _texts("path", found))
    return Columns(
        run, words.strategies, Ids(_texts("id", found)), words.kinds, path=paths,
        facets={name: Facet(found[f"facet {name}"], some) for name, some in words.facets.items()},
        summaries=[_summary(one) for one in words.summaries], **{name: found[name] for name in _ARRAYS},
    )  # fmt: skip


def _of_texts(name: str, array: pa.StringArray) -> dict[str, Any]:
    _, ends, data = array.buffers()
    places = np.frombuffer(ends, dtype=np.int32, count=len(array) + 1, offset=4 * array.offset)
    text = np.frombuffer(data, dtype=np.uint8)[places[0] : places[-1]] if data else np.empty(0, np.uint8)
    return {f"{name} ends": places - places[0], f"{name} text": text}


def _texts(name: str, found: dict[str, Any]) -> pa.StringArray:
    ends, text = found[f"{name} ends"], found[f"{name} text"]
    return pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(text))
