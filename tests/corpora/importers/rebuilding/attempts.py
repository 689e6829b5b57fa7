"""Sessions of edit attempts, and the samples that are rebuilt from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from corpora.importers.session import Attempt, Event, Opened, RecordedDiff
from corpora.sample import Sample, validated
from editcore.text.diff import unified_diff
from editcore.types import Edit

CWD = "/home/user/demo"
TEXT = "def f():\n    x = 1\n    return x\n"
DONE = TEXT.replace("1", "2")
OPENED = Opened(CWD)
IMPORTER = Importer(
    "tester", "tests", files_matching("*"), lambda _log, _surroundings: iter(()), versions=("1.2", "1.9")
)


def run(*events: Event, repo: Path | None = None) -> tuple[list[Sample], dict[str, int]]:
    surroundings = Surroundings(repo=repo)
    found = list(rebuilt_samples([OPENED, *events], IMPORTER, surroundings))
    surroundings.close()
    return [validated(sample) for sample in found], dict(surroundings.tally.counts)


def samples(*events: Event) -> list[Sample]:
    return run(*events)[0]


def edit(old: str = "x = 1", new: str = "x = 2", outcome: str = "applied", key: str = "k", **fields: Any) -> Attempt:
    known = {"path": "a.py", "edits": (Edit(old, new),)}
    return Attempt(key, "str_replace", outcome=outcome, **(known | fields))


def diff(before: str, after: str, path: str = "a.py", **fields: Any) -> tuple[RecordedDiff]:
    return (RecordedDiff(path, unified_diff(before, after, path=path), **fields),)


def told(sample: Sample) -> tuple[str, str | None, str | None]:
    """Its label, how that was won, and the text afterwards."""
    return sample.label, sample.label_source, sample.target[0].content if sample.target else None
