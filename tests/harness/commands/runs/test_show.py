"""`show`: a sample under every verdict, as text, as one strategy's diffs, and as a document."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.sample import SeenLines
from editcore.types import Edit, File
from tests.harness.program import call, mistake
from tests.samples import sample, write_jsonl


def test_show_says_what_every_strategy_made_of_a_sample(smoke_run: Path) -> None:
    lines = call("show", smoke_run, "smoke-line_trimmed-indentation").stdout.splitlines()
    assert lines[0] == "sample smoke-line_trimmed-indentation"
    assert any(line.startswith("cascade/reference") and "wrong_edit (indentation, broken)" in line for line in lines)
    assert any(line.startswith("cascade/exact") and "missed (no_match)" in line for line in lines)
    assert "<<<<<<< SEARCH" in lines
    assert '-        raise TypeError("width")' in lines
    assert '+raise TypeError("width")' in lines


def test_show_keeps_the_line_endings_that_make_an_edit_wrong(smoke_run: Path) -> None:
    lines = call("show", smoke_run, "smoke-crlf").stdout.splitlines()
    assert r" two = 3\r" in lines


@pytest.mark.parametrize("typed", ["smoke-simple-rigth", "simple-right", "SMOKE-simple-right"])
def test_show_suggests_the_sample_that_was_meant(smoke_run: Path, typed: str) -> None:
    assert mistake("show", smoke_run, typed).splitlines()[1] == "  Did you mean smoke-simple-right?"


def test_show_suggests_nothing_where_nothing_is_near(smoke_run: Path) -> None:
    assert "Did you mean" not in call("show", smoke_run, "zzzzzz").stderr


def test_the_document_shows_what_an_escape_sequence_in_a_sample_would_hide(tmp_path: Path) -> None:
    hostile = sample(0, before="\x1b[2Jx\n", old="\x1b[2Jx", new="\x1b]0;x\x07")
    path = write_jsonl(tmp_path / "a.jsonl", [hostile])
    assert hostile.edits == (Edit("\x1b[2Jx", "\x1b]0;x\x07"),)
    call("run", path, "-q", "-j", 1, "-s", "cascade/exact", "-o", tmp_path / "run")
    done = call("show", tmp_path / "run", "s0")
    assert done.exit_code == 0
    assert not {"\x1b", "\x07"} & set(done.stdout)


def test_a_missed_sample_has_its_edit_its_place_the_right_answer_and_the_refusals_message(smoke_run: Path) -> None:
    text = call("show", smoke_run, "smoke-line_trimmed-indentation").stdout
    parts = ("the edit as written", "the file around its place: ", "the right answer: diff from the file before")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    exact = next(line for line in text.splitlines() if line.startswith("cascade/exact"))
    assert "missed (no_match) considering line " in exact
    assert "read the file there and copy the text exactly" in text.split(exact)[1].splitlines()[1]


def test_several_places_are_lines_in_the_plural(smoke_run: Path) -> None:
    lines = call("show", smoke_run, "smoke-replace_all").stdout.splitlines()
    assert any(" correct by simple at lines 1, 3 in " in line for line in lines)


def test_a_diff_has_the_line_numbers_of_the_file(tmp_path: Path) -> None:
    before = "".join(f"line {number}\n" for number in range(1, 101))
    one = sample(0, before=before, old="line 70", new="changed")
    path = write_jsonl(tmp_path / "a.jsonl", [one])
    call("run", path, "-q", "-j", 1, "-s", "cascade/exact", "-o", tmp_path / "run")
    text = call("show", tmp_path / "run", "s0").stdout
    assert "@@ -67,7 +67,7 @@" in text
    assert "70  line 70" in text


def test_what_was_changed_since_the_model_saw_the_file_is_a_diff(tmp_path: Path) -> None:
    lines = tuple(SeenLines("a.py", first, first) for first in (1, 2))
    stale = sample(seen=(File("a.py", "import os\nx = 1\n"),), seen_lines=lines)
    corpus = write_jsonl(tmp_path / "a.jsonl", [stale, sample(1)])
    call("run", corpus, "-s", "replacer/simple", "-q", "-o", tmp_path / "run")
    shown = call("show", tmp_path / "run", "s0").stdout
    assert (
        "changed since the model saw it (it was shown lines 1, 2): diff from what was seen to the file before" in shown
    )
    assert "-import os\n x = 1\n" in shown
    assert "changed since" not in call("show", tmp_path / "run", "s1").stdout


def test_an_edit_by_line_number_says_which(tmp_path: Path) -> None:
    by_line = replace(sample(0, before="a\nb\n"), edits=None, patch="x\n", line=1)
    rows = [replace(by_line, format="insert"), replace(by_line, id="s1", format="line_range", end_line=2)]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    call("run", path, "-q", "-j", 1, "-s", "insert/line", "-s", "line_range/lines", "-o", tmp_path / "run")
    assert "[below line 1]\nx\n" in call("show", tmp_path / "run", "s0").stdout
    assert "[lines 1-2]\nx\n" in call("show", tmp_path / "run", "s1").stdout


def test_one_strategys_diffs_are_from_the_file_and_from_the_right_answer(smoke_run: Path) -> None:
    lines = call("show", smoke_run, "smoke-line_trimmed-indentation", "--diff", "cascade/reference").stdout.splitlines()
    assert lines[0].startswith("cascade/reference  wrong_edit")
    assert "diff from the file before to the result" in lines
    assert "diff from the right text to the result" in lines
    assert not any("cascade/exact" in line for line in lines)
    assert (
        "cascade/exact"
        in mistake("show", smoke_run, "smoke-line_trimmed-indentation", "--diff", "cascade/exakt").splitlines()[1]
    )


def test_the_document_has_every_row(smoke_run: Path) -> None:
    found = json.loads(call("show", smoke_run, "smoke-line_trimmed-indentation", "--json").stdout)
    assert found["schema_version"] == 1
    assert {one["strategy"] for one in found["outcomes"]} >= {"cascade/exact", "cascade/reference"}
    assert found["sample"]["format"] == "str_replace"
    assert found["text"]["edit"].startswith("<<<<<<< SEARCH")
    assert [change for change in found["changes"] if change["result"] == 0]
    assert call("show", smoke_run, "smoke-line_trimmed-indentation", "--json", "--diff", "cascade/exact").exit_code == 2


def listed(*arguments: object) -> list[list[str]]:
    done = call("show", *arguments)
    assert done.exit_code == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def test_without_a_sample_the_wrong_edits_are_listed_one_line_each(smoke_run: Path) -> None:
    found = listed(smoke_run, "-n", 99)
    assert found == listed(smoke_run, "--wrong", "-n", 99)
    assert ["smoke-simple-wrong", "cascade/exact", "wrong_edit"] in [words[:3] for words in found]
    text = next(" ".join(words) for words in found if words[0] == "smoke-line_trimmed-wrong")
    assert text.endswith("cascade/reference wrong_edit (unasked, broken) by line_trimmed at line 3 a.py")
    exact = listed(smoke_run, "--missed", "-s", "cascade/exact", "-k", "smoke-line_trimmed-indentation")
    assert [" ".join(words) for words in exact] == [
        "smoke-line_trimmed-indentation missed (no_match) considering line 3 a.py"
    ]


def test_a_list_that_is_cut_says_so_and_has_diffs_and_a_document(smoke_run: Path) -> None:
    done = call("show", smoke_run, "-n", 1, "--diff")
    n = len(listed(smoke_run, "-n", 99))
    assert done.stderr == f"1 of {n}; -n N shows more\n"
    assert "-max_retries_default = 3\n+max_attempts_default = 3\n" in done.stdout
    found = json.loads(call("show", smoke_run, "-n", 1, "--json").stdout)
    assert (found["n"], len(found["outcomes"]), found["outcomes"][0]["path"]) == (n, 1, "a.py")
    assert call("show", smoke_run, "--verdict", "crashed").stderr == "none: no outcome is crashed\n"


def test_of_a_sample_a_strategy_is_shown_alone(smoke_run: Path) -> None:
    named = ("smoke-line_trimmed-indentation", "-s", "cascade/exact")
    text = call("show", smoke_run, *named).stdout
    assert "cascade/exact  missed (no_match)" in text
    assert "the right answer: diff from the file before" in text
    assert "cascade/reference" not in text
    found = json.loads(call("show", smoke_run, *named, "--json").stdout)
    assert [one["strategy"] for one in found["outcomes"]] == ["cascade/exact"]
    assert found["wrong_edits"] == []


def test_what_is_shown_of_an_unfinished_run_is_said_to_be_a_part(smoke_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    shutil.copytree(smoke_run, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"finished": None}))
    for arguments in (("show", folder), ("table", folder, "--by", "format"), ("report", folder, "--format", "md")):
        assert f"note: {folder} is not finished" in call(*arguments).stderr
    assert "not finished" not in call("show", smoke_run).stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("smoke-crlf", "--wrong"), "a SAMPLE is named, and what to list"),
        (("--verdict", "wrong"), "'wrong' is no verdict"),
        (("-k", "damage:nothing"), "No sample is selected"),
        (("-s", "cascade/exakt"), "cascade/exakt"),
    ],
)
def test_what_cannot_be_listed_is_an_error(smoke_run: Path, arguments: tuple[str, ...], error: str) -> None:
    assert error.lower() in mistake("show", smoke_run, *arguments).lower()
