from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sample import Sample
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.run.results import CONTEXT_LINES, EXCERPT
from harness.run.scoring import Excerpts, Judge, Score
from reports.runs.rows import Damage, Equality, Severity, Verdict

BEFORE = """\
def one():
    x = 1
    return x


def two():
    x = 1
    return x
"""
TARGET = BEFORE.replace("x = 1", "x = 2", 1)


def sample(before: str = BEFORE, target: str | None = TARGET) -> Sample:
    """A sample to be applied where there is a target, to be refused where there is none."""
    edits = (Edit("x = 1", "x = 2"),)
    if target is None:
        return Sample("s", "str_replace", (File("a.py", before),), "refuse", edits=edits)
    return Sample("s", "str_replace", (File("a.py", before),), "apply", edits=edits, target=(File("a.py", target),))


def score(given: str, before: str = BEFORE, target: str | None = TARGET) -> Score:
    return Judge(sample(before, target)).score(Applied(given))


CORRECT = Score(Verdict.CORRECT, equal_by=Equality.BYTES)
REFUSAL = Rejected(Reason.NO_MATCH, "not there")


# Verdicts


UNLABELLED = replace(sample(), label="unlabelled", target=None)


@pytest.mark.parametrize(
    ("one", "result", "scored"),
    [
        (sample(), Applied(TARGET), CORRECT),
        (sample(), REFUSAL, Score(Verdict.MISSED)),
        (sample(target=None), REFUSAL, Score(Verdict.REFUSED)),
        (UNLABELLED, REFUSAL, Score(Verdict.UNLABELLED)),
        (UNLABELLED, Applied("anything"), Score(Verdict.UNLABELLED)),
    ],
)
def test_a_result_has_a_verdict(one: Sample, result: Applied | Rejected, scored: Score) -> None:
    assert Judge(one).score(result) == scored


@pytest.mark.parametrize(
    "given",
    [BEFORE.replace("x = 1", "x = 2"), TARGET + "\n", TARGET[:-1], "", BEFORE, TARGET.replace("\n", "\r\n")],
)
def test_any_other_text_is_a_wrong_edit(given: str) -> None:
    assert score(given).verdict == Verdict.WRONG_EDIT


def test_an_edit_that_should_have_been_refused_is_wrong_even_if_it_changes_nothing() -> None:
    for given_text, severity in ((BEFORE, Severity.SAME_TREE), (TARGET, Severity.OTHER_TREE)):
        found = score(given_text, target=None)
        assert (found.verdict, found.damage) == (Verdict.WRONG_EDIT, Damage.UNASKED)
        assert (found.severity, found.equal_by) == (severity, None)


def test_two_strategies_that_agree_get_the_same_verdict() -> None:
    judge = Judge(sample())
    wrong = judge.score(Applied(BEFORE, replacer="simple"))
    assert judge.score(Applied(BEFORE, replacer="line_trimmed")) is wrong
    assert judge.score(Applied(TARGET)) == CORRECT


# Damage


@pytest.mark.parametrize(
    ("damage", "given"),
    [
        (Damage.INDENTATION, TARGET.replace("    x = 2", "x = 2")),
        (Damage.INDENTATION, TARGET.replace("    x = 2", "\t  x = 2")),
        (Damage.INDENTATION, TARGET.replace("\n    ", "\n  ")),
        (Damage.WHITESPACE, TARGET.replace("x = 2", "x=2")),
        (Damage.WHITESPACE, TARGET.replace("x = 2", "x = 2  ")),
        (Damage.WHITESPACE, TARGET.replace("x = 2\n", "x = 2\n\n")),
        (Damage.WHITESPACE, TARGET + "\n"),
        (Damage.BYTES, TARGET.replace("\n", "\r\n")),
        (Damage.BYTES, "\ufeff" + TARGET),
        (Damage.BYTES, TARGET.removesuffix("\n")),
        (Damage.PLACE, "x = 2".join(BEFORE.rsplit("x = 1", 1))),
        (Damage.PLACE, BEFORE + "# the end\n"),
        (Damage.EXTENT, BEFORE.replace("x = 1", "x = 2")),
        (Damage.EXTENT, BEFORE.replace("    x = 1\n    return x\n", "    x = 2\n", 1)),
        (Damage.EXTENT, ""),
        (Damage.EXTENT, TARGET.replace("    x = 2", "x = 2").replace("def two", "def three")),  # Not the first alone.
        (Damage.TEXT, BEFORE.replace("x = 1", "x = 3", 1)),
        (Damage.TEXT, BEFORE.replace("x = 1", "x = 2; y = 3", 1)),
    ],
)
def test_damage_says_how_an_edit_is_wrong(damage: Damage, given: str) -> None:
    assert score(given)[:2] == (Verdict.WRONG_EDIT, damage)


def test_an_edit_that_changes_fewer_lines_than_it_should_is_one_of_extent() -> None:
    target = BEFORE.replace("    x = 1\n    return x\n", "    return 2\n", 1)
    assert score(BEFORE.replace("x = 1", "return 2", 1), target=target).damage == Damage.EXTENT


