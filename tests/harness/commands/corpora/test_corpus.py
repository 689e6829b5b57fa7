"""The commands that make and manage corpora, as people and scripts use them."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from corpora.importers import IMPORTERS
from corpora.load import load
from corpora.mutators import MUTATORS
from corpora.sample import Provenance, encode
from editcore.types import File
from harness.cli import main
from reports.runs.parts import samples_used
from tests.corpora.importers.formats.test_claude_code import edit, hunk, result, told
from tests.corpora.importers.logs import git, write_lines
from tests.corpora.mutators.documents import documents
from tests.harness.program import Program, start_in
from tests.samples import sample, samples, write_jsonl, write_parquet

RIGHT = sample(7, label="apply", target=(File("a.py", "x = 2\n"),), label_source="constructed")


def call(*arguments: object, typed: str | None = None) -> Result:
    """Call a command that starts no process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=typed)


def document(*arguments: object) -> dict[str, Any]:
    """What a command that starts no process prints with --json."""
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    return found


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A session of Claude Code: one edit that was applied, one that was refused."""
    shown = told("x = 1\ny\n", hunk("-x = 1", "+x = 2", " y"))
    missing = result(
        "t2", "Error: x", "<tool_use_error>String to replace not found in file.</tool_use_error>", failed=True
    )
    write_lines(
        tmp_path / "home/.claude/projects/demo/s.jsonl",
        edit(),
        result("t1", shown),
        edit("t2", "z = 1", "z = 2"),
        missing,
    )
    return tmp_path / "home/.claude/projects"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for path, text in documents().items():
        (tmp_path / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / path).write_text(text, "utf-8")
    return tmp_path / "src"


# import


def test_a_session_log_becomes_a_corpus(editgauge: Program, tmp_path: Path, logs: Path) -> None:
    done = editgauge("import", "claude_code", logs, "-o", "mine.jsonl", "-q")
    assert (done.returncode, done.stderr) == (0, "corpus: mine.jsonl\n")
    assert done.stdout.splitlines()[0] == "2 samples from 1 log"
    found = list(load(tmp_path / "mine.jsonl"))
    assert [one.provenance.recorded_outcome for one in found] == ["applied", "no_match"]
    assert found[0].target == (File("a.py", "x = 2\ny\n"),)
    checked = call("corpus", "check", tmp_path / "mine.jsonl")
    assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (0, "2 samples, 0 problems")


def test_whole_files_are_said_to_be_what_they_are(tmp_path: Path) -> None:
    head = "# aider chat started at 2026-01-01 00:00:00\n\n> Aider v0.86.0  \n> Model: m with whole edit format  \n\n"
    reply = "#### do it\n\na.py\n```\nx = 2\n```\n\n> Tokens: 1k sent, 1 received.  \n> Applied edit to a.py  \n"
    (tmp_path / ".aider.chat.history.md").write_text(head + reply)
    done = call("import", "aider", tmp_path, "-q", "-o", tmp_path / "mine.jsonl")
    assert done.stdout.splitlines()[0] == "no edit calls: the model wrote 1 whole file"
    (tmp_path / ".aider.chat.history.md").write_text(head)
    done = call("import", "aider", tmp_path, "-q", "-o", tmp_path / "mine.jsonl", "--replace")
    assert done.stdout.splitlines()[0] == "no edit calls: the logs may be those of another agent"


def test_import_prints_one_document(tmp_path: Path, logs: Path) -> None:
    found = document("import", "claude_code", logs, "-q", "-o", tmp_path / "mine.jsonl")
    assert (found["n_logs"], found["n_samples"]) == (1, 2)
    assert sum(label["n"] for label in found["labels"]) == 2


def test_auto_imports_what_is_installed_after_asking(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    refused = call("import", "auto", "-q", "-o", tmp_path / "mine.jsonl", typed="n\n")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"claude_code: 1 log in {logs}" in refused.stderr
    assert refused.stderr.endswith("nothing imported\n")
    assert not (tmp_path / "mine.jsonl").exists()
    agreed = call("import", "auto", "-q", "-o", tmp_path / "mine.jsonl", typed="y\n")
    assert agreed.exit_code == 0
    assert len(list(load(tmp_path / "mine.jsonl"))) == 2


def test_auto_does_not_ask_with_yes(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(logs.parents[1]))
    done = call("import", "auto", "-y", "-q", "-o", tmp_path / "mine.parquet")
    assert (done.exit_code, "Import them" in done.stderr) == (0, False)
    assert len(list(load(tmp_path / "mine.parquet"))) == 2


def test_auto_without_an_answer_imports_nothing(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(logs.parents[1]))
    assert call("import", "auto", "-q", "-o", tmp_path / "mine.jsonl", typed="").exit_code == 1
    assert not (tmp_path / "mine.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "claude", "logs"], "There is no importer 'claude'"),
        (["import", "claude_code"], "No logs of claude_code are named"),
        (["import", "auto", "logs"], "auto finds the logs by itself"),
        (["import", "auto"], "No agent's logs were found"),
        (["import", "claude_code", "nowhere"], "nowhere"),
        (["import", "claude_code", "empty"], "empty"),
        (["mutate"], "Name one corpus"),
        (["mutate", "house", "smoke"], "Name one corpus"),
        (["mutate", "nowhere.jsonl"], "There is no corpus"),
        (["mutate", "house", "-m", "exakt"], "There is no mutator 'exakt'"),
        (["mutate", "house", "--severity", "6"], "--severity"),
        (["mutate", "house", "-n", "0"], "-n"),
        (["mutate", "--from-files", "nowhere"], "There is no nowhere"),
        (["mutate", "--from-files", "empty"], "No source files"),
        (["corpus", "merge", "nowhere.jsonl"], "There is no corpus"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_told_in_two_lines_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    done = call(*arguments, "-o", "out.jsonl")
    first, second = done.stderr.splitlines()
    assert (done.exit_code, done.stdout, first[:7], second[:2]) == (2, "", "error: ", "  ")
    assert message in first
    assert os.listdir() == ["empty"]


def test_a_misspelt_importer_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    done = call("import", "claudecode", tmp_path, "-o", tmp_path / "mine.jsonl")
    assert "  Did you mean claude_code? Choose from: auto, claude_code, " in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["import", "claude_code", "home/.claude"], ["mutate", "smoke", "-j", "1"], ["corpus", "merge", "smoke"]],
    ids=" ".join,
)
def test_a_corpus_is_neither_written_over_nor_named_wrongly(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    assert logs.is_dir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text("mine")
    assert "mine.jsonl exists already" in call(*arguments, "-o", "mine.jsonl").stderr
    assert "neither .jsonl nor .parquet" in call(*arguments, "-o", "mine.csv").stderr
    assert (tmp_path / "mine.jsonl").read_text() == "mine"
    assert call(*arguments, "-o", "mine.jsonl", "--replace").exit_code == 0
    assert list(load("mine.jsonl"))


# mutate


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
    assert lines[0].split() == ["mutator", "samples", "exact"]
    rows = {line.split()[0]: line.split()[-3:] for line in lines[2:-1]}
    assert rows["twin"] == ["100", "/", "0"]
    used = {one.provenance.mutator for one in found}
    assert set(rows) == used
    assert {row[2] for row in rows.values()} == {"0"}


def test_a_corpus_is_mutated_as_ordered(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    order = ["-m", "*blanks*", "-m", "target_deleted", "--severity", 2, "--severity", 5, "--seed", 3, "-n", 30]
    found = document("mutate", "house", *order, "-q", "-j", 1, "-o", out)
    made = list(load(out))
    assert found["n_samples"] == len(made) == 30
    assert set(found["mutators"]) <= {"twin", "target_deleted", *(name for name in MUTATORS if "blanks" in name)}
    assert {one.provenance.seed for one in made} == {3}
    assert {tag for one in made for tag in one.tags if tag.startswith("severity:")} <= {
        f"severity:{step}" for step in (0, 1, 2, 5)
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
    deadline = time.monotonic() + 20
    while not any(path.stat().st_size for path in (tmp_path / "out").iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    if how is signal.SIGINT:
        os.killpg(started.pid, how)
    else:
        started.send_signal(how)
    stdout, stderr = started.communicate(timeout=20)
    assert (started.returncode, stdout, stderr) == (130, "", "interrupted\n")
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(started.pid, 0)


# corpus


def test_the_named_corpora_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_CORPORA", str(tmp_path / "mine"))
    lines = call("corpus", "ls").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["house", "smoke", "generated", "recorded"]
    assert "none yet" in lines[-1]
    (tmp_path / "mine").mkdir()
    write_jsonl(tmp_path / "mine/a.jsonl", samples(3))
    assert [row["summary"] for row in document("corpus", "ls")["corpora"]][-1] == "3 samples, your own"
    assert call("ls", "corpora").stdout == call("corpus", "ls").stdout


def test_a_corpus_is_counted(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [RIGHT, *samples(3)])
    lines = call("corpus", "stats", path).stdout.splitlines()
    assert lines[0] == "4 samples"
    at = lines.index("label")
    assert [line.split()[:4] for line in lines[at + 1 : at + 3]] == [
        ["refuse", "3", "75.0", "%"],
        ["apply", "1", "25.0", "%"],
    ]
    found = document("corpus", "stats", path)
    assert (found["n_samples"], found["counts"]["language"]) == (4, {"python": 4})


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_corpus_is_drawn_whatever_its_names(tmp_path: Path, suffix: str) -> None:
    odd = [sample(n, provenance=Provenance(model=name)) for n, name in enumerate(("$a_{$", "<b>&amp;\\n", "m" * 90))]
    picture = tmp_path / f"a.{suffix}"
    done = call("corpus", "stats", write_jsonl(tmp_path / "a.jsonl", odd), "--plot", picture)
    assert (done.exit_code, done.stderr) == (0, f"picture: {picture}\n")
    assert picture.stat().st_size > 1_000


def test_a_picture_is_png_or_svg(tmp_path: Path) -> None:
    done = call("corpus", "stats", "smoke", "--plot", tmp_path / "a.pdf")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "neither .png nor .svg" in done.stderr


def test_a_damaged_corpus_fails_the_check(tmp_path: Path) -> None:
    bad = [RIGHT, RIGHT, replace(RIGHT, id="s8", label="refuse"), replace(RIGHT, id="s9", tags=("twin:gone",))]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{encode(one)}\n" for one in bad) + "{}\n")
    done = call("corpus", "check", path)
    assert done.exit_code == 1
    twice, refused, malformed, orphan, last = done.stdout.splitlines()[-5:]
    assert (twice, orphan) == ("1  duplicate id: s7", "1  twin missing: s9")
    assert malformed.startswith(f"1  malformed: {path}, line 5: ")
    assert (refused, last) == ("1  labelled refuse, but the target differs from the files: s8", "4 samples, 4 problems")
    found = document("corpus", "check", path)
    assert {what: about["n"] for what, about in found["problems"].items()} == {
        "duplicate id": 1, "labelled refuse, but the target differs from the files": 1,
        "malformed": 1, "twin missing": 1,
    }  # fmt: skip
    assert found["balance"]["label"] == {"apply": 3, "refuse": 1}


def test_a_good_corpus_passes_the_check() -> None:
    done = call("corpus", "check", "smoke")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, f"{len(list(load('smoke')))} samples, 0 problems")


def test_a_corpus_is_cut_in_two_and_put_together_again(tmp_path: Path) -> None:
    made = [sample(n, provenance=Provenance(repo=f"o/{n % 5}")) for n in range(20)]
    path = write_parquet(tmp_path / "a.parquet", made)
    done = call("corpus", "split", path, tmp_path / "cut", "--share", 0.4, "--seed", 1)
    assert (done.stdout, done.stderr) == ("dev 12, test 8 samples\n", f"corpora: {tmp_path / 'cut'}\n")
    parts = [tmp_path / "cut/dev.parquet", tmp_path / "cut/test.parquet"]
    again = call("corpus", "merge", *parts, parts[0], "-o", tmp_path / "b.jsonl")
    assert again.stdout == "20 samples, 12 duplicates left out\n"
    assert {one.id: one for one in load(tmp_path / "b.jsonl")} == {one.id: one for one in made}


def test_both_files_of_a_split_are_kept_unless_replaced(tmp_path: Path) -> None:
    assert call("corpus", "split", "smoke", tmp_path).exit_code == 0
    kept = call("corpus", "split", "smoke", tmp_path)
    assert (kept.exit_code, "dev.jsonl exists already" in kept.stderr) == (2, True)
    assert call("corpus", "split", "smoke", tmp_path, "--replace").exit_code == 0
    assert "Overwrite the files dev and test in DIR if they exist." in call("corpus", "split", "--help").stdout


@pytest.mark.parametrize("share", ["0", "1", "half"])
def test_neither_part_of_a_split_is_all_of_it(tmp_path: Path, share: str) -> None:
    assert call("corpus", "split", "smoke", tmp_path, "--share", share).exit_code == 2


# ls, table


@pytest.mark.parametrize(("what", "table"), [("importers", IMPORTERS), ("mutators", MUTATORS)])
def test_importers_and_mutators_are_listed_with_a_line_each(what: str, table: dict[str, Any]) -> None:
    lines = call("ls", what).stdout.splitlines()
    rows = document("ls", what)[what]
    assert [line.split()[0] for line in lines] == [row["name"] for row in rows] == list(table)
    assert all(row["summary"].strip() for row in rows)


@pytest.fixture(scope="module")
def smoke_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table") / "run"
    assert call("run", "smoke", "-q", "-j", 1, "-s", "cascade/*", "-o", folder).exit_code == 0
    return folder


def test_a_run_is_tabled_by_a_property_of_its_samples(smoke_run: Path) -> None:
    found = document("table", smoke_run, "--by", "label", "-s", "cascade/exact", "-s", "cascade/reference")
    assert (found["by"], [group["label"] for group in found["groups"]]) == (
        "label",
        ["apply", "refuse", "unlabelled"],
    )
    assert sum(group["n_samples"] for group in found["groups"]) == len(list(samples_used(smoke_run)))
    assert list(found["groups"][0]["strategies"]) == ["cascade/reference", "cascade/exact"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "colour"], "has a 'colour'"),
        (["--by", "label", "-s", "cascade/exakt"], "no strategy 'cascade/exakt'"),
        ([], "--by"),
    ],
)
def test_a_table_of_what_is_not_there_is_a_mistake(smoke_run: Path, arguments: list[str], message: str) -> None:
    done = call("table", smoke_run, *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_run_of_an_earlier_version_has_no_table(smoke_run: Path, tmp_path: Path) -> None:
    manifest = json.loads((smoke_run / "manifest.json").read_text())
    (tmp_path / "old").mkdir()
    (tmp_path / "old/manifest.json").write_text(json.dumps(manifest | {"schema_version": 1}))
    (tmp_path / "old/outcomes").symlink_to(smoke_run / "outcomes")
    done = call("table", tmp_path / "old", "--by", "label")
    assert done.exit_code == 2
    assert "does not say what its samples are" in done.stderr
    assert "run again" in done.stderr


@pytest.mark.slow
def test_a_reader_of_a_table_who_has_had_enough_gets_no_traceback(smoke_run: Path, tmp_path: Path) -> None:
    with start_in(tmp_path, "table", smoke_run, "--by", "label") as started:
        assert started.stdout
        assert started.stderr
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=20)) == ("", 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--base", "nowhere@HEAD"], "nowhere is in no git repository"),
        (["--base", "{repo}@gone"], "has no commit gone"),
        (["--base", "{repo}"], "is not DIR@COMMIT"),
        (["--base", "{repo}@--help"], "is not DIR@COMMIT"),
        (["--base", "{repo}@HEAD", "--repo", "{repo}"], "or --repo is given too"),
        (["--base", "{repo}@HEAD"], ""),
    ],
)
def test_a_base_is_a_repository_and_a_commit(tmp_path: Path, logs: Path, given: list[str], message: str) -> None:
    repo = tmp_path / "project"
    repo.mkdir()
    git(repo, "init", "-q")
    git(repo, "commit", "-q", "--allow-empty", "-m", "start")
    named = [word.replace("{repo}", str(repo)) for word in given]
    done = call("import", "claude_code", logs, "-q", "-o", tmp_path / "mine.jsonl", *named)
    assert (done.exit_code == 0) == (not message)
    assert message in " ".join(done.stderr.split())
