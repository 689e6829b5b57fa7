"""The tools of an agent, by its name and its model."""

from __future__ import annotations

import pytest

from editcore.errors import UsageError
from editcore.host.tools import BY_MODEL, TOOLS, Agent, Choice, Registry
from tests.editcore.host.conftest import Project


@pytest.mark.parametrize(
    ("model", "patches"),
    [
        ("openai/gpt-5.2", True),
        ("openrouter/openai/gpt-4.1-mini", True),
        ("openai/codex-mini-latest", True),
        ("openai/gpt-4o", False),
        ("anthropic/claude-sonnet-4-5", False),
        ("", False),
    ],
)
def test_models_get_the_editing_tools_that_they_were_trained_on(model: str, patches: bool, project: Project) -> None:
    registry = Registry(project.host, TOOLS, choices=BY_MODEL)
    tools = registry.tools(Agent("builder", model=model)).keys()
    assert ("edit_patch" in tools, "edit" in tools, "write" in tools) == (patches, not patches, not patches)
    assert {"read", "grep", "bash", "invalid"} <= tools
    sent = {"patch": "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch\n"}
    result = registry.call(Agent("builder", model=model), "edit_patch", project.context, sent)
    assert result.is_error is not patches
    assert patches or "there is no tool 'edit_patch'; available: read," in result.output


def test_the_first_row_that_fits_decides_and_an_agents_own_tools_hold_besides(project: Project) -> None:
    choices = (
        Choice(agent="review*", only=frozenset({"read", "grep"})),
        Choice(agent="builder", model="local/*", without=frozenset({"bash"})),
        Choice(model="local/*", only=frozenset()),
    )
    registry = Registry(project.host, TOOLS, choices=choices)
    assert set(registry.tools(Agent("reviewer", model="local/a"))) == {"invalid", "read", "grep"}
    assert "bash" not in registry.tools(Agent("builder", model="local/a"))
    assert "bash" in registry.tools(Agent("builder", model="hosted/a"))
    assert set(registry.tools(Agent("other", model="local/a"))) == {"invalid"}
    assert set(registry.tools(Agent("reviewer", tools=frozenset({"read", "bash"})))) == {"invalid", "read"}


def test_a_row_names_tools_that_there_are(project: Project) -> None:
    with pytest.raises(UsageError, match="There is no tool 'edit_pach'") as caught:
        Registry(project.host, TOOLS, choices=[Choice(without=frozenset({"edit_pach"}))])
    assert "Did you mean edit_patch?" in caught.value.tip
