"""How far hints go: anchors, numbers, order and ends of files, each at the edge where it stops to decide."""

from __future__ import annotations

import pytest

from editcore import Applied, Reason, Rejected, apply_begin_patch, apply_unified_diff, replace
from editcore.patches.begin_patch import Reading
from editcore.patches.placing.anchors import Anchors
from editcore.patches.placing.candidates import NO_ANCHOR
from editcore.patches.unified_diff import Strictness
from editcore.text.line_index import LineIndex
from tests.results import applied, files_after, refused


def changed(text: str, hunks: str, *, reading: Reading = "lenient") -> list[int] | str:
    """The 1-based lines that a patch of hunks changed, or the message of its refusal."""
    patch = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"
    result = apply_begin_patch({"f": text}, patch, reading=reading)
    if isinstance(result, Rejected):
        return result.message.partition(": ")[2]
    before, after = text.split("\n"), (result.files or {})["f"].split("\n")
    return [number for number, (old, new) in enumerate(zip(before, after, strict=False), 1) if old != new]


def after(text: str, hunks: str, *, strictness: Strictness = "tolerant") -> str | Reason:
    """The text after a diff of hunks, or the reason of its refusal."""
    result = apply_unified_diff({"f": text}, f"--- a/f\n+++ b/f\n{hunks}", strictness=strictness)
    return (result.files or {})["f"] if isinstance(result, Applied) else result.reason


X = "-  x\n+  y\n"
TWO = "the hunk fits f in 2 places (lines {}, {}): add context lines that make it unique."


@pytest.mark.parametrize(
    ("text", "header", "line"),
    [
        # A block ends at the next line that is indented no deeper and begins with a word, an underscore or an at.
        ("def a():\n  x\ndef b():\n  x\n", "@@ def a():", 2),
        ("def a():\n  x\n_b = [\n  x\n]\n", "@@ def a():", 2),
        ("def a():\n  x\n@b(\n  x\n)\n", "@@ def a():", 2),
        ("def a(\n  p,\n):\n  x\ndef b():\n  x\n", "@@ def a(", 4),
        ("{\n  x\n}\nb {\n  x\n}\n", "@@ b {", 5),
        ("a\nb\n  x\nc\n  x\n", "@@ a", None),
        # An anchor is a whole line, else the beginning of one up to the end of a word.
        ("b\n  x\nb c\n  x\n", "@@ b", 2),
        ("class Cats:\n  x\nclass Cat(B):\n  x\n", "@@ class Cat", 4),
        ("class Cat_s:\n  x\nclass Cat(B):\n  x\n", "@@ class Cat", 4),
        ("def run(a):\n  x\ndef go(a):\n  x\n", "@@ def run(", 2),
        ("say “b”\n  x\nc\n  x\n", '@@ say "b"', 2),
        # Several narrow each other down: inside of the block of the one before, else below it.
        ("a\n b\n  x\nc\n b\n  x\n", "@@ c\n@@  b", 6),
        ("a\n  x\nb\nc\n  x\n", "@@ a\n@@ c", 5),
        # Of more than a hundred lines none is a hint.
        ("b\n" * 100 + "  x\nc\n  x\n", "@@ b", 101),
        ("b\n" * 101 + "  x\nc\n  x\n", "@@ b", None),
        # What may be dots or numbers is none.
        ("...\n  x\nc\n  x\n", "@@ ...", None),
        ("line 2\n  x\nc\n  x\n", "@@ line 2", None),
    ],
)
def test_an_anchor_chooses_between_two_places(text: str, header: str, line: int | None) -> None:
    places = [number for number, one in enumerate(text.split("\n"), 1) if one == "  x"]
    assert changed(text, f"{header}\n{X}") == (TWO.format(*places) if line is None else [line])


def test_a_place_that_begins_the_next_block_is_not_in_the_one_of_the_anchor() -> None:
    assert changed("x\nb\n c\nx\nx\n", "@@ b\n-x\n+y\n") == (
        "the hunk fits f in 3 places (lines 1, 4, 5): add context lines that make it unique."
    )


