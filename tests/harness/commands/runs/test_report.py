"""`report`, and what else writes a file about a run: never in the place of what the run wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.program import call


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "run", "-o", "run/manifest.json"),
        ("report", "run", "--format", "csv", "-o", "run/../run/manifest.json"),
        ("report", "run", "--format", "png", "-o", "run/outcomes"),
        ("compare", "run", "run", "-o", "run/outcomes/part-00000.parquet"),
        ("compare", "run", "--between", "cascade/exact", "cascade/reference", "-o", "run/manifest.json"),
        ("shrink", "run", "smoke-line_trimmed-indentation", "-o", "run/manifest.json"),
    ],
)
def test_no_output_takes_the_place_of_a_part_of_a_run(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call("run", "smoke", "-n", 2, "-q", "-j", 1, "-s", "cascade/exact", "-s", "cascade/reference", "-o", "run")
    before = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    done = call(*arguments)
    assert done.exit_code == 2
    assert "would be a part of the run" in done.stderr
    assert {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()} == before
