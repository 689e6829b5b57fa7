"""Envelopes: what the text cases can't say of a result, its landings, notes, messages and switches."""

from __future__ import annotations

import pytest

from editcore import Applied, EditResult, Landing, Reason, apply_begin_patch
from editcore.patches.begin_patch import READINGS, Reading
from tests.results import applied, files_after, refused

BEGIN, END = "*** Begin Patch\n", "*** End Patch\n"
TEXT = "one\ntwo\nthree\nfour\n"


def _apply(body: str, text: str = TEXT, *, reading: Reading = "lenient") -> EditResult:
    return apply_begin_patch({"f": text}, f"{BEGIN}*** Update File: f\n{body}{END}", reading=reading)


@pytest.mark.parametrize(
    ("text", "body", "line", "tier", "notes"),
    [
        (TEXT, "@@\n-two\n+2\n", 2, "exact", ()),
        (TEXT.replace("\n", "\r\n"), "@@\n-two\n+2\n", 2, "line_endings", ()),
        (TEXT, "@@\n one  \n-two\n+2\n", 1, "right_trimmed", ()),
        (" x\n  one\n  two\n", "@@\n one\n-two\n+2\n", 2, "trimmed", ("re-indented",)),
        ("x\none\ntwo\n", "@@\n   one\n-  two\n+  2\n", 2, "trimmed", ("re-indented",)),
        ("x\nsay \u201chi\u201d\n", '@@\n-say "hi"\n+2\n', 2, "folded", ()),
        (
            "  one\n  two\n",
            "@@\n  one\n-  two\n+  2\n",
            1,
            "right_trimmed",
            ("context lines lacked their leading space",),
        ),
        (TEXT, "@@ three\n+new\n", 4, "anchor", ()),
        (TEXT, "@@\n+new\n*** End of File\n", 5, "anchor", ()),
        ("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n", 3, "exact", ("placed at the end of the file",)),
        ("def f():\n  x\ndef g():\n  x\n", "@@ def g():\n-  x\n+  y\n", 4, "exact", ("placed by its @@ line",)),
        ("x\n" * 3 + "y\n" * 20 + "x\n", "@@ -24 +24 @@\n-x\n+z\n", 24, "exact", ("placed by its line number",)),
    ],
)
def test_a_landing_tells_line_tier_and_notes(
    text: str, body: str, line: int, tier: str, notes: tuple[str, ...]
) -> None:
    assert applied(_apply(body, text)).landings == (Landing("f", 1, line, tier, notes),)


def test_hunks_are_numbered_within_their_file_and_lines_are_those_before() -> None:
    update = "*** Update File: f\n@@\n-one\n+1\n+1\n@@\n-four\n+4\n*** Update File: g\n@@\n-x\n+y\n"
    patch = f"{BEGIN}{update}*** Add File: n\n+a\n{END}"
    for reading in READINGS:
        result = applied(apply_begin_patch({"f": TEXT, "g": "x\n"}, patch, reading=reading))
        assert [(landing.path, landing.hunk, landing.line) for landing in result.landings] == [
            ("f", 1, 1),
            ("f", 2, 4),
            ("g", 1, 1),
        ]


def test_the_order_of_the_hunks_is_noted_where_it_decided() -> None:
    result = applied(_apply("@@\n-b\n+c\n@@\n-a\n+d\n", "a\nb\na\n"))
    assert result.landings[1] == Landing("f", 2, 3, "exact", ("placed by the order of the hunks",))


@pytest.mark.parametrize(
    ("patch", "note"),
    [
        (f"*** Update File: f\n@@\n-two\n+2\n{END}", "'*** Begin Patch' is missing"),
        (f"{BEGIN}*** Update File: f\n@@\n-two\n+2\n", "'*** End Patch' is missing"),
        (f"{BEGIN}*** Update File: f\n@@\n-two\n+2*** End Patch\n", "the end marker was glued to the last line"),
        (f"{BEGIN}*** Update File: f\n@@ -2 +2 @@\n-two\n+2\n{END}", "line numbers were taken as hints"),
        (f"{BEGIN}*** Update File: f\n@@\none\n-two\n+2\n{END}", "context lines lacked their leading space"),
        (f"{BEGIN}*** Update File: f\n@@\n-two\n+2\n{END}".replace("\n", "\\n"), "read as one JSON string"),
    ],
)
def test_what_was_overlooked_in_reading_is_noted(patch: str, note: str) -> None:
    result = applied(apply_begin_patch({"f": TEXT}, patch))
    assert result.notes == (note,)
    assert result.files == {"f": TEXT.replace("two", "2")}