def test_the_only_place_below_an_anchor_that_stands_once_is_meant() -> None:
    assert changed("x\nb\n c\nx\n", "@@ b\n-x\n+y\n") == [4]


@pytest.mark.parametrize(
    ("anchor", "is_noted"),
    [("b", False), ("  c", False), ("c", False), ("c(x)", False), ("c(", False), ("no", True), ("x", True)],
)
@pytest.mark.parametrize("n_hunks", [1, 20])
def test_an_anchor_that_stands_nowhere_is_noted(anchor: str, is_noted: bool, n_hunks: int) -> None:
    text = "b\n  c(x)\n" + "".join(f"{n}\n" for n in range(n_hunks))
    hunks = "".join(f"@@ {anchor}\n-{n}\n+{n}!\n" for n in range(n_hunks))
    result = applied(apply_begin_patch({"f": text}, f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"))
    assert {one.notes for one in result.landings} == {(NO_ANCHOR,) if is_noted else ()}


@pytest.mark.parametrize(
    ("first", "second", "stated", "line"),
    [
        (2, 5, 2, 2),  # On the line itself: the other three lines off or more.
        (2, 4, 2, None),
        (2, 20, 3, None),  # One line off: the nearer one would be a guess.
        (2, 20, 19, None),
    ],
)
def test_a_number_chooses_the_place_at_that_line(first: int, second: int, stated: int, line: int | None) -> None:
    text = "".join(("x" if number in (first, second) else f"line {number}") + "\n" for number in range(1, 25))
    expected = TWO.format(first, second) if line is None else [line]
    assert changed(text, f"@@ -{stated} +{stated} @@\n-x\n+y\n") == expected


def test_a_number_is_meant_from_where_the_hunk_before_went() -> None:
    text = "".join(("x" if number in (4, 14) else f"line {number}") + "\n" for number in range(1, 25))
    # Ten lines up from what it says, and so is the next.
    assert changed(text, "@@ -12 +12 @@\n-line 2\n+LINE\n@@ -14 +14 @@\n-x\n+y\n") == [2, 4]
    assert changed(text, "@@ -2 +2 @@\n-line 2\n+LINE\n@@ -14 +14 @@\n-x\n+y\n") == [2, 14]


def test_the_end_of_the_file_chooses_the_last_of_any_number_of_places() -> None:
    end = "*** End of File\n"
    assert changed("x\na\nx\n", f"@@\n-x\n+y\n{end}") == [3]
    assert changed("x\na\nx\na\nx\n", f"@@\n-x\n+y\n{end}") == [5]
    assert changed("x\na\nx\na\n", f"@@\n-x\n+y\n{end}") == TWO.format(1, 3)


@pytest.mark.parametrize(
    ("n_places", "shown"),
    [
        (10, "in 10 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"),
        (11, "in 11 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"),
        (5000, "in 5000 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"),
        (5001, "in more than 5000 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"),
    ],
)
def test_many_places_are_counted_and_ten_are_shown(n_places: int, shown: str) -> None:
    message = f"the hunk fits f {shown}: add context lines that make it unique."
    assert changed("x\n" * n_places, "@@\n-x\n+y\n") == message


def test_look_alike_characters_are_the_same_in_what_a_refusal_points_at() -> None:
    text = "say “q”\nb\n"
    assert changed(text, '@@\n nowhere\n-say "q"\n') == (
        "the hunk's first line, 'nowhere', stands nowhere in f, but 'say \"q\"' at line 1: "
        "read the file again and copy the lines exactly."
    )
    assert changed(text, '@@\n say "q"\n-nowhere\n') == (
        "the hunk's first 1 line(s) stand at line 1 of f, but then the file has 'b' where the hunk has 'nowhere': "
        "copy the lines exactly."
    )


@pytest.mark.parametrize(
    ("text", "hunk"),
    [
        ('  x = "q"\n', "-x = “q”\n+x = 2\n"),
        ("  x = ‘q’\n", "-    x = 'q'\n+    x = 2\n"),
        ("  x = 'q'\n", "-\t  x = 'q'\n+\t  x = 2\n"),
    ],
)
def test_added_lines_are_indented_as_those_they_replace(text: str, hunk: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: f\n@@\n{hunk}*** End Patch\n"
    assert files_after(apply_begin_patch({"f": text}, patch)) == {"f": "  x = 2\n"}


@pytest.mark.parametrize(
    ("text", "hunks", "result"),
    [
        ("a\nb\r\nc\r\n", "@@ b\n+x\n", "a\nb\r\nx\r\nc\r\n"),
        ("a\r\nb\nc\n", "@@ b\n+x\n", "a\r\nb\nx\nc\n"),
        ("a\nb\r\nc\r\n", "@@\n a\n b\n+x\n c\n", "a\nb\r\nx\r\nc\r\n"),
        ("a\r\nb\nc\n", "@@\n+x\n a\n", "x\r\na\r\nb\nc\n"),
        # A last line without a line feed gets the file's when something follows it.
        ("a\r\nb", "@@\n b\n+x\n", "a\r\nb\r\nx"),
        ("a\r\nb", "@@\n b\n+x\n+y\n", "a\r\nb\r\nx\r\ny"),
        ("a\r\nb", "@@\n a\n b\n+x\n", "a\r\nb\r\nx"),
        ("a\r\nb", "@@\n+x\n*** End of File\n", "a\r\nb\r\nx"),
        ("a\r\nb", "@@\n+x\n b\n", "a\r\nx\r\nb"),
        ("a\r\nb\nc", "@@\n-a\n+x\n", "x\r\nb\nc"),
        ("b", "@@\n b\n+x\n", "b\nx"),
        ("a\r\nc\nb", "@@\n b\n+x\n", "a\r\nc\nb\r\nx"),
    ],
)
def test_an_added_line_ends_as_the_one_above_it(text: str, hunks: str, result: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"
    assert files_after(apply_begin_patch({"f": text}, patch))["f"] == result


# Diffs


@pytest.mark.parametrize(
    ("strictness", "text", "hunks", "result"),
    [
        # The second hunk is off by as much as the first: of several places the one there is taken.
        ("offset", "0\n0\n0\n0\n0\na\nx\nb\nx\n0\n0\nx\n0\nx\n",
         "@@ -2,3 +2,3 @@\n 0\n-a\n+A\n x\n@@ -9 +9 @@\n-x\n+y\n",
         "0\n0\n0\n0\n0\nA\nx\nb\nx\n0\n0\ny\n0\nx\n"),
        # Only a hunk said to be at the first line has to be there.
        ("offset", "0\n0\nb\nc\n", "@@ -2,2 +2,2 @@\n-b\n+B\n c\n", "0\n0\nB\nc\n"),
        ("offset", "0\n0\nb\nc\n", "@@ -1,2 +1,2 @@\n-b\n+B\n c\n", Reason.NO_MATCH),
        ("strict", "host\nport\n", "@@ -1 +1,2 @@\n-x\n+host\n+port\n", Reason.IDENTICAL),
        # Marks for missing line feeds, in any order.
        ("strict", "a\nb", "@@ -2 +2 @@\n+c\n\\ No newline at end of file\n-b\n\\ No newline at end of file\n", "a\nc"),
        ("tolerant", "a\nb", "@@ -9 +9 @@\n+c\n\\ No newline at end of file\n-b\n\\ No newline at end of file\n",
         "a\nc"),
        ("tolerant", "a\nb\n", "@@ -9 +9 @@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
         Reason.NO_MATCH),
        ("tolerant", "a\nb\nc", "@@ -9,3 +9,3 @@\n a\n b\n-c\n\\ No newline at end of file\n+d\n", "a\nb\nd\n"),
        ("tolerant", "a\nb", "@@ -9,2 +9,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n", "c\nb"),
        ("tolerant", "a\nb", "@@ -9 +9 @@\n-a\n\\ No newline at end of file\n+c\n", Reason.NO_MATCH),
        ("tolerant", "a\r\nb", "@@ -9 +9,2 @@\n b\n+c\n", "a\r\nb\r\nc\r\n"),
        ("tolerant", "a\r\nb", "@@ -9 +9 @@\n-b\n+c\n", "a\r\nc"),
        # Right to the letter, but read again: the file has a mark or endings that the patch does not tell of.
        ("tolerant", "\ufeffa\n", "@@ -0,0 +1 @@\n+b\n", Reason.NO_MATCH),
        ("tolerant", "\ufeffa\nb\nb\nb\n", "@@ -2,3 +2,2 @@\n b\n b\n-b\n", "\ufeffa\nb\nb\n"),
        ("tolerant", "\ufeff" + "a\n" * 6, "@@ -3,4 +3,3 @@\n a\n a\n a\n-a\n", "\ufeff" + "a\n" * 5),
        ("tolerant", "\ufeffa\nb\n", "@@ -2 +2 @@\n-b\n+c\n", "\ufeffa\nc\n"),
        ("tolerant", "a\r\nb", "@@ -2 +2,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n", "a\r\nb\r\nc\r\n"),
        ("tolerant", "a\nb", "@@ -2 +2,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n", "a\nb\nc\n"),
        ("tolerant", "a\r\nx\nb", "@@ -3 +3,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n", "a\r\nx\nb\nc\n"),
        ("tolerant", "a\r\nb\r\n", "@@ -2 +2,2 @@\n b\r\n+c\r\n", "a\r\nb\r\nc\r\n"),
        # What ends a hunk.
        ("tolerant", "a\nb\n", "@@ -9 +9 @@\n-a\n+c\n~~~\n", "c\nb\n"),
        ("tolerant", "a\nb\n", "@@ -9 +9 @@\n-a\n+c\n--\n2.40\n", "c\nb\n"),
        ("tolerant", "a\nb\n", "@@\n-a\n+c\nThat is all.\n", "c\nb\n"),
        ("tolerant", "a\nb\n", "@@\n b\n-a\nThat is all.\n", Reason.NO_MATCH),
        ("tolerant", "a\nb\nc\n", "@@\n b\n-c\nThat is all.\n", "a\nb\n"),
        ("tolerant", "a\n\tb\n", "@@\n-a\n+c\n\tb\n", "c\n\tb\n"),
        ("tolerant", "a\nb\n", "@@\n-a\n+c\n\td\n", Reason.NO_MATCH),
        ("tolerant", "a\nb\n", "@@ -9 +9,3 @@\n-a\n+c\n+d\n", Reason.MALFORMED),
        ("tolerant", "a\nb\n", "@@ -9 +9 @@\n-a\n+c\n---", Reason.MALFORMED),
        ("tolerant", "a\nb\n", "@@ -9 +9 @@\n-a\n+c\n--- ", Reason.MALFORMED),
    ],
)  # fmt: skip
def test_hunks_of_a_diff(strictness: Strictness, text: str, hunks: str, result: str | Reason) -> None:
    assert after(text, hunks, strictness=strictness) == result


def test_a_rest_of_a_hunk_above_the_headers_is_seen_behind_a_mark_too() -> None:
    rest = "+lost\n\\ No newline at end of file\n"
    assert after("a\n", "@@ -9 +9 @@\n-a\n+b\n") == "b\n"
    for head in ("--- a/f\n+++ b/f\n", "diff --git a/f b/f\n"):
        assert refused(apply_unified_diff({"f": "a\n"}, f"{rest}{head}@@ -9 +9 @@\n-a\n+b\n")).message == (
            "line 1 of the patch: the lines above the header look like the rest of a hunk: "
            "send the patch again whole, or without them."
        )


def test_names_in_quotes_name_the_file_that_is_there() -> None:
    patch = 'diff --git "a/a b" "b/c d"\n@@ -1 +1 @@\n-a\n+b\n'
    assert files_after(apply_unified_diff({"c d": "a\n"}, patch, strictness="strict")) == {"c d": "b\n"}
    assert refused(apply_unified_diff({"a b": "a\n"}, patch, strictness="strict")).reason is Reason.AMBIGUOUS


def test_a_renaming_has_one_header_whatever_its_numbers() -> None:
    patch = (
        "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -9 +9 @@\n-a\n+b\n"
        "diff --git a/h b/h\nnew file mode 100644\n--- /dev/null\n+++ b/h\n@@ -0,0 +1,9 @@\n+c\n"
    )
    assert files_after(apply_unified_diff({"f": "a\n"}, patch)) == {"g": "b\n", "h": "c\n"}


@pytest.mark.parametrize("line", ["copy from f", "copy to g"])
def test_either_half_of_a_copy_is_refused(line: str) -> None:
    result = refused(apply_unified_diff({"f": "a\n"}, f"diff --git a/f b/g\n{line}\n@@ -1 +1 @@\n-a\n+b\n"))
    assert result.reason == Reason.NOT_ALLOWED


def test_a_new_file_has_one_hunk() -> None:
    patch = "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+a\n@@ -0,0 +2 @@\n+b\n"
    for strictness in ("strict", "tolerant"):
        assert refused(apply_unified_diff({"f": "a\n"}, patch, strictness=strictness)).reason == Reason.MALFORMED


# As Codex has it


@pytest.mark.parametrize(
    ("text", "hunks", "result"),
    [
        ("a\nb\n", "@@\n+x\n@@\n-a\n+A\n", "A\nb\nx\n"),
        ("a\nb\n", "@@\n+x\n@@\n+y\n", "a\nb\nx\ny\n"),
        ("a\nb\n", "@@\n-a\n+A\n b\n*** End of File\n", "A\nb\n"),
        ("a\nx\n  b\n", "@@\n-b\n+B\n*** End of File\n", "a\nx\nB\n"),
        ("a\nb\nx\nb\n", "@@\n-x\n+y\n b\n@@ b\n-b\n+c\n", None),
        ("a\nb\nx\n", "@@\n-x\n+y\n@@\n-b\n \n", None),
        ("b\na\nb\n", "@@\n-b\n+c\n \n*** End of File\n", "b\na\nc\n"),
        ("a\r\nb\nc\nd\n", "@@\n-d\n+D\n", "a\r\nb\nc\nD\r\n"),
    ],
)
def test_codex(text: str, hunks: str, result: str | None) -> None:
    patch = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n"
    outcome = apply_begin_patch({"f": text}, patch, reading="codex")
    assert (outcome.files or {})["f"] == (text if result is None else result)
    assert isinstance(outcome, Rejected) is (result is None)


# What is meant where nothing is said


def test_defaults() -> None:
    assert replace("a\n  b\n", "b\n", "c\n") == replace("a\n  b\n", "b\n", "c\n", cascade="recommended")
    files = {"f": "x\nx\n", "g": "a\n", "h": "b\n"}
    twice = "*** Begin Patch\n*** Update File: f\n@@\n-x\n+y\n*** End Patch\n"
    assert apply_begin_patch(files, twice) == apply_begin_patch(files, twice, reading="lenient", on_ambiguous="refuse")
    both = "*** Begin Patch\n*** Delete File: g\n*** Update File: h\n*** Move to: i\n*** End Patch\n"
    assert apply_begin_patch(files, both) == apply_begin_patch(files, both, allow_delete=True, allow_move=True)


NESTED = [
    "class Cat:",
    "    def run(self):",
    "        go()",
    "",
    "    _speed = 1",
    "    @property",
    "    def size(self):",
    "        return 1",
    "class Cats:",
    "\tdef run(self):",
    "\t\tgo()",
    "_CATS = [",
    "    Cat(),",
    "]",
    "@cached",
    "def run():",
    "    go()",
    "def runs():",
    "    go()",
]


def test_anchors_say_the_same_once_a_table_is_made_of_them() -> None:
    texts = sorted({line.strip()[:n] for line in NESTED for n in (3, 5, 7, 9, 40)} | {"nowhere"})
    places = range(len(NESTED))
    for n_lines in (1, 2):
        used = Anchors(LineIndex(NESTED))
        for text in texts * 2:
            fresh = Anchors(LineIndex(NESTED))
            assert used.lines([text]) == fresh.lines([text]), text
            assert used.places_within([text], places, n_lines) == fresh.places_within([text], places, n_lines), text
    assert Anchors(LineIndex(NESTED)).places_within(["class Cat"], places, 1) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert Anchors(LineIndex(NESTED)).places_within(["@cached"], places, 1) == [14]
    assert Anchors(LineIndex(NESTED)).places_within(["def runs"], places, 1) == [17, 18]
