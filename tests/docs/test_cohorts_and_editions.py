"""The chapters of docs/study.md on whom edits are from, and on what changed since the last edition."""

from __future__ import annotations

import pytest

from docs import study
from docs.cohorts import family_and_year, languages, models
from docs.editions import Edition, changed, edition_of, last_edition
from docs.studies import Study
from tests.harness.program import call


@pytest.mark.parametrize(
    ("model", "family", "year"),
    [
        ("claude-3-5-sonnet-20241022", "Claude", "2024"),
        ("openrouter/anthropic/claude-3-opus", "Claude", "2024"),
        ("claude-sonnet-4-5", "Claude", "2025"),
        ("copilot.claude-sonnet-4", "Claude", "2025"),
        ("claude-opus-4-7", "Claude", "2026"),
        ("claude", "Claude", "-"),
        ("gpt-4o-mini-2024-07-18", "GPT", "2024"),
        ("openai/gpt-5", "GPT", "2025"),
        ("gpt-5.4", "GPT", "2026"),
        ("o4-mini", "GPT", "2025"),
        ("gemini-3.1-pro-preview", "Gemini", "2026"),
        ("somebody/else-20991", "-", "-"),
        (None, "-", "-"),
    ],
)
def test_family_and_year_of_a_model_are_in_its_name(model: str | None, family: str, year: str) -> None:
    assert family_and_year(model) == (family, year)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A run whose folder has the name of its corpus, as `make study` makes it."""
    folder = tmp_path_factory.mktemp("study") / "house"
    chosen = ["-s", "cascade/exact", "-s", "cascade/reference", "-s", "cascade/recommended"]
    call("run", "house", *chosen, "-k", "format=str_replace", "-n", "400", "-q", "-o", folder)
    return Study(folder)


def test_a_group_of_few_edits_has_no_row_and_each_row_its_number(house: Study) -> None:
    rows = [line.split(" | ") for line in models(house).splitlines()[2:]]
    assert [row[0].strip("| ") for row in rows] == ["Claude, year not known"]
    apply = house.samples.loc[house.samples["label"] == "apply"]
    assert rows[0][1] == f"{len(apply):,}"
    by_language = [line.split(" | ") for line in languages(house).splitlines()[2:]]
    assert all(int(row[1]) >= 30 for row in by_language)


def test_the_tables_of_a_page_make_an_edition(house: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    edition = edition_of("".join(page.read_text(encoding="utf-8") for page in study.PAGES), "a day")
    assert edition.corpora.keys() == {"house", "recorded", "generated", "stale"}
    assert edition.corpora.keys() == last_edition().corpora.keys()
    match, wrong = edition.corpora["house"]["cascade/reference"]
    assert 0 < wrong < match < 100
    rates = {"cascade/exact": (1.0, 2.0), "cascade/reference": (match, wrong), "gone": (1.0, 1.0)}
    then = Edition("a day", {"house": rates})
    monkeypatch.setattr("docs.editions.last_edition", lambda: then)
    said = changed(house)
    assert said.startswith("Then: a day.\nNew: `cascade/recommended`.\nNo longer there: `gone`.\n")
    assert "| `cascade/exact` | 1.0 % -> " in said
