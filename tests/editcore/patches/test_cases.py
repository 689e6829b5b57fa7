"""The text cases of patches hold; how they are written: see `tests.patch_cases`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editcore import Reason
from tests.patch_cases import CASES, FOLDER, MODES, Case, Outcome, outcomes, read_case

ORDINARY = [path for path, case in CASES.items() if not case.malformation]
"""Malformations have a test of their own, which judges them as well."""


@pytest.mark.parametrize("path", ORDINARY, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_patch(path: Path) -> None:
    assert outcomes(path.parent.name, CASES[path]) == CASES[path].outcomes


@pytest.mark.parametrize("folder", MODES)
def test_every_file_name_is_a_sentence(folder: str) -> None:
    names = [path.name for path in (FOLDER / folder).iterdir()]
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", name)] == []
    assert len(names) >= 50


@pytest.mark.parametrize(("folder", "default"), [("begin_patch", "lenient"), ("unified_diff", "tolerant")])
def test_the_cases_show_every_refusal_and_every_message_of_the_default(folder: str, default: str) -> None:
    cases = [case for path, case in CASES.items() if path.parent.name == folder]
    refusals = [case.outcomes[default] for case in cases if case.outcomes[default].reason]
    assert {outcome.reason for outcome in refusals} == {
        Reason.NO_MATCH,
        Reason.AMBIGUOUS,
        Reason.IDENTICAL,
        Reason.MALFORMED,
        Reason.OUTSIDE_WORKSPACE,
        Reason.NOT_ALLOWED,
        Reason.NOT_FOUND,
    }
    assert all(re.match("line [0-9]+ of the patch: ", outcome.message or "") for outcome in refusals)


def test_a_case_draws_what_cannot_be_seen_and_starts_from_the_files_before() -> None:
    case = read_case(
        "# Why.\n=== a.txt\na␠\nb␃\n=== b.txt\n=== patch\np␍\n"
        "=== strict, codex: no b.txt\n=== codex: rejected no_match\nnot\n=== lenient: a.txt\nc\n"
    )
    assert case == Case(
        {"a.txt": "a \nb", "b.txt": ""},
        "p\r\n",
        {
            "strict": Outcome(files={"a.txt": "a \nb"}),
            "codex": Outcome(Reason.NO_MATCH, "not", {"a.txt": "a \nb"}),
            "lenient": Outcome(files={"a.txt": "c\n", "b.txt": ""}),
        },
    )


def test_a_malformation_has_an_id_and_what_was_meant() -> None:
    case = read_case("# E01a: why\n=== a␠b\n=== patch\np\n=== lenient, intended: no a␠b\n")
    assert case == Case({"a b": ""}, "p\n", {"lenient": Outcome()}, "E01a", {})


@pytest.mark.parametrize(
    "text",
    [
        "=== a\n",
        "=== patch\n=== patch\n",
        "=== patch\n=== strict: a b c\n",
        "=== patch\n=== rejected malformed\n",
        "=== patch\n=== strict: rejected malformed\n=== a\n",
        "=== a\n=== patch\n=== strict: no a\ntext\n",
        "=== patch\n=== strict: rejected malformed\n=== strict: rejected no_match\n",
        "=== patch\n=== intended: a\n",
        "# E01\n=== patch\n=== intended: rejected no_match\n",
        "# E01\n# E02\n=== patch\n",
        "no comment\n=== patch\n",
    ],
)
def test_a_malformed_case_is_an_error(text: str) -> None:
    with pytest.raises(AssertionError):
        read_case(text)
