"""Every format: what its writer writes, its careful rule applies; and what no format takes is refused."""

from __future__ import annotations

import pytest

from editcore.cascade import CASCADES
from editcore.formats import FORMATS, Written
from editcore.formats.format import unique_pairs
from editcore.patches.sections import MAX_SECTIONS
from editcore.text.encodings import bytes_file, with_text
from editcore.types import Applied, Edit, Reason, Rejected

PATH = "shop.py"
BEFORE = "a = 1\nb = 2\nb = 2\nc = 3\nd = 4\n"
CHANGES = {
    "a line": BEFORE.replace("c = 3", "c = 30"),
    "one of two equal lines": "a = 1\nb = 2\nb = 20\nc = 3\nd = 4\n",
    "a new line": BEFORE.replace("c = 3\n", "c = 3\nx = 9\n"),
    "a line that goes": BEFORE.replace("a = 1\n", ""),
    "both ends": BEFORE.replace("a = 1", "a = 10").replace("d = 4", "d = 40"),
    "the last line feed": BEFORE.removesuffix("\n"),
}
RULE = CASCADES["recommended"]


def text_after(name: str, written: Written, seen: dict[str, str] | None = None, now: str = BEFORE) -> str | None:
    """The text that the careful rule of a format makes of a written edit; None if it refuses."""
    result = FORMATS[name].apply({PATH: now}, written, seen, RULE)
    if isinstance(result, Rejected):
        return None
    return result.content if result.files is None else result.files[PATH]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", FORMATS)
def test_what_the_writer_writes_the_careful_rule_applies(name: str, change: str) -> None:
    after = CHANGES[change]
    written = FORMATS[name].write(PATH, BEFORE, after)
    if written is None:
        assert name in ("insert", "line_range")
        return
    if change == "the last line feed" and name != "unified_diff":
        return  # Formats of whole lines cannot say it; of a pair, the line feed of a whole line stays.
    assert text_after(name, written) == after


def test_an_insertion_and_a_range_say_one_change_of_their_kind() -> None:
    assert FORMATS["insert"].write(PATH, BEFORE, CHANGES["a new line"]) == Written(patch="x = 9\n", line=4)
    assert FORMATS["insert"].write(PATH, BEFORE, CHANGES["a line"]) is None
    assert FORMATS["line_range"].write(PATH, BEFORE, CHANGES["a line"]) == Written(patch="c = 30\n", line=4, end_line=4)
    assert FORMATS["line_range"].write(PATH, BEFORE, CHANGES["a new line"]) is None
    assert FORMATS["line_range"].write(PATH, BEFORE, CHANGES["both ends"]) is None


@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if not one.several_files and not one.view])
def test_an_edit_of_one_file_is_refused_for_two(name: str) -> None:
    written = next(filter(None, (FORMATS[name].write(PATH, BEFORE, after) for after in CHANGES.values())))
    result = FORMATS[name].apply({PATH: BEFORE, "other.py": ""}, written, None, RULE)
    assert isinstance(result, Rejected)
    assert result.reason is Reason.MALFORMED


@pytest.mark.parametrize("name", ["insert", "line_range"])
def test_an_edit_by_number_without_a_number_is_refused(name: str) -> None:
    result = FORMATS[name].apply({PATH: BEFORE}, Written(patch="x\n"), None, RULE)
    assert isinstance(result, Rejected)
    assert result.reason is Reason.MALFORMED


def test_pairs_of_a_changed_file_are_merged_with_its_change() -> None:
    now = f"import os\n{BEFORE}"
    two = Written(edits=(Edit("a = 1", "a = 10"), Edit("c = 3", "c = 30")))
    both = "import os\na = 10\nb = 2\nb = 2\nc = 30\nd = 4\n"
    assert text_after("str_replace", two, {PATH: BEFORE}, now) == both
    assert text_after("str_replace", Written(edits=two.edits[:1] if two.edits else ()), {PATH: BEFORE}, now) == (
        now.replace("a = 1", "a = 10")
    )


def test_a_list_of_pairs_is_applied_whole_or_not() -> None:
    missing = Written(edits=(Edit("a = 1", "a = 10"), Edit("z = 0", "z = 1")))
    assert text_after("str_replace", missing) is None
    result = FORMATS["str_replace"].apply({PATH: BEFORE}, Written(edits=(Edit("a = 1", "a = 10"),) * 1), None, RULE)
    assert isinstance(result, Applied)
    assert result.replacer == "exact"


def test_pairs_of_lines_are_unique_in_the_file() -> None:
    for after in CHANGES.values():
        for old, _ in unique_pairs(BEFORE, after):
            assert BEFORE.count(old) == 1


def test_a_file_that_is_not_utf_8_keeps_its_encoding_under_another_text() -> None:
    assert bytes_file("a.txt", b"plain\n") is None
    assert bytes_file("a.bin", b"\x00\x01") is None
    file = bytes_file("a.txt", "# caf\u00e9\nx = 1\n".encode("utf-16"))
    assert file is not None
    other = with_text(file, file.content.replace("x = 1", "x = 2"))
    assert (other.encoding, other.raw is not None and other.raw[:2]) == (file.encoding, (file.raw or b"")[:2])
    assert (other.raw or b"").decode("utf-16") == "# caf\u00e9\nx = 2\n"
    assert with_text(file, file.content) == file


def test_more_sections_of_one_file_than_the_limit_are_refused() -> None:
    section = "*** Update File: shop.py\n@@\n-a = 1\n+a = 1\n"
    patch = f"*** Begin Patch\n{section * (MAX_SECTIONS + 1)}*** End Patch\n"
    result = FORMATS["begin_patch"].apply({PATH: BEFORE}, Written(patch=patch), None, RULE)
    assert isinstance(result, Rejected)
    assert result.reason is Reason.TOO_LARGE
