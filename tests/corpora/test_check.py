"""The check of a corpus: each kind of problem is found and named, and a good corpus has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.check import check
from corpora.load import BUNDLED
from corpora.sample import Provenance, Sample, SeenLines, encode
from editcore.types import File
from tests.samples import sample, samples, write_jsonl, write_parquet

TOKEN = "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"

RIGHT = sample(7, label="apply", target=(File("a.py", "x = 2\n"),), label_source="constructed")
STALE = replace(RIGHT, seen=(File("a.py", "x = 1"),))
GENERATED = replace(RIGHT, provenance=Provenance(mutator="exact"))


@pytest.mark.parametrize("name", BUNDLED)
def test_a_corpus_that_ships_has_no_problem(name: str) -> None:
    assert check(name).problems == {}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (replace(RIGHT, id="s0"), "duplicate id"),
        (replace(RIGHT, target=RIGHT.before), "labelled apply, but the target is the unchanged files"),
        (replace(RIGHT, alternatives=(RIGHT.target,)), "an alternative equals the target or another alternative"),
        (replace(RIGHT, alternatives=((), ())), "an alternative equals the target or another alternative"),
        (replace(RIGHT, alternatives=(RIGHT.before,)), "an alternative is the unchanged files"),
        (replace(RIGHT, label="refuse"), "labelled refuse, but the target differs from the files"),
        (replace(RIGHT, label="unlabelled"), "unlabelled, but has a target"),
        (
            replace(GENERATED, target=(File("a.py", "x = 3\n"),)),
            "label not certain: an exact replacement gives another text",
        ),
        (replace(GENERATED, label="refuse", target=None), "label not certain: the search text occurs in the file once"),
        (replace(RIGHT, tags=("twin:gone",)), "twin missing"),
        (replace(STALE, tags=("seen:same",)), "tagged seen:same, but has what was seen otherwise"),
        (
            replace(STALE, seen=STALE.before),
            "what was seen equals the files before: it is none, and the tag seen:same says so",
        ),
        (
            replace(STALE, seen=(*STALE.before, File("b.py", ""))),
            "a file was seen that is neither before the edit nor in its patch",
        ),
        (replace(STALE, seen_lines=(SeenLines("a.py", 2, 3),)), "lines were seen below the end of their file"),
        (sample(7, before=f'key = "{TOKEN}"\n'), "contains a secret: key"),
        (replace(STALE, seen=(File("a.py", f'key = "{TOKEN}"\n'),)), "contains a secret: key"),
        (sample(7, new=f'key = "{TOKEN}"'), "contains a secret: key"),
        (sample(7, old="me@corp.io", provenance=Provenance(agent="claude_code")), "contains a secret: e-mail"),
    ],
)
@pytest.mark.parametrize("write", [write_jsonl, write_parquet])
def test_a_problem_is_found_and_the_sample_named(
    tmp_path: Path, bad: Sample, problem: str, write: Callable[[Path, list[Sample]], Path]
) -> None:
    path = write(tmp_path / f"a.{write.__name__.removeprefix('write_')}", [*samples(3), bad])
    done = check(str(path))
    assert (done.n_samples, done.problems, done.examples) == (4, {problem: 1}, {problem: [bad.id]})


def test_a_lone_surrogate_is_called_so_and_no_secret(tmp_path: Path) -> None:
    bad = sample(7, before="x = '\ud800'\n", provenance=Provenance("other"))
    report = check(str(write_jsonl(tmp_path / "a.jsonl", [bad])))
    assert dict(report.problems) == {"contains a lone surrogate, which UTF-8 cannot encode": 1}


def test_a_label_that_was_not_constructed_is_not_judged_again(tmp_path: Path) -> None:
    found = [replace(GENERATED, label_source="tool_result", target=(File("a.py", "x = 3\n"),))]
    assert not check(str(write_jsonl(tmp_path / "a.jsonl", found))).problems


def test_an_address_in_a_published_source_is_no_problem(tmp_path: Path) -> None:
    assert not check(str(write_jsonl(tmp_path / "a.jsonl", [sample(old="me@corp.io")]))).problems


def test_a_malformed_sample_is_named_by_its_line_and_the_rest_is_checked(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{encode(sample(0))}\n{{}}\n{encode(sample(0))}\n")
    done = check(str(tmp_path / "a.jsonl"))
    assert done.problems == {"malformed": 1, "duplicate id": 1}
    assert "a.jsonl, line 2: " in done.examples["malformed"][0]


def test_a_few_samples_are_named_and_all_are_counted(tmp_path: Path) -> None:
    bad = [replace(RIGHT, id=f"s{number}", label="refuse") for number in range(9)]
    done = check(str(write_jsonl(tmp_path / "a.jsonl", bad)))
    assert list(done.problems.values()) == [9]
    assert list(done.examples.values()) == [["s0", "s1", "s2", "s3", "s4"]]


def test_the_balance_counts_labels_languages_sizes_and_mutators(tmp_path: Path) -> None:
    found = [GENERATED, replace(sample(1, before="x = 1\n" * 900), tags=()), sample(2, before="y" * 200_000)]
    assert check(str(write_jsonl(tmp_path / "a.jsonl", found))).balance == {
        "label": {"apply": 1, "refuse": 2},
        "language": {"python": 2, "-": 1},
        "size": {"under 1 kB": 1, "1 to 10 kB": 1, "over 100 kB": 1},
        "mutator": {"exact": 1},
    }


def test_the_balance_says_what_was_seen_of_the_files(tmp_path: Path) -> None:
    both = replace(STALE, id="both", seen=(File("a.py", "x = 1\n\n"),))
    now = replace(STALE, id="now", seen=(File("a.py", "x = 0\n"),))
    then = sample(1, before="x = 3\n", seen=(File("a.py", "x = 1\n"),))
    neither = replace(then, id="neither", before=(File("a.py", ""),), seen=(File("a.py", "y\n"),))
    patch = Sample("p", "unified_diff", then.before, "refuse", patch="-x\n+y\n", seen=then.seen)
    same = replace(sample(2), tags=("seen:same",))
    found = [both, now, then, neither, patch, same, sample(3)]
    assert check(str(write_jsonl(tmp_path / "a.jsonl", found))).balance["seen"] == {
        "other, search texts in what was seen and in the file": 1,
        "other, search texts in the file only": 1,
        "other, search texts in what was seen only": 1,
        "other, search texts in neither": 1,
        "other": 1,
        "same": 1,
        "unknown": 1,
    }


def test_copies_under_other_names_are_counted_and_no_problem(tmp_path: Path) -> None:
    of = [Provenance(repo=f"o/r{n}") for n in range(3)]
    found = [replace(sample(n), provenance=of[n]) for n in range(3)] + [replace(sample(3), provenance=of[0])]
    report = check(str(write_jsonl(tmp_path / "a.jsonl", found)))
    assert (report.near_duplicates, report.problems) == (["s1", "s2"], {})
