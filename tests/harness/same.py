"""Equality of two runs in everything except measurements, time and place."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from reports.runs.manifest import Manifest, read_manifest
from reports.runs.parts import outcomes, wrong_edits
from reports.runs.rows import KINDS, MEASURED

Rows = list[dict[str, Any]]


def rows(folder: Path) -> Rows:
    """Outcomes of a run without measurements, in the order of the parts."""
    return [{**asdict(outcome), **dict.fromkeys(MEASURED)} for outcome in outcomes(folder)]


def parts(folder: Path) -> dict[str, bytes]:
    """Bytes of every part, by its name. Parts with latencies are copied without them."""
    found = {f"{kind}/{path.name}": path.read_bytes() for kind in KINDS for path in (folder / kind).iterdir()}
    for path in (folder / "outcomes").iterdir():
        found["outcomes/" + path.name] = _without_latencies(path)
    return found


def _without_latencies(path: Path) -> bytes:
    sink = pa.BufferOutputStream()
    with pq.ParquetFile(path) as file:
        groups = [file.read_row_group(group) for group in range(file.num_row_groups)] or [file.read()]
    metadata = {key: value for key, value in groups[0].schema.metadata.items() if key != b"strategy_ns"}
    left = [group.drop_columns(list(MEASURED)).replace_schema_metadata(metadata) for group in groups]
    with pq.ParquetWriter(sink, left[0].schema) as writer:
        for group in left:
            writer.write_table(group)
    return sink.getvalue().to_pybytes()


def facts(manifest: Manifest) -> dict[str, Any]:
    """Facts of a manifest that must not depend on how the run went."""
    changing = {"argv", "created", "finished", "wall_ns", "strategy_ns", "git_commit"}
    return {key: value for key, value in asdict(manifest).items() if key not in changing}


def assert_same(folder: Path, other: Path) -> None:
    assert rows(folder) == rows(other)
    assert list(wrong_edits(folder)) == list(wrong_edits(other))
    assert parts(folder) == parts(other)
    assert facts(read_manifest(folder)) == facts(read_manifest(other))
    assert read_manifest(folder).finished
    assert sorted(path.name for path in folder.iterdir()) == sorted(["manifest.json", *KINDS])
