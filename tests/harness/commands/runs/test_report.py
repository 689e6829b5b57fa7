"""`report`, progress while a page is made, and files of a run that no command overwrites."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest

from harness.commands.runs.summary import page_progress
from reports.page.document import write_page
from reports.runs.manifest import check_run, write_atomically
from reports.runs.run_folder import RunFolder
from tests.harness.program import call, mistake
from tests.twins import write_run


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "run", "-o", "run/manifest.json"),
        ("report", "run", "--format", "csv", "-o", "run/../run/manifest.json"),
        ("report", "run", "--format", "png", "-o", "run/outcomes"),
        ("compare", "run", "run", "-o", "run/outcomes/part-00000.parquet"),
        ("compare", "run", "--between", "cascade/exact", "cascade/reference", "-o", "run/manifest.json"),
        ("shrink", "run", "smoke-line_trimmed-indentation", "-o", "run/manifest.json"),
    ],
)
def test_no_output_takes_the_place_of_a_part_of_a_run(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call("run", "smoke", "-n", 2, "-q", "-j", 1, "-s", "cascade/exact", "-s", "cascade/reference", "-o", "run")
    before = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    assert "would be a part of the run" in mistake(*arguments)
    assert {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()} == before


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_says_what_is_being_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path, {"x/a": "cw", "x/b": "cc"})
    terminal = Terminal()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with page_progress(RunFolder(run)) as progress:
        write_page(RunFolder(run), run / "report.html", progress=progress)
    assert "samples" in terminal.getvalue()
    assert "packing" in terminal.getvalue()


def test_progress_never_goes_back(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"x/a": "cw", "x/b": "cc"})
    noted: list[tuple[str, float]] = []
    write_page(RunFolder(run), run / "report.html", progress=lambda what, share: noted.append((what, share)))
    stages = list(dict.fromkeys(what for what, _ in noted))
    assert stages == ["outcomes", "rates", "texts", "packing"]
    assert noted == sorted(noted, key=lambda one: (stages.index(one[0]), one[1]))
    assert all(0 <= share <= 1 for _, share in noted)


# Every command that writes into a run folder, after every other: what one writes stops no other.

ALONE = ["-s", "replacer/*", "-s", "replacer/block_anchor@similarity=0.1"]
RUN = ["run", "smoke", "-n", 2, "-q", "-j", 1, *ALONE]
COMMANDS = {
    "replace": [*RUN, "--replace", "-o", "FOLDER"],
    "resume": [*RUN, "--resume", "-o", "FOLDER"],
    "orderings": ["orderings", "FOLDER", "--replacers", "simple,block_anchor"],
    "sweep": ["sweep", "FOLDER", "-p", "similarity=0.1"],
    "page": ["report", "FOLDER"],
    "plots": ["report", "FOLDER", "--format", "png"],
}
INSIDE: dict[str, list[str]] = {
    "compare": ["compare", "FOLDER", "FOLDER", "-o", "FOLDER/notes.md"],
    "summary": ["report", "FOLDER", "--format", "md", "-o", "FOLDER/summary.md"],
    "run": ["run", "smoke", "-o", "FOLDER/again"],
    "merge": ["merge", "FOLDER", "-o", "FOLDER/whole"],
    "shrink": ["shrink", "FOLDER", "some", "-o", "FOLDER/small.jsonl"],
    "fuzz": ["fuzz", "run", "cascade/exact", "-o", "FOLDER/fuzz"],
    "nightly": ["nightly", "smoke", "--history", "FOLDER/nights"],
    "mutate": ["mutate", "smoke", "-o", "FOLDER/mutated.jsonl"],
}
"""Commands that would write a file into the run folder, which nothing would remove later."""

FIGURES = {
    "reports.orderings.curves": ("cloud_figure", "curve_figure"),
    "reports.views.plots": ("rates", "latencies", "decisions"),
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with everything that the commands need."""
    folder = tmp_path_factory.mktemp("pairs") / "run"
    assert call(*RUN, "-o", folder).exit_code == 0
    return folder


def do(words: Sequence[object], folder: Path) -> None:
    done = call(*(str(word).replace("FOLDER", str(folder)) for word in words))
    assert done.exit_code == 0, done.stderr


def test_each_two_commands_write_into_one_run_folder(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, figures in FIGURES.items():  # Drawing takes longer than all else.
        monkeypatch.setattr(f"{module}.save", lambda _, path: write_atomically(path, b""))
        for figure in figures:
            monkeypatch.setattr(f"{module}.{figure}", lambda *_: None)
    for first, words in COMMANDS.items():
        do(words, copytree(ran, tmp_path / first))
        for second, more in COMMANDS.items():
            both = copytree(tmp_path / first, tmp_path / f"{first}-{second}")
            do(more, both)
            check_run(both)


@pytest.mark.parametrize("name", INSIDE)
def test_nothing_else_is_written_into_a_run_folder(ran: Path, name: str) -> None:
    before = sorted(ran.rglob("*"))
    done = call(*(str(word).replace("FOLDER", str(ran)) for word in INSIDE[name]))
    assert done.exit_code == 2
    place = INSIDE[name][-1].replace("FOLDER", str(ran))
    assert done.stderr == f"error: {place} would be a part of the run {ran}\n  Name another place with -o.\n"
    assert sorted(ran.rglob("*")) == before


def test_a_run_folder_with_the_plots_of_earlier_versions_is_replaced(ran: Path, tmp_path: Path) -> None:
    old = copytree(ran, tmp_path / "old")
    for name in ("orderings.png", "orderings.svg", "sweep-block_anchor-similarity.png"):
        (old / name).touch()
    do(COMMANDS["replace"], old)
    assert not list(old.glob("*.png"))
