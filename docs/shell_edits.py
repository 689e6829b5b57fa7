"""Recorded shell edits as samples, and the chapter docs/study/shell.md: `make study SHELL_EDITS=FILE`.

FILE has a JSON object for each edit (`.jsonl.gz`): command, cwd, platform, before, after, exit, meant, outcome,
checked, kinds, agent, model, date, repo, license. Such a corpus is not in the repository.
"""

from __future__ import annotations

import gzip
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from corpora.sample import Provenance, Sample, encode, validated
from docs.studies import ROOT
from editcore.types import File

PAGE = ROOT / "docs" / "study" / "shell.md"
STRATEGIES = ("shell/careful", "shell/sed_gnu", "shell/sed_bsd", "shell/bash")
Row = Mapping[str, Any]
_RIGHT, _UNKNOWN = "right", "unknown"
_UNNOTICED = "unnoticed"


def read_rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sample_of(row: Row) -> Sample:
    """The sample of a recorded edit. A command that did not do what was meant must be refused."""
    cwd = row["cwd"]
    files = [one["path"] for one in (*row["before"], *(row["after"] or ()))]
    absolute = {path: path if _is_absolute(path) else posixpath.join(cwd, path) for path in files}
    root = posixpath.commonpath([cwd, *map(posixpath.dirname, absolute.values())])

    def these(given: Iterable[Mapping[str, str]]) -> tuple[File, ...]:
        return tuple(File(posixpath.relpath(absolute[one["path"]], root), one["content"]) for one in given)

    tags = [f"root:{root}", f"platform:{row['platform']}", *(f"kind:{kind}" for kind in row["kinds"])]
    tags += [f"cwd:{posixpath.relpath(cwd, root)}"] if cwd != root else []
    tags += [f"meant:{re.sub(r'[^ -~]', ' ', row['meant'])[:190]}"] if row["meant"] else []
    label = "apply" if row["outcome"] == _RIGHT else "unlabelled" if row["outcome"] == _UNKNOWN else "refuse"
    origin = Provenance(
        agent=row["agent"], model=row["model"], repo=row["repo"], license=row["license"],
        recorded_outcome=row["outcome"],
    )  # fmt: skip
    target = these(row["after"]) if label == "apply" else None
    return validated(
        Sample(
            row["id"], "shell", these(row["before"]), label, patch=row["command"], target=target, tags=tuple(tags),
            label_source=row["how_after_known"], provenance=origin,
        )
    )  # fmt: skip


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:2] == ":"


def write_corpus(rows: Iterable[Row], path: Path) -> Path:
    path.write_text("".join(f"{encode(sample_of(row))}\n" for row in rows), encoding="utf-8")
    return path
