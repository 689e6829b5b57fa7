"""Edits and patches of files in other encodings: bytes outside the edited lines stay unchanged."""

from __future__ import annotations

from random import Random

import pytest

from corpora.mutators import MUTATORS
from corpora.mutators.bytes import BYTE_MUTATORS
from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged
from editcore.text.encodings import faithful
from editcore.types import File

TEXT = "".join(f"def f{n}(x):\n    y = x * {n}\n    return y + {n}\n\n" for n in range(1, 9))
START = TEXT.index("    y = x * 4")
CLEAN = CleanEdit("a.py", TEXT, START, START + len("    y = x * 4"), "    y = x ** 4")
PATCH = CleanPatch((File("a.py", TEXT),), (File("a.py", CLEAN.target),))
FILES = [one for one in BYTE_MUTATORS if one.name.endswith(("_file", "_diff", "_envelope")) and one.truth == "apply"]


def damaged(name: str, n: int) -> Damaged | None:
    mutator = MUTATORS[name]
    return mutator.damaged(CLEAN if mutator.format == "str_replace" else PATCH, 1 + n % 5, Random(n))


@pytest.mark.parametrize("name", [one.name for one in FILES if one.name != "bom_mid_file"])
def test_the_right_answer_changes_the_lines_of_the_edit_alone(name: str) -> None:
    found = [one for one in (damaged(name, n) for n in range(20)) if one is not None]
    assert found
    for one in found:
        [before], [target] = one.before, one.target or ()
        assert before.raw is not None
        assert target.raw is not None
        assert (before.encoding, faithful(target.raw, target.encoding)) == (target.encoding, target.content)
        width = before.encoding if before.encoding and before.encoding.startswith("utf-16") else "ascii"
        assert before.raw.replace("x * 4".encode(width), "x ** 4".encode(width)) == target.raw


@pytest.mark.parametrize("ending", ["diff", "envelope"])
def test_a_patch_shows_no_byte_that_is_no_text(ending: str) -> None:
    found = [one for one in (damaged(f"one_bad_byte_{ending}", n) for n in range(60)) if one is not None]
    assert 0 < len(found) < 60
    assert all(one.patch and "\udcef" not in one.patch and "\udcef" in one.before[0].content for one in found)


@pytest.mark.parametrize("ending", ["diff", "envelope"])
def test_new_lines_that_the_encoding_lacks_have_to_be_refused(ending: str) -> None:
    found = [one for one in (damaged(f"unencodable_new_{ending}", n) for n in range(10)) if one is not None]
    assert found
    for one in found:
        assert (one.target, one.edits, one.reason) == (None, None, "unencodable")
        added = next(line for line in (one.patch or "").split("\n") if line.startswith("+ "))
        with pytest.raises(UnicodeEncodeError):
            added.encode(one.before[0].encoding or "")
