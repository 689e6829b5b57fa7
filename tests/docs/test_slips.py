"""The same changes under the same slips in every format."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import pytest

from corpora.sample import Sample
from docs.formats import CAREFUL
from docs.slips import FORMATS, SLIPS, call_text, slipped
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Applied, Edit, File, Rejected
from harness.run.scoring import Judge
from harness.strategies.registry import strategy

BEFORE = "import os\n\n\ndef area(w, h):\n    total = w * h\n    return total\n\n\ndef name():\n    return os.name\n"
OLD = "    total = w * h\n    return total"
NEW = "    total = w * h * 2\n    total += 1\n    return total"
AFTER = BEFORE.replace(OLD, NEW)
SAMPLE = Sample(
    "one", "str_replace", (File("a.py", BEFORE),), "apply", edits=(Edit(OLD, NEW),), target=(File("a.py", AFTER),)
)
MADE = list(slipped([SAMPLE], n=1))
BY_SLIP = {make.__name__: tuple(formats) for make, formats in SLIPS.items()}


def made(slip: str, format: str) -> Sample:
    (found,) = (one for one in MADE if (one.provenance.mutator, one.format) == (slip, format))
    return found


def test_each_slip_is_in_all_formats_that_can_have_it() -> None:
    found = defaultdict(list)
    for one in MADE:
        found[one.provenance.mutator].append(one.format)
    assert {slip: tuple(formats) for slip, formats in found.items()} == BY_SLIP
    assert len({one.id for one in MADE}) == len(MADE)
    assert {one.provenance.parent_id for one in MADE} == {MADE[0].provenance.parent_id}


@pytest.mark.parametrize("slip", BY_SLIP)
def test_the_files_and_the_right_answer_are_the_same_in_all_formats(slip: str) -> None:
    same = [(one.before, one.target, one.seen, one.label) for one in MADE if one.provenance.mutator == slip]
    assert all(one == same[0] for one in same)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_meant_is_made_of_every_format(format: str) -> None:
    meant = made("as_meant", format)
    assert meant.target == (File("a.py", AFTER),)
    result = strategy(CAREFUL[format]).apply(meant, None)
    assert isinstance(result, Applied)
    assert Judge(meant).score(result).verdict == "correct"


@pytest.mark.parametrize(
    ("slip", "before", "target"),
    [
        ("made_since", AFTER, None),
        ("cut_off", BEFORE, None),
        ("echoed", BEFORE, AFTER),
        ("flush_left", BEFORE, AFTER),
        ("tabs_for_spaces", BEFORE, AFTER),
        ("miscounted", BEFORE, AFTER),
    ],
)
def test_the_right_answer_is_that_of_the_slip(slip: str, before: str, target: str | None) -> None:
    one = made(slip, BY_SLIP[slip][-1])
    assert one.before[0].content == before
    assert (one.target[0].content if one.target else None) == target


@pytest.mark.parametrize("slip", ["added_above", "copied_above", "changed_within"])
def test_a_file_that_has_changed_since_was_seen_otherwise(slip: str) -> None:
    one = made(slip, "str_replace")
    assert one.seen == (File("a.py", BEFORE),) != one.before
    assert (one.target is None) == (slip == "changed_within")
    assert one.target is None or one.target[0].content.endswith(AFTER)


def test_a_slip_is_written_as_each_format_writes_it() -> None:
    line = made("miscounted", "line_range")
    assert (line.line, line.end_line) in ((4, 5), (6, 7))
    by = (line.line or 0) - 5
    assert f"@@ -{2 + by},8 +{2 + by},9 @@" in (made("miscounted", "unified_diff").patch or "")
    assert f"PUT {5 + by}.={6 + by}:" in (made("miscounted", "hashline_h4").patch or "")
    meant, slipped_one = (made(slip, "hashline_h2").patch or "" for slip in ("as_meant", "miscounted"))
    ends = [re.findall(r'"(\d)#(\w+)"', call) for call in (meant, slipped_one)]
    assert ends[1] == [(str(int(n) + by), hashed) for n, hashed in ends[0]]
    assert made("flush_left", "str_replace").edits == (
        Edit("total = w * h\nreturn total", "total = w * h * 2\ntotal += 1\nreturn total"),
    )
    assert (made("echoed", "begin_patch").patch or "").count("+def area(w, h):\n") == 1


@pytest.mark.parametrize("format", ["hashline_h2", "exhash"])
def test_a_call_in_json_that_is_cut_off_is_none(format: str) -> None:
    cut = made("cut_off", format)
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut.patch or "")
    assert isinstance(strategy("anchors/recommended").apply(cut, None), Rejected)


def test_a_change_that_no_format_has_under_a_slip_is_in_none() -> None:
    flat = Sample(
        "flat", "str_replace", (File("a.md", "one\ntwo\nthree\n"),), "apply", edits=(Edit("two", "2"),),
        target=(File("a.md", "one\n2\nthree\n"),),
    )  # fmt: skip
    slips = {one.provenance.mutator for one in slipped([flat], n=1)}
    assert slips == {*BY_SLIP} - {"flush_left", "tabs_for_spaces", "cut_off"}
    assert not list(slipped([flat], n=0))


def test_the_call_is_what_a_model_writes() -> None:
    assert json.loads(call_text(made("as_meant", "str_replace"))) == {
        "path": "a.py", "old_string": OLD, "new_string": NEW
    }  # fmt: skip
    assert json.loads(call_text(made("as_meant", "line_range")))["text"] == f"{NEW}\n"
    assert all(call_text(made("as_meant", format)) == made("as_meant", format).patch for format in ANCHORED_FORMATS)
