"""Unified diffs: what the text cases can't say of a result, its landings, notes and messages."""

from __future__ import annotations

import pytest

from editcore import EditResult, Landing, Reason, apply_unified_diff
from editcore.patches.reading.file_headers import unquoted
from editcore.patches.unified_diff import STRICTNESSES, Strictness
from tests.results import applied, files_after, refused

HEAD = "--- a/f\n+++ b/f\n"
TEXT = "".join(f"line {n}\n" for n in range(1, 21))


def _apply(body: str, text: str = TEXT, *, strictness: Strictness = "tolerant") -> EditResult:
    return apply_unified_diff({"f": text}, HEAD + body, strictness=strictness)


HUNK = " line 9\n-line 10\n+ten\n line 11\n"
FUZZY = " line 7\n line x\n line 9\n-line 10\n+ten\n line 11\n line y\n line 13\n"


@pytest.mark.parametrize(
    ("header", "body", "strictness", "landing"),
    [
        ("@@ -9,3 +9,3 @@", HUNK, "strict", Landing("f", 1, 9, "exact")),
        ("@@ -9,3 +9,3 @@", HUNK, "tolerant", Landing("f", 1, 9, "exact")),
        ("@@ -12,3 +12,3 @@", HUNK, "offset", Landing("f", 1, 9, "exact", ("offset -3",))),
        ("@@ -2,3 +2,3 @@", HUNK, "fuzz", Landing("f", 1, 9, "exact", ("offset 7",))),
        ("@@ -7,7 +7,7 @@", FUZZY, "fuzz", Landing("f", 1, 9, "fuzz", ("fuzz 2",))),
        ("@@ -8,7 +8,7 @@", FUZZY, "fuzz", Landing("f", 1, 9, "fuzz", ("fuzz 2", "offset -1"))),
        ("@@", HUNK, "tolerant", Landing("f", 1, 9, "exact")),
        ("@@", HUNK.replace("line 9", "line 9  "), "tolerant", Landing("f", 1, 9, "right_trimmed")),
    ],
)
def test_a_landing_tells_line_tier_and_notes(header: str, body: str, strictness: Strictness, landing: Landing) -> None:
    result = applied(_apply(f"{header}\n{body}", strictness=strictness))
    assert result.landings == (landing,)
    assert result.files == {"f": TEXT.replace("line 10\n", "ten\n")}


@pytest.mark.parametrize(
    ("patch", "note"),
    [
        (f"@@ @@\n{HUNK}", "file headers were missing"),
        (f"+++ b/f\n@@ @@\n{HUNK}", "one of the two file headers was missing"),
        (f"--- /root/f\n+++ /root/f\n@@ @@\n{HUNK}", "directories before the path were dropped"),
        (f"{HEAD}@@ @@\n{HUNK}".replace("\n", "\r\n"), "carriage returns of the patch itself were dropped"),
        (f"> {HEAD}@@ @@\n{HUNK}".replace("\n", "\n> ") + "\n", "quotation marks before each line were dropped"),
        (f"  {HEAD}@@ @@\n{HUNK}".replace("\n", "\n  ") + "\n", "the indentation of the whole patch was dropped"),
        (f"{HEAD}@@ @@\n{HUNK}".replace("\n ", "\n"), "context lines lacked their leading space"),
        (f"{HEAD}@@ @@\n line 1\n@@ @@\n{HUNK}", "a hunk that changes nothing was passed over"),
        (f"{HEAD}@@ @@\n-line 1\n+line 1\n{HEAD}@@ @@\n{HUNK}", "the file header stood before each hunk"),
    ],
)
def test_what_was_overlooked_in_reading_is_noted(patch: str, note: str) -> None:
    result = applied(apply_unified_diff({"f": TEXT}, patch))
    assert result.notes == (note,)
    assert result.files == {"f": TEXT.replace("line 10\n", "ten\n")}