def test_an_edit_that_changes_nothing_where_it_should_is_no_blank() -> None:
    assert score(BEFORE).damage in (Damage.PLACE, Damage.EXTENT)


# Several right answers

OTHERS = replace(sample(), alternatives=((File("a.py", TARGET[:-1]),), (File("a.py", TARGET.replace("\n", "\r\n")),)))


@pytest.mark.parametrize(("at", "given"), [(None, TARGET), (1, TARGET[:-1]), (2, TARGET.replace("\n", "\r\n"))])
def test_a_result_is_correct_that_equals_any_of_the_right_answers(at: int | None, given: str) -> None:
    assert Judge(OTHERS).score(Applied(given)) == CORRECT._replace(alternative=at)
    assert Judge(OTHERS).score(Applied(files={"a.py": given})) == CORRECT._replace(alternative=at)


def test_a_wrong_edit_is_compared_with_the_nearest_right_answer() -> None:
    mixed = TARGET.replace("\n", "\r\n").replace("return", "yield", 1)
    scored = Judge(OTHERS).score(Applied(mixed))
    assert scored[:2] == (Verdict.WRONG_EDIT, Damage.TEXT)
    assert scored.excerpts
    assert scored.excerpts.expected == TARGET.replace("\n", "\r\n")[: len(scored.excerpts.expected)]
    assert Judge(sample()).score(Applied(TARGET.replace("\n", "\r\n"))).damage == Damage.BYTES


def test_an_alternative_may_lack_a_file_or_have_another() -> None:
    either = replace(TWO, alternatives=((File("a.py", "a\n"), File("b.py", "B\n"), File("new.py", "")), ()))
    assert Judge(either).score(Applied(files={"b.py": "B\n", "new.py": "", "a.py": "a\n"})).alternative == 1
    assert Judge(either).score(Applied(files={})).alternative == 2
    wrong = Judge(either).score(Applied(files={"b.py": "B\n", "new.py": "", "a.py": "a\n\n"}))
    assert wrong.excerpts
    assert (wrong.excerpts.path, wrong.excerpts.expected) == ("a.py", "a\n")


# Several files

