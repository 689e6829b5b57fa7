"""Search/replace blocks as they stand in a model's answer, and what becomes of the files they name."""

from __future__ import annotations

import pytest

from editcore import CASCADES, Applied, Edit, Landing, Reason, Rejected, apply_search_replace
from editcore.errors import PatchError
from editcore.patches.search_replace import parse, read_blocks
from tests.results import applied, files_after, refused


def _block(
    old: str, new: str, *, head: str = "<<<<<<< SEARCH", mid: str = "=======", tail: str = ">>>>>>> REPLACE"
) -> str:
    return f"{head}\n{old}{mid}\n{new}{tail}\n"


def blocks(text: str) -> list[Edit]:
    """The blocks of a text as edits; [] where they are refused."""
    found = read_blocks(text)
    return [] if isinstance(found, Rejected) else [block.edit for block in found]


# Reading


def test_blocks_are_edits_in_the_order_of_the_text() -> None:
    text = "First:\n\na.py\n" + _block("x = 1\n", "x = 2\n") + "then\n```python\n" + _block("y\nz\n", "") + "```\n"
    assert blocks(text) == [Edit("x = 1\n", "x = 2\n"), Edit("y\nz\n", "")]


def test_each_side_keeps_its_last_line_feed_its_blanks_and_its_carriage_returns() -> None:
    assert blocks(_block("\n  a \r\n\n", "\tb\r\n")) == [Edit("\n  a \r\n\n", "\tb\r\n")]


def test_either_side_may_be_empty() -> None:
    assert blocks(_block("", "a\n") + _block("", "")) == [Edit("", "a\n"), Edit("", "")]


@pytest.mark.parametrize(
    ("head", "mid", "tail"),
    [
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
        ("<<<<<<<SEARCH", "======= ", ">>>>>>>REPLACE"),
        ("<<<<<<< SEARCH>", "=======\r", ">>>>>>> REPLACE\r"),
        ("<<<<<<< SEARCH a.py", "=======\t", ">>>>>>> REPLACE done"),
        ("  <<<<<<< SEARCH", "  =======", "  >>>>>>> REPLACE"),
        ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
        ("------- SEARCH", "=======", "+++++++ REPLACE"),
    ],
)
def test_the_markers_may_be_written_a_little_otherwise(head: str, mid: str, tail: str) -> None:
    assert blocks(_block("a\n", "b\n", head=head, mid=mid, tail=tail)) == [Edit("a\n", "b\n")]


@pytest.mark.parametrize(
    ("head", "mid", "tail"),
    [
        ("<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        ("<<<<<<< HEAD", "=======", ">>>>>>> REPLACE"),
        ("<<<<<<< SEARCH", "====", ">>>>>>> REPLACE"),
        ("<<<<<<< SEARCH", "=======", ">>>>>>> main"),
        ("<<<<<<< SEARCH", "-------", ">>>>>>> REPLACE"),
    ],
)
def test_what_is_no_block_has_no_edits(head: str, mid: str, tail: str) -> None:
    assert blocks(_block("a\n", "b\n", head=head, mid=mid, tail=tail)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<<<<<< SEARCH\nc\n", "line 3 of the patch: the block has no '=======' line"),
        ("<<<<<<< SEARCH\nc\n=======\nd\n", "line 3 of the patch: the block has no '>>>>>>> REPLACE' line"),
        ("<<<<<<< SEARCH\nc\n" + _block("a\n", "b\n"), "line 3 of the patch: the block has no '=======' line"),
        (_block("=======\n" * 16, "x\n"), "line 3 of the patch: the block has several '=======' lines"),
    ],
)
def test_a_block_that_is_not_whole_makes_all_malformed(text: str, message: str) -> None:
    with pytest.raises(PatchError) as raised:
        parse("\n\n" + text)
    assert raised.value.message.startswith(message)
    assert blocks(_block("a\n", "b\n") + text) == []
    assert refused(apply_search_replace({"f": "a\n"}, _block("a\n", "b\n") + text)).reason is Reason.MALFORMED


