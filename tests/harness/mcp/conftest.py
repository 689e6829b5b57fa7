"""The project that the tests' clients work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.mcp.connected import TEXT


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(TEXT)
    return folder
