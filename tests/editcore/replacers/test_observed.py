"""Agreement with the original on random inputs.

`tests/data/observed.jsonl` was made by running the replacers and the `replace` function of two released
versions of the original, 1.0.0 and 1.18.34, on generated texts: repeated and nearly repeated lines,
drifted finds, escapes, carriage returns, odd white space, some with replace_all. A row has the
input, the candidate lists of the nine replacers as 1.18.34 gave them (cut after 2,001 entries) and the
result of each version: its text, or its error. Nothing here runs the original again.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from editcore import CASCADES, Document, replace
from tests.original import CASCADE_OF, outcome, refusal

FILE = Path(__file__).parents[2] / "data" / "observed.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").split("\n") if line]
CUT = 2_001
OPENCODE_1_17 = CASCADES["opencode_1_17"]


def _differences(version: str) -> list[dict[str, Any]]:
    differences = []
    for row in ROWS:
        ours = replace(
            row["content"], row["old_string"], row["new_string"], replace_all=row["replace_all"],
            cascade=CASCADE_OF[version],
        )  # fmt: skip
        theirs = row["observed"][version]
        wanted = ("applied", theirs["ok"]) if "ok" in theirs else refusal(theirs["err"])
        if outcome(ours) != wanted:
            differences.append({**row, "ours": outcome(ours)})
    return differences


@pytest.mark.parametrize("version", CASCADE_OF)
def test_every_result_is_that_of_the_original(version: str) -> None:
    assert _differences(version) == []


@pytest.mark.parametrize("index", range(len(OPENCODE_1_17.order)), ids=OPENCODE_1_17.order)
def test_every_list_of_candidates_is_that_of_the_original(index: int) -> None:
    _, replacer = list(OPENCODE_1_17.rungs)[index]
    differences = []
    for row in ROWS:
        ours = list(islice(replacer(Document(row["content"]), row["old_string"]), CUT))
        if ours != row["candidates"][index]:
            differences.append({**row, "ours": ours})
    assert differences == []


def test_the_rows_show_every_replacer_and_every_kind_of_end() -> None:
    print(f"{len(ROWS)} rows")
    assert len(ROWS) >= 800
    assert all(any(row["candidates"][index] for row in ROWS) for index in range(9))
    for version in CASCADE_OF:
        ends = {next(iter(row["observed"][version])) for row in ROWS}
        assert ends == {"ok", "err"}
