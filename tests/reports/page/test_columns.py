from __future__ import annotations

from pathlib import Path

from reports.measurements.interval import Z, wilson
from reports.page.cells import discordance, groups
from reports.page.columns import read_columns
from reports.page.texts import records
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed
from reports.runs.run_folder import RunFolder
from tests.run_parts import write_part
from tests.twins import write_run

PLACE = "one\ntwo\nthree\nfour\nfive\n"


def recorded(folder: Path) -> Path:
    """A run of two samples under two strategies, as this version writes it."""
    outcomes = [
        Outcome("s1", "x/a", "correct", replacer="exact", n_matches=1, latency_ns=123_456, lines="3"),
        Outcome("s1", "x/b", "wrong_edit", "text", None, "fuzzy", 1, 99, lines="4"),
        Outcome("s2", "x/a", "missed", reason="no_match", message="It was not found.", latency_ns=5),
        Outcome("s2", "x/b", "missed", reason="no_match", message="It was not found.", latency_ns=5),
    ]
    samples = [
        SampleUsed("s1", "str_replace", "apply", agent="me", tags=("language:python",)),
        SampleUsed("s2", "str_replace", "apply", tags=("language:go", "drift:exact")),
    ]
    texts = [
        SampleText("s1", "the edit", "a.py", 10, PLACE, 0, "applied", 900),
        SampleText("s2", "edit", "b", 1, "x", 0),
    ]
    changes = [
        Change("s1", 0, ("x/a",), "a.py", 11, "two\nthree\nfour\n", "two\n3\nfour\n"),
        Change("s1", 1, ("x/b",), "a.py", 40, "far\n", "FAR\n"),
    ]
    write_part(folder, "0", outcomes, [], samples, texts=texts, changes=changes, metadata={})
    strategies = [StrategyUsed("x/b", "1"), StrategyUsed("x/a", "1"), StrategyUsed("x/unused", "1")]
    write_manifest(folder, Manifest([], 0, [CorpusUsed("c", 2)], strategies, 5, "p", "2026-01-01T00:00:00Z"))
    return folder


def test_outcomes_are_arrays_in_the_order_of_the_manifest(tmp_path: Path) -> None:
    columns = read_columns(RunFolder(recorded(tmp_path)))
    assert columns.strategies == ["x/b", "x/a"]
    assert columns.ids == ["s1", "s2"]
    verdicts = [[columns.kinds[code].verdict for code in row] for row in columns.kind]
    assert verdicts == [["wrong_edit", "missed"], ["correct", "missed"]]
    assert columns.latency_ns.tolist() == [[99, 5], [123_456, 5]]
    facets = {name: [facet.words[code] for code in facet.codes] for name, facet in columns.facets.items()}
    assert facets == {
        "format": ["str_replace", "str_replace"], "label": ["apply", "apply"], "agent": ["me", ""],
        "language": ["python", "go"], "drift": ["", "exact"],
    }  # fmt: skip


def test_a_facet_that_every_sample_has_offers_no_sample_without_it(tmp_path: Path) -> None:
    facets = read_columns(RunFolder(recorded(tmp_path))).facets
    assert {name: facet.words for name, facet in facets.items()} == {
        "format": ["str_replace"], "label": ["apply"], "agent": ["", "me"],
        "language": ["go", "python"], "drift": ["", "exact"],
    }  # fmt: skip


def test_a_strategy_that_does_not_take_a_sample_has_kind_0(tmp_path: Path) -> None:
    columns = read_columns(RunFolder(write_run(tmp_path, {"x/a": "cc", "x/b": " c"})))
    assert (columns.kind == 0).tolist() == [[False, False], [True, False]]
    assert columns.kinds[0].verdict == ""


def test_samples_that_most_strategies_get_wrong_are_listed_first(tmp_path: Path) -> None:
    columns = read_columns(RunFolder(write_run(tmp_path, {"x/a": "cmwwc", "x/b": "cmcwx"})))
    assert [columns.ids[at] for at in columns.order] == ["s0003", "s0002", "s0004", "s0001", "s0000"]


def test_a_record_has_the_texts_of_a_sample_and_names_lines_that_its_place_has(tmp_path: Path) -> None:
    first, second = records(read_columns(RunFolder(recorded(tmp_path))), [0, 1])
    assert first["changes"] == [
        [0, [1], "a.py", 11, 3, "two\n3\nfour\n", 0],
        [1, [0], "a.py", 40, "far\n", "FAR\n", 0],
    ]
    assert (first["edit"], first["place"], first["recorded"]) == ("the edit", PLACE, "applied")
    assert first["lines"] == {"0": "4", "1": "3"}
    assert first["latency"] == [99, 123_000]
    assert second["messages"] == [["It was not found.", [1, 0]]]


def test_cells_of_groups_have_rates_with_intervals(tmp_path: Path) -> None:
    (by_agent, by_language) = [
        found for found in groups(read_columns(RunFolder(recorded(tmp_path)))) if found["key"] in ("agent", "language")
    ][::-1]
    assert [(one["group"], one["n"]) for one in by_language["groups"]] == [("go", 1), ("python", 1)]
    assert [one["group"] for one in by_agent["groups"]] == ["me", ""]
    wrong_of_b = by_language["groups"][1]["cells"][0][1]
    assert wrong_of_b == [1.0, *(round(end, 5) for end in wilson(1.0, 1, Z)), 1]


def test_discordance_counts_samples_that_only_one_gets_right(tmp_path: Path) -> None:
    found = discordance(read_columns(RunFolder(write_run(tmp_path, {"x/a": "ccccm", "x/b": "wwccc"}))))
    assert found[0][0] is None
    assert found[0][1] is not None
    assert found[0][1][:3] == [2, 1, 5]
    assert found[1][0] is not None
    assert found[1][0][:3] == [1, 2, 5]
    assert found[0][1][3] is None  # Of three samples that differ.
