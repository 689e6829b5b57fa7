"""Temporary folders: where they are, and that nothing is left of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import scratch


@pytest.mark.parametrize(
    ("has_memory", "room", "named"), [(True, 0, False), (True, 1 << 60, False), (True, 0, True), (False, 0, False)]
)
def test_a_folder_is_in_memory_where_there_is_room_and_nobody_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_memory: bool, room: int, named: bool
) -> None:
    memory = tmp_path / "memory"
    if has_memory:
        memory.mkdir()
    monkeypatch.setattr(scratch, "_MEMORY", memory)
    monkeypatch.setattr(scratch, "_ENOUGH_MEMORY", room)
    monkeypatch.delenv("TMPDIR", raising=False)
    if named:
        monkeypatch.setenv("TMPDIR", str(tmp_path))
    scratch._folder_in_memory.cache_clear()
    try:
        with scratch.scratch() as folder:
            assert folder.is_dir()
    finally:
        scratch._folder_in_memory.cache_clear()
    assert folder.is_relative_to(memory) == (has_memory and not room and not named)
    assert not folder.exists()
