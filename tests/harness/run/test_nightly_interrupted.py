"""Nights that are interrupted, cut short, or whose disk fails."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from editcore.errors import UsageError
from harness.run import nightly as module
from reports.history.nights import History, Judged, sample_marks
from reports.page.head import rates
from reports.runs.manifest import read_manifest
from reports.runs.parts import parts_done
from reports.runs.run_folder import RunFolder
from tests.harness.program import call, start_in
from tests.harness.run.changing_editor import editor_in
from tests.processes import eventually
from tests.samples import samples, write_jsonl

pytestmark = pytest.mark.usefixtures("nowhere_near_github")


@pytest.fixture
def many(tmp_path: Path) -> list[object]:
    """A night over a corpus of six files, by a command that gets stuck in the third."""
    (tmp_path / "corpus").mkdir()
    all_samples = samples(12)
    for number in range(6):
        write_jsonl(tmp_path / "corpus" / f"{number}.jsonl", all_samples[2 * number : 2 * number + 2])
    (tmp_path / "mood").write_text("stuck")
    return ["nightly", "corpus", "--history", "nights", "-s", editor_in(tmp_path), "-j", 1, "-q", "--timeout", 300]


def asked(folder: Path) -> set[str]:
    """What the command was asked, but for what it is started with."""
    lines = (folder / "asked").read_text().splitlines()
    return {line for line in lines if line.startswith("y = ")}


@pytest.mark.slow
@pytest.mark.parametrize("resumed", [True, False], ids=["resumed", "begun anew"])
def test_an_interrupted_night_is_gone_on_with_or_begun_anew(
    resumed: bool, many: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first night, so that the history has none yet; and while it is under way another one is refused."""
    monkeypatch.chdir(tmp_path)
    tonight = Path("nights") / "tonight"
    with start_in(tmp_path, *many) as process:
        try:
            eventually(lambda: (tmp_path / "asked").exists() and "y = 5" in asked(tmp_path))
            other = call(*many)
        finally:
            os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert (other.exit_code, other.stdout) == (2, "")
    assert other.stderr.startswith("error: A night is running in nights\n  ")
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "interrupted: resume with the same arguments and --resume\n"
    assert History(Path("nights")).nights() == []
    assert len(parts_done(tonight)) == 2
    created = read_manifest(tonight).created

    Path("asked").unlink()
    Path("mood").write_text("exact")
    done = call(*many, *(["--resume"] if resumed else []))
    assert done.exit_code == 0, done.stderr
    assert "there was no baseline" in done.stdout
    (name,) = History(Path("nights")).nights()
    manifest = read_manifest(History(Path("nights")).night(name))
    assert manifest.n_samples == 12
    assert not tonight.exists()
    if resumed:
        assert manifest.created == created
        assert asked(tmp_path) == {f"y = {number}" for number in range(4, 12)}
    else:
        assert asked(tmp_path) == {f"y = {number}" for number in range(12)}


def test_resume_without_anything_to_go_on_with_is_a_night(
    many: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mood").write_text("exact")
    assert call(*many, "--resume", "-n", 2).exit_code == 0


@pytest.mark.parametrize(
    ("cut", "which"),
    [
        ("_compared", 1),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in [("write_page", 1), ("remove_leftover", 1)]),
        *(pytest.param(cut, 2, marks=pytest.mark.slow) for cut in ("_compared", "write_page", "remove_leftover")),
    ],
)
def test_a_night_that_was_cut_short_after_its_run_is_brought_to_its_end(
    cut: str, which: int, many: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is in the history already; what is said of it is not there yet, or half of it."""
    monkeypatch.chdir(tmp_path)
    Path("mood").write_text("exact")
    for _ in range(which - 1):
        assert call(*many, "-n", 2).exit_code == 0
    real = getattr(module, cut)

    def interrupt(*arguments: object, **_: object) -> None:
        if cut != "remove_leftover" or History(Path("nights")).nights()[which - 1 :]:
            raise KeyboardInterrupt

        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(module, cut, interrupt)
        assert call(*many, "-n", 2).exit_code == 130
    (Path("nights") / ".accepted.jsonl.77.tmp").touch()
    (History(Path("nights")).night(History(Path("nights")).nights()[-1]) / ".report.html.77.tmp").touch()
    done = call(*many, "-n", 2, "--resume")
    assert done.exit_code == 0, done.stderr
    history = History(Path("nights"))
    names = history.nights()
    assert len(names) == which
    assert [one.night for one in history.acceptances()] == names[:1]
    last = history.night(names[-1])
    kept = Judged(
        None if which == 1 else names[0], levels={}, samples=sample_marks(RunFolder(last)), rates=rates(RunFolder(last))
    )
    assert history.judged(names[-1]) == kept
    assert kept.samples
    assert (history.night(names[-1]) / "report.html").is_file()
    assert list(history.folder.rglob("*.tmp")) == []
    assert not (history.folder / "tonight").exists()


@pytest.mark.slow
def test_a_disk_that_fails_while_nights_are_compared_does_not_make_them_incomparable(
    many: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mood").write_text("exact")
    assert call(*many, "-n", 2).exit_code == 0

    def fail(*_: object) -> None:
        raise UsageError("a part cannot be read", "Mend it.") from OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(module, "compare", fail)
        assert call(*many, "-n", 2).stderr.splitlines()[-2:] == ["error: a part cannot be read", "  Mend it."]
    assert call(*many, "-n", 2, "--resume").exit_code == 0
    history = History(Path("nights"))
    first, second = history.nights()
    kept = {"samples": sample_marks(RunFolder(history.night(second))), "rates": rates(RunFolder(history.night(second)))}
    assert history.judged(second) == Judged(first, levels={}, **kept)
