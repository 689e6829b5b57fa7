"""`editgauge corpus`, and tables of runs by properties of a corpus."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpora.importers import IMPORTERS
from corpora.load import load
from corpora.mutators import MUTATORS
from corpora.sample import Provenance, encode
from editcore.types import File
from reports.runs.parts import samples_used
from tests.harness.program import call, document, mistake, start_in
from tests.samples import sample, samples, write_jsonl, write_parquet

RIGHT = sample(7, label="apply", target=(File("a.py", "x = 2\n"),), label_source="constructed")


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
    twice, refused, malformed, orphan, alike, last = done.stdout.splitlines()[-6:]
    assert alike == "2  alike to a sample from elsewhere, counted once: s8, s9"
    assert (twice, orphan) == ("1  duplicate id: s7", "1  twin missing: s9")
    assert malformed.startswith(f"1  malformed: {path}, line 5: ")
    assert (refused, last) == ("1  labelled refuse, but the target differs from the files: s8", "4 samples, 4 problems")
    found = document("corpus", "check", path)
    assert {what: about["n"] for what, about in found["problems"].items()} == {
        "duplicate id": 1, "labelled refuse, but the target differs from the files": 1,
        "malformed": 1, "twin missing": 1,
    }  # fmt: skip
    assert (found["near_duplicates"], found["balance"]["label"]) == (2, {"apply": 3, "refuse": 1})


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


def test_a_run_is_tabled_by_a_property_of_its_samples(smoke_run: Path) -> None:
    found = document("table", smoke_run, "--by", "label", "-s", "cascade/exact", "-s", "cascade/reference")
    assert (found["by"], [group["label"] for group in found["groups"]]) == ("label", ["apply", "refuse", "unlabelled"])
    assert sum(group["n_samples"] for group in found["groups"]) == len(list(samples_used(smoke_run)))
    assert list(found["groups"][0]["strategies"]) == ["cascade/reference", "cascade/exact"]


def test_a_table_of_nothing_in_particular_is_that_of_the_run(smoke_run: Path) -> None:
    lines = call("table", smoke_run, "-s", "cascade/exact").stdout.splitlines()
    assert [line.split()[0] for line in (lines[0], lines[2])] == ["strategy", "cascade/exact"]
    assert len(lines) == 3
    assert [one["strategy"] for one in document("table", smoke_run)["strategies"]] == [
        "cascade/recommended", "cascade/reference", "cascade/opencode_1_17", "cascade/exact", "insert/line",
        "insert/split",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "colour"], "has a 'colour'"),
        (["--by", "label", "-s", "cascade/exakt"], "no strategy 'cascade/exakt'"),
        (["--by", "label", "--wrong"], "--by and --wrong exclude each other"),
        (["--min-n", "2"], "--min-n goes with --by alone"),
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
    done = mistake("table", tmp_path / "old", "--by", "label")
    assert "does not say what its samples are" in done
    assert "run again" in done


@pytest.mark.slow
def test_a_reader_of_a_table_who_has_had_enough_gets_no_traceback(smoke_run: Path, tmp_path: Path) -> None:
    with start_in(tmp_path, "table", smoke_run, "--by", "label") as started:
        assert started.stdout
        assert started.stderr
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=20)) == ("", 0)
