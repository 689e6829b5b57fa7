"""Whatever a refusal advises can be followed to the letter, and the call then succeeds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import event, given
from hypothesis import strategies as st

from editcore import CASCADES
from editcore.host.tools import TOOLS, Context, Host, Registry, Result
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from tests.editcore.host.conftest import Project
from tests.editcore.host.tools.advice import PATH, Model

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
        lines = model.seen
        refusals = followed(model, Registry(host, TOOLS), Context())
        event(f"{model.tool}: {len(refusals)} refusals")
        found = refusals[-1:] != ["identical"] and model.exact and not model.replace_all
        # Of several places `edit_file` takes the first, and older cascades one that is less like the search text.
        if found and model.tool != "edit_file" and cascade in ("exact", "recommended"):
            wanted = [*lines[: model.first], *model.new, *lines[model.last :]]
            assert file.read_text().rstrip("\n") == "\n".join(wanted).rstrip("\n")


def test_what_overlaps_the_work_of_another_session_can_be_sent_again_with_both(project: Project) -> None:
    file = project.lay("a", "1\n2\n3\n")
    other = replace(project, session="other")
    other.done("read", filePath="a")
    other.done("edit", filePath="a", oldString="2", newString="two")
    result = project.call("edit", filePath="a", oldString="2", newString="zwei")
    assert result.is_error
    assert result.output.endswith(
        "Write the edit for the file as it is now:\nnow in the file:\n|two\nyour edit:\n|zwei"
    )
    project.done("edit", filePath="a", oldString="two", newString="two, zwei")
    assert file.read_text() == "1\ntwo, zwei\n3\n"
