from __future__ import annotations

from pathlib import Path

import pytest

from corpora.cache_folder import cache_folder


def test_without_settings_it_lies_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache/editgauge"