_TITLE = "Title\n=======\n"
_CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    ("before", "block", "after"),
    [
        (f"{_TITLE}x\n", _block(f"{_TITLE}x\n", f"{_TITLE}y\n"), f"{_TITLE}y\n"),
        (
            f"{_TITLE}x\n".replace("\n", "\r\n"),
            _block(f"{_TITLE}x\n", f"{_TITLE}y\n"),
            f"{_TITLE}y\n".replace("\n", "\r\n"),
        ),
        ("Title\n\nx\n", _block("Title\n", _TITLE), f"{_TITLE}\nx\n"),
        (f"{_TITLE}x\n", _block(_TITLE, ""), "x\n"),
        ("Title\n=====\nx\n", _block("Title\n=====\nx\n", "Title\n=====\ny\n"), "Title\n=====\ny\n"),
        (
            f"{_TITLE}x\n",
            _block(_TITLE, "T\n", head="<<<<<<<< SEARCH", mid="========", tail=">>>>>>>> REPLACE"),
            "T\nx\n",
        ),
        (_CONFLICT, _block(_CONFLICT, "ab\n"), "ab\n"),
        (f"x\n{_CONFLICT}", _block(_CONFLICT, _CONFLICT.replace("b", "c")), f"x\n{_CONFLICT}".replace("b", "c")),
        (_CONFLICT, _block("=======\nb\n>>>>>>> topic\n", ">>>>>>> topic\n"), "<<<<<<< HEAD\na\n>>>>>>> topic\n"),
        (_CONFLICT, _block("<<<<<<< HEAD\na\n=======\n", ""), "b\n>>>>>>> topic\n"),
        (f"{_TITLE}x\n", _block("Title\n\\=======\nx\n", "T\n\\=======\nx\n"), "T\n=======\nx\n"),
        (
            f"{_TITLE}x\n{_TITLE}x\n",
            _block(f":start_line:4\n-------\n{_TITLE}x\n", f"{_TITLE}y\n"),
            f"{_TITLE}x\n{_TITLE}y\n",
        ),
    ],
)
def test_rows_of_equals_signs_in_a_text_are_text(before: str, block: str, after: str) -> None:
    assert files_after(apply_search_replace({"a": before}, block)) == {"a": after}


@pytest.mark.parametrize(
    ("before", "block"),
    [
        (f"{_TITLE}z\n", _block("Titel\n=======\nx\n", f"{_TITLE}y\n")),
        (f"{_TITLE}x\n{_TITLE}x\n", _block(f"{_TITLE}x\n", f"{_TITLE}y\n")),
        ("x\n", _block("=======\n" * 100, "x\n")),
    ],
)
def test_a_block_of_which_no_cut_stands_once_is_refused(before: str, block: str) -> None:
    assert refused(apply_search_replace({"a": before}, block)).reason is Reason.MALFORMED


@pytest.mark.parametrize("name", ["f.py", "`f.py`", "# f.py", "./f.py", "File: f.py"])
@pytest.mark.parametrize("above", ["", "Here it is:\n\n"])
def test_a_path_as_the_first_line_of_a_block_is_no_text(name: str, above: str) -> None:
    files = {"f.py": "x = 1\ny = 2\n", "g.py": "x = 1\n"}
    for new in ("x = 3\n", f"{name}\nx = 3\n"):
        after = files_after(apply_search_replace(files, above + _block(f"{name}\nx = 1\n", new)))
        assert after == {**files, "f.py": "x = 3\ny = 2\n"}
    stated = _block(f"{name}\n:start_line:1\n-------\nx = 1\n", "x = 3\n")
    assert files_after(apply_search_replace(files, stated))["f.py"] == "x = 3\ny = 2\n"


def test_a_path_as_the_first_line_of_a_block_stays_where_the_file_has_it() -> None:
    files = {"list": "f.py\ng.py\n", "f.py": "g.py\n"}
    after = files_after(apply_search_replace(files, "list\n" + _block("f.py\ng.py\n", "g.py\n")))
    assert after == {**files, "list": "g.py\n"}


def test_a_short_or_longer_row_of_equals_signs_is_text() -> None:
    old = "Title\n===\n== a\n======= b\n"
    assert blocks(_block(old, "")) == [Edit(old, "")]


