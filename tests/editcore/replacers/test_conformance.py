"""Agreement, row by row, with a file of inputs and the answers two released versions gave to them.

The file, `replacers.jsonl`, is not part of this repository. It is looked for in the folder that
EDITGAUGE_CONFORMANCE names, else in a folder `conformance` of a neighbour of the checkout. A row has
`id`, `content`, `find`, `replace`, `replaceAll`, `level` and, by version, `observed`: `ok`, `result` or
`error`, `via` (the deciding replacer) and `candidate`.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from editcore import Applied, EditResult, replace
from tests.conformance import conformance
from tests.original import CASCADE_OF, outcome, refusal

EXCEPTIONS = {
    "C3-1.0.0": "`$` patterns in the new text of replace_all: ours is literal",
    "C3-1.18.34": "`$` patterns in the new text of replace_all: ours is literal",
    "C10-1.0.0": "an empty find hangs there: ours refuses it",
    "B7-1.18.34": "characters beyond U+FFFF are two units there and one here, which is what the threshold sees",
}
"""Rows on which we differ, and why. One on which we don't is an error too."""

AT_LEAST = 50
"""Rows that make the file worth the name."""


FILE = conformance("replacers.jsonl")
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").split("\n") if line] if FILE and FILE.exists() else []

pytestmark = pytest.mark.skipif(
    FILE is None, reason="no replacers.jsonl: name its folder in EDITGAUGE_CONFORMANCE to compare with the original"
)


def _ours(row: dict[str, Any], cascade: str) -> EditResult:
    content, find, new = row["content"], row["find"], row["replace"]
    if row["level"] == "replace":
        return replace(content, find, new, replace_all=row["replaceAll"], cascade=cascade)
    # Rows of the tool round it: texts are converted to the file's line ending, and a byte order mark is set aside.
    mark = "\ufeff" if content.startswith("\ufeff") else ""
    content = content.removeprefix(mark)
    ending = "\r\n" if "\r\n" in content else "\n"
    find, new = (text.replace("\r\n", "\n").replace("\n", ending) for text in (find, new))
    result = replace(content, find, new, replace_all=row["replaceAll"], cascade=cascade)
    if isinstance(result, Applied):
        return Applied(mark + (result.content or ""), result.matches, result.replacer)
    return result


def _snake(name: str) -> str:
    """LineTrimmedReplacer -> line_trimmed"""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Replacer")).lower()


def _disagreement(row: dict[str, Any], version: str) -> str | None:
    """How our answer to a row differs from that of a version, or None."""
    ours, theirs = _ours(row, CASCADE_OF[version]), row["observed"][version]
    wanted = ("applied", theirs["result"]) if theirs["ok"] else refusal(theirs["error"])
    if outcome(ours) != wanted:
        return f"{outcome(ours)} instead of {wanted}"
    if not isinstance(ours, Applied):
        return None
    (match, *_) = ours.matches
    candidate = row["content"].removeprefix("\ufeff" if row["level"] == "tool" else "")[match.start : match.end]
    if (ours.replacer, candidate) != (_snake(theirs["via"]), theirs["candidate"]):
        return f"by {ours.replacer} with {candidate!r} instead of {theirs['via']} with {theirs['candidate']!r}"
    return None


@pytest.mark.parametrize("version", CASCADE_OF)
@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_every_row_agrees_or_is_a_listed_exception(row: dict[str, Any], version: str) -> None:
    disagreement = _disagreement(row, version)
    reason = EXCEPTIONS.get(f"{row['id']}-{version}")
    if reason is None:
        assert disagreement is None
    else:
        assert disagreement is not None, f"no longer an exception ({reason}): take it off the list"


def test_the_file_is_not_empty_and_has_every_exception() -> None:
    print(f"{len(ROWS)} rows, {len(EXCEPTIONS)} exceptions")
    known = {f"{row['id']}-{version}" for row in ROWS for version in CASCADE_OF}
    assert len(ROWS) >= AT_LEAST
    assert {row["level"] for row in ROWS} <= {"replace", "tool"}
    assert EXCEPTIONS.keys() <= known