def test_a_backslash_in_a_single_line_is_no_json_where_it_can_not_be() -> None:
    assert refused(apply_begin_patch({}, "*** Begin Patch\\n\\q")).reason is Reason.MALFORMED


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "@@\n one\n-too\n+2\n",
            "line 3 of the patch: the hunk's first 1 line(s) stand at line 1 of f, "
            "but then the file has 'two' where the hunk has 'too': copy the lines exactly.",
        ),
        (
            "@@\n four\n-five\n+5\n",
            "line 3 of the patch: the hunk's first 1 line(s) stand at line 4 of "
            "f, but then the file ends where the hunk has 'five': copy the lines exactly.",
        ),
        (
            "@@\n \n zero\n-four\n+4\n",
            "line 3 of the patch: the hunk's first line, '', stands nowhere in "
            "f, but 'four' at line 4: read the file again and copy the lines exactly.",
        ),
        (
            "@@\n-zero\n+0\n",
            "line 3 of the patch: the hunk's first line, 'zero', stands nowhere in f: "
            "read the file again and copy the lines exactly.",
        ),
        (
            "@@\n-two\n+2\n@@\n-two\n+3\n",
            "line 6 of the patch: the hunk overlaps hunk 1, which changes the same lines: join the two.",
        ),
        ("@@\n-2\n+two\n", "line 3 of the patch: the change stands in f already, at line 2."),
        ("@@\n one\n+two\n", "line 3 of the patch: the change stands in f already, at line 1."),
    ],
)
def test_a_refusal_says_where_and_what_to_do(body: str, message: str) -> None:
    assert refused(_apply(body)).message == message


def test_a_refusal_names_the_true_difference_where_strict_is_stricter() -> None:
    refusal = refused(_apply("@@\n   one\n two\n-three\n+3\n", reading="strict"))
    assert "'   one'" not in refusal.message
    assert refusal.message.startswith(
        "line 3 of the patch: the hunk's first line, '  one', stands nowhere in f, but 'two'"
    )


def test_candidates_are_the_places_as_positions_in_the_text() -> None:
    text = "x\ny\nx\ny\n"
    refusal = refused(_apply("@@\n x\n-y\n+z\n", text))
    assert refusal.reason is Reason.AMBIGUOUS
    assert [text[match.start : match.end] for match in refusal.candidates] == ["x\ny", "x\ny"]
    near = refused(_apply("@@\n one\n-too\n+2\n"))
    assert [TEXT[match.start : match.end] for match in near.candidates] == ["one\ntwo"]


def test_at_most_ten_candidates_are_listed_and_all_are_counted() -> None:
    refusal = refused(_apply("@@\n-x\n+z\n", "x\n" * 12))
    assert len(refusal.candidates) == 10
    assert "in 12 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)" in refusal.message


def test_a_message_is_one_line_of_bounded_length_whatever_it_quotes() -> None:
    refusal = refused(apply_begin_patch({}, f"{BEGIN}*** Delete File: a\u2028b\x85c{END}{END}"))
    assert len(refusal.message.splitlines()) == 1
    refusal = refused(_apply(f"@@\n-{'x' * 5_000}\n+y\n"))
    assert len(refusal.message) < 1_100
    assert refusal.message.endswith("copy the lines exactly.")


