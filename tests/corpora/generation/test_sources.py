"""Clean edits of source files and of correct samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from corpora.generation.sources import (
    ambiguity,
    clean_edit_from_sample,
    clean_edits_from_text,
    source_files,
    source_text,
)
from corpora.sample import Sample
from editcore.types import Edit, File
from tests.corpora.mutators.documents import documents
from tests.corpora.mutators.small_edit import edit
from tests.rows import rows
from tests.samples import sample

# The audit of clean edits

_OTHERS = "import os\n\n\ndef other():\n    return os.getcwd()\n"


@pytest.mark.parametrize(("marked", "why"), rows("an_edit_is_doubted_where_another_place_could_be_meant"))
def test_an_edit_is_doubted_where_another_place_could_be_meant(marked: str, why: str | None) -> None:
    assert ambiguity(edit(marked, "x")) == why


def test_lines_that_overlap_the_place_itself_raise_no_doubt() -> None:
    assert ambiguity(edit("«first_name = read()»\nfirst_name = read(1)\n", "x")) == "near twin"
    assert ambiguity(edit("a = 1\n«first_name = read()\nsecond_name = read_all()»\nb = 2\n", "x")) is None


_TEXT = "".join(f"line number {number} of the file\n" for number in range(20))


@pytest.mark.parametrize("path", documents())
def test_the_clean_edits_of_a_file_lie_apart_and_change_something(path: str) -> None:
    text = documents()[path]
    found = clean_edits_from_text(path, text, Random(0), 9)
    assert found == clean_edits_from_text(path, text, Random(0), 9) != clean_edits_from_text(path, text, Random(1), 9)
    assert 3 <= len(found) <= 9
    ends = [0]
    for clean in found:
        assert ends[-1] <= clean.start < clean.end
        assert clean.old != clean.new
        assert clean.old.strip()
        ends.append(clean.end)


def test_a_file_whose_lines_are_all_alike_gives_none() -> None:
    assert clean_edits_from_text("a.py", _TEXT, Random(0), 9) == []


def right(before: str, old: str, new: str, after: str) -> Sample:
    return sample(before=before, old=old, new=new, label="apply", target=(File("a.py", after),))


def test_a_correct_sample_with_one_exact_find_is_a_clean_edit() -> None:
    clean = clean_edit_from_sample(right("a\nb\n", "b", "c", "a\nc\n"))
    assert clean is not None
    assert (clean.path, clean.old, clean.new, clean.target) == ("a.py", "b", "c", "a\nc\n")


@pytest.mark.parametrize(
    "one",
    [
        right("a\nb\n", "B", "c", "a\nc\n"),
        right("b\nb\n", "b", "c", "c\nb\n"),
        right("a\nb\n", "b", "c", "a\nd\n"),
        right("a\nb\n", "b", "b", "a\nb\n"),
        right("a\nb\n", "", "b", "b\n"),
        replace(right("a\nb\n", "b", "c", "a\nc\n"), target=()),
        replace(right("a\nb\n", "b", "c", "a\nc\n"), target=(File("b.py", "a\nc\n"),)),
        replace(right("a\nb\n", "b", "c", "a\nc\n"), edits=(Edit("b", "d"), Edit("d", "c"))),
        replace(right("a\nb\n", "b", "c", "a\nc\n"), label="refuse"),
        sample(label="unlabelled"),
    ],
)
def test_any_other_sample_is_none(one: Sample) -> None:
    assert clean_edit_from_sample(one) is None


def test_a_sample_with_several_right_results_is_no_clean_edit() -> None:
    sample = right("a\nb\n", "b", "c", "a\nc\n")
    assert clean_edit_from_sample(replace(sample, alternatives=((File("a.py", "a\nc"),),))) is None


def test_source_files_have_names_that_begin_with_their_folder(tmp_path: Path) -> None:
    for name in ("p/b.py", "p/a.ts", "p/deep/c.go", "p/notes.txt", "p/.git/d.py", "p/.hidden.py", "q.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "p/link.py").symlink_to(tmp_path / "q.py")
    found = source_files([tmp_path / "q.py", tmp_path / "p"])
    assert [name for name, _ in found] == ["q.py", "p/a.ts", "p/b.py", "p/deep/c.go"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (_TEXT.encode(), _TEXT),
        (b"x = 1\n", None),
        (_TEXT.encode() * 120, None),
        (_TEXT.encode() + b"\xff", None),
        (_TEXT.replace("\n", "\r\n").encode(), None),
        (_TEXT.encode() + b"\0", None),
        (_TEXT.encode() + b"x" * 401, None),
        (_TEXT.replace("\n", " ").encode(), None),
    ],
    ids=["text", "small", "large", "no UTF-8", "carriage returns", "binary", "a long line", "few lines"],
)
def test_a_source_file_is_neither_small_nor_large_nor_generated(tmp_path: Path, data: bytes, text: str | None) -> None:
    (tmp_path / "a.py").write_bytes(data)
    assert source_text(tmp_path / "a.py") == text


def test_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert source_text(tmp_path / "a.py") is None
