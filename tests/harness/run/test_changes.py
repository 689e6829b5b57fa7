from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.sample import Provenance, Sample, SeenLines
from editcore.types import Applied, Edit, File, Match
from harness.run.changes import Changes, edit_text
from reports.runs.rows import SampleText

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


def test_the_encoding_of_a_file_that_is_not_utf_8_is_told() -> None:
    def encoding(file: File) -> str | None:
        return Changes(replace(sample("unlabelled"), before=(file,))).text().encoding

    assert encoding(File("a.py", TEXT)) is None
    assert encoding(File("a.py", "é\n", b"\xe9\n", "latin-1")) == "latin-1"
    assert encoding(File("a.py", "\udcff\n", b"\xff\n")) == "unknown"


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


# What was seen of a file that was changed since.

SEEN = TEXT.replace("line 3\n", "three\n")


def stale(*seen: File, **fields: Any) -> SampleText:
    return Changes(replace(sample(), seen=seen or (File("a.py", SEEN),), **fields)).text()


def test_of_a_file_that_was_changed_since_it_was_seen_both_are_kept_where_they_differ() -> None:
    text = stale()
    assert (text.seen_path, text.seen_lines, text.n_seen_omitted, text.n_seen_files) == ("a.py", None, 0, 1)
    assert (text.since_line, text.since_seen) == (1, "line 1\nline 2\nthree\nline 4\nline 5\nline 6\n")
    assert text.since_now == "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n"
    assert (text.seen_line, (text.seen or "").split("\n")[0]) == (8, "line 8")
    assert "line 32\n" in (text.seen or "")


def test_the_place_in_what_was_seen_is_that_of_the_search_text_there() -> None:
    text = stale(File("a.py", "one more\n" * 30 + TEXT))
    assert (text.seen_line, text.line) == (38, 8)
    gone = stale(File("a.py", TEXT.replace("line 20\n", "")))
    assert (gone.seen_line, gone.since_line) == (8, 17)


def test_a_file_that_was_not_changed_has_nothing_that_was_seen() -> None:
    for text in (Changes(sample()).text(), stale(File("a.py", TEXT))):
        assert (text.seen_path, text.seen, text.since_seen, text.n_seen_files) == (None, None, None, None)


def test_lines_that_were_shown_are_named_and_long_texts_are_cut() -> None:
    text = stale(seen_lines=(SeenLines("a.py", 3, 9), SeenLines("a.py", 12, 12)))
    assert text.seen_lines == "3-9, 12"
    long = stale(File("a.py", "x" * 30_000))
    assert (len(long.seen or ""), len(long.since_seen or ""), long.n_seen_omitted) == (10_000, 10_000, 40_000)


def test_of_several_files_the_one_of_the_place_is_kept_and_the_others_are_counted() -> None:
    other = File("b.py", "b\n")
    patch = {"format": "begin_patch", "edits": None, "patch": "p", "before": (other, File("a.py", TEXT))}
    text = stale(File("b.py", "c\n"), File("a.py", SEEN), **patch, target=(other, File("a.py", AFTER)))
    assert (text.seen_path, text.n_seen_files) == ("a.py", 2)
    text = stale(File("b.py", "c\n"), File("a.py", TEXT), **patch, target=(other, File("a.py", AFTER)))
    assert (text.seen_path, text.n_seen_files) == ("b.py", 1)
