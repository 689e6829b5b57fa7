from __future__ import annotations

from pathlib import Path

import pytest

from harness.strategies.external import external_strategy
from tests.harness.strategies.commands import Written, script


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Makes a strategy of the code of a command."""
    return lambda code: external_strategy("cmd/mine", script(tmp_path, code))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the peers' environments lie; it is not there yet."""
    folder = tmp_path / "peers"
    monkeypatch.setenv("EDITGAUGE_PEERS", str(folder))
    return folder
