"""A folder with small source files, to ask about."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

_KEPT: list[TemporaryDirectory[str]] = []
"""Temporary folders, which are deleted when the tests end."""


@cache
def code() -> Path:
    _KEPT.append(TemporaryDirectory())
    folder = Path(_KEPT[0].name) / "code"
    folder.mkdir()
    for nth in range(12):
        lines = [f"    value_{n}_{nth} = compute_{n}(alpha_{n}, {n * nth}) + offset_{nth}" for n in range(60)]
        (folder / f"part_{nth}.py").write_text("\n".join(lines) + "\n")
    return folder
