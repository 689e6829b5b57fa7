"""Programs in logs that a backtracking pattern would read for minutes."""

from __future__ import annotations

from time import process_time

import pytest

from corpora.importers.embedded_patches import BEGIN, EmbeddedPatch, in_javascript, in_shell
from corpora.importers.formats.cline import _ERROR, _FINAL, _FINAL_OPENS, _first_match
from corpora.importers.formats.codex import _NAMED
from corpora.importers.rebuilding.paths import _HEADERS, _MADE, _SECTIONS
from harness.strategies.peers.programs import _ENVELOPE_PATH

LIMIT_S = 3.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        '"\\"',
        "/*",
        "/*a\n",
        "String.raw`\\",
        "`\\",
        "String.raw",
        "\\`",
        '"\\\n',
        "'\\",
        "S `\\",
        "<<'a",
        "<<- a",
        "<<-a",
    ],
)
def test_programs_are_read_in_linear_time(unit: str) -> None:
    program = f"apply_patch {BEGIN}\n" + unit * (400_000 // len(unit))
    start = process_time()
    list(in_javascript(program))
    in_shell(program)
    assert process_time() - start < LIMIT_S


def test_a_script_of_too_many_patches_is_unknown() -> None:
    one = f"apply_patch <<E1\n{BEGIN}\n"
    assert in_shell(one * 101) == [EmbeddedPatch(None)]
    assert in_shell(one + "x" * (1 << 20)) == [EmbeddedPatch(None)]


def test_tags_and_headers_are_found_in_linear_time() -> None:
    start = process_time()
    assert _first_match(_ERROR, "<error>", "</error>" + "<error>\n" * 50_000) is None
    opening = '<final_file_content path="a">\n'
    assert _first_match(_FINAL, _FINAL_OPENS, opening * 20_000) is None
    assert _HEADERS.search("--- a/" + "[" * 400_000) is None
    for pattern in (_SECTIONS, _MADE, _NAMED):
        (found,) = pattern.finditer("*** Add File: a" + " " * 400_000 + "b  ")
        assert len(str(found[1])) == 400_002
    assert not _ENVELOPE_PATH.findall("\n" * 400_000)
    assert process_time() - start < LIMIT_S


def test_the_first_tag_decides() -> None:
    found = _first_match(_ERROR, "<error>", "x <error>\none\n</error> <error>two</error>")
    assert found
    assert found[1] == "one"
