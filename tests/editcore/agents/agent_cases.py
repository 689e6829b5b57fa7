"""What the text cases of agents' patch rules have in common: how one is tried, and what all of them must show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from editcore.agents import AGENTS
from tests.patch_cases import case_of, outcome_of


def check_case(path: Path, names: Mapping[str, str]) -> None:
    """Each agent that the case names does as it says; `names` are the agents by the case's words for them."""
    case = case_of(path)
    assert case.outcomes
    for mode, outcome in case.outcomes.items():
        found = outcome_of(AGENTS[names[mode]].apply_patch(dict(case.files), case.patch), case.files)
        if outcome.message is None:
            found.message = None
        assert found == outcome, mode


def check_all_are_shown(files: Sequence[Path], names: Mapping[str, str], patch_format: str) -> None:
    """Every agent that takes patches of a format has a case, and every file's name is a sentence."""
    shown = {names[mode] for path in files for mode in case_of(path).outcomes}
    assert shown == {agent.name for agent in AGENTS.values() if agent.format == patch_format}
    assert [path.name for path in files if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}\.txt", path.name)] == []