@pytest.mark.parametrize("strictness", ["strict", "offset", "fuzz"])
@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        ("@@ -5 +5 @@\n-nope\n+x\n", Reason.NO_MATCH, "line 3 of the patch: the hunk does not fit f at line 5"),
        (
            "@@ -9,3 +9,3 @@\n line 9\n-10\n+line 10\n line 11\n",
            Reason.IDENTICAL,
            "line 3 of the patch: the change stands in f already, at line 9.",
        ),
        (
            "@@ -9,2 +9,2 @@\n-line 9\n+nine\n line 10\n@@ -9,3 +9,3 @@\n line 9\n-line 10\n+ten\n line 11\n",
            Reason.AMBIGUOUS,
            "line 7 of the patch: the hunk stands at line 9 of f, above the end of the one before it",
        ),
        (
            "@@ -9 +9 @@\n-line 9\n+nine\n@@ -2 +2 @@\n-line 2\n+two\n",
            Reason.MALFORMED,
            "line 6 of the patch: the hunk stands at line 2 of f, above the end of the one before it",
        ),
        (
            "@@ -9,3 +9,3 @@\n line 9\nline 10\n",
            Reason.MALFORMED,
            "line 5 of the patch: unexpected line in a hunk: 'line 10'.",
        ),
        (
            "@@ -9,2 +9,1 @@\n line 9\n+x\n",
            Reason.MALFORMED,
            "line 3 of the patch: the hunk is not as long as its header says.",
        ),
        ("@@ -9,1 +9,1 @@\n line 9\n", Reason.MALFORMED, "line 3 of the patch: the hunk changes nothing."),
        (
            "@@ -9 +9 @@\n-line 9\n+x\n-line 10\n",
            Reason.MALFORMED,
            "line 3 of the patch: the hunk is longer than its header says.",
        ),
        (f"@@ -{'9' * 5_000} +1 @@\n-a\n+b\n", Reason.MALFORMED, "line 3 of the patch: '@@ -999"),
    ],
)
def test_a_refusal_by_numbers_says_where_and_why(
    strictness: Strictness, body: str, reason: Reason, message: str
) -> None:
    refusal = refused(_apply(body, strictness=strictness))
    assert refusal.reason is reason
    assert refusal.message.startswith(message)
    assert len(refusal.message) < 1_100


@pytest.mark.parametrize(
    ("patch", "reason", "message"),
    [
        ("--- /dev/null\n@@ @@\n+a\n", Reason.MALFORMED, "the file has no name"),
        ("--- a/f\n+++ b/f\n@@ @@ line 99\n+a\n", Reason.AMBIGUOUS, "does not say where"),
        ('diff --git "a/f"\n@@ @@\n-line 1\n+a\n', Reason.MALFORMED, "belongs to no file"),
        (f"{HEAD}@@ @@\n line 1\n-line 2\n+x\n line 3\n+y", Reason.MALFORMED, "cut off"),
        (f"{HEAD}+x\n", Reason.AMBIGUOUS, "does not say where"),
        (f"{HEAD} line 1\n", Reason.MALFORMED, "there is no @@ line"),
        ("+x\n line 1\n@@ @@\n-line 2\n+b\n", Reason.MALFORMED, "the rest of a hunk"),
        ("diff --git /etc/x /etc/x\nnew file mode 100644\n", Reason.OUTSIDE_WORKSPACE, "not a path inside"),
    ],
)
def test_tolerant_refuses_what_it_can_not_be_certain_of(patch: str, reason: Reason, message: str) -> None:
    files = {"f": TEXT, "g": ""}
    refusal = refused(apply_unified_diff(files, patch))
    assert message in refusal.message
    assert refusal.reason is reason


@pytest.mark.parametrize("strictness", STRICTNESSES)
def test_a_rename_with_quoted_names_and_a_file_with_blanks_in_its_name(strictness: Strictness) -> None:
    patch = (
        'diff --git "a/caf\\303\\251" "b/new name"\nrename from "caf\\303\\251"\nrename to new name\n'
        "diff --git a/my file b/my file\n--- a/my file\t\n+++ b/my file\t\n@@ -1 +1 @@\n-x\n+y\n"
    )
    result = applied(apply_unified_diff({"caf\u00e9": "q\n", "my file": "x\n"}, patch, strictness=strictness))
    assert result.files == {"new name": "q\n", "my file": "y\n"}


