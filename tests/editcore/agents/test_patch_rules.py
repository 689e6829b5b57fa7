"""The rules of agents for patches: text cases of each, known failures above all.

A case in `tests/cases/agent_envelopes` or `tests/cases/agent_diffs` is written as those of `begin_patch` and
`unified_diff` are (see `tests.patch_cases`), with the words of `NAMES` for readings. The pieces of aider's rule for
diffs are compared with the package that aider calls.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from diff_match_patch import diff_match_patch
from hypothesis import given
from hypothesis import strategies as st

from editcore import Applied, Reason, Rejected
from editcore.agents import AGENTS
from editcore.agents.diffs.flexible import absolute, mark_for, relative
from editcore.agents.diffs.line_diff import difference, efficient
from editcore.agents.matching import Work
from tests.patch_cases import CASES as PATCHES
from tests.patch_cases import outcome_of, read_case
from tests.results import refused

CASES = Path(__file__).parents[2] / "cases"
FILES = {
    "begin_patch": sorted((CASES / "agent_envelopes").glob("*.txt")),
    "unified_diff": sorted((CASES / "agent_diffs").glob("*.txt")),
}
NAMES = {
    "begin_patch": {
        "cookbook": "cookbook",
        "aider": "aider_patch",
        "opencode": "opencode_patch",
        "opencodetwo": "opencode_2_patch",
        "old": "codex_0_146",
        "older": "codex_0_77",
        "agents": "openai_agents",
        "copilot": "copilot_patch",
        "cline": "cline_patch",
        "roo": "roo_patch",
        "openclaw": "openclaw_patch",
        "webcodex": "webcodex_patch",
        "warp": "warp_patch",
    },
    "unified_diff": {"aider": "aider_udiff"},
}
"""Format -> a case's word for an agent -> the agent."""
LEAST_APPLIED = {"begin_patch": 20, "unified_diff": 100}

texts = st.text("abc \n.", max_size=30) | st.text("ab", max_size=30)


@pytest.mark.parametrize(
    ("format", "path"),
    [pytest.param(name, path, id=path.stem) for name, paths in FILES.items() for path in paths],
)
def test_each_agent_that_a_case_names_does_as_it_says(format: str, path: Path) -> None:
    case = read_case(path.read_text("utf-8"))
    assert case.outcomes
    for mode, outcome in case.outcomes.items():
        found = outcome_of(AGENTS[NAMES[format][mode]].apply_patch(dict(case.files), case.patch), case.files)
        if outcome.message is None:
            found.message = None
        assert found == outcome, mode


@pytest.mark.parametrize("format", NAMES)
def test_every_agent_that_takes_patches_has_a_case_and_every_file_name_is_a_sentence(format: str) -> None:
    shown = {NAMES[format][mode] for path in FILES[format] for mode in read_case(path.read_text("utf-8")).outcomes}
    assert shown == {agent.name for agent in AGENTS.values() if agent.format == format}
    assert all(re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name) for path in FILES[format])


@pytest.mark.parametrize(
    ("format", "name"), [(format, name) for format, names in NAMES.items() for name in names.values()]
)
def test_every_patch_gets_a_result_of_files_or_a_reason(format: str, name: str) -> None:
    """All patches that our own readings have cases of, malformed ones among them."""
    applied = 0
    for path, case in PATCHES.items():
        if path.parent.name != format:
            continue
        fenced = (f"```diff\n{case.patch}```\n", "```diff") if format == "unified_diff" else (case.patch * 2,)
        for patch in (case.patch, case.patch.replace("\n", "\r\n"), *fenced):
            result = AGENTS[name].apply_patch(dict(case.files), patch)
            if isinstance(result, Applied):
                applied += 1
                assert result.files is not None, path
            else:
                assert result.message.strip(), path
    assert applied > LEAST_APPLIED[format]


@pytest.mark.parametrize("name", NAMES["begin_patch"].values())
@pytest.mark.parametrize(
    "patch",
    [
        "",
        "*** Begin Patch",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@ nowhere\n-a\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n@@\n-z\n*** End of File\n*** End Patch",
        "*** Begin Patch\n*** Update File: g\n@@\n-a\n*** End Patch",
        "*** Begin Patch\n*** Delete File: g\n*** End Patch",
        "*** Begin Patch\n*** Add File: g\nx\n*** End Patch",
        "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n-a\n*** Nonsense\n*** End Patch",
    ],
)
def test_no_agent_raises(name: str, patch: str) -> None:
    result = AGENTS[name].apply_patch({"f": "a\nb\n"}, patch)
    assert isinstance(result, Applied | Rejected)
    if isinstance(result, Rejected):
        assert "\n" not in result.message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cline_patch", "copilot_patch"])
@pytest.mark.parametrize(
    "hunks",
    ["@@\n-nowhere\n" + "+a\nb\n" * 3000 + "+a\n", "@@\n-nowhere at all\n-nor here\n-nor there\n+x\n" * 200],
    ids=["lines_without_a_mark", "hunks_that_are_nowhere"],
)
def test_what_compares_everything_with_everything_is_bounded(name: str, hunks: str) -> None:
    content = "".join(f"    value_{n} = compute(item_{n % 7}, {n})\n" for n in range(40_000))
    patch = f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch"
    result = refused(AGENTS[name].apply_patch({"f": content}, patch))
    assert result.reason in (Reason.TOO_LARGE, Reason.NO_MATCH)
    assert len(result.message) < 1000


@given(texts, texts)
def test_the_diff_is_that_of_diff_match_patch(one: str, two: str) -> None:
    engine = diff_match_patch()
    engine.Diff_Timeout = 0  # No shortcuts by a shared half, which lines of code do not need.
    theirs, ours = engine.diff_main(one, two, None), difference(one, two, Work("the diff"))
    assert list(map(tuple, theirs)) == ours
    theirs = list(ours)
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
