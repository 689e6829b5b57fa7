"""Whatever a refusal advises can be followed to the letter, and the call then succeeds."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import event, given
from hypothesis import strategies as st

from editcore import CASCADES
from editcore.tools import TOOLS, Context, Host, Registry, Result
from editcore.tools.host.truncation import Outputs
from editcore.workspace import Workspace
from tests.editcore.tools.advice import PATH, Model

STEPS = 10
"""Refusals in a row after which a model gives up."""
LINES = st.lists(
    st.sampled_from(["def f(a):", "    return a", "", "x = [1, 2]", "    x = [1, 2]", "}", "\treturn b", "  ", "y"]),
    min_size=1,
    max_size=9,
).filter(lambda lines: any(line.strip() for line in lines))
MISSPELT = {
    "nothing": lambda line: line,
    "indentation": str.lstrip,
    "ending": lambda line: f"{line} ",
    "letter": lambda line: line.replace("a", "b").replace("x", "z"),
    "else": lambda line: f"# {line}",
}


@st.composite
def models(draw: st.DrawFn) -> tuple[Model, str]:
    """A model with bad habits, and the text of its file."""
    lines = draw(LINES)
    first = draw(st.integers(0, len(lines) - 1))
    last = draw(st.integers(first + 1, min(first + 3, len(lines))))
    new = draw(st.lists(st.sampled_from(["new = 1", "    new = 2", "return new(", ""]), min_size=1, max_size=3))
    model = Model(
        tool=draw(st.sampled_from(["edit", "multi_edit", "patch_file", "edit_patch", "edit_file"])),
        first=first,
        last=last,
        new=tuple(new),
        seen=tuple(lines),
        context=draw(st.integers(0, 2)),
        misspelt=MISSPELT[draw(st.sampled_from(sorted(MISSPELT)))],
        header=draw(st.sampled_from(["@@", None])),
        miscount=draw(st.sampled_from([0, 0, 2, 4])),
        line_feed=draw(st.booleans()),
        end=draw(st.booleans()),
        cut=draw(st.sampled_from([0, 0, 0, 1, 3, 9])),
        prefers_replace_all=draw(st.booleans()),
    )
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    return model, ending.join(lines) + (ending if draw(st.booleans()) or not lines[-1] else "")


def message_of(result: Result) -> str:
    return str(result.metadata.get("error", result.output))


def followed(model: Model, registry: Registry, context: Context) -> list[str]:
    """The refusals until a call succeeded; more than `STEPS` of them fail the test."""
    refusals: list[str] = []
    while (result := model.call(registry, context)).is_error:
        refusals.append(message_of(result))
        if result.metadata.get("reason") == "identical":
            return [*refusals, "identical"]
        assert len(refusals) <= STEPS, json.dumps([refusals, model.params()], indent=1)
        model.follow(refusals[-1], registry, context)
    return refusals


@given(models(), st.sampled_from(sorted(CASCADES)))
def test_the_advice_of_refusals_leads_to_success(drawn: tuple[Model, str], cascade: str) -> None:
    model, text = drawn
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "project" / PATH
        file.parent.mkdir(parents=True)
        file.write_bytes(text.encode())
        workspace = Workspace(folder / "project", lock_directory=folder / "locks", durable=False)
        host = Host(workspace, cascade=CASCADES[cascade], outputs=Outputs(folder / "outputs"))
        refusals = followed(model, Registry(host, TOOLS), Context())
        event(f"{model.tool}: {len(refusals)} refusals")
