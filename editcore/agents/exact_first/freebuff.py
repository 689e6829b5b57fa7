"""Freebuff's (Codebuff's) str_replace.

Evidence: run (`peer/codebuff`, the source in @codebuff/sdk 0.10.7). On the text with LF:

    exact      one place; several are refused unless that is asked for
    indented   |a  ->  |  a     one to twelve blanks, or one to six tabs, before each line that is not empty
    squeezed   all whitespace removed from both: the first place, mapped back, with the whitespace above it

Policy: what `indented` or `squeezed` finds is replaced wherever that text stands. Pairs of a list that fail are passed
over with a message. Line endings: CRLF throughout if the file has one.

Known failures: a search text of whitespace that is not found puts the new text between all characters; the new text
is not indented with the search text; `squeezed` removes the whitespace above its place;
empty search texts alone double the carriage returns of a file with CRLF.
"""

from __future__ import annotations

from collections.abc import Sequence

from editcore.agents.habits import REPLACED
from editcore.agents.matching import first_squeezed, places
from editcore.agents.rule import AgentRule, Declared, Source
from editcore.agents.runner import MOST_IN_GAPS, not_found, nothing_happened, nothing_sought, several
from editcore.errors import PatchError
from editcore.text.endings import line_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied, Edit, EditResult, Reason

_PREFIXES = (*(" " * n for n in range(1, 13)), *("\t" * n for n in range(1, 7)))


def _indented(text: str, old: str) -> str | None:
    """The search text with the first indentation with which it stands in the text."""
    lines = old.split("\n")
    first = next((line for line in lines if line), None)
    for prefix in _PREFIXES:
        if first is None or prefix + first in text:
            found = "\n".join([prefix + line if line else line for line in lines])
            if found in text:
                return found
    return None


def _sought(text: str, edit: Edit) -> tuple[str, str]:
    """The step that finds something, and the text that it finds. Raises PatchError."""
    old = line_feeds(edit.old_string)
    if not old:
        raise nothing_sought()
    found = places(text, old)
    if len(found) == 1 or (found and edit.replace_all):
        return "exact", old
    if found:
        raise several(text, [(at, at + len(old)) for at in found], "exact")
    if (indented := _indented(text, old)) is not None:
        return "indented", indented
    if not trim(old):
        # Nothing is left of it, and that stands first of all at the start.
        return "squeezed", ""
    if span := first_squeezed(text, old):
        return "squeezed", text[slice(*span)]
    raise not_found()


def freebuff(text: str, edits: Sequence[Edit]) -> EditResult:
    """Freebuff: exact, indented further, without any whitespace; pairs that fail are passed over."""
    content, step, failure = text, None, None
    for edit in edits:
        if not edit.old_string:
            failure = failure or nothing_sought()
            continue
        content = line_feeds(content)
        try:
            step, found = _sought(content, edit)
        except PatchError as error:
            failure = failure or error
        else:
            if not found and len(content) * len(edit.new_string) > MOST_IN_GAPS:
                raise PatchError("old_string is blank: give the text to replace.", reason=Reason.TOO_LARGE)
            content = content.replace(found, line_feeds(edit.new_string))
    content = content.replace("\n", "\r\n") if "\r\n" in text else content
    if content == text:
        raise failure or nothing_happened(edits)
    return Applied(content, (), step)


_SOURCE = Source("2026-08", "CodebuffAI/freebuff packages/agent-runtime/src/process-str-replace.ts", "4501e5a6")
_ON_BYTES = Declared(
    REPLACED, Source("2026-05-05", "CodebuffAI/freebuff sdk/src/tools (readFile as UTF-8)", "37bc26b1")
)
FREEBUFF = (AgentRule("freebuff", "Freebuff 2026", "run", "all", freebuff, source=_SOURCE, on_bytes=_ON_BYTES),)
