"""Samples and corpus files for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpora.sample import Sample, encode
from editcore.types import Edit, File


def sample(number: int = 0, before: str = "x = 1\n", old: str = "x = 1", new: str = "x = 2", **fields: Any) -> Sample:
    """A sample of one edit in one file; labelled `refuse` unless the fields say otherwise."""
    fields = {"label": "refuse", "tags": ("language:python", f"number:{number}")} | fields
    return Sample(f"s{number}", "str_replace", (File("a.py", before),), edits=(Edit(old, new),), **fields)


def samples(n: int) -> list[Sample]:
    """n samples with different texts."""
    return [sample(number, old=f"y = {number}") for number in range(n)]


def write_jsonl(path: Path, samples: Sequence[Sample]) -> Path:
    path.write_text("".join(encode(sample) + "\n" for sample in samples))
    return path


def write_parquet(path: Path, samples: Sequence[Sample], *, row_group_size: int | None = None) -> Path:
    pq.write_table(pa.Table.from_pylist([asdict(sample) for sample in samples]), path, row_group_size=row_group_size)
    return path
