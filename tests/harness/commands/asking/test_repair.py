"""`repair`, from refusals to the table: rescued, wrong and standing edits of a scripted model. No question is asked
twice.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.sample import Sample
from corpora.write import SampleWriter
from editcore.types import Edit, File
from tests.harness.ask.scripted_server import Asked, Says, scripted_server
from tests.harness.program import call, document, mistake

TEXT = "def area(w, h):\n    return w * h\n\n\ndef side(a):\n    return a\n"
_MARKS = {"gemini_cli": "<error>", "whole_file": "<update>"}
RIGHT = TEXT.replace("w * h", "h * w")


def _sample(name: str, old: str, new: str, target: str | None) -> Sample:
    files = None if target is None else (File("a.py", target),)
    return Sample(
        name, "str_replace", (File("a.py", TEXT),), "apply" if target else "refuse", edits=(Edit(old, new),),
        target=files, label_source="constructed",
    )  # fmt: skip


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "c.jsonl"
    with SampleWriter(path) as writer:
        writer.add(_sample("found", "    return w * h", "    return h * w", RIGHT))
        writer.add(_sample("rescued", "    return w times h", "    return h * w", RIGHT))
        writer.add(_sample("unsteady", "    returns w * h", "    return h * w", RIGHT))
        writer.add(_sample("forced", "    return volume", "    return 0", None))
        writer.add(_sample("let_stand", "    return nowhere", "    return 1", None))
    return path


def _script() -> object:
    n_of_unsteady = 0

    def script(asked: Asked) -> Says:
        nonlocal n_of_unsteady
        said = {"search": "    return w * h", "replace": "    return h * w"}
        if "volume" in asked.text:
            said = {"search": "    return a", "replace": "    return 0"}
        elif "nowhere" in asked.text:
            said = {**said, "noChangesRequired": True}  # type: ignore[dict-item]
        elif "returns w" in asked.text:
            n_of_unsteady += 1
            if n_of_unsteady == 2:
                return Says("I do not know.", tokens=(1000, 100))
        return Says(json.dumps(said), tokens=(1000, 100))

    return script


def test_what_a_model_rescues_and_harms_is_counted_and_paid_once(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.replies"
    words = ("repair", corpus, "-s", "cascade/exact", "--shapes", "gemini_cli", "-o", out, "-q", "-j", 1)
    with scripted_server(_script()) as server:  # type: ignore[arg-type]
        whom = ("--model", "m", "--base-url", f"{server.url}/v1", "--yes", "--price", 1, 10, "--concurrency", 1)
        found = document(*words, *whom, "--run", tmp_path / "run")
        assert len(server.asked) == 4 * 3
        assert call(*words, *whom, "--run", tmp_path / "again").exit_code == 0
        assert len(server.asked) == 4 * 3  # Nothing is asked twice.
    [row] = found["shapes"]
    assert (row["n_asked"], row["n_draws"], row["n_unsteady"], row["n_unread"]) == (4, 3, 1, 1)
    assert row["rescued"] == pytest.approx(5 / 3)
    assert (row["wrong"], row["forced"], row["outside"]) == (1, 1, 0)
    assert row["wrong_per_rescued"] == pytest.approx(3 / 5)
    assert row["tokens"] == 12 * 1100
    assert row["usd"] == pytest.approx(12 * (1000 + 10 * 100) / 1e6)


def test_what_a_merge_damages_outside_the_edit_is_counted(corpus: Path, tmp_path: Path) -> None:
    short = RIGHT[: RIGHT.index("def side")]  # The change is made, and the end of the file is left out.

    def script(asked: Asked) -> Says:
        return Says(RIGHT if "return 1" in asked.text else short)

    words = ("repair", corpus, "-s", "nothing", "--shapes", "whole_file", "-q", "-j", 1)
    with scripted_server(script) as server:
        whom = ("--model", "m", "--base-url", f"{server.url}/v1", "--yes", "--repeat", 1)
        found = document(*words, *whom, "-o", tmp_path / "mine.replies", "--run", tmp_path / "run")
    [row] = found["shapes"]
    # Three samples with one question share its reply.
    assert (len(server.asked), row["n_asked"]) == (3, 5)
    assert (row["rescued"], row["wrong"], row["outside"]) == (0, 5, 3)
    assert row["lines_lost"] > 0


def test_an_edit_to_be_made_everywhere_stays_one_where_the_program_keeps_that(tmp_path: Path) -> None:
    before, edit = "a = 1\nb\na = 1\n", Edit("a  = 1", "a = 2", replace_all=True)
    path, out = tmp_path / "c.jsonl", tmp_path / "mine.replies"
    with SampleWriter(path) as writer:
        writer.add(
            Sample(
                "all", "str_replace", (File("a.py", before),), "apply", edits=(edit,),
                target=(File("a.py", before.replace("1", "2")),), label_source="constructed",
            )
        )  # fmt: skip
    said = {"search": "a = 1", "replace": "a = 2"}
    words = ("repair", path, "-s", "cascade/exact", "--shapes", "gemini_cli,diff_apply", "-q", "-j", 1)
    with scripted_server(lambda _: Says(json.dumps(said))) as server:
        whom = ("--model", "m", "--base-url", f"{server.url}/v1", "--yes", "--repeat", 1)
        found = document(*words, *whom, "-o", out, "--run", tmp_path / "run")
    assert {row["shape"]: (row["rescued"], row["wrong"]) for row in found["shapes"]} == {
        "gemini_cli": (1, 0), "diff_apply": (0, 0),
    }  # fmt: skip


def test_without_a_model_the_file_is_scored_and_nothing_is_asked(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.replies"
    words = ("repair", corpus, "-s", "cascade/exact", "--shapes", "gemini_cli", "-o", out, "-q", "-j", 1)
    with scripted_server(_script()) as server:  # type: ignore[arg-type]
        call(
            *words, "--model", "m", "--base-url", f"{server.url}/v1", "--yes", "--repeat", 1, "--run", tmp_path / "run"
        )
    offline = call(*words, "--run", tmp_path / "offline")
    assert offline.exit_code == 0, offline.output
    assert "m behind cascade/exact" in offline.stdout
    spec = f"repair/gemini_cli@cascade/exact={out}"
    run = call("run", corpus, "-s", "cascade/exact", "-s", spec, "-o", tmp_path / "two", "-q", "-j", 1)
    assert run.exit_code == 0, run.output
    assert "repair/gemini_cli@cascade/exact" in run.stdout


def test_a_model_that_lets_the_first_refusal_stand_is_asked_on_but_not_one_that_is_not_understood(
    corpus: Path, tmp_path: Path
) -> None:
    stands = {"gemini_cli": '{"noChangesRequired": true}', "diff_apply": "null", "whole_file": TEXT}

    def shape_of(asked: Asked) -> str:
        return next((one for one, mark in _MARKS.items() if mark in asked.text), "diff_apply")

    with scripted_server(lambda asked: Says(stands[shape_of(asked)])) as server:
        words = ("repair", corpus, "--shapes", ",".join(stands), "-s", "cascade/exact", "--repeat", 1, "-q", "-j", 1)
        whom = ("--model", "m", "--base-url", f"{server.url}/v1", "--yes", "--run", tmp_path / "run")
        asked_on = call(*words, *whom, "-o", tmp_path / "stands.replies")
    assert asked_on.exit_code == 0, asked_on.output
    assert "asked now: 11 (no_call 11)" in asked_on.stderr

    with scripted_server(lambda _: Says(" ")) as server:
        whom = ("--model", "m", "--base-url", f"{server.url}/v1", "--yes", "--concurrency", 1)
        stopped = call(*words, *whom, "-o", tmp_path / "noise.replies")
        assert len(server.asked) == 3
    assert stopped.exit_code == 2
    assert "None of the first 3 replies has an edit (malformed)" in stopped.output
    assert "--style" not in stopped.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "x.replies"), "There is no x.replies"),
        (("-o", "x.jsonl"), "does not end in .replies"),
        (("-o", "x.replies", "--shapes", "gemini"), "There is no shape of repair 'gemini'"),
        (("-o", "x.replies", "-s", "cascade/none"), "There is no strategy"),
        (("-o", "x.replies", "--dry-run"), "--model is missing"),
    ],
)
def test_a_mistake_is_one_line_with_what_to_do(words: tuple[str, ...], said: str, corpus: Path) -> None:
    assert said in mistake("repair", corpus, *words, "-q")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("repair/gemini_cli", "is not repair/SHAPE@RULE=FILE"),
        ("repair/none@cascade/exact=f.replies", "There is no shape"),
        ("repair/gemini_cli@cascade/exact=f.replies", "There is no replies file"),
        ("repair/gemini_cli@cascade/none=f.replies", "There is no strategy"),
    ],
)
def test_a_name_that_is_none_says_why(spec: str, said: str) -> None:
    assert said in mistake("run", "house", "-s", spec, "-q")
