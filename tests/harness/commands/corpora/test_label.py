"""`editgauge label`, `corpus apply` and `corpus agree`: their output, and mistakes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from corpora.load import load
from corpora.readings.reading import Reading, question_fingerprint
from corpora.readings.readings_file import ReadingsFile
from editcore.types import File
from tests.harness.program import call, mistake
from tests.samples import sample, write_jsonl

AT = "2026-11-22T21:00:00Z"
SAMPLES = [sample(number, label="unlabelled") for number in range(3)]


def readings(path: Path, reader: str, *results: str | None) -> Path:
    """A file with the reader's answers: a result for each sample, or None for a refusal."""
    with ReadingsFile(path) as file:
        for one, text in zip(SAMPLES, results, strict=False):
            question = question_fingerprint(one)
            if text is None:
                file.add(Reading(one.id, question, "refuse", reader, AT, reason="absent"))
            else:
                file.add(
                    Reading(one.id, question, "apply", reader, AT, (File("a.py", text),), None, ("cascade/exact",))
                )
    return path


def test_two_readers_are_compared_and_what_they_agree_on_becomes_labels(tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "a.jsonl", SAMPLES)
    one = readings(tmp_path / "a.one.readings", "one", "x = 2\n", None, None)
    two = readings(tmp_path / "a.two.readings", "two", "x = 2\n", None, "x = 3\n")
    done = call("corpus", "agree", one, two)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "3 samples answered by both; 0 by A only, 0 by B only",
        "same label: 2 (66.7 %), Cohen's kappa 0.40",
        "same label and same result: 2 (66.7 %)",
        "",
        "s2: A refuse (absent); B apply (cascade/exact)",
    ]
    document = json.loads(call("corpus", "agree", one, two, "--json").stdout)
    assert document["kappa"] == pytest.approx(0.4)
    assert [pair["sample_id"] for pair in document["disagreements"]] == ["s2"]
    done = call("corpus", "apply", corpus, one, two, "-o", tmp_path / "b.parquet")
    assert done.stdout.splitlines() == [
        "3 samples, 2 labelled by reading",
        "1 stay as they were: the readers disagree (editgauge corpus agree)",
    ]
    assert [found.label for found in load(tmp_path / "b.parquet")] == ["apply", "refuse", "unlabelled"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["label", "a.jsonl"], "needs a terminal"),
        (["label", "house"], "There is no place beside house"),
        (["label", "a.jsonl", "--reader", "../x"], "cannot name a reader"),
        (["label", "a.jsonl", "--reader", ""], "cannot name a reader"),
        (["label", "a.jsonl", "-k", "a and"], "cannot be read"),
        (["label", "a.jsonl", "-s", "cascade/refrence"], "Did you mean cascade/reference"),
        (["label", "a.jsonl", "--sort", "disagrement"], "Did you mean disagreement"),
        (["corpus", "apply", "a.jsonl", "one", "-o", "a.jsonl", "--replace"], "is one of the files that are read"),
        (["corpus", "apply", "a.jsonl", "a.jsonl", "-o", "b.jsonl"], "a.jsonl, line 1: "),
        (["corpus", "agree", "one", "none"], "none cannot be opened: No such file"),
    ],
)
def test_a_mistake_is_two_lines(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "a.jsonl", SAMPLES)
    readings(tmp_path / "one", "one", None)
    assert says in mistake(*arguments)
    assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl", "one"}


def test_without_textual_the_message_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("textual") or name == "harness.labelling.page"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    done = mistake("label", write_jsonl(tmp_path / "a.jsonl", SAMPLES))
    assert "editgauge label needs textual" in done
    assert "pip install 'editgauge[label]'" in done
