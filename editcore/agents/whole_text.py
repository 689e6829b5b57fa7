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

from editcore.agents.habits import DETECTED, DETECTED_STRICT, REPLACED, STRICT, TRIED
from editcore.agents.matching import first_squeezed, places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import (
    MOST_IN_GAPS,
    not_found,
    nothing_happened,
    nothing_sought,
    replaced,
    replaced_everywhere,
    several,
    unchanged,
)
from editcore.errors import PatchError
from editcore.text.endings import line_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied, Edit, EditResult, Reason

# Anthropic's text editor tool, as its reference implementation `computer-use-demo` has it.
#
# Evidence: read (the demo; not installable). The rule:
#
#     file, old and new   tabs become spaces (`expandtabs`), in all three
#     old                 must occur exactly once, counted without overlap
#
# Policy: unique. Line endings: as Python's text mode reads and writes them, every ending becomes LF.
#
# Known failure: one edit in a file with tabs turns every tab of the file into spaces.


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


# OpenHands' editor: that of its Agent SDK (openhands-tools 1.49.1), and the one before (openhands-aci 0.3.3).
#
# Evidence: read (`editor.py` of both packages), and that of the SDK run (`peer/openhands`, on 1,500 drawn calls: 11
# differ, where its detectors take odd texts for binary or for another encoding). The rule:
#
#     old                       must occur exactly once
#     if it does not occur:     old without whitespace at its ends must; openhands-aci strips new as well
#
# Policy: unique; several places are listed by line. Line endings: every ending becomes LF. A byte
# order mark is no part of the text. In an empty file an empty text is found.
#
# Known failure: the stripped text is replaced by a new text that is (or, in openhands-aci, is not) still indented: the
# first line is indented twice, or the last one loses its line feed.


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


# Kimi CLI's StrReplaceFile.
#
# Evidence: run (`peer/kimi_cli`, 1.52.0).
#
#     exact      the first place, or every place if that is asked for; the number of places is not looked at
#
# Policy: first. Edits of a list that find nothing are passed over in silence, as long as another one changes something.
# Line endings: read as Python reads text, so that CRLF and CR become LF throughout, and stay so.
#
# Known failures: of several equal places the first is changed without a word; an empty search text puts the new text at
# the top.


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


_SOURCE_KIMI = Source("2026-09", "MoonshotAI/kimi-cli src/kimi_cli/tools/file/replace.py", "1.52.0")
_ON_BYTES = Declared(REPLACED, _SOURCE_KIMI)
KIMI = (AgentRule("kimi", "Kimi CLI 1.52.0", "run", "first", kimi, source=_SOURCE_KIMI, on_bytes=_ON_BYTES),)


# Mistral Vibe's edit tool: a plain exact rule.
#
# Evidence: run (`peer/mistral_vibe`, 2.26.1).
#
#     exact      counted without overlap; nothing is forgiven
#
# Policy: unique, or every place if that is asked for. Line endings: every one is read as LF and
# written as most lines of the file have it.
#
# Known failures: the other endings of a mixed file are lost; a new text that has CRLF itself gets another CR in a file
# with CRLF.


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


_SOURCE_MISTRAL_VIBE = Source(None, "mistralai/mistral-vibe vibe/core/tools/builtins/edit.py", "2.26.1")
_ON_BYTES_MISTRAL_VIBE = Declared(TRIED, Source(None, "mistralai/mistral-vibe vibe/utils/io.py", "2.26.1"))
MISTRAL_VIBE = (
    AgentRule(
        "mistral_vibe",
        "Mistral Vibe 2.26.1",
        "run",
        "unique",
        in_turn(mistral_vibe),
        source=_SOURCE_MISTRAL_VIBE,
        on_bytes=_ON_BYTES_MISTRAL_VIBE,
    ),
)


# Freebuff's (Codebuff's) str_replace.
#
# Evidence: run (`peer/codebuff`, the source in @codebuff/sdk 0.10.7). On the text with LF:
#
#     exact      one place; several are refused unless that is asked for
#     indented   |a  ->  |  a     one to twelve blanks, or one to six tabs, before each line that is not empty
#     squeezed   all whitespace removed from both: the first place, mapped back, with the whitespace above it
#
# Policy: what `indented` or `squeezed` finds is replaced wherever that text stands. Pairs of a list that fail are passed
# over with a message. Line endings: CRLF throughout if the file has one.
#
# Known failures: a search text of whitespace that is not found puts the new text between all characters; the new text
# is not indented with the search text; `squeezed` removes the whitespace above its place;
# empty search texts alone double the carriage returns of a file with CRLF.

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


_SOURCE_FREEBUFF = Source(
    "2026-08", "CodebuffAI/freebuff packages/agent-runtime/src/process-str-replace.ts", "4501e5a6"
)
_ON_BYTES_FREEBUFF = Declared(
    REPLACED, Source("2026-05-05", "CodebuffAI/freebuff sdk/src/tools (readFile as UTF-8)", "37bc26b1")
)
FREEBUFF = (
    AgentRule(
        "freebuff", "Freebuff 2026", "run", "all", freebuff, source=_SOURCE_FREEBUFF, on_bytes=_ON_BYTES_FREEBUFF
    ),
)
