"""The text cases of `tests/cases/agent_envelopes`: what each agent makes of an envelope, known failures above all.

A case is written as those of `tests/cases/begin_patch` are (see `tests.patch_cases`), with these for readings:
`cookbook`, `aider`, `opencode`, `opencodetwo` for OpenCode 2, `agents`, `copilot`, `cline`, `roo`, and `old` and
`older` for Codex 0.146 and 0.77.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore import Applied, Reason, Rejected
from editcore.agents import AGENTS
from tests.editcore.agents.agent_cases import check_all_are_shown, check_case
from tests.patch_cases import CASES as ENVELOPES
from tests.results import refused

CASES = Path(__file__).parents[2] / "cases" / "agent_envelopes"
FILES = sorted(CASES.glob("*.txt"))
NAMES = {
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
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_agent(path: Path) -> None:
    check_case(path, NAMES)


def test_every_agent_that_takes_envelopes_has_a_case_and_every_file_name_is_a_sentence() -> None:
    check_all_are_shown(FILES, NAMES, "begin_patch")


@pytest.mark.parametrize("name", NAMES.values())
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


@pytest.mark.parametrize("name", NAMES.values())
def test_every_envelope_gets_a_result_of_files_or_a_reason(name: str) -> None:
    """All envelopes that our own readings have cases of, malformed ones among them."""
    applied = 0
    for path, case in ENVELOPES.items():
        if path.parent.name != "begin_patch":
            continue
        for patch in (case.patch, case.patch.replace("\n", "\r\n"), case.patch + case.patch):
            result = AGENTS[name].apply_patch(dict(case.files), patch)
            if isinstance(result, Applied):
                applied += 1
                assert result.files is not None, path
            else:
                assert result.message.strip(), path
    assert applied > 20


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
