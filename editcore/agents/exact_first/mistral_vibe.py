"""Mistral Vibe's edit tool: a plain exact rule.

Evidence: run (`peer/mistral_vibe`, 2.26.1).

    exact      counted without overlap; nothing is forgiven

Policy: unique, or every place if that is asked for. Line endings: every one is read as LF and
written as most lines of the file have it.

Known failures: the other endings of a mixed file are lost; a new text that has CRLF itself gets another CR in a file
with CRLF.
"""

from __future__ import annotations

from editcore.agents.habits import TRIED
from editcore.agents.matching import places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.types import Applied, Edit, EditResult


def _ending(text: str) -> str:
    """The line ending that most lines have; of equally many CRLF, then LF."""
    crlf = text.count("\r\n")
    counts = {"\r\n": crlf, "\n": text.count("\n") - crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=counts.__getitem__)


def mistral_vibe(text: str, edit: Edit) -> EditResult:
    """Mistral Vibe: exact and unique, or every place; nothing is forgiven."""
    if not edit.old_string:
        raise nothing_sought()
    if edit.old_string == edit.new_string:
        raise unchanged()
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    ending = _ending(text) if "\r" in text else "\n"
    plain = text.removeprefix(bom).replace("\r\n", "\n").replace("\r", "\n")
    found = [(at, at + len(edit.old_string)) for at in places(plain, edit.old_string)]
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(plain, found, "exact")
    done = replaced_everywhere(plain, found, edit.new_string, "exact")
    if not bom and ending == "\n" and plain == text:
        return done
    return Applied(bom + (done.content or "").replace("\n", ending), (), "exact")


_SOURCE = Source(None, "mistralai/mistral-vibe vibe/core/tools/builtins/edit.py", "2.26.1")
_ON_BYTES = Declared(TRIED, Source(None, "mistralai/mistral-vibe vibe/utils/io.py", "2.26.1"))
MISTRAL_VIBE = (
    AgentRule(
        "mistral_vibe",
        "Mistral Vibe 2.26.1",
        "run",
        "unique",
        in_turn(mistral_vibe),
        source=_SOURCE,
        on_bytes=_ON_BYTES,
    ),
)
