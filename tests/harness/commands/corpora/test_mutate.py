"""`editgauge mutate`."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.load import load
from corpora.mutators import MUTATORS
from corpora.sample import Provenance
from tests.corpora.importers.logs import git
from tests.corpora.mutators.documents import documents
from tests.harness.program import Program, call, document, mistake, start_in
from tests.samples import samples, write_jsonl


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for path, text in documents().items():
        (tmp_path / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / path).write_text(text, "utf-8")
    return tmp_path / "src"


@pytest.mark.slow
def test_source_files_become_a_corpus_and_a_run_is_tabled_by_mutator(
    editgauge: Program, tmp_path: Path, sources: Path
) -> None:
    done = editgauge("mutate", "--from-files", sources, "-m", "*_blanks", "-m", "exact*", "-q", "-o", "made.parquet")
    assert (done.returncode, done.stderr) == (0, "corpus: made.parquet\n")
    found = list(load(tmp_path / "made.parquet"))
    assert done.stdout.startswith(f"{len(found):,} samples from ")
    assert editgauge("run", "made.parquet", "-q", "-s", "cascade/*", "-o", "run").returncode == 0
    lines = call("table", tmp_path / "run", "--by", "mutator", "-s", "cascade/exact").stdout.splitlines()
    assert lines[0].split() == ["mutator", "samples", "cascade/exact"]
    rows = {line.split()[0]: line.split()[-3:] for line in lines[2:-1]}
    assert rows["twin"] == ["100", "/", "0"]
    used = {one.provenance.mutator for one in found}
    assert set(rows) == used
    assert {row[2] for row in rows.values()} == {"0"}


def test_a_corpus_is_mutated_as_ordered(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    order = ["-m", "*blanks*", "-m", "target_deleted", "--degree", 2, "--degree", 5, "--seed", 3, "-n", 30]
    found = document("mutate", "house", *order, "-q", "-j", 1, "-o", out)
    made = list(load(out))
    assert found["n_samples"] == len(made) == 30
    assert set(found["mutators"]) <= {"twin", "target_deleted", *(name for name in MUTATORS if "blanks" in name)}
    assert {one.provenance.seed for one in made} == {3}
    assert {tag for one in made for tag in one.tags if tag.startswith("degree:")} <= {
        f"degree:{step}" for step in (0, 1, 2, 5)
    }
    assert all(one.provenance.parent_id for one in made)


@pytest.mark.slow
def test_the_corpus_is_the_same_by_any_number_of_processes(editgauge: Program, tmp_path: Path, sources: Path) -> None:
    for jobs in (1, 2):
        assert editgauge("mutate", "--from-files", sources, "-q", "-j", jobs, "-o", f"{jobs}.jsonl").returncode == 0
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_sources_that_give_fewer_samples_than_ordered_say_so(sources: Path) -> None:
    done = call("mutate", "--from-files", sources, "-q", "-j", 1, "-m", "exact", "-n", 9_999, "-o", sources / "a.jsonl")
    assert done.exit_code == 0
    assert done.stderr.startswith("these sources give no more samples")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_an_interrupted_mutation_leaves_neither_file_nor_process_behind(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "out").mkdir()
    started = start_in(tmp_path, "mutate", "house", "--per-sample", 90, "-q", "-j", 2, "-o", "out/made.jsonl")
    deadline, size = time.monotonic() + 20, 0
    while not size and time.monotonic() < deadline:
        time.sleep(0.02)
        with suppress(FileNotFoundError):  # A file may go between the listing and the look at it.
            size = sum(path.stat().st_size for path in (tmp_path / "out").iterdir())
    if how is signal.SIGINT:
        os.killpg(started.pid, how)
    else:
        started.send_signal(how)
    stdout, stderr = started.communicate(timeout=20)
    assert (started.returncode, stdout, stderr) == (130, "", "interrupted\n")
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(started.pid, 0)


def test_correct_samples_are_written_in_anchored_formats(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    found = document("mutate", "house", "--as", "hashline_h4", "--as", "hashline_h2", "-n", 20, "-q", "-o", out)
    made = list(load(out))
    assert found["n_samples"] == len(made) == 20
    assert {one.format for one in made} == {"hashline_h2", "hashline_h4"}
    assert {one.label for one in made} == {"apply"}
    for wrong in (["--as", "hashline_h9"], ["--as", "hashline_h4", "-m", "*"]):
        assert call("mutate", "house", *wrong, "-o", tmp_path / "other.jsonl").exit_code == 2


def test_stale_edits_of_a_corpus_have_what_was_seen(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    found = document("mutate", "house", "-m", "since_*", "-n", 60, "-q", "-j", 1, "-o", out)
    made = [one for one in load(out) if one.provenance.mutator != "twin"]
    assert made
    assert all(one.seen is not None and one.seen != one.before for one in made)
    assert {one.label for one in made} == {"apply", "refuse"}
    assert set(found["mutators"]) <= {"twin", *(name for name in MUTATORS if name.startswith("since_"))}


def test_a_repository_gives_concurrent_changes(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    lines = [f"line_{n} = {n} * width\n" for n in range(30)]
    for minute in range(2):
        (tmp_path / "a.py").write_text("".join(lines), "utf-8")
        git(tmp_path, "add", "a.py")
        git(tmp_path, "commit", "-q", "-m", "a change", minute=minute)
        lines[4], lines[24] = "four = 4\n", "more = 24\n"
    out = tmp_path / "made.jsonl"
    found = document("mutate", "--from-git", tmp_path, "-q", "-o", out)
    assert (found["n_samples"], found["mutators"]) == (2, {"concurrent_hunks": 2})
    assert len(list(load(out))) == 2


@pytest.mark.parametrize("more", [["-m", "exact"], ["--from-files"], ["--degree", "2"]])
def test_a_repository_is_not_damaged(tmp_path: Path, more: list[str]) -> None:
    done = call("mutate", "--from-git", tmp_path, *more, "-o", tmp_path / "a.jsonl")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 2)
    assert "--from-git takes no" in done.stderr


def test_a_corpus_is_not_written_over_by_what_is_made_of_it(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "dev.jsonl", [replace(one, provenance=Provenance(repo=one.id)) for one in samples(3)])
    whole = path.read_bytes()
    for arguments in (("mutate", path, "-o", path), ("corpus", "split", path, tmp_path)):
        assert "dev.jsonl is one of the files that are read" in mistake(*arguments, "--replace")
    assert path.read_bytes() == whole


def test_names_of_files_that_are_no_utf_8_are_names(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    for name, text in documents().items():
        (folder / f"\udcff{Path(name).name}").write_text(text, "utf-8")
    call("mutate", "--from-files", folder, "-o", tmp_path / "m.jsonl", "-q", "-j", 1, "-n", 20)
    made = list(load(tmp_path / "m.jsonl"))
    assert len(made) == 20
    assert "\udcff" in made[0].before[0].path
    again = call("mutate", tmp_path / "m.jsonl", "-o", tmp_path / "n.jsonl", "-q", "-j", 1, "-m", "indent*")
    assert again.exit_code == 0, again.output
    assert any("\udcff" in one.before[0].path for one in load(tmp_path / "n.jsonl"))