@pytest.mark.parametrize("reading", ["strict", "lenient"])
def test_of_several_places_the_first_is_taken_on_request(reading: Reading) -> None:
    patch = f"{BEGIN}*** Update File: f\n@@\n-x\n+z\n{END}"
    result = apply_begin_patch({"f": "a\nx\nb\nx\n"}, patch, reading=reading, on_ambiguous="first")
    assert files_after(result) == {"f": "a\nz\nb\nx\n"}
    assert applied(result).landings[0].notes == ("the first of several places",)
    many = apply_begin_patch({"f": "x\n" * 6_000}, patch, reading=reading, on_ambiguous="first")
    assert (applied(many).files or {})["f"].startswith("z\nx\n")


def test_the_first_place_is_below_the_hunk_before() -> None:
    patch = f"{BEGIN}*** Update File: f\n@@\n-a\n+b\n@@\n-x\n+z\n{END}"
    result = apply_begin_patch({"f": "x\na\nx\nx\n"}, patch, on_ambiguous="first")
    assert files_after(result) == {"f": "x\nb\nz\nx\n"}


@pytest.mark.parametrize("reading", ["strict", "lenient"])
def test_deleting_and_moving_may_be_forbidden(reading: Reading) -> None:
    delete = f"{BEGIN}*** Delete File: f\n{END}"
    move = f"{BEGIN}*** Update File: f\n*** Move to: g\n@@\n-one\n+1\n{END}"
    for patch, switch in ((delete, "allow_delete"), (move, "allow_move")):
        forbidden = apply_begin_patch({"f": TEXT}, patch, reading=reading, **{switch: False})  # type: ignore[arg-type]
        assert refused(forbidden).reason is Reason.NOT_ALLOWED
        applied(apply_begin_patch({"f": TEXT}, patch, reading=reading))
    same = move.replace("Move to: g", "Move to: ./f")
    assert files_after(apply_begin_patch({"f": TEXT}, same, reading=reading, allow_move=False)) == {
        "f": TEXT.replace("one", "1")
    }


def test_a_path_with_a_nul_or_none_at_all_is_refused() -> None:
    for path in ("a\0b", ".", "./.", "a/../..", "c:/x"):
        assert (
            refused(apply_begin_patch({}, f"{BEGIN}*** Add File: {path}\n+x\n{END}")).reason is Reason.OUTSIDE_WORKSPACE
        )


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        # Uniformly deeper, also with tabs, also relative to a file that has some already; blank lines don't count.
        ("\tif x:\n\t\ta\n\n\t\tb\n", "@@\n if x:\n \ta\n \n-\tb\n+\tc\n+\n+d\n", "\tif x:\n\t\ta\n\n\t\tc\n\n\td\n"),
        ("  \ta\n  \tb\n", "@@\n \ta\n-\tb\n+\tc\n", "  \ta\n  \tc\n"),
        ("a\nb\n", "@@\n     a\n-    b\n+      c\n", "a\n  c\n"),
    ],
)
def test_added_lines_are_indented_by_the_one_difference(text: str, body: str, after: str) -> None:
    assert files_after(_apply(body, text)) == {"f": after}


@pytest.mark.parametrize(
    ("text", "body", "message"),
    [
        # What is flat in the patch has two depths in the file.
        ("  a\n    b\n", "@@\n a\n-b\n+c\n", "indented in several other ways"),
        ("  a\n    b\n", "@@\n a\n b\n+c\n", "indented in several other ways"),
        # The new line has an indentation that no line of the patch shows in the file.
        ("\ta\n\t\tb\n", "@@\n   a\n     b\n+   c\n", "indented in several other ways"),
        # This hunk alone is off.
        ("  a\n  b\nc\n  d\n", "@@\n   a\n-  b\n+  B\n@@\n c\n     d\n+    e\n", "copy the indentation of the file"),
    ],
)
def test_a_difference_in_indentation_that_is_not_one_is_refused(text: str, body: str, message: str) -> None:
    refusal = refused(_apply(body, text))
    assert refusal.reason is Reason.NO_MATCH
    assert message in refusal.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "@@\n a\n*** Nonsense\n",
            "line 5 of the patch: '*** Nonsense' is neither a header nor a line of a hunk: "
            "begin lines of hunks with a blank, + or -.",
        ),
        (
            "@@\n-one\n+1\n*** End of File\n-two\n",
            "line 7 of the patch: a line follows the end of the file: put it above '*** End of File'.",
        ),
    ],
)
def test_lines_that_mean_nothing_are_refused_with_their_number(body: str, message: str) -> None:
    assert refused(_apply(body)).message == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("@@\n one\n\n", "this one is empty"),
        ("@@\n one\n*** End of File\n\n", "Expected an @@ line after the end of the file"),
        ("*** End of File\n", "the end of the file is marked before any line"),
        ("@@\n*** End of File\n", "the end of the file is marked before any line"),
        ("@@ \n-one\n+1\n", "a marker is followed by whitespace"),
        ("@@\n@@\n-one\n+1\n", "does not contain any lines"),
        ("\ttext\n", "unexpected line in a hunk"),
        ("@@\n-one\n+1\n*** Move to: g\n", "unexpected line in an update"),
    ],
)
def test_strict_takes_the_grammar_to_the_letter(body: str, message: str) -> None:
    refusal = refused(_apply(body, reading="strict"))
    assert refusal.reason is Reason.MALFORMED
    assert message in refusal.message


