"""OpenCode's edit tool at four times, three of them the cascades that stand in `editcore.cascade`.

Evidence: run (1.18.34 and five earlier versions beside these rules, see `tests/conformance.py`).

    opencode_0_5    six replacers, thresholds 0.0 and 0.3                 0.5.29
    opencode_1_0    nine replacers, the same thresholds: `reference`      1.0.0 to 1.15
    opencode_1_17   thresholds 0.65, window and size guard; the edit's line endings become the file's
    opencode_exact  the second edit tool in 1.18: one exact place, counted without overlap

Policy: unique by text, not by place, as `editcore.cascade` explains; the exact one counts places. Nothing is
re-indented.

Known failure of `opencode_exact`: `$&` and its like in a new text are expanded as JavaScript's `replace` does.
"""

from __future__ import annotations

import re
from dataclasses import replace

from editcore.agents.habits import REPLACED
from editcore.agents.matching import places
from editcore.agents.rule import AgentRule, Declared, OneEdit, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, several
from editcore.cascade import OPENCODE_1_17, REFERENCE, Cascade
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult

_FIRST_SIX = Cascade("opencode_0_5", REFERENCE.replacers[:6], summary="The first six replacers, without guards.")
_PATTERN = re.compile(r"\$[$&`']")


def opencode_0_5(text: str, edit: Edit) -> EditResult:
    """OpenCode 0.5: the first six replacers, without guards."""
    return _FIRST_SIX.apply(Document(text), edit)


def opencode_1_0(text: str, edit: Edit) -> EditResult:
    """OpenCode 1.0: the nine replacers, without guards; the cascade `reference`."""
    return REFERENCE.apply(Document(text), edit)


def opencode_1_17(text: str, edit: Edit) -> EditResult:
    """OpenCode 1.17: the cascade `opencode_1_17`, the edit's line endings made those of the file."""
    return OPENCODE_1_17.apply(Document(text), with_endings(text, edit))


def opencode_exact(text: str, edit: Edit) -> EditResult:
    """OpenCode's second edit tool: exact and unique, counted without overlap; `$&` in a new text is expanded."""
    edit = with_endings(text, edit)
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    found = places(text, old)
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(text, [(at, at + len(old)) for at in found], "exact")
    out, done = [], 0
    for at in found:
        out += [text[done:at], expanded(new, text, at, at + len(old))]
        done = at + len(old)
    return Applied("".join(out) + text[done:], (), "exact")


def with_endings(text: str, edit: Edit) -> Edit:
    """The edit with CRLF in its texts if the file has one, else with LF."""
    ending = "\r\n" if "\r\n" in text else "\n"
    old, new = (one.replace("\r\n", "\n").replace("\n", ending) for one in (edit.old_string, edit.new_string))
    return replace(edit, old_string=old, new_string=new)


def expanded(new: str, text: str, start: int, end: int) -> str:
    """The new text with JavaScript's replacement patterns expanded: `$$`, `$&`, and the text before and after."""
    meanings = {"$$": "$", "$&": text[start:end], "$`": text[:start], "$'": text[end:]}
    return _PATTERN.sub(lambda found: meanings[found[0]], new)


_FIRST_TOOL = "anomalyco/opencode packages/opencode/src/tool/edit.ts"
_SECOND_TOOL = "anomalyco/opencode packages/core/src/tool/edit.ts"
_DECODER = Source(None, f"{_SECOND_TOOL} (TextDecoder, not fatal)", "1b57c71e")


def _opencode(rule: OneEdit, version: str) -> AgentRule:
    source = Source(None, _FIRST_TOOL, version)
    on_bytes = Declared(REPLACED, Source(None, f"{_FIRST_TOOL} (text() of a Bun file)", None))
    return AgentRule(
        rule.__name__, f"OpenCode {version}", "run", "unique", in_turn(rule), source=source, on_bytes=on_bytes
    )


OPENCODE = (
    _opencode(opencode_0_5, "0.5.29"),
    _opencode(opencode_1_0, "1.0.0"),
    _opencode(opencode_1_17, "1.17.0"),
    AgentRule(
        "opencode_exact",
        "OpenCode 1.18.34, second tool",
        "run",
        "unique",
        in_turn(opencode_exact),
        source=Source(None, _SECOND_TOOL, "1.18.34"),
        on_bytes=Declared(REPLACED, _DECODER),
    ),
)
