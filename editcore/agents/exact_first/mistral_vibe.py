"""Mistral Vibe's edit tool: a plain exact rule.

Evidence: read.

    exact      counted without overlap; nothing is forgiven

Policy: unique, or every place if that is asked for. Line endings: read as LF and written as the file's own.

Known failure: none of its own; it misses what is not exact.
"""

from __future__ import annotations

from editcore.agents.habits import TRIED
from editcore.agents.matching.results import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.agents.matching.windows import places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.text.endings import first_is_crlf, line_feeds, with_crlf
from editcore.types import Applied, Edit, EditResult


def mistral_vibe(text: str, edit: Edit) -> EditResult:
    """Mistral Vibe: exact and unique, or every place; nothing is forgiven."""
    if not edit.old_string:
        raise nothing_sought()
    if edit.old_string == edit.new_string:
        raise unchanged()
    crlf = first_is_crlf(text)
    plain = line_feeds(text)
    found = [(at, at + len(edit.old_string)) for at in places(plain, edit.old_string)]
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(plain, found, "exact")
    done = replaced_everywhere(plain, found, edit.new_string, "exact")
    return Applied(with_crlf(line_feeds(done.content or ""), crlf), (), "exact") if crlf else done


_SOURCE = Source("2026-07-01", "mistralai/mistral-vibe vibe/core/tools/builtins/edit.py", "ac8f1a09")
_ON_BYTES = Declared(TRIED, Source("2026-07-01", "mistralai/mistral-vibe vibe/core/utils/io.py", "ac8f1a09"))
MISTRAL_VIBE = (
    AgentRule(
        "mistral_vibe", "Mistral Vibe 2026", "read", "unique", in_turn(mistral_vibe), source=_SOURCE, on_bytes=_ON_BYTES
    ),
)
