"""Runs made up for the tests of the reports: no strategy is needed to have outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Outcome, WrongEdit
from reports.runs.run_folder import RunFolder
from tests.run_parts import write_part

STRATEGIES = ("replacer/simple", "replacer/line_trimmed", "cascade/exact", "cascade/reference")


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(
        argv=["editgauge", "run", "builtin"],
        seed=7,
        corpora=[CorpusUsed("builtin", 40)],
        strategies=[StrategyUsed(name, "1") for name in STRATEGIES],
        timeout_s=10,
        plan="abc",
        created="2026-11-21T03:00:00Z",
        machine={"python": "3.11", "versions": {"rapidfuzz": "3.9"}},
        n_samples=40,
        n_shards=1,
        finished="2026-11-21T03:02:00Z",
        wall_ns=2_000_000_000,
        strategy_ns=1_000_000_000,
    )


@pytest.fixture
def table_of(tmp_path: Path) -> Callable[[Sequence[Outcome]], pa.Table]:
    """Outcomes as the table a run folder yields."""

    def make(outcomes: Sequence[Outcome]) -> pa.Table:
        write_part(tmp_path / "table", "0", outcomes, [], metadata={})
        return RunFolder(tmp_path / "table").table("outcomes")

    return make


HOSTILE = '</script><img src="https://example.org/x" onerror=alert(1)>\u202e\x00\x1b[31m {{ 7 * 7 }}'
"""What a sample may hold to break a page."""


def _outcomes() -> list[Outcome]:
    found = []
    for i in range(40):
        for place, strategy in enumerate(STRATEGIES):
            verdict, damage, reason, replacer = "correct", None, None, "simple"
            if (i + place) % 9 == 0:
                verdict, reason, replacer = "missed", "no_match", None
            elif i in (3, 4, 5) and strategy != "cascade/exact":
                verdict, damage, replacer = "wrong_edit", "place", "line_trimmed"
            elif i > 35:
                verdict = "unlabelled"
            found.append(Outcome(f"s{i}", strategy, verdict, damage, reason, replacer, 1, 1000 * place + 10 * i))
    found.append(Outcome("s40", "cascade/reference", "timed_out"))
    found.append(Outcome("s40", "cascade/exact", "crashed", error="IndexError: 3"))
    return found


def _wrong_edits() -> list[WrongEdit]:
    before = "def one():\n    return 1\n\n\ndef two():\n    return 2  \n"
    found = []
    for outcome in _outcomes():
        if outcome.verdict != "wrong_edit":
            continue
        given = {
            "s3": before.replace("return 1", "return 3").replace("2  ", "2\t"),
            "s4": HOSTILE + "\n" + before,
            "s5": before + "x = 1;" * 3000 + outcome.strategy,
        }[outcome.sample_id]
        edit = HOSTILE if outcome.sample_id == "s4" else "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n"
        path = f"src/{outcome.sample_id}.py"
        found.append(
            WrongEdit(outcome.sample_id, outcome.strategy, "place", outcome.replacer, path, 12, before, given, edit, 99)
        )
    return found


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run: four strategies, every verdict, a few wrong edits with hostile texts."""
    folder = tmp_path_factory.mktemp("run")
    write_part(folder, "0", _outcomes(), _wrong_edits(), metadata={"n_samples": "41"})
    write_manifest(
        folder,
        Manifest(
            argv=["editgauge", "run", HOSTILE],
            seed=7,
            corpora=[CorpusUsed("<b>builtin</b>", 41)],
            strategies=[StrategyUsed(name, "1") for name in STRATEGIES],
            timeout_s=10,
            plan="abc",
            created="2026-11-21T03:00:00Z",
            machine={"python": "3.11", "versions": {"rapidfuzz": "3.9"}},
            n_samples=41,
            finished="2026-11-21T03:02:00+00:00",
        ),
    )
    return folder
