"""docs/rules has a section for every rule, in the words of today's docstrings and declarations."""

from __future__ import annotations

import pytest

from docs.rule_pages import FOLDER, TITLES, members
from harness.commands.strategies.explain import about


@pytest.mark.parametrize("family", TITLES)
def test_every_rule_has_its_section_with_what_is_known_of_it_and_its_figures(family: str) -> None:
    text = (FOLDER / f"{family}.md").read_text("utf-8")
    for one in members(family):
        section = text.partition(f"\n## {one.name}\n\n")[2].partition("\n## ")[0]
        known = one.agent
        words = known.summary if known else "\n".join(about(one))
        assert section.startswith(words), f"run python -m docs.rule_pages: {one.name}"
        row = text.partition(f"| [`{one.name.partition('/')[2]}`]")[2].partition("\n")[0]
        assert f"| {known.evidence} | {known.policy} |" in row if known else "`house`" in section[len(words) :], (
            one.name
        )
        assert not known or all(one in text for one in known.failures), one.name
