from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reports.compare.gate import Failure, Rule
from reports.history.nights import History, Judged
from reports.page.cells import replacer_orders
from reports.page.columns import read_columns
from reports.page.head import rates, trends
from reports.runs.parts import part_paths
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

NIGHTS = ("2026-11-20T03:00:00+00:00", "2026-11-21T03:00:00+00:00", "2026-11-22T03:00:00+00:00")


def test_a_history_has_the_rates_of_each_night_and_what_failed(tmp_path: Path) -> None:
    history = History(tmp_path / "nights")
    assert trends(history) is None
    verdicts: list[dict[str, str]] = [{"x/a": "cccc"}, {"x/a": "cccw", "x/b": "cmmm"}, {"x/b": "ccmm"}]
    for at, (created, some) in enumerate(zip(NIGHTS, verdicts, strict=True)):
        history.add(write_run(tmp_path / f"run{at}", some, created=created, finished=created))
    names = history.nights()
    history.accept(names[0], "the first")
    history.judge(names[1], Judged(names[0], (Failure(Rule.WRONG_EDIT, "x/a", "1 sample newly edited wrongly"),)))
    found = trends(history)
    assert found is not None
    assert (found["nights"], found["baseline"]) == (names, names[0])
    assert found["failed"] == [[], ["x/a: 1 sample newly edited wrongly"], []]
    first, second = found["strategies"]
    assert [rate and rate[0] for rate in first["match"]] == [1, 0.75, None]
    assert [rate and rate[0] for rate in first["wrong"]] == [0, 0.25, None]
    assert [rate and rate[0] for rate in second["match"]] == [None, 0.25, 0.5]
    for name in names:
        history.judge(name, replace(history.judged(name) or Judged(None), rates=rates(RunFolder(history.night(name)))))
        for part in part_paths(history.night(name), "outcomes"):
            part.unlink()
    assert trends(history) == found


def test_a_run_of_the_nine_replacers_has_their_orderings(tmp_path: Path) -> None:
    from editcore.replacers import REPLACERS

    verdicts = {f"replacer/{name}": "cm" for name in REPLACERS} | {"replacer/simple": "cw"}
    found = replacer_orders(read_columns(RunFolder(write_run(tmp_path / "all", verdicts))))
    assert found is not None
    assert found["n"] == 2
    assert found["reference"] == {"order": list(REPLACERS), "correct": 1, "wrong": 1, "missed": 0}
    assert found["best"][0]["wrong"] == 0
    assert found["replacers"][0][:3] == ["simple", 1, 1]
    assert found["decided"]["alike"] == [["111111111", 1, 0], ["200000000", 1, 0]]
    assert found["decided"]["several"] == []
    del verdicts["replacer/context_aware"]
    assert replacer_orders(read_columns(RunFolder(write_run(tmp_path / "some", verdicts)))) is None
