from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editcore.errors import UsageError
from reports.page.served import ServedRun
from reports.runs.run_folder import RunFolder
from tests.reports.page.test_columns import recorded
from tests.twins import write_run

VERDICTS = {"x/a": "cwmr", "x/b": "cccw", "y/c": "mm  "}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ServedRun:
    folder = write_run(tmp_path_factory.mktemp("run"), VERDICTS)
    return ServedRun(RunFolder(folder), properties={}, token="secret")


def found(run: ServedRun, **wanted: Any) -> list[str]:
    while not run.count(json.dumps(wanted)).is_complete:
        pass
    return [row["id"] for row in run.rows(json.dumps(wanted), 0, 99)]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["s0001", "s0003", "s0000", "s0002"]),
        ({"strategy": 0}, ["s0001", "s0003", "s0000", "s0002"]),
        ({"strategy": 2}, ["s0001", "s0000"]),
        ({"verdict": "wrong_edit"}, ["s0001", "s0003"]),
        ({"strategy": 0, "verdict": "wrong_edit"}, ["s0001"]),
        ({"strategy": 1, "damage": "text"}, ["s0003"]),
        ({"strategy": 1, "than": 0}, ["s0001", "s0002"]),
        ({"strategy": 0, "than": 1}, ["s0003"]),
        ({"strategy": -2}, []),
        ({"strategy": 7}, []),
        ({"facets": {"nothing": 0}}, []),
        ({"words": ["S0002"]}, ["s0002"]),
        ({"words": ["return 3", "s0001"]}, ["s0001"]),
        ({"words": ["nowhere"]}, []),
    ],
    ids=str,
)
def test_a_filter_leaves_what_the_script_would_leave(
    run: ServedRun, wanted: dict[str, Any], expected: list[str]
) -> None:
    assert found(run, **wanted) == expected
    assert run.count(json.dumps(wanted)) == (len(expected), True, 1.0)


def test_rows_are_paged(run: ServedRun) -> None:
    assert [row["id"] for row in run.rows("{}", 1, 3)] == ["s0003", "s0000"]
    assert run.rows("{}", 9, 99) == []
    assert [row["id"] for row in run.rows("{}", -5, 1)] == ["s0001"]


@pytest.mark.parametrize("raw", ["", "[]", '{"strategy": "x"}', '{"words": [1]}', "{"])
def test_what_is_no_filter_is_refused(run: ServedRun, raw: str) -> None:
    with pytest.raises(UsageError, match="no filter"):
        run.count(raw)


def test_texts_come_from_the_run_folder(tmp_path: Path) -> None:
    run = ServedRun(RunFolder(recorded(tmp_path)), properties={}, token="secret")
    row = run.sample("s1")
    assert row is not None
    assert row["path"] == "a.py"
    texts = run.texts("s1")
    assert texts is not None
    assert texts["edit"] == "the edit"
    assert [change[0] for change in texts["changes"]] == [0, 1]
    assert run.sample("s3") is None
    assert run.texts("s3") is None
    assert found(run, words=["NOT FOUND"]) == ["s2"]


def test_the_page_has_the_token_and_no_samples(run: ServedRun) -> None:
    html = run.html.decode()
    assert '"token":"secret"' in html
    assert "data-lists" not in html.partition("<script>(")[0]
    assert "connect-src 'self'" in html
