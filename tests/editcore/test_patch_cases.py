"""The text cases of `tests/cases/begin_patch` and `.../unified_diff`: one behaviour a file, its name a sentence.

    # Comments stand at the top, and say why.
    === a.txt
    a file's lines, before; as many files as wanted
    === patch
    the patch
    === strict, codex: a.txt
    a file's lines, afterwards; what is not named is as before
    === codex: no b.txt
    === lenient: rejected no_match
    the message (may be left out)

Every reading of an envelope, and every strictness of a unified diff, has an outcome. `rejected` together with files
tells what is left behind by a program that writes as it goes. How texts are drawn: see `tests.drawn`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from editcore import Applied, EditResult, Reason, apply_begin_patch, apply_unified_diff
from editcore.patches.begin_patch import READINGS
from editcore.patches.unified_diff import STRICTNESSES
from tests.drawn import undrawn

CASES = Path(__file__).parents[1] / "cases"
MODES: dict[str, dict[str, Callable[[dict[str, str], str], EditResult]]] = {
    "begin_patch": {
        reading: lambda files, patch, reading=reading: apply_begin_patch(files, patch, reading=reading)
        for reading in READINGS
    },
    "unified_diff": {
        strictness: lambda files, patch, strictness=strictness: apply_unified_diff(files, patch, strictness=strictness)
        for strictness in STRICTNESSES
    },
}
FILES = [path for folder in MODES for path in sorted((CASES / folder).glob("*.txt"))]
HEADING = re.compile(
    r"=== (?:(?P<modes>[a-z]+(?:, [a-z]+)*): )?(?:rejected (?P<reason>\w+)|no (?P<gone>\S+)|(?P<path>\S+))"
)


@dataclass
class Outcome:
    reason: Reason | None = None
    message: str | None = None
    """None where the case leaves it open."""
    files: dict[str, str] = field(default_factory=dict)


@dataclass
class Case:
    files: dict[str, str] = field(default_factory=dict)
    patch: str | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)


def read_case(text: str) -> Case:
    """The case that a file's text describes."""
    case = Case()
    head, *sections = re.split(r"^(?==== )", text, flags=re.MULTILINE)
    comments = head.splitlines()
    assert all(line.startswith("# ") for line in comments), f"neither a comment nor a heading: {comments}"
    for section in sections:
        title, *lines = section.removesuffix("\n").split("\n")
        heading = HEADING.fullmatch(title)
        assert heading, f"not a heading: {title}"
        if not heading["modes"]:
            assert heading["path"], f"of which reading? {title}"
            assert not case.outcomes, f"files come before outcomes: {title}"
            if heading["path"] == "patch":
                assert case.patch is None, "two patches"
                case.patch = undrawn(lines, is_file=True)
            else:
                case.files[heading["path"]] = undrawn(lines, is_file=True)
            continue
        for mode in heading["modes"].split(", "):
            outcome = case.outcomes.setdefault(mode, Outcome(files=dict(case.files)))
            if heading["reason"]:
                assert outcome.reason is None, f"twice: {title}"
                outcome.reason = Reason(heading["reason"])
                outcome.message = "".join(lines) or None
            elif heading["gone"]:
                assert lines == [], f"text of a file that is gone: {lines}"
                del outcome.files[heading["gone"]]
            else:
                outcome.files[heading["path"]] = undrawn(lines, is_file=True)
    assert case.patch is not None, "no patch"
    return case


def _outcome(result: EditResult, files: dict[str, str]) -> Outcome:
    after = dict(files if result.files is None else result.files)
    return Outcome(None, None, after) if isinstance(result, Applied) else Outcome(result.reason, result.message, after)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_patch(path: Path) -> None:
    case = read_case(path.read_text("utf-8"))
    outcomes = {
        mode: _outcome(apply(case.files, case.patch or ""), case.files)
        for mode, apply in MODES[path.parent.name].items()
    }
    for mode, outcome in case.outcomes.items():
        if outcome.message is None:
            outcomes[mode].message = None
    assert outcomes == case.outcomes


@pytest.mark.parametrize("folder", MODES)
def test_every_file_name_is_a_sentence(folder: str) -> None:
    names = [path.name for path in (CASES / folder).iterdir()]
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", name)] == []
    assert len(names) >= 50


@pytest.mark.parametrize(("folder", "default"), [("begin_patch", "lenient"), ("unified_diff", "tolerant")])
def test_the_cases_show_every_refusal_and_every_message_of_the_default(folder: str, default: str) -> None:
    cases = [read_case(path.read_text("utf-8")) for path in FILES if path.parent.name == folder]
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
        "no comment\n=== patch\n",
    ],
)
def test_a_malformed_case_is_an_error(text: str) -> None:
    with pytest.raises(AssertionError):
        read_case(text)
