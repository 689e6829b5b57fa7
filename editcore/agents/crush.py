"""Crush's ladder: it undoes, one after the other, what viewing a file adds to a text.

Evidence: read (`internal/agent/tools`, 2026). First of all the search text loses zero-width characters, a code fence
around it, and line numbers (`12|`) if half of its lines have one. Then each must be found, and once:

    exact · without blank lines around · without whitespace at line ends · with or without a last line feed ·
    runs of blank lines as one · |    a|b  |  two or more lines, equal but for spaces and tabs at their ends ·
    that with runs of blank lines as one

Policy: unique at the rung that finds something; then the first text like it is replaced. Nothing is re-indented. Line
endings: CRLF throughout if the file has one.

Known failure: a window found with other indentation gets the new text's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from editcore.agents.matching.results import not_found, nothing_sought, several, unchanged
from editcore.agents.matching.windows import apart, span, window_starts
from editcore.agents.rule import AgentRule, in_turn
from editcore.text.document import Document
from editcore.text.endings import line_feeds, with_crlf
from editcore.types import Applied, Edit, EditResult

_INVISIBLE = str.maketrans(dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060"))
_NUMBERED = re.compile(r"^\s*+\d++\|\s?", re.ASCII)
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = " \t"


def _unwrapped(find: str) -> str:
    """The search text without what viewing a file adds."""
    find = find.translate(_INVISIBLE)
    lines = find.strip().split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1] == "```":
        find = "\n".join(lines[1:-1])
    lines = find.split("\n")
    if len(lines) > 1 and 2 * sum(1 for line in lines if _NUMBERED.match(line)) >= len(lines):
        find = "\n".join(_NUMBERED.sub("", line) for line in lines)
    return find


def _collapsed(find: str) -> str:
    return _BLANK_LINES.sub("\n\n", find)


def _without_blank_edges(find: str) -> str:
    lines = find.split("\n")
    filled = [n for n, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _exact_rungs(find: str) -> Iterator[tuple[str, str]]:
    """(rung, the text that it looks for), in order."""
    yield "exact", find
    yield "blank_edges", _without_blank_edges(find)
    yield "line_ends", "\n".join(line.rstrip(_BLANKS) for line in find.split("\n"))
    yield "final_newline", find.removesuffix("\n") if find.endswith("\n") else f"{find}\n"
    yield "blank_lines", _collapsed(find)


def _flexible(document: Document, find: str) -> list[str]:
    """The texts of windows that are equal but for whitespace at both ends of each line; of two lines or more."""
    wanted = [line.strip(_BLANKS) for line in find.removesuffix("\n").split("\n")]
    if len(wanted) < 2:
        return []
    starts = apart(window_starts([line.strip(_BLANKS) for line in document.lines], wanted), len(wanted))
    return [document.text[slice(*span(document, at, len(wanted)))] for at in starts]


def _found(text: str, find: str) -> tuple[str, str]:
    """The rung that finds something, and the text it finds. Raises PatchError."""
    for rung, sought in _exact_rungs(find):
        at = text.find(sought) if sought else -1
        if at >= 0:
            if text.rfind(sought) != at:
                raise several(text, [(at, at + len(sought))], rung)
            return rung, sought
    document = Document(text)
    for rung, change in _FLEXIBLE.items():
        windows = _flexible(document, change(find))
        if len(windows) > 1:
            at = text.find(windows[0])
            raise several(text, [(at, at + len(windows[0]))], rung)
        if windows:
            return rung, windows[0]
    raise not_found()


_FLEXIBLE: dict[str, Callable[[str], str]] = {"indentation": str, "indentation_and_blank_lines": _collapsed}


def crush(text: str, edit: Edit) -> EditResult:
    """Crush: undoes line numbers, fences, whitespace and indentation one by one; each rung must find one place."""
    crlf = "\r\n" in text
    text, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
    find = _unwrapped(old)
    if not find:
        raise nothing_sought()
    if edit.replace_all and find in text:
        rung, content = "exact", text.replace(find, new)
    else:
        rung, sought = _found(text, find)
        content = text.replace(sought, new, -1 if edit.replace_all else 1)
    if content == text:
        raise unchanged()
    return Applied(with_crlf(content, crlf), (), rung)


CRUSH = (AgentRule("crush", "Crush 2026", "read", "unique", in_turn(crush)),)
