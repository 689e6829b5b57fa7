from __future__ import annotations

import csv
from pathlib import Path

from reports.runs.run_folder import RunFolder
from reports.statistics.summary import summaries
from reports.views.tables import csv_text
from tests.twins import write_run


def test_csv_has_rates_with_both_ends_and_no_formula(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"=1+1/a": "cwm", "x/u": "uuu"})
    first, second = csv.DictReader(csv_text(summaries(RunFolder(run).table("outcomes"))).splitlines())
    assert first["strategy"] == "'=1+1/a"
    assert (first["n_correct"], float(first["match_rate"])) == ("1", 1 / 3)
    assert float(first["wrong_rate_low"]) < 1 / 3 < float(first["wrong_rate_high"])
    assert second["match_rate"] == ""
