from __future__ import annotations

from corpora.sample import Provenance, Sample
from editcore.types import Applied, Edit, File, Match
from harness.run.changes import Changes, edit_text

TEXT = "".join(f"line {number}\n" for number in range(1, 41))
AFTER = TEXT.replace("line 20\n", "twenty\n")


def sample(label: str = "apply", *edits: Edit) -> Sample:
    edits = edits or (Edit("line 20", "twenty"),)
    target = (File("a.py", AFTER),) if label == "apply" else None
    return Sample(
        "s", "str_replace", (File("a.py", TEXT),), label, edits, target=target,  # type: ignore[arg-type]
        provenance=Provenance(recorded_outcome="applied"),
    )  # fmt: skip


def test_the_right_answer_is_result_0_and_every_other_result_is_there_once() -> None:
    changes = Changes(sample())
    for name, content in (("a/right", AFTER), ("a/one", TEXT[:-1]), ("a/other", TEXT[:-1])):
        changes.add(name, Applied(content))
    right, wrong = changes.rows()
    assert (right.result, right.strategies, right.line) == (0, ("a/right",), 17)
    assert right.before == "".join(f"line {number}\n" for number in range(17, 24))
    assert right.after == right.before.replace("line 20", "twenty")
    assert (wrong.result, wrong.strategies) == (1, ("a/one", "a/other"))
    assert wrong.before.endswith("line 40\n")
    assert wrong.after.endswith("line 40")


def test_without_a_right_answer_results_are_numbered_from_1_and_the_place_is_that_of_the_first() -> None:
    changes = Changes(sample("unlabelled"))
    changes.add("a/one", Applied(TEXT.replace("line 33", "x")))
    assert [row.result for row in changes.rows()] == [1]
    assert "line 33\n" in changes.text().place
    assert changes.text().recorded_outcome == "applied"


def test_without_any_result_the_place_is_that_of_the_search_texts_longest_line() -> None:
    text = Changes(sample("refuse", Edit("}\n  line 30 \n", "x"))).text()
    assert text.place.startswith("line 18\n")
    assert text.place.endswith("line 42\n"[:0] + "line 40\n")
    assert text.line == 18


def test_what_is_long_is_cut_and_counted() -> None:
    changes = Changes(sample("unlabelled", Edit("line 1\n", "y" * 30_000)))
    changes.add("a/one", Applied("x" * 30_000))
    assert changes.text().n_omitted > 20_000
    (row,) = changes.rows()
    assert len(row.after) == 10_000
    assert row.n_omitted == 20_000


def test_a_result_of_many_files_names_a_few_of_them() -> None:
    changes = Changes(sample("unlabelled"))
    changes.add("a/one", Applied(files={f"{number}.py": "x\n" for number in range(9)}))
    assert [row.path for row in changes.rows()] == ["a.py", "0.py", "1.py", "2.py", "3.py"]


def test_lines_are_those_of_lone_edits_only() -> None:
    matches = [Match(7, 13, "simple"), Match(0, 6, "simple")]
    assert Changes(sample()).lines(matches) == "1, 2"
    assert Changes(sample()).lines(()) is None
    assert Changes(sample()).lines(["no match"]) is None
    assert Changes(sample("refuse", Edit("a", "b"), Edit("c", "d"))).lines(matches) is None


def test_edits_of_two_texts_are_shown_as_blocks() -> None:
    assert edit_text(sample()) == "<<<<<<< SEARCH\nline 20\n=======\ntwenty\n>>>>>>> REPLACE"
