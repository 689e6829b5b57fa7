"""OpenHands' editor: that of its Agent SDK (openhands-tools 1.49.1), and the one before (openhands-aci 0.3.3).

Evidence: read (`editor.py` of both packages), and that of the SDK run (`peer/openhands`, on 1,500 drawn calls: 11
differ, where its detectors take odd texts for binary or for another encoding). The rule:

    old                       must occur exactly once
    if it does not occur:     old without whitespace at its ends must; openhands-aci strips new as well

Policy: unique; several places are listed by line. Line endings: every ending becomes LF. A byte
order mark is no part of the text. In an empty file an empty text is found.

Known failure: the stripped text is replaced by a new text that is (or, in openhands-aci, is not) still indented: the
first line is indented twice, or the last one loses its line feed.
"""

from __future__ import annotations

from editcore.agents.habits import DETECTED, DETECTED_STRICT
from editcore.agents.matching import places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, several, unchanged
from editcore.types import Applied, Edit, EditResult


def openhands(text: str, edit: Edit) -> EditResult:
    """OpenHands' Agent SDK: exact and unique; if absent, old_string is stripped and sought once more."""
    return _applied(text, edit.old_string, edit.new_string, strips_new=False)


def openhands_aci(text: str, edit: Edit) -> EditResult:
    """OpenHands before its Agent SDK: exact and unique; if absent, both texts are stripped and sought once more."""
    return _applied(text, edit.old_string, edit.new_string, strips_new=True)


def _applied(text: str, old: str, new: str, *, strips_new: bool) -> EditResult:
    if old == new:
        raise unchanged()
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(bom).replace("\r\n", "\n").replace("\r", "\n")
    if not (old or text):
        return Applied(bom + new, (), "exact")
    step, found = "exact", places(text, old) if old else []
    if old and not found:
        step, old, new = "stripped", old.strip(), new.strip() if strips_new else new
        found = places(text, old) if old else []
    if not old:
        raise nothing_sought()
    if not found:
        raise not_found()
    if len(found) > 1:
        raise several(text, [(at, at + len(old)) for at in found], step)
    return Applied(bom + text[: found[0]] + new + text[found[0] + len(old) :], (), step)


_EDITOR = "OpenHands/software-agent-sdk openhands-tools/openhands/tools/file_editor/editor.py"
_ACI = Source("2026-02", "openhands-aci, openhands_aci/editor/editor.py and encoding.py", "0.3.3")
OPENHANDS = (
    AgentRule(
        "openhands",
        "openhands-tools 1.49.1",
        "read",
        "unique",
        in_turn(openhands),
        source=Source(None, _EDITOR, "1.49.1"),
        on_bytes=Declared(DETECTED, Source("2026-08-22", _EDITOR, "611629e6")),
    ),
    AgentRule(
        "openhands_aci",
        "openhands-aci 0.3.3",
        "read",
        "unique",
        in_turn(openhands_aci),
        source=_ACI,
        on_bytes=Declared(DETECTED_STRICT, _ACI),
    ),
)
