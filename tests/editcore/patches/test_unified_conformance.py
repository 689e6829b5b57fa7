"""Unified diffs beside what GNU patch and git apply made of them, and beside what was meant.

The file, `unified.jsonl`, is not part of this repository; where it is looked for, see `tests.conformance`. A row has
`name`, `before` (path -> text), `patch`, `expected_after` (null where no reading is safe) and, by program, `verdict`
and, where it changed files otherwise than expected, `after`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from editcore import Applied, EditResult, apply_unified_diff
from editcore.patches.unified_diff import Strictness
from tests.conformance import conformance

BESIDE: dict[Strictness, str] = {"fuzz": "gnu_patch", "strict": "git_apply"}
"""Strictness -> the program it is like."""

EXCEPTIONS = {
    "fuzz-hdr.count_too_large": "it takes the lines that are short for blank lines at the end; ours is exact",
    "fuzz-ctx.skipped_line": "it takes the lines that are short for blank lines at the end; ours is exact",
    "fuzz-hdr.huge": "its numbers end at 2^63; ours are hints of any size",
    "fuzz-file.only_plus_header": "one header is enough for it; ours wants both, which tolerant does not",
    "fuzz-file.spaces_in_name": "a name with blanks ends at the first for it, without a tab; ours is the whole line",
    "fuzz-wrap.indented_4": "it outdents a diff; ours leaves that to tolerant",
    "fuzz-enc.bom_before_headers": "it passes over a byte order mark; ours leaves that to tolerant",
    "fuzz-body.crlf_patch_lf_file": "it strips carriage returns off a diff; ours leaves that to tolerant",
    "fuzz-body.crlf_both": "it strips carriage returns off a diff, and then finds no match; ours keeps them",
    "fuzz-multi.duplicate_hunk": "it applies the first of two; ours is all or nothing",
    "fuzz-multi.one_bad_of_two": "it applies the first of two; ours is all or nothing",
    "fuzz-del.partial_content": "it removes the lines and keeps the file; ours is all or nothing",
    "fuzz-rev.already_applied": "asked nothing, it takes the change back; ours refuses",
    "fuzz-new.start_1_1": "it takes a new file for a missing one where the range does not begin at 0",
    "strict-hdr.start_off_by_10": "it searches for the place; ours wants positions to be right",
    "strict-hdr.huge": "it searches for the place; ours wants positions to be right",
    "strict-ctx.none_replace": "it wants context unless asked otherwise; ours wants the number to be right",
    "strict-ctx.none_insert": "it appends lines without context to the file; ours puts them where the number says",
}
"""Rows on which we differ, and why. One on which we don't is an error too."""

FILE = conformance("unified.jsonl")
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").split("\n") if line] if FILE and FILE.exists() else []

pytestmark = pytest.mark.skipif(
    FILE is None, reason="no unified.jsonl: name its folder in EDITGAUGE_CONFORMANCE to compare with other programs"
)


def _after(row: dict[str, Any], result: EditResult) -> dict[str, str]:
    return dict(result.files or {}) if isinstance(result, Applied) else row["before"]


def _their_after(row: dict[str, Any], program: str) -> dict[str, str]:
    theirs = row[program]
    if "after" in theirs:
        return dict(theirs["after"])
    unchanged = theirs["verdict"] == "rejected" or row["expected_after"] is None
    return dict(row["before"] if unchanged else row["expected_after"])


def _verdict(row: dict[str, Any]) -> str:
    result = apply_unified_diff(row["before"], row["patch"])
    if row["expected_after"] is None:
        return "unsafe" if isinstance(result, Applied) else "refused"
    if _after(row, result) == row["expected_after"]:
        return "right"
    return "wrong" if isinstance(result, Applied) else "missed"


def _pairs() -> list[Any]:
    return [
        pytest.param(row, strictness, id=f"{strictness}-{row['name']}{': ' if reason else ''}{reason}")
        for strictness in BESIDE
        for row in ROWS
        for reason in [EXCEPTIONS.get(f"{strictness}-{row['name']}", "")]
    ]


@pytest.mark.parametrize(("row", "strictness"), _pairs())
def test_every_row_agrees_with_the_program_or_is_a_listed_exception(
    row: dict[str, Any], strictness: Strictness
) -> None:
    ours = _after(row, apply_unified_diff(row["before"], row["patch"], strictness=strictness))
    reason = EXCEPTIONS.get(f"{strictness}-{row['name']}")
    if reason is None:
        assert ours == _their_after(row, BESIDE[strictness])
    else:
        assert ours != _their_after(row, BESIDE[strictness]), f"no longer an exception ({reason}): take it off the list"


@pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in ROWS])
def test_tolerant_is_never_wrong_and_refuses_what_has_no_safe_reading(row: dict[str, Any]) -> None:
    assert _verdict(row) in (("right", "missed") if row["expected_after"] is not None else ("refused",))


def test_tolerant_is_right_more_often_than_any_program_measured() -> None:
    verdicts = [_verdict(row) for row in ROWS if row["expected_after"] is not None]
    print(f"{verdicts.count('right')} of {len(verdicts)} right")
    assert len(verdicts) >= 50
    assert verdicts.count("right") >= 0.65 * len(verdicts)


def test_every_exception_is_a_row() -> None:
    assert EXCEPTIONS.keys() <= {f"{strictness}-{row['name']}" for strictness in BESIDE for row in ROWS}