def test_one_of_the_two_names_of_git_may_be_quoted() -> None:
    patch = 'diff --git "a/caf\\303\\251" b/new\nrename from "caf\\303\\251"\nrename to new\n'
    for strictness in STRICTNESSES:
        assert files_after(apply_unified_diff({"caf\u00e9": "q\n"}, patch, strictness=strictness)) == {"new": "q\n"}
    nameless = refused(apply_unified_diff({"f": TEXT}, "diff --git f\n@@ -1 +1 @@\n-line 1\n+x\n", strictness="strict"))
    assert (
        nameless.message == "line 1 of the patch: the file has no name: give it below as '--- a/PATH' and '+++ b/PATH'."
    )


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("a/f", "a/f"),
        ("a/f\t2024-01-01 00:00:00", "a/f"),
        ("a/f 2024-01-01 00:00:00.000 +0100", "a/f"),
        ("a/my file\t", "a/my file"),
        ('"a/\\303\\251\\t\\"\\q"', 'a/é\t"q'),
        ('"a/\\377"', "a/\xff"),
        ('"a/\u4e2d\\001"', "a/\u4e2d\x01"),
        ('"', '"'),
        ("a/f\r", "a/f"),
    ],
)
def test_a_name_is_unquoted_and_without_its_time_stamp(header: str, name: str) -> None:
    assert unquoted(header) == name


@pytest.mark.parametrize(
    ("text", "body", "after"),
    [
        # A line in place of the last one ends as that did; one below it has a line feed.
        ("a\nb", "@@ @@\n-b\n+c\n", "a\nc"),
        ("a\nb", "@@ @@\n-b\n+c\n+d\n", "a\nc\nd"),
        ("a\nb", "@@ @@\n-b\n\\ No newline at end of file\n+c\n", "a\nc\n"),
        ("a\nb", "@@ @@\n-a\n+c\n", "c\nb"),
        ("a\nb", "@@ @@\n-b\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("a\nb\n", "@@ @@\n-b\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("a\nb", "@@ @@\n a\n b\n+c\n", "a\nb\nc\n"),
        # The line that was last, without an ending, gets that of its file when another comes below it.
        ("a\r\nb", "@@ @@\n a\n b\n+c\n", "a\r\nb\r\nc\r\n"),
        ("", "@@ -0,0 +1 @@\n+c\n", "c\n"),
    ],
)
def test_the_last_line_feed_is_kept_unless_the_patch_says_otherwise(text: str, body: str, after: str) -> None:
    assert files_after(_apply(body, text)) == {"f": after}


def test_a_fence_or_prose_below_a_hunk_of_many_unmarked_lines_is_found_at_once() -> None:
    body = "@@ @@\n" + "".join(f"line {n}\n" for n in range(1, 20)) + "-line 20\n+twenty\nThat is all.\n"
    assert files_after(_apply(body)) == {"f": TEXT.replace("line 20", "twenty")}


def test_a_thousand_hunks_are_all_placed_whatever_their_numbers() -> None:
    text = "".join(f"line {n}\n" for n in range(3_000))
    hunks = [(n, f" line {n}\n-line {n + 1}\n+new {n + 1}\n line {n + 2}\n") for n in range(0, 3_000, 3)]
    for header in ("@@ -{0},3 +{0},3 @@", "@@"):
        result = applied(_apply("".join(f"{header.format(n + 1)}\n{hunk}" for n, hunk in hunks), text))
        assert len(result.landings) == 1_000
        assert (result.files or {})["f"].count("new") == 1_000


@pytest.mark.parametrize("strictness", STRICTNESSES)
def test_a_quoted_name_of_a_new_file_keeps_its_tab(strictness: Strictness) -> None:
    hunk = "@@ -0,0 +1 @@\n+a\n"
    quoted = apply_unified_diff({}, f'--- /dev/null\n+++ "b/new\\t"\n{hunk}', strictness=strictness)
    assert quoted.files == {"new\t": "a\n"}


def test_a_name_with_notes_without_end_is_refused() -> None:
    name = "a.py" + " (working copy)" * 3000
    result = apply_unified_diff({"a.py": "x\n", "b.py": ""}, f"--- {name}\n+++ {name}\n@@ -1 +1 @@\n-x\n+y\n")
    assert refused(result).reason is Reason.NOT_FOUND
