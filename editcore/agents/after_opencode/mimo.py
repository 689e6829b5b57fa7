"""MiMo-Code's edit tool, which had OpenCode's nine replacers and now asks for them by a variable.

Evidence: read.

    exact      if there is none, the closest block is shown in the refusal, and never edited

Policy: unique, counted without overlap, or every place if that is asked for. The edit's line endings are made those of
the file: CRLF if it has one.

Known failures: an empty search text overwrites the file; a byte order mark is lost; with every place, `$&` and its like
in a new text are expanded as JavaScript's `replaceAll` does.
"""

from __future__ import annotations

from editcore.agents.habits import REPLACED
from editcore.agents.matching import places
from editcore.agents.opencode import expanded, with_endings
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, replaced_everywhere, several, unchanged
from editcore.types import Applied, Edit, EditResult


def mimo(text: str, edit: Edit) -> EditResult:
    """MiMo-Code: exact and unique; of the nine replacers only the hints of refusals are left."""
    if edit.old_string == edit.new_string:
        raise unchanged()
    if not edit.old_string:
        return Applied(edit.new_string, (), "whole_file")
    text = text.removeprefix("\ufeff")
    edit = with_endings(text, edit)
    old, new = edit.old_string, edit.new_string
    found = [(at, at + len(old)) for at in places(text, old)]
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(text, found, "exact")
    if not edit.replace_all:
        return replaced_everywhere(text, found, new, "exact")
    out, done = [], 0
    for start, end in found:
        out += [text[done:start], expanded(new, text, start, end)]
        done = end
    return Applied("".join(out) + text[done:], (), "exact")


_SOURCE = Source("2026-09", "XiaomiMiMo/MiMo-Code packages/opencode/src/tool/edit.ts", "63167b5a")
_FILES = Source(None, "XiaomiMiMo/MiMo-Code packages/shared/src/filesystem.ts (Effect's TextDecoder)", "634591ba")
_ON_BYTES = Declared(REPLACED, _FILES)
MIMO = (AgentRule("mimo", "MiMo-Code 2026", "read", "unique", in_turn(mimo), source=_SOURCE, on_bytes=_ON_BYTES),)