def test_a_text_without_blocks_has_no_edits() -> None:
    assert blocks("") == []
    assert blocks("Nothing to change.\n") == []


def test_the_last_marker_may_be_the_end_of_the_text() -> None:
    assert blocks(_block("a\n", "b\n").removesuffix("\n")) == [Edit("a\n", "b\n")]


_TWO = {"a.py": "x\n", "src/b.py": "x\n", "Makefile": "x\n", "my dir/c.txt": "x\n"}


@pytest.mark.parametrize(
    ("above", "path"),
    [
        ("src/b.py\n", "src/b.py"),
        ("b.py\n", "src/b.py"),
        ("./src/b.py\n", "src/b.py"),
        ("src\\b.py\n", "src/b.py"),
        ("a.py\n\n```python\n", "a.py"),
        ("a.py\n<source>python\n", "a.py"),
        ("```python a.py\n", "a.py"),
        ("```python:src/b.py\n", "src/b.py"),
        ('```python title="b.py"\n', "src/b.py"),
        ("```src/b.py\n", "src/b.py"),
        ("**a.py**\n", "a.py"),
        ("### `a.py`:\n", "a.py"),
        ("```\na.py\n", "a.py"),
        ("# a.py\n", "a.py"),
        ("// src/b.py\n", "src/b.py"),
        ("<!-- a.py -->\n", "a.py"),
        ("1. `a.py`\n", "a.py"),
        ("[b.py](src/b.py)\n", "src/b.py"),
        ("File: b.py\n", "src/b.py"),
        ("**File:** `b.py`\n", "src/b.py"),
        ("**Filename: b.py**\n", "src/b.py"),
        ("Makefile\n", "Makefile"),
        ("`Makefile`\n", "Makefile"),
        ("my dir/c.txt\n", "my dir/c.txt"),
        ("File: my dir/c.txt\n", "my dir/c.txt"),
        ("### b.py\n\nSome text here.\n\n", "src/b.py"),
        ("a.py\n\n\n\n\n", "a.py"),
        ("src/b.py, and what it needs:\n\na.py\n", "a.py"),
        ("a.py\n" + _block("z\n", "w\n") + "\n```\n\nThen the other call.\n\n```python\n", "a.py"),
    ],
)
def test_a_block_is_of_the_file_named_above_it(above: str, path: str) -> None:
    files = _TWO | {"a.py": "z\nk\nx\n" if "REPLACE" in above else "x\n"}
    after = files_after(apply_search_replace(files, above + _block("x\n", "y\n"), cascade="exact"))
    assert [name for name in files if after[name] != files[name]] == [path]


@pytest.mark.parametrize(
    ("above", "reason"),
    [
        ("lib/a.py\n", Reason.NOT_FOUND),
        ("File: c.py\n", Reason.NOT_FOUND),
        ("`other file`\n", Reason.NOT_FOUND),
        ("```python c.py\n", Reason.NOT_FOUND),
        ("Dockerfile\n", Reason.NOT_FOUND),
        ("### lib/c.py\n\nSome text.\n", Reason.NOT_FOUND),
        ("my dir/b.py\n", Reason.MALFORMED),
        ("Now the same in b.py:\n", Reason.MALFORMED),
        ("Create other.txt\n", Reason.MALFORMED),
    ],
)
def test_a_name_that_is_no_files_or_in_a_sentence_is_refused(above: str, reason: Reason) -> None:
    for files, first in ((_TWO, "a.py\n" + _block("z\n", "w\n")), ({"a.py": "x\n"}, "")):
        files = files | {"a.py": "z\nx\n"}
        assert refused(apply_search_replace(files, first + above + _block("x\n", "y\n"))).reason is reason


def test_a_sentence_that_mentions_another_of_the_files_is_refused() -> None:
    text = "a.py\n" + _block("x\n", "y\n") + "The Makefile has it too.\n" + _block("y\n", "z\n")
    assert refused(apply_search_replace(_TWO, text)).reason is Reason.MALFORMED
    assert files_after(apply_search_replace({"a.py": "x\n"}, text)) == {"a.py": "z\n"}


