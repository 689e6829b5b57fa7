from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from editcore.errors import UsageError
from reports.runs.manifest import Manifest, read_manifest, write_atomically, write_manifest
from reports.runs.merge import metadata_totals
from reports.runs.parts import outcomes, part_metadata, part_path, parts_done, wrong_edits
from reports.runs.rows import Damage, Outcome, Verdict, WrongEdit
from reports.runs.run_folder import RunFolder
from tests.run_parts import write_part

ROWS = [
    Outcome("a", "cascade/reference", Verdict.CORRECT, None, None, "simple", 1, 2**60 + 1),
    Outcome("é\x00\n", "replacer/simple", Verdict.WRONG_EDIT, Damage.PLACE, None, "simple", 3, 0),
    Outcome("b", "replacer/simple", Verdict.CORRECT, None, None, "simple", 1, 7, None, 2),
    Outcome("", "replacer/simple", Verdict.MISSED, None, "no_match", None, 0, 5),
    Outcome("d", "replacer/simple", Verdict.TIMED_OUT),
    Outcome("e", "replacer/simple", Verdict.CRASHED, error="ValueError: 'x'"),
]
WRONG = WrongEdit("a", "replacer/simple", "place", None, "a/b.py", 3, "x\r\n", "", "SEARCH\t\n", 7)


def test_a_part_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_part(tmp_path, "0003", ROWS, [WRONG], metadata={"shard": "3"})
    assert list(outcomes(tmp_path)) == ROWS
    assert list(wrong_edits(tmp_path)) == [WRONG]
    assert parts_done(tmp_path) == {"0003"}
    assert part_metadata(tmp_path, "0003")["shard"] == "3"
    assert RunFolder(tmp_path).table("outcomes").num_rows == len(ROWS)


def test_what_an_older_version_did_not_record_is_absent(tmp_path: Path) -> None:
    write_part(tmp_path, "0", ROWS, [WRONG], metadata={})
    path = part_path(tmp_path, "outcomes", "0")
    old = pq.read_table(path).drop_columns(["alternative"])
    pq.write_table(old, path)
    assert list(outcomes(tmp_path)) == [replace(row, alternative=None) for row in ROWS]
    assert RunFolder(tmp_path).table("outcomes").column("alternative").to_pylist() == [None] * len(ROWS)
    pq.write_table(old.drop_columns(["verdict"]), path)
    with pytest.raises(UsageError, match=r"part-0\.parquet cannot be read"):
        RunFolder(tmp_path).table("outcomes")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Writers try again at their end.
