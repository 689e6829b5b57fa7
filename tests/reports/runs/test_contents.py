"""What may be removed, and what names that come from elsewhere may be."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.errors import UsageError
from reports.runs.manifest import check_run, empty_run, is_name, read_manifest, remove_leftover, write_manifest
from reports.runs.parts import part_path
from reports.runs.remote import Remote
from tests.twins import write_run


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", {"cascade/exact": "c"})


FOREIGN = [
    ".git/HEAD", "src/app.js", "thesis.txt", "outcomes/thesis.txt", "outcomes/part-0.parquet.orig", "samples/a/b",
    "stderr/notes", "plots/cat.png", "manifest.json.bak", "gate.json", "Report.html",
]  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_with_anything_else_in_it_is_not_removed(run: Path, name: str) -> None:
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).write_text("precious")
    before = tree(run)
    for remove in (empty_run, remove_leftover, lambda folder: Remote(folder.as_uri()).remove(read_manifest(folder))):
        with pytest.raises(UsageError, match="which no run writes, so it is not removed") as caught:
            remove(run)
        assert name.split("/")[0] in caught.value.message
        assert "\n" not in caught.value.message
    assert tree(run) == before
    assert read_manifest(run).finished


@pytest.mark.parametrize("name", ["outcomes", "plots", "stderr", "report.html", "outcomes/part-1.parquet", ".lock"])
def test_a_link_is_never_removed_or_followed(run: Path, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "part-0.parquet").write_text("precious")
    if name == "outcomes":
        (run / name / "part-0.parquet").unlink()
        (run / name).rmdir()
    (run / name).symlink_to(elsewhere)
    for remove in (empty_run, remove_leftover):
        with pytest.raises(UsageError, match="which no run writes"):
            remove(run)
    assert tree(elsewhere) == {"part-0.parquet"}


def test_a_link_to_a_run_is_not_replaced(run: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(run)
    before = tree(run)
    with pytest.raises(UsageError, match="is a link"):
        empty_run(tmp_path / "link")
    with pytest.raises(UsageError, match="is not a folder"):
        remove_leftover(tmp_path / "link")
    assert tree(run) == before


@pytest.mark.parametrize("text", ['{"manifest_version": 3}', "[]", "", "{", "[" * 100_000, '{"plan": "../.."}'])
def test_a_manifest_of_something_else_is_no_run(run: Path, text: str) -> None:
    (run / "manifest.json").write_text(text)
    before = tree(run)
    with pytest.raises(UsageError, match="cannot be read"):
        empty_run(run)
    with pytest.raises(UsageError, match="cannot be read"):
        check_run(run)
    assert tree(run) == before


def test_all_that_a_run_and_its_report_write_is_removed(run: Path) -> None:
    for name in ("report.html", "plots/rates.svg", "plots/rates.png", "stderr/cmd-a-7.log", ".spool/0", ".lock",
                 ".manifest.json.7.tmp", "outcomes/.part-0.parquet.7.ab.tmp"):  # fmt: skip
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).touch()
    empty_run(run)
    assert tree(run) == {".lock"}
    remove_leftover(run)
    assert not run.exists()
    remove_leftover(run)


def test_an_interrupted_removal_leaves_an_unfinished_run(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlink = Path.unlink

    def fail_at_a_part(path: Path, *, missing_ok: bool = False) -> None:
        if path.name.startswith("part-"):
            raise OSError
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", fail_at_a_part)
    with pytest.raises(OSError):  # noqa: PT011
        empty_run(run)
    monkeypatch.undo()
    assert read_manifest(run).finished is None
    empty_run(run)
    assert tree(run) == set()


# Names and values of manifests


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/", "../a", "a\0", "a" * 300])
def test_what_is_no_name_is_no_part_of_a_path(name: str) -> None:
    assert not is_name(name)


@given(st.text(st.characters(exclude_categories=[])))
def test_a_part_lies_in_its_folder_or_is_refused(part: str) -> None:
    folder = Path("/run/outcomes")
    with suppress(UsageError):
        assert part_path(folder.parent, "outcomes", part).parent == folder
    assert is_name(part) or set(part) & {"/", "\0"} or part in ("", ".", "..") or len(part) > 60


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("plan", "/../.."),
        ("plan", ".."),
        ("plan", "ab\n"),
        ("plan", "a" * 65),
        ("plan", 7),
    ],
)
def test_values_that_no_run_wrote_are_refused(run: Path, field: str, value: str) -> None:
    raw = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(raw | {field: value}))
    with pytest.raises(UsageError, match="cannot be read") as caught:
        read_manifest(run)
    assert "\n" not in caught.value.message


def test_a_manifest_is_not_written_through_a_link(run: Path, tmp_path: Path) -> None:
    import os

    manifest = replace(read_manifest(run), seed=9)
    (tmp_path / "precious").write_text("precious")
    (run / f".manifest.json.{os.getpid()}.tmp").symlink_to(tmp_path / "precious")
    write_manifest(run, manifest)
    assert (tmp_path / "precious").read_text() == "precious"
    assert read_manifest(run) == manifest
