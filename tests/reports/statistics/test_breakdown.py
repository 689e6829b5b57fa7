"""Rates of a run by what its samples are."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from editcore.errors import UsageError
from reports.runs.rows import Outcome, SampleUsed
from reports.runs.run_folder import RunFolder
from reports.statistics.breakdown import Breakdown, Cell, breakdown
from reports.views.tables import breakdown_document, print_breakdown
from tests.run_parts import write_part

A, B = "cascade/a", "replacer/b"


def used(name: str, label: str = "apply", **told: Any) -> SampleUsed:
    return SampleUsed(name, "str_replace", label, **told)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two languages, three severities; the last sample has neither."""
    samples = [
        used("s0", tags=("language:python", "severity:10"), mutator="exact"),
        used("s1", tags=("language:python", "severity:9"), mutator="shifted"),
        used("s2", "refuse", tags=("language:go", "severity:9", "language:c"), mutator="shifted"),
        used("s3", "unlabelled", agent="codex"),
    ]
    verdicts = {A: ("correct", "wrong_edit", "refused", "unlabelled"), B: ("missed", "crashed", "wrong_edit")}
    rows = [Outcome(f"s{n}", name, verdict) for name, found in verdicts.items() for n, verdict in enumerate(found)]
    write_part(tmp_path / "run", "0", rows, [], samples, metadata={})
    return tmp_path / "run"


def test_outcomes_are_grouped_by_a_tag(run: Path) -> None:
    found = breakdown(RunFolder(run), "language")
    assert (found.key, found.strategies) == ("language", [A, B])
    assert found.n_samples == {"c": 1, "go": 1, "python": 2, "-": 1}
    assert found.groups["python"] == {A: Cell(1, 1, 0, 0, 2), B: Cell(0, 0, 1, 0, 2, 1)}
    assert found.groups["go"] == found.groups["c"] == {A: Cell(0, 0, 0, 1, 0), B: Cell(0, 1, 0, 0, 0)}
    assert found.groups["-"] == {A: Cell(0, 0, 0, 0, 0)}


def test_numbers_are_in_order_of_size_and_what_has_none_is_last(run: Path) -> None:
    assert list(breakdown(RunFolder(run), "severity").groups) == ["9", "10", "-"]


def test_a_sign_that_is_only_like_a_digit_is_a_word(tmp_path: Path) -> None:
    samples = [used(f"s{n}", tags=(f"power:{value}",)) for n, value in enumerate(("²", "a", "3"))]
    write_part(tmp_path, "0", [Outcome(one.sample_id, A, "correct") for one in samples], [], samples, metadata={})
    assert list(breakdown(RunFolder(tmp_path), "power").groups) == ["3", "a", "²"]


@pytest.mark.parametrize(
    ("key", "groups"),
    [
        ("mutator", ["exact", "shifted", "-"]),
        ("agent", ["codex", "-"]),
        ("label", ["apply", "refuse", "unlabelled"]),
        ("format", ["str_replace"]),
    ],
)
def test_outcomes_are_grouped_by_what_every_sample_has(run: Path, key: str, groups: list[str]) -> None:
    assert list(breakdown(RunFolder(run), key).groups) == groups


def test_a_rate_over_nothing_is_absent(run: Path) -> None:
    cells = breakdown(RunFolder(run), "language").groups
    python, go, other = cells["python"][A], cells["go"][A], cells["-"][A]
    assert (python.match_rate, python.n_apply) == (0.5, 2)
    assert go.match_rate is None
    assert (go.wrong_rate, go.n_labelled) == (0, 1)
    assert (other.match_rate, other.wrong_rate, other.n_labelled) == (None, None, 0)


def test_only_the_strategies_asked_for_are_shown_in_their_order(run: Path) -> None:
    assert breakdown(RunFolder(run), "label", strategies=[B, A]).strategies == [B, A]
    found = breakdown(RunFolder(run), "label", strategies=["cascade/none", B])
    assert found.strategies == [B]
    assert list(found.groups["unlabelled"]) == []
    assert breakdown(RunFolder(run), "label", strategies=["cascade/none"]).strategies == []


