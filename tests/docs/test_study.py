"""The figures of docs/study.md are those of the program today, and a corpus that is not given keeps its figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import study

_PAGE = study.PAGE.read_text(encoding="utf-8")
_PARTS = [(part, corpus) for _, part, corpus, _ in study.PARTS_IN.findall(_PAGE)]


def test_every_part_of_the_page_is_one_that_can_be_made() -> None:
    assert _PARTS
    assert {part for part, _ in _PARTS} == set(study.PARTS)
    assert {corpus for _, corpus in _PARTS} == set(study.CORPORA)
    assert len(set(_PARTS)) == len(_PARTS)


def test_no_part_of_the_page_is_empty() -> None:
    assert all(len(found[0].splitlines()) > 4 for found in study.PARTS_IN.finditer(_PAGE))


def test_the_figures_of_a_corpus_that_is_not_given_stay() -> None:
    assert study.filled(_PAGE, {}) == _PAGE


@pytest.mark.slow
def test_the_figures_about_house_are_those_of_today(tmp_path: Path) -> None:
    """If this fails: `make study`. Latencies differ from run to run."""
    found = study.run_field("house", tmp_path / "house")
    assert study.filled(_PAGE, {"house": found}, only=[part for part in study.PARTS if part != "latency"]) == _PAGE


def test_a_drawing_is_there_for_light_pages_and_for_dark_ones() -> None:
    named = re.findall(r'(?:srcset|src)="(images/[\w-]+\.svg)"', _PAGE)
    assert len(named) == 2 * _PAGE.count("<picture>") > 0
    assert all((study.PAGE.parent / name).read_text("utf-8").startswith("<?xml") for name in named)
