from __future__ import annotations

import csv
from pathlib import Path

from reports.runs.manifest import read_manifest
from reports.runs.parts import outcome_table
from reports.statistics.metrics import summaries
from reports.views.exports import csv_text, markdown
from tests.twins import write_run


def test_markdown_has_a_row_for_each_strategy_and_quotes_names(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"cascade/a": "cw", "x/`|<b>": "cc"})
    lines = markdown(summaries(outcome_table(run)), read_manifest(run)).splitlines()
    assert lines[0].startswith("cascade/a: 1 correct, 1 wrong")
    assert lines[2].startswith("| strategy | samples | correct | wrong |")
    assert lines[3].startswith("|---|---:|")
    assert lines[4].startswith("| `cascade/a` | 2 | 1 | 1 |")
    assert lines[5].startswith("| ``x/`\\|<b>`` | 2 |")


def test_csv_has_rates_with_both_ends_and_no_formula(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"=1+1/a": "cwm", "x/u": "uuu"})
    first, second = csv.DictReader(csv_text(summaries(outcome_table(run))).splitlines())
    assert first["strategy"] == "'=1+1/a"
    assert (first["n_correct"], float(first["match_rate"])) == ("1", 1 / 3)
    assert float(first["wrong_rate_low"]) < 1 / 3 < float(first["wrong_rate_high"])
    assert second["match_rate"] == ""
