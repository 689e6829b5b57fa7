"""Runs as DataFrames, and the page about them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from editcore.errors import UsageError
from reports import Run
from reports.measurements.interval import Z, wilson
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcomes, samples_used
from reports.runs.rows import Outcome, SampleUsed
from tests.run_parts import write_part
from tests.twins import write_run

A, B = "cascade/a", "replacer/b"
PAGE = Path(__file__).parents[2] / "docs" / "notebooks.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three samples, two of them in a language, in the folder that the page names."""
    folder = write_run(tmp_path / "runs" / "latest", {A: "cwm", B: "cxt"}, latencies={B: [7, 8, None]})
    languages = ("language:python", "language:go")
    samples = [SampleUsed(f"s000{n}", "str_replace", "apply", tags=(tag, "x")) for n, tag in enumerate(languages)]
    rows = list(outcomes(folder))
    write_part(folder, "0", rows, [], [*samples, SampleUsed("s0002", "str_replace", "apply")], metadata={})
    return folder


def test_frames_have_the_rows_of_the_run(folder: Path) -> None:
    run = Run(folder)
    assert run.manifest == read_manifest(folder)
    missing_to_none = [frame.astype(object).where(frame.notna(), None) for frame in (run.outcomes(), run.samples())]
    assert [Outcome(*row) for row in missing_to_none[0].itertuples(index=False)] == list(outcomes(folder))
    rows = [
        SampleUsed(*row[:-3], tags=tuple(row[-3]), fingerprint=row[-2], likeness=row[-1])
        for row in missing_to_none[1].itertuples(index=False)
    ]
    assert rows == list(samples_used(folder))


@pytest.mark.parametrize("rows", ["some", "none"])
def test_columns_have_the_dtypes_that_the_page_names(rows: str, folder: Path, tmp_path: Path) -> None:
    run = Run(folder if rows == "some" else write_run(tmp_path / "empty", {A: ""}))
    sections = re.findall(r"^## run\.(\w+)\(\)\n.*?\n\|---\|---\|---\|\n(.*?)\n\n", PAGE.read_text(), re.M | re.S)
    assert [name for name, _ in sections] == ["outcomes", "samples", "estimates"]
    for name, lines in sections:
        frame: pd.DataFrame = getattr(run, name)()
        named = {}
        for line in lines.splitlines():
            columns, dtype = line.split("|")[1:3]
            named |= dict.fromkeys(re.findall(r"`(\w+)`", columns), dtype.strip())
        assert set(named) == set(frame.columns)
        if rows == "some" or name != "estimates":
            assert {column: str(dtype) for column, dtype in frame.dtypes.items()} == named


def test_estimates_are_rates_with_their_intervals_and_denominators(folder: Path) -> None:
    found = Run(folder).estimates().set_index(["strategy", "metric"])
    low, high = wilson(1 / 3, 3, Z)
    assert found.loc[(A, "match_rate")].tolist() == [1 / 3, low, high, 3]
    assert (B, "refusal_rate") not in found.index


def test_a_run_may_be_at_a_url(folder: Path) -> None:
    pd.testing.assert_frame_equal(Run(folder.as_uri()).outcomes(), Run(folder).outcomes())
    assert Run(folder.as_uri()).manifest == Run(folder).manifest


@pytest.mark.parametrize("place", ["nowhere", "url"])
def test_where_there_is_no_run_that_is_said(place: str, tmp_path: Path) -> None:
    run = Run(tmp_path if place == "nowhere" else tmp_path.as_uri())
    for asked in (run.outcomes, run.samples, run.estimates, lambda: run.manifest):
        with pytest.raises(UsageError, match="is not a run folder: it has no manifest"):
            asked()


@pytest.mark.parametrize(("number", "line"), [(0, "python 1.0 1.0"), (1, "replacer/b 0.333 1.0")])
def test_the_python_of_the_page_runs(
    number: int, line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert len(scripts) == 2
    monkeypatch.chdir(folder.parents[1])
    exec(compile(scripts[number], f"docs/notebooks.md {number}", "exec", dont_inherit=True), {})
    printed = [" ".join(printed.split()) for printed in capsys.readouterr().out.splitlines()]
    assert any(one.startswith(line) for one in printed)


def test_parts_are_read_without_pandas() -> None:
    code = (
        "import sys; from reports.runs.parts import outcomes; from reports import runs; print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