def test_a_name_that_could_be_two_files_is_refused() -> None:
    files = {"one/a.py": "x\n", "two/a.py": "y\n"}
    assert refused(apply_search_replace(files, "a.py\n" + _block("x\n", "z\n"))).reason is Reason.AMBIGUOUS


@pytest.mark.parametrize("name", ["File: my file.txt", "`my file.txt`", "my_file.txt", "LICENSE"])
def test_an_empty_search_side_makes_the_file_that_is_named_and_fills_no_other(name: str) -> None:
    after = files_after(apply_search_replace({"a.py": ""}, f"{name}\n" + _block("", "hello\n")))
    assert after == {"a.py": "", name.removeprefix("File: ").strip("`"): "hello\n"}


@pytest.mark.parametrize("name", ["a/b.py", "dir", "a/b/c.py"])
def test_a_file_is_not_made_where_a_directory_would_have_to_be_or_is(name: str) -> None:
    files = {"a": "x", "dir/f": "y"}
    assert refused(apply_search_replace(files, f"`{name}`\n" + _block("", "q\n"))).reason is Reason.NOT_ALLOWED


def test_a_created_file_is_known_to_the_blocks_below() -> None:
    text = "new/b.py\n" + _block("", "one\n") + "b.py\n" + _block("one\n", "two\n")
    assert files_after(apply_search_replace({"a.py": ""}, text)) == {"a.py": "", "new/b.py": "two\n"}
    text = "new\n" + _block("", "one\n") + "new/b.py\n" + _block("", "two\n")
    assert refused(apply_search_replace({"a.py": ""}, text)).reason is Reason.NOT_ALLOWED


@pytest.mark.parametrize(
    "stray",
    [
        "<<<<<<< search\nx\n=======\ny\n>>>>>>> replace\n",
        "<<<< SEARCH\nx\n====\ny\n>>>> REPLACE\n",
        "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> new\n",
        "<<<<<<<<<< SEARCH\nx\n",
        "SEARCH\nx\n=======\ny\n",
        "rest of the new text\n>>>>>>> REPLACE\n",
        ">>>>>>> REPLACE\n",
        "+++++++ replace\n",
        "--- SEARCH\n",
    ],
)
def test_a_damaged_marker_outside_the_blocks_refuses_them_all(stray: str) -> None:
    for text in (_block("z\n", "w\n") + stray, stray + _block("z\n", "w\n")):
        refusal = refused(apply_search_replace({"a.py": "x\nz\n"}, text, cascade="exact"))
        assert refusal.reason is Reason.MALFORMED
        assert "\n" not in refusal.message


def test_a_block_without_a_divider_does_not_take_that_of_the_next() -> None:
    text = "<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n=======\ny\n>>>>>>> REPLACE\n"
    assert refused(apply_search_replace({"a.py": "x\n"}, text)).reason is Reason.MALFORMED


def test_blocks_that_undo_each_other_are_refused() -> None:
    text = _block("x\n", "y\n") + _block("y\n", "x\n")
    assert refused(apply_search_replace({"a.py": "x\n"}, text)).reason is Reason.IDENTICAL


# Whole lines


@pytest.mark.parametrize("cascade", CASCADES)
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("max = 1\nx = 1\n", "x = 1\n", "x = 2\n", "max = 1\nx = 2\n"),
        ("    try:\n        x = 1\n", "x = 1\n", "x = 1\ny = 2\n", "    try:\n        x = 1\n        y = 2\n"),
        ("\tif a:\n\t\tb\n\n\t\tc\n", "if a:\n\tb\n\n\tc\n", "if a:\n\n\tc\n", "\tif a:\n\n\t\tc\n"),
        ("    x\nx\n", "x\n", "y\n", "    x\ny\n"),
    ],
)
def test_blocks_match_whole_lines_or_these_indented_alike(
    cascade: str, before: str, old: str, new: str, after: str
) -> None:
    assert files_after(apply_search_replace({"f": before}, _block(old, new), cascade=cascade)) == {"f": after}


