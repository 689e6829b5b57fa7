"""The generated parts of the documentation are what the program says today, and its Python runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.edition import EDITION
from docs import defect_pages, generate
from editcore.cascade import RECOMMENDED
from tests.docs.test_docs import blocks
from tests.harness.program import ROOT

_SLOW = {"scoreboard", "all_scores"}
_IN_PAGES = {name for page in generate.PAGES for name in generate.parts_in(page.read_text(encoding="utf-8"))}


def _pages(name: str) -> list[Path]:
    return [page for page in generate.PAGES if name in generate.parts_in(page.read_text(encoding="utf-8"))]


def test_every_part_stands_in_a_page() -> None:
    assert set(generate.PARTS) == _IN_PAGES


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in _SLOW else name for name in generate.PARTS]
)
def test_a_generated_part_is_up_to_date(name: str) -> None:
    """If this fails: `make docs`."""
    for page in _pages(name):
        text = page.read_text(encoding="utf-8")
        assert generate.filled(text, frozenset({name})) == text


def test_what_is_not_up_to_date_is_seen() -> None:
    text = "<!-- begin commands -->\nan old list\n<!-- end commands -->\n"
    filled = generate.filled(text)
    assert "an old list" not in filled
    assert "### editgauge run" in filled
    assert generate.filled(filled) == filled


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_the_python_of_a_page_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    scripts = [text for language, text in blocks(ROOT / page) if language == "python"]
    assert scripts
    for number, script in enumerate(scripts):
        exec(compile(script, f"{page} {number}", "exec", dont_inherit=True), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "simple" in printed
    assert "Rejected" not in printed


def test_readme_is_read_in_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_pages_of_defects_are_up_to_date() -> None:
    """If this fails: `make docs`."""
    written = {path.name: path.read_text(encoding="utf-8") for path in defect_pages.FOLDER.glob("*.md")}
    assert written == defect_pages.pages()


def test_a_page_of_defects_says_which_versions_of_a_program_have_it() -> None:
    assert "| pi-coding-agent | 0.73.1 (`agent/pi_0_73`) | 1.6.0 (`agent/pi`) |" in defect_pages.pages()["folding.md"]


def test_the_citation_names_the_edition_of_today() -> None:
    """If this fails: `make docs`."""
    text = generate.CITATION.read_text(encoding="utf-8")
    assert text == generate.citation()
    assert f'version: "{EDITION} kit@1; cascade/recommended {RECOMMENDED.version}, ' in text
