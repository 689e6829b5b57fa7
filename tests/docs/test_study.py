"""The figures of docs/study.md are those of the program today, and a corpus that is not given keeps its figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import study

_TEXT = "".join(page.read_text(encoding="utf-8") for page in study.PAGES)
_PARTS = [(part, corpus) for _, part, corpus, _ in study.PARTS_IN.findall(_TEXT)]


def test_every_part_of_the_page_is_one_that_can_be_made() -> None:
    assert _PARTS
    assert {part for part, _ in _PARTS} == set(study.PARTS)
    assert {corpus for _, corpus in _PARTS} == set(study.CORPORA)
    assert len(set(_PARTS)) == len(_PARTS)


def test_no_part_of_the_page_is_empty() -> None:
    assert all(len(found[0].splitlines()) > 4 for found in study.PARTS_IN.finditer(_TEXT))


def test_the_figures_of_a_corpus_that_is_not_given_stay() -> None:
    assert study.filled(_TEXT, {}) == _TEXT


@pytest.mark.slow
def test_the_figures_about_house_are_those_of_today(tmp_path: Path) -> None:
    """If this fails: `make study`. Latencies differ from run to run."""
    found = study.run_field("house", tmp_path / "house")
    assert study.filled(_TEXT, {"house": found}, only=[part for part in study.PARTS if part != "latency"]) == _TEXT


def test_a_drawing_is_there_for_light_pages_and_for_dark_ones() -> None:
    n_drawn = 0
    for page in study.PAGES:
        text = page.read_text(encoding="utf-8")
        named = re.findall(r'(?:srcset|src)="([\w./-]+\.svg)"', text)
        assert len(named) == 2 * text.count("<picture>")
        assert all((page.parent / name).read_text("utf-8").startswith("<?xml") for name in named)
        n_drawn += len(named)
    assert n_drawn


def test_the_study_is_read_in_ten_minutes() -> None:
    assert len(study.PAGE.read_text(encoding="utf-8").split()) <= 3_500