def test_whether_a_block_without_its_head_was_dedented_is_not_guessed() -> None:
    before, old, new = "\tif a:\n\t\tb\n\n\t\tc\n", "if a:\n\tb\n\n\tc\n", "\tb\n\n\tc\n"
    assert files_after(apply_search_replace({"f": before}, _block(old, new), cascade="reference")) == {
        "f": "\t\tb\n\n\t\tc\n"
    }
    refusal = refused(apply_search_replace({"f": before}, _block(old, new), cascade="recommended"))
    assert "not certain how new_string is to be indented" in refusal.message


@pytest.mark.parametrize(
    ("before", "old", "reason"),
    [
        ("max = 1\n", "x = 1\n", Reason.NO_MATCH),
        ("    a\n  b\n", "a\nb\n", Reason.NO_MATCH),
        ("    x\n  x\n", "x\n", Reason.AMBIGUOUS),
        ("    x\n    x\n", "x\n", Reason.AMBIGUOUS),
        ("    a\n    b\n  a\n  b\n", "a\nb\n", Reason.AMBIGUOUS),
    ],
)
def test_a_part_of_a_line_is_no_match(before: str, old: str, reason: Reason) -> None:
    assert refused(apply_search_replace({"f": before}, _block(old, "y\n"), cascade="exact")).reason is reason


@pytest.mark.parametrize("cascade", ["reference", "opencode_1_17"])
def test_lines_found_but_for_whitespace_leave_no_blank_line(cascade: str) -> None:
    after = files_after(apply_search_replace({"f": "a\nb  \nc\n"}, _block("b\n", "d\n"), cascade=cascade))
    assert after == {"f": "a\nd\nc\n"}
    after = files_after(apply_search_replace({"f": "a\nb  "}, _block("b\n", "d\n"), cascade=cascade))
    assert after == {"f": "a\nd"}


# Applying


def test_blocks_go_to_their_files_in_order_each_seeing_the_ones_before() -> None:
    files = {"src/a.py": "x = 1\n", "b.py": "y\n", "c.py": "z\n"}
    text = "a.py\n" + _block("x = 1\n", "x = 2\n") + _block("x = 2\n", "x = 3\n") + "./b.py\n" + _block("y\n", "")
    result = apply_search_replace(files, text)
    assert files_after(result) == {"src/a.py": "x = 3\n", "b.py": "", "c.py": "z\n"}
    assert result.landings == (  # type: ignore[union-attr]
        Landing("src/a.py", 1, 1, "exact"),
        Landing("src/a.py", 2, 1, "exact"),
        Landing("b.py", 3, 1, "exact"),
    )


def test_a_landing_tells_line_and_replacer() -> None:
    result = applied(apply_search_replace({"f": "a\n\tb\nc\n"}, _block("b \n", "d\n")))
    assert [(landing.line, landing.equality) for landing in result.landings] == [(2, "indentation")]


def test_an_empty_search_side_makes_a_file_or_fills_an_empty_one() -> None:
    text = "new.py\n" + _block("", "a\n") + "empty.py\n" + _block("", "b\n")
    assert files_after(apply_search_replace({"empty.py": ""}, text)) == {"empty.py": "b\n", "new.py": "a\n"}
    full = "full.py\n" + _block("", "a\n")
    assert refused(apply_search_replace({"full.py": "x\n"}, full, cascade="reference")).reason is Reason.EMPTY
    assert files_after(apply_search_replace({"full.py": "x\n"}, full)) == {"full.py": "x\na\n"}, "as aider does"


def test_the_only_file_there_is_needs_no_name_but_no_other_one() -> None:
    assert files_after(apply_search_replace({"f": "a\n"}, _block("a\n", "b\n"))) == {"f": "b\n"}
    assert refused(apply_search_replace({"f": "a\n"}, "other.py\n" + _block("a\n", "b\n"))).reason is Reason.NOT_FOUND


