"""Run folders that a run did not write, or that were changed since: a manifest, parts of rows, and anything else."""

from __future__ import annotations

import json
from dataclasses import asdict
from random import Random
from typing import Any

from harness.fuzz.generators.foreign import damaged_json
from harness.fuzz.inputs import Fields
from reports.runs.manifest import CorpusUsed, Manifest, ShardUsed, StrategyUsed
from reports.runs.rows import KINDS, Change, Outcome, SampleText, SampleUsed, Step, WrongEdit

UNIT = "\x1f"
"""Separates the parts of an entry: what it is, its path in the run folder, and its content."""

_PLANS = ("0a1b2c3d", "0a1b2c3d", "", "/../..", "../..", "../night=", "a/b", "*", "x" * 70, "\n", "é", ".")
_TIMES = (
    "2026-11-21T03:00:00+00:00", "2026-11-21T03:00:00+00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
    "../..", "", "2026", "nan",
)  # fmt: skip
_NAMES = ("a", "a", "b", "a.00000-00002-of-00004", "a.00002-00004-of-00004", "*", "night=x", "é", "x" * 200, "\\", "\n")
FOREIGN = (
    ".git/config", "background.js", "keep", "outcomes/notes.txt", "outcomes/deep/part-a.parquet", "plots/mine.svg",
    "stderr/keep", "part-a.parquet", "outcomes2/part-a.parquet", ".manifest.json.swp", "manifest.json/keep",
)  # fmt: skip
"""Paths of files that no run writes."""
_TARGETS = ("../outside", "../outside/keep", "../../outside/keep", "../history", ".", "/dev/null", "gone")
_ROWS: dict[str, Any] = {
    "outcomes": Outcome("s", "cascade/exact", "correct", None, None, "simple", 1, 1000),
    "wrong_edits": WrongEdit("s", "cascade/exact", "place", "simple", "f", 1, "a\n", "b\n", "c"),
    "samples": SampleUsed("s", "str_replace", "apply", tags=("language:python",)),
    "steps": Step("s", 0, "simple", None, "correct"),
    "texts": SampleText("s", "c", "f", 1, "a\n"),
    "changes": Change("s", 0, ("cascade/exact",), "f", 1, "a\n", "b\n"),
}
"""Kind -> a row as a run writes it."""


def run_folder(rng: Random) -> Fields:
    """The text of a manifest, and the other entries of its folder; most of them correct but for one or two values."""
    entries = [_rows_entry(kind, "a", rng) for kind in KINDS if rng.random() < 0.9]
    makers = (_rows_of_any_kind, _foreign, _foreign, _link, _written, _torn)
    entries += [rng.choice(makers)(rng) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
    return (_manifest(rng), *entries)


def _manifest(rng: Random) -> str:
    shard = rng.choice((None, None, None, ShardUsed(1, 2), ShardUsed(0, 0)))
    used = [StrategyUsed("cascade/exact", "1", 3, {"exact_wins": 1})]
    manifest = Manifest(
        ["run"], 0, [CorpusUsed("house", 1)], used, 10.0, rng.choice(_PLANS), rng.choice(_TIMES),
        {"system": "Linux"}, n_samples=1, n_shards=rng.choice((1, 1, 1, 2)), shard=shard,
        finished=rng.choice((None, *["2026-11-21T03:01:00+00:00"] * 4)), strategy_ns=1000,
    )  # fmt: skip
    written: object = asdict(manifest)
    for _ in range(rng.choice((0, 0, 1, 2))):
        written = damaged_json(written, rng)
    text = json.dumps(written)
    return text[: rng.randint(0, len(text))] if rng.random() < 0.05 else text


def _rows_entry(kind: str, name: str, rng: Random) -> str:
    rows: object = [asdict(_ROWS[kind])] * rng.choice((0, 1, 1, 2))
    if rng.random() < 0.3:
        rows = damaged_json(rows, rng)
    return UNIT.join(("rows", f"{kind}/part-{name}.parquet", json.dumps(rows)))


def _rows_of_any_kind(rng: Random) -> str:
    return _rows_entry(rng.choice(list(KINDS)), rng.choice(_NAMES), rng)


def _foreign(rng: Random) -> str:
    return UNIT.join(("file", rng.choice(FOREIGN), "x"))


def _written(rng: Random) -> str:
    """A file that a run or its report writes, with another content."""
    names = (".spool/0.jsonl", ".lock", "report.html", "plots/rates.svg", "stderr/a.log", "outcomes/part-a.parquet")
    return UNIT.join(("file", rng.choice(names), rng.choice(("", "x", "PAR1", "\x80\x04K\x01."))))


def _link(rng: Random) -> str:
    names = (
        "outcomes",
        "samples/part-a.parquet",
        "outcomes/part-b.parquet",
        ".lock",
        "stderr",
        "manifest.json",
        "keep",
    )
    return UNIT.join((rng.choice(("link", "link", "link", "pipe")), rng.choice(names), rng.choice(_TARGETS)))


def _torn(rng: Random) -> str:
    """Bytes of a part that are overwritten: where, counted from the end, and with what."""
    where = rng.choice((rng.randint(1, 12), rng.randint(1, 800)))
    what = bytes(rng.choices((0, 1, 0x15, 0x7F, 0x80, 0xFF), k=rng.randint(1, 6)))
    return UNIT.join(("torn", f"{rng.choice(list(KINDS))}/part-a.parquet", f"{where} {what.hex()}"))