def test_an_environment_may_be_named_once_and_not_be_empty_in_codex() -> None:
    section = "*** Delete File: f\n"
    for head, is_applied in (("*** Environment ID: e\n", True), ("*** Environment ID: \n", False)):
        result = apply_begin_patch({"f": ""}, BEGIN + head + section + END, reading="codex")
        assert isinstance(result, Applied) is is_applied
    twice = apply_begin_patch({"f": ""}, BEGIN + "*** Environment ID: e\n" * 2 + section + END, reading="codex")
    assert refused(twice).reason is Reason.MALFORMED


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        # A last empty line that is not there is dropped, from both sides if it is the last of both.
        ("one\ntwo\n", "@@\n one\n-two\n+2\n \n", "one\n2\n"),
        ("one\ntwo\n", "@@\n one\n-two\n-\n+2\n", "one\n2\n"),
        ("one\ntwo\n", "@@\n one\n-two\n-\n+2\n+\n", "one\n2\n"),
        ("one\ntwo\n", "@@\n one\n-two\n-\n", "one\n"),
        ("one\ntwo\n", "@@\n-one\n-two\n-\n", ""),
        ("one\n", "@@\n one\n \n+2\n", "one\n\n2\n"),
        ("one\n\n", "@@\n one\n-\n+2\n", "one\n2\n"),
    ],
)
def test_codex_searches_again_without_a_last_empty_line(text: str, body: str, after: str) -> None:
    assert files_after(_apply(body, text, reading="codex")) == {"f": after}


def test_blank_lines_at_the_end_of_a_section_are_nothing() -> None:
    assert files_after(_apply("@@\n-four\n+4\n*** End of File\n\n", reading="codex")) == {
        "f": TEXT.replace("four", "4")
    }
    added = apply_begin_patch({}, f"{BEGIN}*** Add File: n\n+a\n\n{END}")
    assert files_after(added) == {"n": "a\n"}


def test_codex_goes_forward_only_and_takes_the_first_match_of_the_first_tier() -> None:
    assert refused(_apply("@@\n-two\n+2\n@@\n-one\n+1\n", reading="codex")).reason is Reason.NO_MATCH
    result = applied(_apply("@@\n-x\n+y\n", " x\nx\nx\n", reading="codex"))
    assert result.files == {"f": " x\ny\nx\n"}
    assert result.landings == (Landing("f", 1, 2, "exact"),)
    assert applied(_apply("@@ one\n+new\n", reading="codex")).landings == (Landing("f", 1, 5, "appended"),)


def test_a_thousand_hunks_are_all_placed() -> None:
    text = "".join(f"line {n}\n" for n in range(3_000))
    body = "".join(f"@@\n line {n}\n-line {n + 1}\n+new {n + 1}\n" for n in range(0, 3_000, 3))
    result = applied(_apply(body, text))
    assert len(result.landings) == 1_000
    assert (result.files or {})["f"].count("new") == 1_000