def test_carriage_returns_of_the_answer_are_dropped_where_the_file_has_none() -> None:
    text = _block("a\nb\n", "c\nd\n").replace("\n", "\r\n")
    assert files_after(apply_search_replace({"f": "a\nb\n"}, text)) == {"f": "c\nd\n"}
    assert files_after(apply_search_replace({"f": "a\r\nb\r\n"}, text)) == {"f": "c\r\nd\r\n"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.MALFORMED),
        ("No blocks.", Reason.MALFORMED),
        (_block("a\n", "b\n"), Reason.MALFORMED),
        ("no.py\n" + _block("a\n", "b\n"), Reason.NOT_FOUND),
        ("../f.py\n" + _block("a\n", "b\n"), Reason.OUTSIDE_WORKSPACE),
        ("/f.py\n" + _block("a\n", "b\n"), Reason.OUTSIDE_WORKSPACE),
        ("f.py\n" + _block("a\n", "a\n"), Reason.IDENTICAL),
        ("f.py\n" + _block("nowhere to be found\n", "b\n"), Reason.NO_MATCH),
        ("f.py\n" + _block("a\n", "b\n") + "g.py\n" + _block("nowhere to be found\n", "b\n"), Reason.NO_MATCH),
    ],
)
def test_what_can_not_be_done_leaves_every_file_alone(text: str, reason: Reason) -> None:
    files = {"f.py": "a\n", "g.py": "g\n"}
    refusal = refused(apply_search_replace(files, text))
    assert refusal.reason is reason
    assert refusal.files is None
    assert files == {"f.py": "a\n", "g.py": "g\n"}


def test_a_refusal_tells_the_line_of_the_block() -> None:
    refusal = refused(apply_search_replace({"f": "a\nx\nx\n"}, _block("a\n", "b\n") + _block("x\n", "y\n")))
    assert refusal.reason is Reason.AMBIGUOUS
    assert refusal.message.startswith("line 6 of the patch: ")


@pytest.mark.parametrize("cascade", CASCADES)
def test_each_block_goes_through_the_cascade_that_was_asked_for(cascade: str) -> None:
    text = _block("a\n", "b\n")
    assert files_after(apply_search_replace({"f": "a\nc\n"}, text, cascade=cascade)) == {"f": "b\nc\n"}


def test_a_long_file_takes_a_hundred_blocks_and_a_short_one_more() -> None:
    lines = [f"x = {n}\n" for n in range(250)]
    text = "".join(_block(line, f"y{line}") for line in lines[:150])
    short, long = "".join(lines), "".join(lines) + "# more\n" * 20_000
    assert isinstance(apply_search_replace({"f": short}, text), Applied)
    refusal = refused(apply_search_replace({"f": long}, text))
    assert refusal.reason is Reason.TOO_LARGE
    assert "f has 119 blocks or more: a file of 142,008 characters takes 118" in refusal.message


def test_markers_of_ten_signs_and_more_are_read_and_shorter_rules_between_them_are_text() -> None:
    text = "T\n=======\nx\n"
    block = f"{'<' * 12} SEARCH\n{text}{'=' * 12}\nT\n=======\ny\n{'>' * 12} REPLACE\n"
    assert files_after(apply_search_replace({"f.py": text}, block))["f.py"] == "T\n=======\ny\n"


# The last line without a line feed, and the byte order mark


@pytest.mark.parametrize("cascade", ["exact", "recommended", "reference"])
def test_the_last_line_is_a_line_without_its_line_feed_too(cascade: str) -> None:
    files = {"f": "load(1)\nload(2)\nload(1)"}
    twice = apply_search_replace(files, _block("load(1)\n", "load(3)\n"), cascade=CASCADES[cascade])
    assert refused(twice).reason is Reason.AMBIGUOUS
    last = apply_search_replace(files, _block("load(2)\nload(1)\n", "load(3)\n"), cascade=CASCADES[cascade])
    assert files_after(last) == {"f": "load(1)\nload(3)"}


@pytest.mark.parametrize("cascade", ["exact", "recommended"])
def test_a_byte_order_mark_stays_in_front_of_the_first_line(cascade: str) -> None:
    files = {"f": "\ufeffload(1)\nload(2)\n"}
    result = apply_search_replace(files, _block("load(1)\n", "load(1)\nload(3)\n"), cascade=CASCADES[cascade])
    assert files_after(result) == {"f": "\ufeffload(1)\nload(3)\nload(2)\n"}