TWO = Sample(
    "s", "begin_patch", (File("a.py", "a\n"), File("b.py", "b\n")), "apply", patch="...",
    target=(File("b.py", "B\n"), File("new.py", "")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("files", "verdict", "path"),
    [
        ((File("new.py", ""), File("b.py", "B\n")), Verdict.CORRECT, None),
        ((File("b.py", "B\n"),), Verdict.WRONG_EDIT, "new.py"),
        ((File("b.py", "B\n"), File("new.py", ""), File("a.py", "a\n")), Verdict.WRONG_EDIT, "a.py"),
        ((File("b.py", "B\n"), File("new.py", ""), File("other.py", "")), Verdict.WRONG_EDIT, "other.py"),
        ((File("b.py", "b\n"), File("new.py", "")), Verdict.WRONG_EDIT, "b.py"),
        ((), Verdict.WRONG_EDIT, "b.py"),
    ],
)
def test_files_are_compared_by_path_whatever_their_order(
    files: tuple[File, ...], verdict: Verdict, path: str | None
) -> None:
    scored = Judge(TWO).score(Applied(files={file.path: file.content for file in files}))
    assert scored.verdict == verdict
    assert (scored.excerpts.path if scored.excerpts else None) == path


def test_a_missing_or_added_file_is_not_a_matter_of_blanks() -> None:
    for files in ({"b.py": "B\n"}, {"b.py": "B\n", "new.py": "", "other.py": " \n"}):
        found = Judge(TWO).score(Applied(files=files))
        assert (found.damage, found.severity) == (Damage.TEXT, Severity.OTHER_TREE)


def test_the_content_of_a_result_is_that_of_the_first_file_and_one_that_is_made_is_compared() -> None:
    two = replace(TWO, target=(File("a.py", "A\n"), File("b.py", "b\n")))
    assert Judge(two).score(Applied("A\n")).verdict == Verdict.CORRECT
    created = replace(TWO, before=(), target=(File("new.py", "x\n"),))
    assert Judge(created).score(Applied(files={"new.py": "x\n"})).verdict == Verdict.CORRECT
    assert Judge(created).score(Applied(files={})).verdict == Verdict.WRONG_EDIT


# Excerpts


def excerpts(given: str, target: str, before: str = "") -> Excerpts:
    found = score(given, before=before, target=target).excerpts
    assert found is not None
    return found


LINES = "".join(f"line {number}\n" for number in range(1, 21))


def test_an_excerpt_is_the_lines_that_differ_with_three_around() -> None:
    found = excerpts(LINES.replace("line 10\n", "line ten\nand a half\n"), LINES)
    assert found.line == 7
    assert found.expected == "".join(f"line {number}\n" for number in range(7, 14))
    assert found.given == found.expected.replace("line 10\n", "line ten\nand a half\n")
    assert found.n_omitted == 0
    assert CONTEXT_LINES == 3


def test_an_excerpt_begins_and_ends_with_the_text() -> None:
    top, bottom = (excerpts(text, LINES) for text in ("X" + LINES[1:], LINES.replace("line 20\n", "line 20")))
    assert (top.line, top.expected) == (1, "line 1\nline 2\nline 3\nline 4\n")
    assert bottom.expected.endswith("line 20\n")
    assert bottom.given.endswith("line 20")


def test_the_excerpts_of_an_edit_that_should_be_refused_start_from_the_text_before() -> None:
    found = score(TARGET, target=None).excerpts
    assert found
    assert "x = 1" in found.expected
    assert "x = 2" in found.given


def test_a_long_excerpt_is_cut_and_says_how_much_is_missing() -> None:
    found = excerpts("b" * (EXCERPT + 7), "a" * (EXCERPT + 5))
    assert (len(found.expected), len(found.given), found.n_omitted) == (EXCERPT, EXCERPT, 12)


def test_an_excerpt_of_a_long_line_shows_the_difference() -> None:
    found = excerpts("a" * 30_000 + "given" + "z" * 30_000, "a" * 30_000 + "expected" + "z" * 30_000)
    half = EXCERPT // 2
    assert found.line == 1
    assert found.expected.startswith("a" * half + "expected")
    assert found.given.startswith("a" * half + "given")
    assert found.n_omitted == 2 * 60_000 + len("expectedgiven") - 2 * EXCERPT


text = st.text("ab\n \t", max_size=30)


@given(text, text, text)
def test_every_wrong_edit_has_a_damage_and_excerpts_that_show_the_difference(
    before: str, target: str, given_text: str
) -> None:
    scored = score(given_text, before=before, target=target)
    if given_text == target:
        assert scored == CORRECT
        return
    assert scored.damage in set(Damage) - {Damage.UNASKED}
    shown = scored.excerpts
    assert shown
    assert shown.expected != shown.given
    # What lies around the excerpts is the same in both texts.
    assert shown.expected in target
    assert shown.given in given_text
    above = "\n".join(target.split("\n")[: shown.line - 1])
    assert given_text.startswith(above)
    assert len(target) - len(shown.expected) == len(given_text) - len(shown.given)


# Severity, looser equalities, lines lost


@pytest.mark.parametrize(
    ("severity", "given"),
    [
        (Severity.SAME_TREE, TARGET.replace("x = 2", "x=2  # two")),
        (Severity.SAME_TREE, TARGET.replace("    x = 2\n    return x", "  x = 2\n  return x")),
        (Severity.OTHER_TREE, TARGET.replace("    return x", "return x", 1).replace("return x", "x", 1)),
        (Severity.OTHER_TREE, TARGET.replace("x = 2", "x = 3")),
        (Severity.BROKEN, TARGET.replace("    x = 2", "x = 2")),
        (Severity.BROKEN, TARGET.replace("x = 2", "x = (2")),
    ],
)
def test_severity_says_how_bad_a_wrong_edit_is(severity: Severity, given: str) -> None:
    assert score(given).severity == severity
    files = {"a.py": given}
    assert Judge(sample()).score(Applied(files=files)).severity == severity


def test_a_correct_or_refused_edit_has_no_severity() -> None:
    for one in (score(TARGET), Judge(sample()).score(REFUSAL)):
        assert (one.severity, one.n_lines_lost) == (None, None)


def test_of_several_files_the_worst_counts() -> None:
    two = replace(TWO, target=(File("a.py", "a\n"), File("b.py", "b\n"), File("c.txt", "c\n")))
    right = {"a.py": "a\n", "b.py": "b\n", "c.txt": "c\n"}
    for changes, severity in [
        ({"a.py": "a \n"}, Severity.SAME_TREE),
        ({"a.py": "a \n", "c.txt": "d\n"}, Severity.UNKNOWN),
        ({"a.py": "c\n", "c.txt": "d\n"}, Severity.OTHER_TREE),
        ({"a.py": "c\n", "b.py": "(\n"}, Severity.BROKEN),
    ]:
        assert Judge(two).score(Applied(files=right | changes)).severity == severity


@pytest.mark.parametrize(
    ("equality", "given"),
    [
        (Equality.TEXT, TARGET.replace("x = 2", "x = 2 \t")),
        (Equality.TEXT, TARGET + "\n\n"),
        (Equality.TEXT, TARGET[:-1]),
        (Equality.TEXT, TARGET.replace("\n", "\r\n")),
        (Equality.TREE, TARGET.replace("x = 2", "x  = 2")),
        (Equality.TREE, TARGET.replace("\n\n\n", "\n\n")),
        (None, TARGET.replace("x = 2", "x = 3")),
        (None, TARGET.replace("    x = 2", "x = 2")),
    ],
)
def test_a_wrong_edit_may_be_right_by_a_looser_equality(equality: Equality | None, given: str) -> None:
    assert score(given).equal_by == equality
    assert Judge(OTHERS).score(Applied(given + "\n\n" if equality else given)).equal_by == equality


def test_lines_lost_are_counted_for_wrong_edits() -> None:
    assert score(BEFORE.replace("    x = 1\n    return x\n", "    x = 2\n", 1)).n_lines_lost == 1
    assert score("").n_lines_lost == 5
    assert score(BEFORE).n_lines_lost == 0
