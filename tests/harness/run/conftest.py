from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.run.latency import Stopwatch


@pytest.fixture
def stopwatch() -> Iterator[Stopwatch]:
    with Stopwatch() as started:
        yield started


@pytest.fixture
def nowhere_near_github(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
