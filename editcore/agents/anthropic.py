"""Anthropic's text editor tool, as its reference implementation `computer-use-demo` has it.

Evidence: read (the demo; not installable). The rule:

    file, old and new   tabs become spaces (`expandtabs`), in all three
    old                 must occur exactly once, counted without overlap

Policy: unique. Line endings: as Python's text mode reads and writes them, every ending becomes LF.

Known failure: one edit in a file with tabs turns every tab of the file into spaces.
"""

from __future__ import annotations

from editcore.agents.habits import STRICT
from editcore.agents.matching import places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced, several
from editcore.types import Applied, Edit, EditResult


def anthropic(text: str, edit: Edit) -> EditResult:
    """Anthropic's reference editor: exact and unique, after every tab of the file has become spaces."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs()
    old, new = edit.old_string.expandtabs(), edit.new_string.expandtabs()
    if not old:
        raise nothing_sought()
    found = places(text, old)
    if not found:
        raise not_found()
    if len(found) > 1:
        raise several(text, [(at, at + len(old)) for at in found], "exact")
    result = replaced(text, found[0], found[0] + len(old), new, "exact")
    return Applied(result.content, (), "exact")


_EDIT = "anthropics/anthropic-quickstarts computer-use-demo/computer_use_demo/tools/edit.py"
_SOURCE = Source("2024-10-22", _EDIT, "2539a189")
ANTHROPIC = (
    AgentRule(
        "anthropic",
        "computer-use-demo 2024-10",
        "read",
        "unique",
        in_turn(anthropic),
        source=_SOURCE,
        on_bytes=Declared(STRICT, Source("2025-05-22", f"{_EDIT} (read_text)", "0e1170be")),
    ),
)
