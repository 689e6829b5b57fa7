"""The damage that each mutator of search texts does to one small edit, and what is right in special cases."""

from __future__ import annotations

import pytest

from corpora.mutators.clean_edit import Damaged
from editcore.types import Edit, File
from tests.corpora.mutators.small_edit import CLEAN, cases, compared, damage, damaged, edit


def described(found: Damaged | None) -> list[str]:
    """The removed and added lines of file, search text and new text.

    If the model saw another file, in which the search text is right, that file is described instead of the search
    text.
    """
    if found is None or found.edits is None:
        return ["None"]
    (written,) = found.edits
    seen = found.twin[0][0].content if found.twin else CLEAN.content
    return [
        *compared("seen", CLEAN.content, seen),
        *compared("file", seen, found.before[0].content),
        *([] if found.twin else compared("search", CLEAN.old, written.old_string)),
        *compared("new", CLEAN.new, written.new_string),
        *(["everywhere"] if written.replace_all else []),
    ]


@pytest.mark.parametrize(("name", "degree", "lines"), cases("text"))
def test_the_damage_is_this(name: str, degree: int, lines: list[str]) -> None:
    assert described(damage(name, degree)) == lines


def test_lines_that_were_stitched_together_occurred_apart() -> None:
    stitched = damaged("stitched", clean=edit("«a = 1\nb = 2»\n\nc = 3\n\nd = 4\ne = 5\n", "x"))
    assert stitched.target is None
    assert stitched.edits == (Edit("a = 1\nd = 4\ne = 5", "x"),)
    assert stitched.before == (File("a.py", "a = 1\nb = 2\n\nc = 3\n\nd = 4\ne = 5\n"),)
    assert stitched.reason == "stitched"


@pytest.mark.parametrize(
    ("name", "find", "new"),
    [
        ("over_escaped", r"a(\"b\")\n\tc", 'd("e")'),
        ("over_escaped_both", r"a(\"b\")\n\tc", r"d(\"e\")"),
        ("twice_escaped", r"a(\\\"b\\\")\\n\\tc", 'd("e")'),
    ],
)
def test_the_whole_text_is_escaped(name: str, find: str, new: str) -> None:
    escaped = damaged(name, clean=edit('«a("b")\n\tc»\n', 'd("e")'))
    assert escaped.edits == (Edit(find, new),)
    assert escaped.target == (File("a.py", 'd("e")\n'),)


def test_the_start_of_a_longer_name_is_replaced_to_the_letter() -> None:
    partial = damaged("partial_identifier", clean=edit("«max_retries_default = 3»\n", "x"))
    assert partial.edits is not None
    assert partial.edits[0].old_string == "max_retries"
    assert partial.target == (File("a.py", f"{partial.edits[0].new_string}_default = 3\n"),)


@pytest.mark.parametrize(
    ("name", "marked", "new", "before", "target", "written"),
    [
        pytest.param(
            "crlf_file", "a\n«b»\nc\n", "x\ny", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\nc\r\n", Edit("b", "x\ny"),
            id="a file with CRLF keeps it and gets it in new lines",
        ),
        pytest.param(
            "crlf_find", "a\n«b\nc»\nd", "x\ny", "a\nb\nc\nd", "a\nx\ny\nd", Edit("b\r\nc", "x\r\ny"),
            id="a file with LF keeps it whatever the edit has",
        ),
        pytest.param(
            "bom_in_file", "«a»\nb\n", "x", "\ufeffa\nb\n", "\ufeffx\nb\n", Edit("a", "x"),
            id="a byte order mark stays",
        ),
        pytest.param(
            "newline_only_in_find", "«a»\nb\n", "x", "a\nb\n", "x\nb\n", Edit("a\n", "x"),
            id="a line feed in the search text alone stays: no lines are joined",
        ),
        pytest.param(
            "renamed_everywhere", "ab = 1\n«ab += cd»\nprint(ab)\ncde = 2\n", "",
            "ab = 1\nab += cd\nprint(ab)\ncde = 2\n", "draft = 1\ndraft += cd\nprint(draft)\ncde = 2\n",
            Edit("ab", "draft", replace_all=True), id="a name is replaced wherever it occurs",
        ),
    ],
)  # fmt: skip
def test_the_file_the_edit_and_the_result_are_these(
    name: str, marked: str, new: str, before: str, target: str, written: Edit
) -> None:
    found = damaged(name, clean=edit(marked, new))
    assert found.before == (File("a.py", before),)
    assert found.target == (File("a.py", target),)
    assert found.edits == (written,)


def test_a_name_in_a_longer_one_is_not_replaced_everywhere() -> None:
    assert damage("renamed_everywhere", clean=edit("ab = 1\n«ab += 1»\nabc = 2\n", "")) is None


@pytest.mark.parametrize("name", ["trailing_blanks_lost", "collapsed_blanks", "blank_lines_lost", "composed"])
def test_lines_that_the_edit_keeps_may_stay_as_the_file_has_them(name: str) -> None:
    """Damage to the file's whitespace has two right results: the new text as it is, and one with the kept lines."""
    content = "def f(a, b):\n    total = a + b\n    log(total, a)\n    return total + 1"
    found = damaged(name, 5, clean=edit(f"«{content}»\n", content.replace("+ 1", "+ 2"), path="f.py"))
    assert found.target
    assert found.alternatives
    before, ((kept,),) = found.before[0].content.split("\n"), found.alternatives
    assert kept.content != found.target[0].content
    assert set(kept.content.split("\n")) - set(before) == {"    return total + 2"}
