"""Defaults from editgauge.toml: what is typed wins, and mistakes name the file and the key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.configuration import FILE, TEMPLATE
from reports.runs.manifest import read_manifest
from tests.harness.program import call


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _strategies(*words: object) -> list[str]:
    done = call("run", "-q", "-n", 3, "--json", "-o", "run", "--replace", *words)
    assert done.exit_code == 0, done.stderr
    return [one["strategy"] for one in json.loads(done.stdout)["strategies"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (FILE, 'corpora = ["smoke"]\nstrategies = ["cascade/exact"]\n'),
        ("pyproject.toml", '[tool.editgauge]\ncorpora = ["smoke"]\nstrategies = ["cascade/exact"]\n'),
    ],
)
def test_the_file_names_strategies_and_corpora_and_what_is_typed_wins(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    assert _strategies() == ["cascade/exact"]
    assert [one.name for one in read_manifest(folder / "run").corpora] == ["smoke"]
    assert _strategies("-s", "cascade/reference") == ["cascade/reference"]
    assert len(_strategies("--all")) > 10


def test_options_of_a_command_are_named_as_they_are_typed(folder: Path) -> None:
    (folder / FILE).write_text('corpora = ["smoke"]\nstrategies = ["replacer/simple"]\n[nightly]\nhistory = "nights"\n')
    assert call("nightly", "-q").exit_code == 0
    assert (folder / "nights").is_dir()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x = (", f"{FILE} is no TOML"),
        ("strategy = []", "there is no setting 'strategy'\n  Did you mean strategies? "),
        ('strategies = "cascade/exact"', 'strategies is no list of texts\n  Write strategies = ["..."].'),
        ("[nightly]\nhistori = 'a'", "has no option --histori\n  Did you mean history? "),
    ],
)
def test_a_mistake_names_the_file_and_the_key(folder: Path, text: str, what: str) -> None:
    (folder / FILE).write_text(text)
    done = call("ls", "corpora")
    assert done.exit_code == 2
    assert what in done.stderr


def test_a_project_file_that_is_not_about_editgauge_is_left_alone(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert call("ls", "corpora").exit_code == 0
    (folder / "pyproject.toml").write_text("x = (")
    assert call("ls", "corpora").exit_code == 0


def test_init_writes_a_file_that_works_and_never_over_another(folder: Path) -> None:
    assert call("init").exit_code == 0
    assert (folder / FILE).read_text() == TEMPLATE
    assert call("ls", "corpora").exit_code == 0
    (folder / FILE).write_text("# mine")
    assert "editgauge.toml exists already" in call("init").stderr
    assert (folder / FILE).read_text() == "# mine"
