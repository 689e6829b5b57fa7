"""Messages name parameters that the tool has, whatever text is in the files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from editcore import CASCADES
from editcore.diagnosis import in_words_of
from editcore.host.tools import TOOLS, Agent, Context, Host, Registry, Result
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from editcore.quoting import quoted
from editcore.replacers import REPLACERS
from editcore.types import Reason, Rejected

_EXCERPT = re.compile(r"""(?<![\w])(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_LINE_OF_THE_FILE = re.compile(r"(?m)^\d+: .*")
_LIKE_A_PARAMETER = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z][A-Za-z]*\b")
_ELSE = {"external_directory", "str_replace", "shift_jis", *TOOLS, *REPLACERS}
"""Words that look like parameters, and are names of permissions, commands, encodings, tools and replacers."""


def names_of(node: Any) -> Iterator[str]:
    """The names of all parameters in a schema, nested ones too."""
    for name, value in node.get("properties", {}).items():
        yield name
        yield from names_of(value)
    if "items" in node:
        yield from names_of(node["items"])


def foreign_words(tool: str, message: str) -> set[str]:
    """The words of a message that look like a parameter, or are in backquotes, and name none of the tool's."""
    plain = _EXCERPT.sub("''", _LINE_OF_THE_FILE.sub("", message))
    found = {*_LIKE_A_PARAMETER.findall(plain), *re.findall(r"`([^`]*)`", plain)}
    return found - _ELSE - set(names_of(TOOLS[tool].declaration["input_schema"]))


def message_of(result: Result) -> str:
    return str(result.metadata.get("error", result.output))


TEXT = st.lists(
    st.sampled_from(["old_string", "replace_all", "'it''s", '"', "x = 1", "  y", "", "newString`s", "\\'"]), max_size=5
).map("\n".join)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("edit", {"filePath": "a", "oldString": None, "newString": None}),
    (
        "multi_edit",
        {"filePath": "a", "edits": [{"oldString": "x", "newString": "y"}, {"oldString": "z", "newString": "x"}]},
    ),
    ("edit_file", {"path": "a", "old_content": None, "new_content": None}),
    ("write", {"filePath": "b", "content": None}),
    ("insert_at", {"path": "a", "line": 9, "content": None}),
    ("patch_file", {"path": "a", "patch": None}),
    ("edit_patch", {"patch": None}),
)
"""Calls, with None for a text that is drawn."""


@given(TEXT, st.sampled_from(sorted(CASCADES)), st.data())
@example("old_string\nold_string", "recommended", None)
def test_messages_name_parameters_of_the_tool(text: str, cascade: str, data: st.DataObject | None) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "project").mkdir()
        workspace = Workspace(folder / "project", lock_directory=folder / "locks", durable=False)
        host = Host(workspace, cascade=CASCADES[cascade], outputs=Outputs(folder / "outputs"))
        registry, agent = Registry(host, TOOLS), Agent()
        (folder / "project" / "a").write_text(text)
        registry.call(agent, "read", Context(), {"filePath": "a"})
        for tool, params in CALLS:
            drawn = {key: data.draw(TEXT) if data else "old_string" for key, value in params.items() if value is None}
            message = message_of(registry.call(agent, tool, Context(), {**params, **drawn}))
            assert foreign_words(tool, message) == set(), message


def test_what_a_message_quotes_of_a_file_stays() -> None:
    names = {"old_string": "oldString", "replace_all": "replaceAll"}
    for text in ("old_string", "it's old_string", "'old_string' \"old_string\"", "\\'old_string", "old_string\\"):
        said = f"old_string is the file's {quoted(text)}, or not: set replace_all, not old_strings."
        renamed = in_words_of(Rejected(Reason.NO_MATCH, said), names).message
        assert renamed == f"oldString is the file's {quoted(text)}, or not: set replaceAll, not old_strings."
