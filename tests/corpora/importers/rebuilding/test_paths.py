"""Paths of logs and of samples."""

from __future__ import annotations

import pytest

from corpora.importers.rebuilding.paths import absolute, created, is_below, named, patch_with_sample_paths, sample_path
from corpora.importers.session import Attempt, RecordedDiff
from tests.rows import rows

CWD = "/home/user/demo"


def patch(text: str, kind: str = "begin_patch") -> Attempt:
    return Attempt("k", kind, patch=text)  # type: ignore[arg-type]


@pytest.mark.parametrize(("path", "cwd", "expected"), rows("a_path_is_the_same_however_it_is_written"))
def test_a_path_is_the_same_however_it_is_written(path: str, cwd: str | None, expected: str) -> None:
    assert absolute(path, cwd) == expected


@pytest.mark.parametrize(("path", "cwd", "expected"), rows("a_sample_shows_a_path_below_the_folder_or_its_last_parts"))
def test_a_sample_shows_a_path_below_the_folder_or_its_last_parts(path: str, cwd: str | None, expected: str) -> None:
    assert sample_path(path, cwd) == expected


def test_a_folder_whose_name_goes_on_is_another_one() -> None:
    assert is_below(f"{CWD}/a.py", CWD)
    assert not is_below(f"{CWD}2/a.py", CWD)


def test_a_patch_names_its_files_once_and_those_it_makes() -> None:
    text = "*** Add File: n.py \r\n+n\n*** Update File: a.py\n*** Move to: b.py\n@@\n-*** Add File: x\n"
    text += "*** Delete File: d.py"
    assert named(patch(text)) == ["n.py", "a.py", "b.py", "d.py"]
    assert created(patch(text)) == {"n.py", "b.py"}
    diff = "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+n\n--- a/a.py\t2024\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert named(patch(diff, "unified_diff")) == ["n.py", "a.py"]
    assert created(patch(diff, "unified_diff")) == {"n.py"}


def test_an_edit_is_of_its_path_and_a_patch_also_of_the_files_of_its_diffs() -> None:
    assert named(Attempt("k", "str_replace", "a.py", diffs=(RecordedDiff("b.py", ""),))) == ["a.py"]
    assert named(Attempt("k", "begin_patch", patch="", diffs=(RecordedDiff("b.py", ""),))) == ["b.py"]


def test_a_patch_is_shown_with_the_names_of_its_samples_files_and_nothing_else_changed() -> None:
    text = (
        f"*** Update File: {CWD}/a.py\n@@\n-open('{CWD}/a.py')\n+open('{CWD}/a.python')\n*** Move to: {CWD}/a.python\n"
    )
    assert patch_with_sample_paths(patch(text), CWD) == (
        f"*** Update File: a.py\n@@\n-open('{CWD}/a.py')\n+open('{CWD}/a.python')\n*** Move to: a.python\n"
    )
    diff = f"--- {CWD}/a.py\n+++ {CWD}/a.py\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/src/n.py\n"
    assert patch_with_sample_paths(patch(diff, "unified_diff"), CWD) == diff.replace(f"{CWD}/", "")
    assert patch_with_sample_paths(patch("*** Update File: ./a.py\n"), CWD) == "*** Update File: ./a.py\n"
    assert patch_with_sample_paths(patch("*** Update File: ../x/a.py\n"), CWD) == "*** Update File: x/a.py\n"
    assert patch_with_sample_paths(Attempt("k", "insert", "a.py", patch=f"{CWD}/a.py"), CWD) == f"{CWD}/a.py"