@pytest.mark.parametrize("key", ["repo", "langauge", "", "python"])
def test_a_property_that_no_sample_has_is_the_users_mistake(run: Path, key: str) -> None:
    with pytest.raises(UsageError, match=f"has a {key!r}") as caught:
        breakdown(RunFolder(run), key)
    assert "mutator" in caught.value.tip


def test_a_run_of_an_earlier_version_says_nothing_of_its_samples(run_folder: Path) -> None:
    with pytest.raises(UsageError, match="does not say what its samples are") as caught:
        breakdown(RunFolder(run_folder), "language")
    assert "run again" in caught.value.tip


def printed(found: Breakdown) -> list[list[str]]:
    stream = io.StringIO()
    print_breakdown(found, file=stream)
    return [line.split() for line in stream.getvalue().splitlines()]


def test_a_cell_is_match_rate_and_wrong_rate(run: Path) -> None:
    head, line, *rows = printed(breakdown(RunFolder(run), "language"))
    assert set("".join(line)) == {"─"}
    assert [head, *rows] == [
        ["language", "samples", A, B],
        ["c", "1", "-", "/", "0", "-", "/", "100"],
        ["go", "1", "-", "/", "0", "-", "/", "100"],
        ["python", "2", "50", "/", "50", "0", "/", "0"],
        ["-", "1", "-", "/", "-", "-"],
        ["match", "rate", "/", "wrong", "rate,", "in", "percent"],
    ]


class Terminal(io.StringIO):
    """A terminal as far as a printer asks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "tables"), [("80", 1), ("28", 2), ("5", 2)])
def test_a_narrow_terminal_gets_the_strategies_one_table_after_the_other(
    run: Path, monkeypatch: pytest.MonkeyPatch, columns: str, tables: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    print_breakdown(breakdown(RunFolder(run), "language"), file=stream)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    heads = [line.split() for line in plain.splitlines() if "language" in line]
    assert len(heads) == tables
    assert [name for head in heads for name in head[2:]] == [A, B]
    assert stream.getvalue().count("in percent") == 1


def test_groups_of_few_samples_are_left_out_and_counted(run: Path) -> None:
    found = breakdown(RunFolder(run), "language", min_n=2)
    assert (list(found.groups), found.n_small) == (["python"], 3)
    assert printed(found)[-1][-5:] == ["3", "smaller", "groups", "left", "out"]


def test_a_table_without_any_group_says_how_many_samples_the_largest_has(run: Path) -> None:
    largest = max(breakdown(RunFolder(run), "language").n_samples.values())
    with pytest.raises(UsageError, match=r"^No language of .* has 1,000 samples") as caught:
        breakdown(RunFolder(run), "language", min_n=1_000)
    assert caught.value.tip == f"The most samples that one has: {largest}."


def test_names_that_terminals_would_obey_are_printed_as_they_are(tmp_path: Path) -> None:
    hostile = ("[red]x[/red]", "[/]", "\x1b[2J")
    samples = [used(f"s{n}", model=name) for n, name in enumerate(hostile)]
    rows = [Outcome(one.sample_id, "x/[bold]", "correct") for one in samples]
    write_part(tmp_path, "0", rows, [], samples, metadata={})
    lines = printed(breakdown(RunFolder(tmp_path), "model"))
    assert lines[0][-1] == "x/[bold]"
    assert [line[0] for line in lines[2:5]] == ["U+001B[2J", "[/]", "[red]x[/red]"]


def test_the_document_has_every_number(run: Path) -> None:
    document = breakdown_document(breakdown(RunFolder(run), "language", strategies=[A]))
    assert (document["schema_version"], document["by"]) == (1, "language")
    assert document["groups"][2] == {
        "language": "python",
        "n_samples": 2,
        "strategies": {
            A: {
                "n_correct": 1, "n_wrong": 1, "n_missed": 0, "n_refused": 0, "n_apply": 2, "n_failed": 0,
                "match_rate": 0.5, "wrong_rate": 0.5,
            }
        },
    }  # fmt: skip
    assert document["groups"][3]["strategies"][A]["match_rate"] is None
