"""Kimi CLI's StrReplaceFile.

Evidence: run (`peer/kimi_cli`, 1.52.0).

    exact      the first place, or every place if that is asked for; the number of places is not looked at

Policy: first. Edits of a list that find nothing are passed over in silence, as long as another one changes something.
Line endings: read as Python reads text, so that CRLF and CR become LF throughout, and stay so.

Known failures: of several equal places the first is changed without a word; an empty search text puts the new text at
the top.
"""

from __future__ import annotations

from collections.abc import Sequence

from editcore.agents.habits import REPLACED
from editcore.agents.rule import AgentRule, Declared, Source
from editcore.agents.runner import MOST_IN_GAPS, nothing_happened
from editcore.errors import PatchError
from editcore.types import Applied, Edit, EditResult, Reason


def kimi(text: str, edits: Sequence[Edit]) -> EditResult:
    """Kimi CLI: the first exact place; edits of a list that find nothing are passed over in silence."""
    content = original = text.replace("\r\n", "\n").replace("\r", "\n")
    for edit in edits:
        if not edit.old_string and edit.replace_all and len(content) * len(edit.new_string) > MOST_IN_GAPS:
            raise PatchError("old_string is empty: give the text to replace.", reason=Reason.TOO_LARGE)
        content = content.replace(edit.old_string, edit.new_string, -1 if edit.replace_all else 1)
    if content == original:
        raise nothing_happened(edits)
    return Applied(content, (), "exact")


_SOURCE = Source("2026-09", "MoonshotAI/kimi-cli src/kimi_cli/tools/file/replace.py", "1.52.0")
_ON_BYTES = Declared(REPLACED, _SOURCE)
KIMI = (AgentRule("kimi", "Kimi CLI 1.52.0", "run", "first", kimi, source=_SOURCE, on_bytes=_ON_BYTES),)
