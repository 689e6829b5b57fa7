"""The text cases of `tests/cases/agent_diffs`: what each agent makes of a unified diff, known failures above all.

A case is written as those of `tests/cases/unified_diff` are (see `tests.patch_cases`), with `aider` for a reading. The
pieces of aider's rule are compared with the package that aider calls.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from diff_match_patch import diff_match_patch
from hypothesis import given
from hypothesis import strategies as st

from editcore import Applied, Reason
from editcore.agents import AGENTS
from editcore.agents.diffs.flexible import absolute, mark_for, relative
from editcore.agents.diffs.line_diff import difference, efficient, semantic
from editcore.agents.matching import Work
from tests.editcore.agents.agent_cases import check_all_are_shown, check_case
from tests.patch_cases import CASES as DIFFS
from tests.results import refused

CASES = Path(__file__).parents[2] / "cases" / "agent_diffs"
FILES = sorted(CASES.glob("*.txt"))
NAMES = {"aider": "aider_udiff"}

texts = st.text("abc \n.", max_size=30) | st.text("ab", max_size=30)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_agent(path: Path) -> None:
    check_case(path, NAMES)


def test_every_agent_that_takes_diffs_has_a_case_and_every_file_name_is_a_sentence() -> None:
    check_all_are_shown(FILES, NAMES, "unified_diff")


@pytest.mark.parametrize("name", NAMES.values())
def test_every_diff_gets_a_result_of_files_or_a_reason(name: str) -> None:
    """All diffs that our own strictnesses have cases of, malformed ones among them."""
    applied = 0
    for path, case in DIFFS.items():
        if path.parent.name != "unified_diff":
            continue
        for patch in (case.patch, case.patch.replace("\n", "\r\n"), f"```diff\n{case.patch}```\n", "```diff"):
            result = AGENTS[name].apply_patch(dict(case.files), patch)
            if isinstance(result, Applied):
                applied += 1
                assert result.files is not None, path
            else:
                assert result.message.strip(), path
    assert applied > 100


@given(texts, texts)
def test_the_diff_is_that_of_diff_match_patch(one: str, two: str) -> None:
    engine = diff_match_patch()
    theirs, ours = engine.diff_main(one, two, None), difference(one, two, Work("the diff"))
    assert list(map(tuple, theirs)) == ours
    engine.diff_cleanupSemantic(theirs)
    ours = semantic(ours)
    assert list(map(tuple, theirs)) == ours
    engine.diff_cleanupEfficiency(theirs)
    assert list(map(tuple, theirs)) == efficient(ours)


@given(st.text(" a←\n", max_size=30))
def test_a_text_by_changes_of_indentation_is_turned_back_but_for_blank_lines(text: str) -> None:
    text, mark = f"{text}\n", mark_for([text])
    back = absolute(relative(text, mark), mark)
    assert back is not None
    assert back.splitlines() == [line if line.strip() else "" for line in text.splitlines()]


def test_lines_that_are_no_pairs_are_refused_as_the_program_fails_at_them() -> None:
    assert absolute("  \nx\n←←←←\ny", "←") == "  x\ny"
    with pytest.raises(Exception, match="out of range"):
        absolute("  \nx\ny", "←")


@pytest.mark.slow
def test_a_search_with_ever_less_context_is_bounded() -> None:
    content = "".join(f"    value_{n} = compute(item_{n % 7}, {n})\n" for n in range(40_000))
    context = "".join(f"     walue_{n} = kompute(atem_{n % 5}, {n})\n" for n in range(150))
    patch = f"--- a/f\n+++ b/f\n@@ -1,301 +1,301 @@\n{context}-nowhere at all\n+x\n{context}"
    assert refused(AGENTS["aider_udiff"].apply_patch({"f": content}, patch)).reason is Reason.TOO_LARGE
