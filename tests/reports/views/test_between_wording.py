"""Strategies of one run against each other, on terminals of any width."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.terminal import print_prose
from reports.compare.between import between
from reports.runs.run_folder import RunFolder
from reports.views.between_wording import advice, legend, print_pairs
from tests.reports.views.terminal import Terminal
from tests.twins import write_run

A, B = "cascade/opencode_1_17", "cascade/recommended"


@pytest.mark.parametrize(
    ("width", "kept"),
    [
        (300, {"right change", "p", "break-even", "wrong p", "only first", "wrong alike"}),
        (110, {"right change", "p", "break-even"}),
        (80, {"right change"}),
    ],
)
def test_what_a_table_is_for_is_left_out_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, kept: set[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    found = between(RunFolder(write_run(tmp_path, {A: "cw" * 9 + "mm", B: "cm" * 9 + "cm"})), [A, B])
    out = Terminal()
    headings = print_pairs(found, file=out)
    assert {"first", "second"} | kept <= headings
    text = legend(headings)
    assert ("break-even: " in text, "wrong alike: " in text) == ("break-even" in headings, "wrong alike" in headings)
    print_prose([text, *advice(found)], out)
    assert all(len(line) <= width for line in out.getvalue().splitlines() if "\x1b" not in line)
    assert " ".join([text, *advice(found)]) in " ".join(out.getvalue().split())