@pytest.mark.parametrize("failing", ["__init__", "write_table", "close"])
@pytest.mark.parametrize("n_well", [0, 1, 2])
def test_a_part_that_cannot_be_written_leaves_nothing(
    failing: str, n_well: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk: every call fails from one on, those that close what was begun among them."""
    real, left = getattr(pq.ParquetWriter, failing), iter(range(n_well))

    def fail(*arguments: object, **options: object) -> None:
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        real(*arguments, **options)

    monkeypatch.setattr(pq.ParquetWriter, failing, fail)
    if (failing, n_well) == ("write_table", 2):
        pytest.skip("There are rows of two kinds only.")
    with pytest.raises(OSError, match="No space left"):
        write_part(tmp_path, "0", ROWS, [WRONG], metadata={})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_part_without_rows_is_a_part(tmp_path: Path) -> None:
    write_part(tmp_path, "0", [], [], metadata={})
    assert parts_done(tmp_path) == {"0"}
    assert RunFolder(tmp_path).table("outcomes").num_rows == 0
    assert list(wrong_edits(tmp_path)) == []


def test_an_empty_folder_has_no_outcomes(tmp_path: Path) -> None:
    assert RunFolder(tmp_path).table("outcomes").num_rows == 0
    assert list(outcomes(tmp_path)) == []


def test_lone_surrogates_become_escapes(tmp_path: Path) -> None:
    write_part(tmp_path, "0", [], [replace(WRONG, given="a\ud800b")], metadata={})
    assert next(wrong_edits(tmp_path)).given == "a\\ud800b"


def test_runs_of_two_machines_are_merged_by_putting_the_folders_together(tmp_path: Path) -> None:
    for machine, part in (("one", "0000"), ("two", "0001")):
        write_part(tmp_path / machine, part, [replace(ROWS[0], sample_id=machine)], [], metadata={})
    for kind in ("outcomes", "wrong_edits"):
        for path in (tmp_path / "two" / kind).iterdir():
            path.rename(tmp_path / "one" / kind / path.name)
    assert [row.sample_id for row in outcomes(tmp_path / "one")] == ["one", "two"]


def test_a_folder_called_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    write_part(tmp_path / "seed=3", "0", ROWS, [], metadata={})
    assert list(outcomes(tmp_path / "seed=3")) == ROWS


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    write_part(tmp_path, "0", ROWS, [], metadata={})
    part = tmp_path / "outcomes" / "part-0.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(UsageError, match=r"part-0\.parquet cannot be read"):
        RunFolder(tmp_path).table("outcomes")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "manifest.json"
    write_atomically(path, b"old")

    def full_disk(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_in_one_process_do_not_hinder_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "finding.jsonl"

    def meanwhile(_: int) -> None:
        monkeypatch.undo()
        write_atomically(path, b"the second, written while the first is")

    monkeypatch.setattr("os.fsync", meanwhile)
    write_atomically(path, b"the first")
    assert path.read_bytes() == b"the first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_manifest_comes_back_as_it_was_written(tmp_path: Path, manifest: Manifest) -> None:
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"schema_version": "x"}', "\xff"])
def test_an_unreadable_manifest_is_the_users_mistake(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match="cannot be read"):
        read_manifest(tmp_path)


def test_a_folder_or_file_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, why in ((tmp_path, "has no"), (tmp_path / "nowhere", "there is nothing"), (tmp_path / "file", "has no")):
        with pytest.raises(UsageError, match=f"{path.name} is not a run folder: .*{why}"):
            read_manifest(path)


def test_a_manifest_of_a_later_version_says_so_whatever_its_fields(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"schema_version": 99, "renamed": 1}))
    with pytest.raises(UsageError, match="schema version 99"):
        read_manifest(tmp_path)


def test_writing_and_summing_up_a_run_needs_no_pandas(tmp_path: Path) -> None:
    """The `run` command does both, and pandas alone takes longer than a small run."""
    code = f"""
import sys
from pathlib import Path
from reports.statistics.breakdown import deciders
from reports.statistics.grid import read_grid
from reports.statistics.summary import summaries
from reports.runs.merge import metadata_totals
from reports.runs.parts import PartWriter
from reports.runs.run_folder import RunFolder
from reports.runs.rows import Outcome, SampleUsed
from reports.views.tables import print_summary
folder = Path({str(tmp_path)!r})
with PartWriter(folder, "0") as writer:
    used = [SampleUsed("a", "str_replace", "apply")]
    writer.add([Outcome("a", "cascade/x", "correct", replacer="y", latency_ns=1)], [], used)
    writer.close({{}})
table = RunFolder(folder).table("outcomes")
print_summary(summaries(table)), deciders(read_grid(RunFolder(folder)))
print([name for name in ("pandas", "matplotlib", "jinja2") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_part_without_the_totals_of_a_run_is_refused(tmp_path: Path) -> None:
    write_part(tmp_path, "a", ROWS, [], metadata={"n_samples": "1e9"})
    with pytest.raises(UsageError, match="no totals that a run wrote"):
        metadata_totals([(tmp_path, "a")])


def test_a_part_with_values_of_other_types_is_refused(tmp_path: Path) -> None:
    write_part(tmp_path, "a", ROWS, [], metadata={})
    path = tmp_path / "outcomes" / "part-a.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "sample_id", [[None] * table.num_rows]), path)
    with pytest.raises(UsageError, match=r"part-a\.parquet cannot be read"):
        list(outcomes(tmp_path))
