"""The text cases of `tests/cases/replace`: one behaviour a file, which its name tells as a sentence.

    # Comments stand at the top, and say why.
    # replace_all                       (where the edit asks for it)
    --- content
    a file's lines
    --- old
    what to look for
    --- new
    what to put there
    --- result by line_trimmed
    the file's lines afterwards

A refusal is `--- rejected REASON`, with nothing under it. An outcome holds for the cascades `reference` and
`opencode_1_17`; where they differ, or for another cascade, it ends in `in CASCADE`.

`content` and `result` are files: each of their lines, the last one too, ends in a line feed. `old` and `new` are
strings: no line feed at the end. What can't be seen is drawn:

    ␠ blank   ␉ tab   ␍ carriage return   ␊ one more line feed   ␃ no line feed at the end   <U+00A0> anything else
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from editcore import CASCADES, REPLACERS, Applied, Reason, replace
from tests.drawn import undrawn

CASES = Path(__file__).parents[2] / "cases" / "replace"
FILES = sorted(CASES.glob("*.txt"))
HEADING = re.compile(
    r"--- (?:(?P<text>content|old|new)|result by (?P<replacer>\w+)|rejected (?P<reason>\w+))(?: in (?P<cascade>\w+))?"
)


@dataclass
class Case:
    replace_all: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Cascade -> (deciding replacer, content) or ("rejected", reason)."""


def read_case(text: str, *, usually: tuple[str, ...] = ("reference", "opencode_1_17")) -> Case:
    """The case that a file's text describes; outcomes that name no cascade are those of the cascades `usually`."""
    case = Case()
    head, *sections = re.split(r"^(?=--- )", text, flags=re.MULTILINE)
    comments = head.splitlines()
    assert all(line.startswith("# ") for line in comments), f"neither a comment nor a heading: {comments}"
    case.replace_all = "# replace_all" in comments
    for section in sections:
        title, *lines = section.removesuffix("\n").split("\n")
        heading = HEADING.fullmatch(title)
        assert heading, f"not a heading: {title}"
        if heading["text"]:
            assert heading["text"] not in case.texts, f"twice: {title}"
            case.texts[heading["text"]] = undrawn(lines, is_file=heading["text"] == "content")
            continue
        for cascade in [heading["cascade"]] if heading["cascade"] else usually:
            assert cascade not in case.outcomes, f"twice: {title}"
            if heading["replacer"]:
                case.outcomes[cascade] = heading["replacer"], undrawn(lines, is_file=True)
            else:
                assert lines == [], f"text under a refusal: {lines}"
                case.outcomes[cascade] = "rejected", Reason(heading["reason"])
    assert case.texts.keys() == {"content", "old", "new"}, f"has only {sorted(case.texts)}"
    assert case.outcomes, "has no outcome"
    return case


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_replace(path: Path) -> None:
    case = read_case(path.read_text("utf-8"))
    texts = case.texts
    results = {
        cascade: replace(texts["content"], texts["old"], texts["new"], replace_all=case.replace_all, cascade=cascade)
        for cascade in case.outcomes
    }
    outcomes = {
        cascade: (result.replacer, result.content) if isinstance(result, Applied) else ("rejected", result.reason)
        for cascade, result in results.items()
    }
    assert outcomes == case.outcomes


def test_every_file_name_is_a_sentence() -> None:
    assert [
        path.name for path in CASES.iterdir() if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)
    ] == []


def test_the_cases_show_every_replacer_every_cascade_and_every_refusal() -> None:
    cases = [read_case(path.read_text("utf-8")) for path in FILES]
    deciders = {outcome[0] for case in cases for outcome in case.outcomes.values()}
    # Two of the nine never decide; see their docstrings.
    assert deciders == {*REPLACERS, "rejected"} - {"indentation_flexible", "multi_occurrence"}
    assert {cascade for case in cases for cascade in case.outcomes} == {
        name for name in CASCADES if CASCADES[name].replacers
    }
    assert {reason for case in cases for kind, reason in case.outcomes.values() if kind == "rejected"} == {
        Reason.NO_MATCH,
        Reason.AMBIGUOUS,
        Reason.IDENTICAL,
        Reason.EMPTY,
        Reason.DISPROPORTIONATE,
    }


def test_reading_a_case_draws_what_cannot_be_seen() -> None:
    case = read_case(
        "# Why.\n# replace_all\n--- content\na␠\n␉b␍\n\nc␃\n"
        "--- old\nx<U+1F600>␊\n--- new\n--- rejected no_match in exact\n"
    )
    assert case == Case(
        replace_all=True,
        texts={"content": "a \n\tb\r\n\nc", "old": "x\U0001f600\n", "new": ""},
        outcomes={"exact": ("rejected", Reason.NO_MATCH)},
    )


@pytest.mark.parametrize(
    "text",
    [
        "--- content\na\n--- old\na\n--- new\nb\n",
        "--- content\na\n--- old\na\n--- rejected no_match\n",
        "--- content\na\n--- old\na\n--- new\nb\n--- rejected no_match\ntext\n",
        "--- content\na\n--- old\na\n--- new\nb\n--- rejected no_match\n--- rejected empty in reference\n",
        "--- content\na\n--- content\na\n--- old\na\n--- new\nb\n--- rejected no_match\n",
        "--- content\na\n--- old\na\n--- new\nb\n--- refused no_match\n",
        "no comment\n--- content\na\n--- old\na\n--- new\nb\n--- rejected no_match\n",
    ],
)
def test_a_malformed_case_is_an_error(text: str) -> None:
    with pytest.raises(AssertionError):
        read_case(text)
