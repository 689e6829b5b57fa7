"""`editgauge notes`, and the page that shows what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reports.page.columns import FACET, reviews_of, with_reviews
from reports.page.kept_columns import kept_columns
from reports.runs.run_folder import RunFolder
from tests.harness.program import call
from tests.twins import write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", {"cascade/a": "cw"})


def test_a_note_is_kept_changed_and_listed(run: Path) -> None:
    assert call("notes", run).stdout == ""
    assert call("notes", run, "s0001", "--reviewed", "-m", "as ever").exit_code == 0
    assert call("notes", run, "s0001", "-m", "since May").exit_code == 0
    (kept,) = json.loads(call("notes", run, "--json").stdout)
    assert (kept["sample_id"], kept["is_reviewed"], kept["note"]) == ("s0001", True, "since May")
    assert call("notes", run, "s0001", "--open").exit_code == 0
    assert call("notes", run).stdout == f"s0001  open  {kept['written'][:10]}  since May\n"


def test_a_later_run_at_the_same_place_has_it_on_its_page(run: Path) -> None:
    call("notes", run, "s0001", "--reviewed", "-m", "as ever")
    columns = kept_columns(RunFolder(write_run(run, {"cascade/a": "www"})))
    assert FACET not in columns.facets
    assert reviews_of(columns)["s0001"][:2] == [True, "as ever"]
    facet = with_reviews(columns).facets[FACET]
    assert [facet.words[code] for code in facet.codes] == ["", "reviewed", ""]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["s9"], ""), (["s9", "--reviewed"], "has no sample 's9'"), (["--reviewed"], "No sample is named")],
)
def test_what_is_no_sample_gets_no_note(run: Path, arguments: list[str], told: str) -> None:
    done = call("notes", run, *arguments)
    assert done.exit_code == (2 if told else 0)
    assert told in done.stderr
    assert not run.with_name("run.notes.jsonl").exists()
