from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reports.runs import parts
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed
from reports.runs.run_folder import RunFolder, sample_record
from tests.run_parts import write_part


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, name in enumerate(["s0", "s1", "s\udc80"]):
        outcomes = [Outcome(name, strategy, "missed") for strategy in ("x/a", "x/b")]
        text, change = SampleText(name, "edit", "a.py", 1, "x"), Change(name, 1, ("x/a",), "a.py", 1, "x", "y")
        used = SampleUsed(name, "str_replace", "apply", tags=("language:go",))
        write_part(tmp_path, str(part), outcomes, [], [used], texts=[text], changes=[change], metadata={})
    return tmp_path


def test_a_record_has_the_rows_of_one_sample_of_every_kind(folder: Path) -> None:
    found = sample_record(RunFolder(folder), "s1")
    assert [(one.sample_id, one.strategy) for one in found.outcomes] == [("s1", "x/a"), ("s1", "x/b")]
    assert found.sample == SampleUsed("s1", "str_replace", "apply", tags=("language:go",))
    assert found.text is not None
    assert found.text.sample_id == "s1"
    assert [one.strategies for one in found.changes] == [("x/a",)]
    assert sample_record(RunFolder(folder), "s9").outcomes == ()


def test_an_id_that_no_terminal_can_type_is_found_by_its_bytes(folder: Path) -> None:
    assert len(sample_record(RunFolder(folder), "s\udc80").outcomes) == 2


def test_texts_are_read_from_the_part_that_has_the_sample_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(parts, "read_part", _noting(read, parts.read_part))
    sample_record(RunFolder(folder), "s1")
    assert [name for name in read if not name.startswith("outcomes/")] == [
        f"{kind}/part-1.parquet" for kind in ("samples", "texts", "changes", "wrong_edits")
    ]


def _noting(read: list[str], opened: Callable[..., object]) -> Callable[..., object]:
    def noting(path: Path, *arguments: object, **options: object) -> object:
        read.append(f"{path.parent.name}/{path.name}")
        return opened(path, *arguments, **options)

    return noting
